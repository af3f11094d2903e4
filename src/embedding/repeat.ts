import { ThroughlineError } from "../kernel/error.ts";
import { createDeadline } from "../kernel/deadline.ts";
import { failed, type Failure } from "../model/call/failure.ts";
import type { CallSettings } from "../model/call/options.ts";
import { pauseOf } from "../model/call/retry.ts";

/** What one try came to. */
export type TryOutcome<Answer> = { readonly type: "answer"; readonly answer: Answer } | Failure;

/** How a request is made: `send` is one try, which rejects only when the signal aborts; `name` says in errors what was asked. */
export interface Sending<Answer> {
  readonly name: string;
  readonly settings: CallSettings;
  readonly send: (signal: AbortSignal) => Promise<TryOutcome<Answer>>;
}

/** The answer to a request, which is repeated while that may help and the time allows it. Throws the last failure, or the signal's reason at once. */
export async function repeated<Answer>({ name, settings, send }: Sending<Answer>, signal: AbortSignal): Promise<Answer> {
  const { clock, random, retries, timeoutMs } = settings;
  const end = clock.monotonic() + timeoutMs;
  const total = createDeadline(clock);
  total.within(timeoutMs, () => failed(`${name} did not answer within ${timeoutMs} ms.`, { again: false, hint: "Try again, or raise timeoutMs." }));
  const stop = AbortSignal.any([signal, total.signal]);
  let attempts = 0;
  try {
    for (;;) {
      attempts += 1;
      const outcome = await send(stop);
      if (outcome.type === "answer") return outcome.answer;
      const pause = pauseOf(outcome, attempts - 1, random);
      const over = pause === undefined || clock.monotonic() + pause >= end;
      if (!outcome.again || attempts > retries || over) throw errorOf(outcome, attempts);
      await clock.sleep(pause, stop);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (total.signal.aborted) throw errorOf(total.signal.reason as Failure, attempts);
    throw ThroughlineError.from(error, "embedding.failed");
  } finally {
    total.end();
  }
}

/** The failure as the error that a caller gets; a request that is not to be repeated has no more tries to tell of. */
function errorOf({ code, message, hint, status, retry_after_ms }: Failure, attempts: number): ThroughlineError {
  return new ThroughlineError(code === "model.failed" ? "embedding.failed" : "embedding.invalid", message, {
    ...(hint === undefined ? {} : { hint }),
    details: { ...(status === undefined ? {} : { status }), ...(retry_after_ms === undefined ? {} : { retry_after_ms }), attempts },
  });
}
