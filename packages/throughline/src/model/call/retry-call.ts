/** Retries model calls, and sends a second request if the first response is late. */
import type { Clock } from "../../kernel/clock.ts";
import { createDeadline } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { Random } from "../../kernel/random.ts";
import type { ModelPart } from "../model-port.ts";
import { errorOf, failed, type Failure } from "./call-failure.ts";
import type { CallSettings } from "./call-options.ts";

/** The delay before the second try. It doubles with each further one, up to the maximum. */
const firstPauseMs = 500;
const longestPauseMs = 8_000;

/** A longer requested delay ends the retries, because a customer would not wait that long for a reply. */
const longestRetryAfterMs = 30_000;

/** How to make a call: `open` sends one request, `name` identifies it in errors. */
interface Calling {
  readonly name: string;
  readonly settings: CallSettings;
  readonly open: Open<ModelPart>;
}

/**
 * Yields the response to one call. A failure is retried until the first text has been sent, because sent text cannot be withdrawn. Throws the last
 * failure, or the signal's reason as soon as it aborts.
 */
export async function* answerWithRetries({ name, settings, open }: Calling, signal: AbortSignal): AsyncGenerator<ModelPart, void, undefined> {
  const { clock, random, retries, timeoutMs, hedgeMs } = settings;
  const end = clock.monotonic() + timeoutMs;
  const total = createDeadline(clock);
  total.within(timeoutMs, () => failed(`${name} did not finish its answer within ${timeoutMs} ms.`, { again: false, hint: "Raise timeoutMs." }));
  const stop = AbortSignal.any([signal, total.signal]);
  let attempts = 0;
  const count: Open<ModelPart> = (each) => {
    attempts += 1;
    return open(each);
  };
  try {
    for (let round = 0; ; round += 1) {
      const { failure, spoken } = yield* oneRound(hedged(count, { signal: stop, hedgeMs, clock }), name);
      if (failure === undefined) return;
      const pause = pauseOf(failure, round, random);
      const over = pause === undefined || clock.monotonic() + pause >= end;
      if (spoken || !failure.again || round >= retries || over) throw errorOf(failure, attempts);
      await clock.sleep(pause, stop);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (total.signal.aborted) throw errorOf(total.signal.reason as Failure, attempts);
    throw ThroughlineError.from(error, "model.failed");
  } finally {
    total.end();
  }
}

interface Round {
  /** Undefined if the response is complete. */
  readonly failure: Failure | undefined;
  /** Whether any part has been sent. */
  readonly spoken: boolean;
}

/** Passes on the response to one request. Returns how it ended. */
async function* oneRound(parts: AsyncGenerator<ModelPart | Failure, void, undefined>, name: string): AsyncGenerator<ModelPart, Round, undefined> {
  let spoken = false;
  for await (const part of parts) {
    if (part.type === "failure") return { failure: part, spoken };
    spoken = true;
    yield part;
    if (part.type === "finish") return { failure: undefined, spoken };
  }
  return { failure: failed(`${name} ended its answer without a word.`, { again: true }), spoken };
}

/**
 * Returns the milliseconds until the next try: the delay that the service requests, or half to all of a delay that doubles. Undefined if the service
 * requests too much.
 */
export function pauseOf({ retry_after_ms }: Failure, round: number, random: Random): number | undefined {
  if (retry_after_ms !== undefined) return retry_after_ms > longestRetryAfterMs ? undefined : retry_after_ms;
  const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** round);
  const [byte = 0] = random.bytes(1);
  return pause / 2 + (pause / 2) * (byte / 255);
}

/** Returns the milliseconds that the headers of a rejection request: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function retryAfterOf(header: (name: string) => string | null | undefined, now: number): number | undefined {
  const exact = Number.parseFloat(header("retry-after-ms") ?? "");
  if (Number.isFinite(exact) && exact >= 0) return Math.round(exact);
  const text = header("retry-after")?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Math.round(Number.parseFloat(text) * 1_000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Opens one request. The signal ends it immediately. */
type Open<Item> = (signal: AbortSignal) => AsyncGenerator<Item | Failure, void, undefined>;

interface Runner<Item> {
  readonly leave: AbortController;
  readonly items: AsyncGenerator<Item | Failure, void, undefined>;
  readonly first: Promise<IteratorResult<Item | Failure, void>>;
}

const isFailure = (item: unknown): item is Failure => typeof item === "object" && item !== null && "type" in item && item.type === "failure";

/**
 * Yields the items of one request or of two. If the first has shown nothing after `hedgeMs`, a second starts. The one that responds first is read and
 * the other is ended. If one fails, the other continues. A reader that stops ends both.
 */
async function* hedged<Item>(
  open: Open<Item>,
  { signal, hedgeMs, clock }: { readonly signal: AbortSignal; readonly hedgeMs: number | undefined; readonly clock: Clock },
): AsyncGenerator<Item | Failure, void, undefined> {
  const runners: Runner<Item>[] = [];
  const start = (): Runner<Item> => {
    const leave = new AbortController();
    const items = open(AbortSignal.any([signal, leave.signal]));
    const first = items.next();
    // The slower one is not awaited, and its failure must not end the process.
    first.catch(() => {});
    const runner = { leave, items, first };
    runners.push(runner);
    return runner;
  };
  try {
    const leader = start();
    let winner = leader;
    if (hedgeMs !== undefined && !(await settles(leader.first, hedgeMs, { signal, clock }))) winner = await quicker(leader, start());
    for (const runner of runners) if (runner !== winner) runner.leave.abort();
    const first = await winner.first;
    if (first.done === true) return;
    yield first.value;
    yield* winner.items;
  } finally {
    for (const { leave, items } of runners) {
      leave.abort();
      // Not awaited, because the reader has left.
      items.return().catch(() => {});
    }
  }
}

/** Whether the promise settles in time. */
async function settles(
  promise: Promise<unknown>,
  ms: number,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<boolean> {
  const enough = new AbortController();
  const settled = promise.then(
    () => true,
    () => true,
  );
  const waited = clock.sleep(ms, AbortSignal.any([signal, enough.signal])).then(
    () => false,
    () => true,
  );
  try {
    return await Promise.race([settled, waited]);
  } finally {
    enough.abort();
  }
}

/** Returns the request that responds first. If both fail, returns the one that started first. */
async function quicker<Item>(one: Runner<Item>, other: Runner<Item>): Promise<Runner<Item>> {
  const answers = async (runner: Runner<Item>): Promise<Runner<Item>> => {
    const { done, value } = await runner.first;
    if (done === true || isFailure(value)) throw new Error("It does not answer.");
    return runner;
  };
  return Promise.any([answers(one), answers(other)]).catch(() => one);
}
