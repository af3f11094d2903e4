/** The PostgreSQL functions of the procedures. */
import { createHash } from "node:crypto";
import { claimProcedure, releaseProcedure, renewProcedure } from "./claim.ts";
import { commitProcedure } from "./commit/commit.ts";
import type { Dialect } from "./driver.ts";
import { draftsProcedure } from "./wake/drafts-table.ts";
import { markProcedure, stepProcedure } from "./erasure/steps.ts";
import { namingProcedure } from "./erasure/naming.ts";
import { rewrapProcedure } from "./keys/rewrap.ts";

export interface DatabaseFunction {
  readonly name: string;
  readonly statement: string;
}

const names = new WeakMap<object, string>();

/**
 * Returns the name of a procedure's function. It contains a hash of the body, so a version with another body creates its own function. Processes of
 * both versions can then run concurrently.
 */
export function functionName(procedure: { readonly name: string; readonly postgres: string }): string {
  const known = names.get(procedure);
  if (known !== undefined) return known;
  const name = `throughline_${procedure.name}_${createHash("sha256").update(procedure.postgres).digest("hex").slice(0, 12)}`;
  names.set(procedure, name);
  return name;
}

const functions: readonly DatabaseFunction[] = [
  commitProcedure,
  claimProcedure,
  renewProcedure,
  releaseProcedure,
  markProcedure,
  namingProcedure,
  stepProcedure,
  draftsProcedure,
  rewrapProcedure,
].map((procedure) => {
  const name = functionName(procedure);
  const body = `#variable_conflict use_column\n${procedure.postgres}`;
  return { name, statement: `CREATE FUNCTION ${name}(input jsonb) RETURNS jsonb LANGUAGE plpgsql AS $body$\n${body}\n$body$` };
});

/** Returns the functions that a database must have. */
export const functionsOf = (dialect: Dialect): readonly DatabaseFunction[] => (dialect === "postgres" ? functions : []);
