/** How long the exact request of a step is kept. */
import { ThroughlineError, seen } from "../../kernel/error.ts";

/** How long requests are kept. */
export type KeepRequests = boolean | { readonly days: number };

const dayMs = 86_400_000;
/** Days that a request is kept by default. */
const usualDays = 7;
const mostDays = 365;

/** Returns the retention of requests in milliseconds, or undefined if they are not kept. Throws `agent.invalid` for an invalid number of days. */
export function keptFor(agent: string, keep: KeepRequests | undefined): number | undefined {
  if (keep === undefined || keep === false) return undefined;
  const days: unknown = keep === true ? usualDays : typeof keep === "object" && keep !== null ? keep.days : keep;
  if (typeof days === "number" && days > 0 && days <= mostDays) return Math.ceil(days * dayMs);
  throw new ThroughlineError("agent.invalid", `Agent "${agent}" keeps requests for true or { days } from above 0 to ${mostDays}, got ${seen(keep)}.`);
}
