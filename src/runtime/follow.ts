import { ThroughlineError, seen } from "../kernel/error.ts";
import type { SessionId, TraceId } from "../kernel/id.ts";
import type { Event } from "../session/event.ts";
import { decodeEvent } from "../session/upcast.ts";
import type { EventKind, EventSource } from "../store/port.ts";
import { refused } from "./commit.ts";
import type { RuntimeContext } from "./context.ts";
import type { Draft } from "./drafts.ts";

/** Which events to read. */
export interface EventFilter {
  /** First offset; 0 by default. Resume with the last offset seen plus one. */
  readonly minOffset?: number;
  readonly maxOffset?: number;
  readonly kinds?: readonly EventKind[];
  readonly source?: EventSource;
  readonly traceId?: TraceId;
  /** Also return what was withdrawn; false by default. */
  readonly withdrawn?: boolean;
  /** Wait for events to come; true by default. */
  readonly follow?: boolean;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
}

const never = new AbortController().signal;

/** Events in order, each once: those there are, then those that come. Ends when the signal aborts. */
export async function* followEvents(runtime: RuntimeContext, session_id: SessionId, filter: EventFilter): AsyncGenerator<Event, void, undefined> {
  const { minOffset = 0, maxOffset = Number.MAX_SAFE_INTEGER, kinds, source, traceId, withdrawn = false, follow = true, signal = never } = filter;
  for (const [path, offset] of Object.entries({ minOffset, maxOffset })) {
    if (Number.isSafeInteger(offset) && offset >= 0) continue;
    throw new ThroughlineError("input.invalid", `${path} is a whole number from 0, got ${seen(offset)}.`, { details: { path } });
  }
  let next = minOffset;
  while (!signal.aborted && next <= maxOffset) {
    const page = await runtime.store.read({
      session_id,
      min_offset: next,
      limit: 500,
      withdrawn,
      ...(maxOffset === Number.MAX_SAFE_INTEGER ? {} : { max_offset: maxOffset }),
      ...(kinds === undefined ? {} : { kinds }),
      ...(source === undefined ? {} : { source }),
      ...(traceId === undefined ? {} : { trace_id: traceId }),
    });
    if (page === undefined) throw refused({ reason: "session_missing" }, session_id);
    for (const stored of page.events) {
      if (signal.aborted) return;
      yield decodeEvent(stored);
    }
    next = page.next_offset;
    if (next <= Math.min(page.head, maxOffset)) continue;
    if (!follow || !(await moved(runtime, session_id, page.head, signal))) return;
  }
}

/** Whether the log has grown; false when the reader left. */
async function moved(runtime: RuntimeContext, session_id: SessionId, head: number, signal: AbortSignal): Promise<boolean> {
  try {
    await runtime.store.watch(session_id, head, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

/** Events and drafts as they come. */
export async function* streamSession(
  runtime: RuntimeContext,
  session_id: SessionId,
  options: { readonly minOffset?: number; readonly kinds?: readonly EventKind[]; readonly signal?: AbortSignal },
): AsyncGenerator<Event | Draft, void, undefined> {
  const left = new AbortController();
  const signal = AbortSignal.any([left.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const queue: (Event | Draft)[] = [];
  let failure: { readonly error: unknown } | undefined;
  let wake = (): void => {};
  const push = (item: Event | Draft): void => {
    queue.push(item);
    wake();
  };
  const silence = runtime.drafts.listen(session_id, push);
  const pump = async (): Promise<void> => {
    for await (const event of followEvents(runtime, session_id, { ...options, signal })) push(event);
  };
  const pumped = pump()
    .catch((error: unknown) => {
      failure = { error };
    })
    .finally(() => wake());
  signal.addEventListener("abort", () => wake(), { once: true });
  try {
    for (;;) {
      if (signal.aborted) return;
      const item = queue.shift();
      if (item !== undefined) yield item;
      else if (failure !== undefined) throw failure.error;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    left.abort();
    silence();
    await pumped;
  }
}
