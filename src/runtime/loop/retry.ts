import type { ThroughlineError } from "../../kernel/error.ts";
import type { Work } from "./work.ts";

/** Milliseconds before the first retry of a model call whose failure says nothing of it; they double with every further one, up to the longest. */
const firstMs = 50;
const longestMs = 5_000;

/** Who waits for a reply does not wait longer than this for a service that asks to be left alone. */
const longestAskedMs = 30_000;

/** How long the service has asked to be left alone. */
function askedFor({ details }: ThroughlineError): number | undefined {
  const asked = details["retry_after_ms"];
  return typeof asked === "number" && asked >= 0 ? asked : undefined;
}

/** Whether the service that failed asks for a longer pause than anybody would wait for. */
export const isTooLong = (failure: ThroughlineError): boolean => (askedFor(failure) ?? 0) > longestAskedMs;

/**
 * Waits before a model call that failed is tried anew, at most until the deadline; nothing is at work meanwhile, so it is not charged. A hook that has
 * `asked` for the retry can wait by itself, so only what the service wants is waited for.
 */
export async function beforeRetry({ ledger, turn, reply }: Work, failure: ThroughlineError, { asked }: { readonly asked: boolean }): Promise<void> {
  const { limits, spent } = ledger;
  const usual = asked ? 0 : Math.min(longestMs, firstMs * 2 ** Math.max(0, spent.attempts - 1));
  const pause = askedFor(failure) ?? usual;
  const left = limits.deadline === undefined ? pause : Math.min(pause, limits.deadline - turn.runtime.clock.now());
  if (left > 0) await turn.runtime.clock.sleep(left, reply.signal);
}
