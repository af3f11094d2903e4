/** Migrates stored states of earlier definition versions to the current version. */
import { seen, ThroughlineError } from "../kernel/error.ts";
import { isPlainObject, type JsonObject } from "../kernel/json.ts";
import { snapshotDocument } from "./value.ts";

/** A migration between two versions. */
export interface Migration {
  readonly from: number;
  readonly to: number;
  /** Pure: takes the frozen document of version `from` and returns the document of version `to`. */
  readonly migrate: (document: JsonObject) => JsonObject;
}

const keys = new Set(["from", "to", "migrate"]);

/** Declares a migration. Throws `state.definition_invalid`. */
export function defineMigration(migration: Migration): Migration {
  const refuse = (why: string): never => {
    throw new ThroughlineError("state.definition_invalid", `defineMigration: ${why}.`);
  };
  if (!isPlainObject(migration)) return refuse(`expects an object; saw ${seen(migration)}`);
  const { from, to, migrate } = migration;
  const unknownKey = Object.keys(migration).find((key) => !keys.has(key));
  if (unknownKey !== undefined) refuse(`unknown option ${seen(unknownKey)}`);
  if (!isVersion(from) || !isVersion(to)) refuse(`\`from\` and \`to\` are whole numbers; saw ${seen(from)} and ${seen(to)}`);
  if (to <= from) refuse(`it leads forward; saw ${from} to ${to}`);
  if (typeof migrate !== "function") refuse(`\`migrate\` is a function; saw ${seen(migrate)}`);
  return Object.freeze({ from, to, migrate });
}

/**
 * Checks the migrations of an agent with this version. Each must be well-formed and unique, must not go past the version, and must be part of a path
 * to it. Throws `agent.invalid`, or `state.definition_invalid` for a malformed migration.
 */
export function assertMigrations(version: number, migrations: readonly Migration[]): void {
  const refuse = (why: string): never => {
    throw new ThroughlineError("agent.invalid", `\`migrations\`: ${why}.`);
  };
  if (!Array.isArray(migrations)) refuse(`must be a list; saw ${seen(migrations)}`);
  const steps = migrations.map(defineMigration);
  for (const [index, { from, to }] of steps.entries()) {
    if (to > version) refuse(`the step from ${from} to ${to} leads past the agent's version ${version}`);
    if (steps.findIndex((other) => other.from === from && other.to === to) !== index) refuse(`there are two steps from ${from} to ${to}`);
    let reached = to;
    for (let step = nextStep(reached, version, steps); step !== undefined; step = nextStep(reached, version, steps)) reached = step.to;
    if (reached !== version)
      refuse(`the step from ${from} to ${to} ends at version ${reached}, and nothing leads from there to the agent's version ${version}`);
  }
}

const isVersion = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

/**
 * Migrates a document from one version to another. At each version it takes the longest step that does not go past `to`. The document itself is never
 * changed. Throws `state.definition_newer` for a document of a later version, `state.migration_missing` and `state.migration_failed`.
 */
export function migrateDocument(document: JsonObject, from: number, to: number, migrations: readonly Migration[]): JsonObject {
  if (from > to)
    throw new ThroughlineError("state.definition_newer", `The state was written by version ${from} of the agent; this is version ${to}.`, {
      details: { from, to },
    });
  let current = document;
  let version = from;
  while (version < to) {
    const step = nextStep(version, to, migrations);
    if (step === undefined) {
      throw new ThroughlineError("state.migration_missing", `No migration leads from version ${version} of the state towards version ${to}.`, {
        details: { from: version, to },
      });
    }
    current = run(step, current);
    version = step.to;
  }
  return current;
}

function nextStep(version: number, to: number, migrations: readonly Migration[]): Migration | undefined {
  return migrations
    .filter((migration) => migration.from === version && migration.to > version && migration.to <= to)
    .toSorted((a, b) => b.to - a.to)[0];
}

function run(step: Migration, document: JsonObject): JsonObject {
  const failed = (why: string, cause?: unknown): ThroughlineError =>
    new ThroughlineError("state.migration_failed", `The migration from version ${step.from} to ${step.to} ${why}.`, {
      cause,
      details: { from: step.from, to: step.to },
    });
  const before = snapshotDocument(document);
  if ("offence" in before) throw failed(`was given a document that is not JSON at ${seen(before.offence.path)}: ${before.offence.seen}`);
  let result: unknown;
  try {
    result = step.migrate(before.json as JsonObject);
  } catch (error) {
    throw failed(`threw: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  const after = snapshotDocument(result);
  if ("offence" in after) throw failed(`returned a value that is not JSON at ${seen(after.offence.path)}: ${after.offence.seen}`);
  if (!isPlainObject(after.json)) throw failed(`returned ${seen(result)}, which is not an object`);
  return after.json;
}
