/** Streams one turn: its live parts in one order, and its result. */
import { headerOf } from "../../extension/commit.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { StateDefinition } from "../../state/define.ts";
import type { Handle } from "../commands/handle.ts";
import type { Accepted } from "../turn/turn.ts";
import { kindsOfParts, type LivePart, type PartsView, TurnParts } from "./live-parts.ts";
import { streamFed, watchDrafts, type WatchedDrafts } from "./follow.ts";
import type { OutcomeTarget, TurnResult } from "./outcome.ts";

/**
 * The live stream of one turn. Iterating it yields the parts in order; `end` comes last. It has one reader. A reader that leaves, or iterates never,
 * does not stop the turn. Parts that nobody reads are not kept: the reader takes them from the log, and only drafts are lost.
 */
export interface TurnStream<Output = JsonObject, Public = JsonObject> extends AsyncIterable<LivePart<Output, Public>> {
  /** Resolves when the message is durable. Rejects if it is not accepted. */
  readonly accepted: Promise<Accepted>;
  /** The outcome. It does not need a reader. Rejects with the reason of the signal once that has aborted. */
  readonly result: Promise<TurnResult<Output>>;
}

/** A turn to stream, and its reader. */
export interface TurnStreamOptions {
  readonly target: Promise<Omit<OutcomeTarget, "idle">>;
  readonly result: Promise<TurnResult>;
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Returns the declaration of the state whose public fields are shown. */
  readonly state: () => Promise<StateDefinition | undefined>;
  readonly view?: PartsView | undefined;
}

type Watching = Promise<WatchedDrafts | undefined>;

const watchCalls = ({ runtime, id }: Pick<Handle, "runtime" | "id">): Promise<WatchedDrafts> => watchDrafts(runtime, id, { calls: "with progress" });

/** Creates the stream of a turn. Drafts are watched from now on, so that a turn that starts at once loses none. */
export function openTurnStream(handle: Handle, streamed: TurnStreamOptions): TurnStream {
  const { target, result, after } = streamed;
  const accepted = target.then(({ offset, turn_id }) => ({ offset, turn_id }));
  accepted.catch(() => {});
  result.catch(() => {});
  if (after !== undefined && !(Number.isSafeInteger(after) && after >= 0))
    throw new ThroughlineError("input.invalid", `after is a whole number from 0, got ${seen(after)}.`);
  // If it fails, the reader tries again.
  let watching: Watching | undefined = watchCalls(handle).catch(() => undefined);
  const taken = (): Watching | undefined => {
    const watched = watching;
    watching = undefined;
    return watched;
  };
  const unread = (): void => void taken()?.then((watched) => watched?.stop());
  result.then(unread, unread);
  let isRead = false;
  return Object.freeze({
    accepted,
    result,
    [Symbol.asyncIterator]() {
      if (isRead)
        throw new ThroughlineError("input.invalid", "A stream of a turn has one reader.", { hint: "Use session.follow() for another one." });
      isRead = true;
      return partsOf(handle, streamed, taken);
    },
  });
}

/** Yields the parts of a turn. Ends without an `end` when the signal aborts. */
async function* partsOf(
  handle: Handle,
  streamed: TurnStreamOptions,
  watching: () => Watching | undefined,
): AsyncGenerator<LivePart, void, undefined> {
  const watched = watching();
  const { signal, result } = streamed;
  let parts: TurnParts | undefined;
  try {
    const target = await streamed.target;
    parts = new TurnParts(target, { after: streamed.after, state: await streamed.state(), view: streamed.view });
    yield* partsInLog(handle, { ...streamed, target, parts, watched: await watched });
  } catch (error) {
    if (signal?.aborted === true) return;
    // A guarded agent answers although the store has failed.
    const unsaved = await result;
    if (unsaved.saved === undefined) throw error;
    yield* (parts ?? new TurnParts({ ...unsaved, message: true })).end(unsaved);
  } finally {
    (await watched)?.stop();
  }
}

async function* partsInLog(
  { runtime, id }: Handle,
  {
    target,
    result: outcome,
    parts,
    watched,
    signal,
  }: Pick<TurnStreamOptions, "result" | "signal"> & {
    readonly target: OutcomeTarget;
    readonly parts: TurnParts;
    readonly watched: WatchedDrafts | undefined;
  },
): AsyncGenerator<LivePart, void, undefined> {
  const left = new AbortController();
  const reading = AbortSignal.any([left.signal, ...(signal === undefined ? [] : [signal])]);
  let result: TurnResult | undefined;
  /** The head after the outcome was known. No later event belongs to it. */
  let head: number | undefined;
  const isOver = ({ saved, turn_id }: TurnResult): boolean =>
    saved !== undefined || (turn_id !== undefined && parts.hasEnded(turn_id)) || (head !== undefined && parts.passed >= head);
  const settled = outcome.then((settling) => void (result = settling));
  const bounded = settled.then(async () => {
    if (result !== undefined && !isOver(result)) ({ head } = await headerOf(runtime, id));
  });
  settled.catch(() => {});
  bounded.catch(() => {});
  const items = streamFed(
    runtime,
    id,
    { minOffset: target.offset, kinds: kindsOfParts, signal: reading },
    watched ?? (await watchCalls({ runtime, id })),
  );
  try {
    let next = items.next();
    for (;;) {
      if (result !== undefined && isOver(result)) {
        yield* parts.end(result);
        return;
      }
      const waiting = result === undefined ? settled : head === undefined ? bounded : undefined;
      const item = await (waiting === undefined ? next : Promise.race([next, waiting]));
      if (item === undefined) continue;
      if (item.done === true) return;
      next = items.next();
      next.catch(() => {});
      if ("kind" in item.value) yield* parts.event(item.value);
      else if (item.value.type === "position") parts.reached(item.value.next_offset);
      else yield* parts.draft(item.value);
    }
  } finally {
    left.abort();
    await items.return();
  }
}
