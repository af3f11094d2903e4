/** Keeping the exact request of a step: for how long. */
import { ThroughlineError, seen } from "../../kernel/error.ts";

/** For how long requests are kept. */
export type KeepRequests = boolean | { readonly days: number };

const dayMs = 86_400_000;
/** Days that a request is kept, unless the agent says otherwise. */
const usualDays = 7;
const mostDays = 365;

/** Milliseconds that requests are kept; undefined: they are not. `agent.invalid` for days that are none. */
export function keptFor(agent: string, keep: KeepRequests | undefined): number | undefined {
  if (keep === undefined || keep === false) return undefined;
  const days: unknown = keep === true ? usualDays : typeof keep === "object" && keep !== null ? keep.days : keep;
  if (typeof days === "number" && days > 0 && days <= mostDays) return Math.ceil(days * dayMs);
  throw new ThroughlineError("agent.invalid", `Agent "${agent}" keeps requests for true or { days } from above 0 to ${mostDays}, got ${seen(keep)}.`);
}
