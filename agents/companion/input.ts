/** What callers give, checked. */
import { ThroughlineError, type JsonObject } from "throughline";
import type { z } from "zod";
import type { agentInputSchema } from "./contract.ts";

type Given = z.output<typeof agentInputSchema>;

/** A value of a schema; `input.invalid` says where it is wrong, and quotes nothing of it. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const path = issue?.path.join("/") ?? "";
  throw new ThroughlineError("input.invalid", `The companion's input is wrong at /${path}: ${issue?.message ?? "it has another shape"}`, {
    details: { path },
  });
}

/** The input fields of a turn. */
export const inputOf = ({ channel, user_id, session_id, installed_skills }: Given): JsonObject => ({
  channel,
  user_id,
  session_id,
  installed_skills: [...installed_skills],
});
