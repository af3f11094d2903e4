/** The stream over all sessions: the events of every commit in the order of the store's positions, from a cursor on. */
import { present } from "throughline/internal";
import { eventsOfAppend, followAppends } from "throughline/internal/runtime";
import { seen, ThroughlineError } from "throughline/kernel";
import type { AppendRow, EventKind } from "throughline/store";
import type { Bye } from "../../protocol/wire-event.ts";
import type { Principal } from "../principal.ts";
import type { Service } from "../service.ts";
import { type Reader, textOf } from "./event-reader.ts";
import { pauses } from "./event-stream.ts";
import { answerStream, beginning, frame, type StreamContent, type StreamRequest } from "./frame-stream.ts";

/** What a reader has: all commits up to `position`. Of that commit the events up to `offset`, or all of them. */
export interface Cursor {
  readonly position: number;
  readonly offset?: number;
}

/** Formats a cursor as the id of a frame. */
const formatCursor = ({ position, offset }: Cursor): string => (offset === undefined ? String(position) : `${position}:${offset}`);

/** Parses the id of a frame. Throws `cursor.invalid`. */
export function parseCursor(text: string): Cursor {
  const [, position, offset] = /^(\d{1,15})(?::(\d{1,10}))?$/.exec(text) ?? [];
  if (position === undefined || (offset !== undefined && Number(position) === 0))
    throw new ThroughlineError("cursor.invalid", `${seen(text)} is no id of a frame of the stream over all sessions.`);
  return { position: Number(position), ...(offset === undefined ? {} : { offset: Number(offset) }) };
}

/** The last position of which the reader has all. */
const wholeOf = ({ position, offset }: Cursor): number => (offset === undefined ? position : position - 1);

/** Opens the stream. Throws `cursor.invalid` for a cursor after the last position, before the headers are sent. */
export async function openAllStream(
  service: Service,
  request: StreamRequest & { readonly query: { readonly idle?: number } },
  reading: { readonly kinds: readonly EventKind[]; readonly cursor: Cursor },
): Promise<Response> {
  const { last } = await service.store.appends({ after: wholeOf(reading.cursor), limit: 1 });
  if (reading.cursor.position > last) {
    const told = `The cursor is at position ${reading.cursor.position}, and the last one is ${last}. The database may have been restored from a backup.`;
    throw new ThroughlineError("cursor.invalid", told, { hint: "Start again without a cursor, or with one from before the backup." });
  }
  const place = service.waiters.enter(request.principal);
  const { idle } = request.query;
  const content = new AllFrames(service, request.principal, reading);
  return answerStream(service, request, content, { place, ...present({ idleMs: idle === undefined ? undefined : idle * 1000 }) });
}

type Item = { readonly cursor: Cursor } & (
  | { readonly type: "event"; readonly kind: EventKind; readonly text: string }
  /** All events of the commit were processed. */
  | { readonly type: "position" }
);

/** A reader of all sessions: whom it answers to, and the kinds it asked for. */
type ReaderOfAll = Pick<Reader, "principal" | "kinds">;

/** The frames of all sessions. The id of a frame is the reader's cursor. */
class AllFrames implements StreamContent<Item> {
  readonly #service: Service;
  readonly #reader: ReaderOfAll;
  #cursor: Cursor;

  constructor(service: Service, principal: Principal, { kinds, cursor }: { readonly kinds: readonly EventKind[]; readonly cursor: Cursor }) {
    this.#service = service;
    this.#reader = { principal, kinds };
    this.#cursor = cursor;
  }

  open(signal: AbortSignal): readonly AsyncGenerator<Item, void, undefined>[] {
    return [itemsOfAll(this.#service, this.#reader, this.#cursor, signal)];
  }

  begin(): string {
    return beginning(formatCursor(this.#cursor));
  }

  frame(item: Item): string | undefined {
    this.#cursor = item.cursor;
    return item.type === "event" ? frame(item.kind, item.text, formatCursor(item.cursor)) : undefined;
  }

  heartbeat(): string {
    return `id: ${formatCursor(this.#cursor)}\n: after=${formatCursor(this.#cursor)}\n\n`;
  }

  bye(reason: Bye["reason"]): string {
    return frame("bye", JSON.stringify({ reason, positions: {} } satisfies Bye), formatCursor(this.#cursor));
  }
}

/** Number of commits per read, and of those whose events are read at once. */
const [pageSize, readsAtOnce] = [96, 8];

/** Yields the items of all sessions until the signal aborts. It retries while the database is unavailable, so the stream survives an outage. */
async function* itemsOfAll(service: Service, reader: ReaderOfAll, from: Cursor, signal: AbortSignal): AsyncGenerator<Item, void, undefined> {
  let cursor = from;
  let pause = pauses.first;
  while (!signal.aborted) {
    try {
      for await (const item of itemsFrom(service, reader, cursor, signal)) {
        pause = pauses.first;
        cursor = item.cursor;
        yield item;
      }
    } catch (error) {
      if (!(ThroughlineError.is(error) && error.kind === "unavailable")) throw error;
      await service.clock.sleep(pause, signal).catch(() => {});
      pause = Math.min(pause * 2, pauses.last);
    }
  }
}

async function* itemsFrom(service: Service, reader: ReaderOfAll, from: Cursor, signal: AbortSignal): AsyncGenerator<Item, void, undefined> {
  let erasures = 0;
  const stop = await service.store.watchErasures(() => (erasures += 1));
  try {
    for await (const appends of followAppends(service.store, { after: wholeOf(from), limit: pageSize, signal }))
      for (let index = 0; index < appends.length; index += readsAtOnce)
        yield* itemsOfSome(service, reader, { appends: appends.slice(index, index + readsAtOnce), from, erasures: () => erasures });
  } finally {
    stop();
  }
}

/** Reads some commits at once. A slow reader takes their events long after that: an event is left out if its session was erased meanwhile. */
async function* itemsOfSome(
  service: Service,
  reader: ReaderOfAll,
  { appends, from, erasures }: { readonly appends: readonly AppendRow[]; readonly from: Cursor; readonly erasures: () => number },
): AsyncGenerator<Item, void, undefined> {
  const readAt = erasures();
  const items = await Promise.all(
    appends.map((append) => itemsIn(service, reader, append, append.position === from.position ? from.offset : undefined)),
  );
  for (const [place, { session_id, position }] of appends.entries()) {
    let knownAt = readAt;
    for (const item of items[place] ?? []) {
      const now = erasures();
      if (now !== knownAt && (await service.store.open({ session_id })) === undefined) break;
      knownAt = now;
      yield item;
    }
    yield { type: "position", cursor: { position } };
  }
}

/** Reads the events of a commit after an offset, of those that the reader sees. Empty if the session was erased. */
async function itemsIn(service: Service, reader: ReaderOfAll, append: AppendRow, after: number | undefined): Promise<readonly Item[]> {
  const { position, session_id } = append;
  const { agent, events } = (await eventsOfAppend(service.store, append, { kinds: reader.kinds, after })) ?? { agent: "", events: [] };
  return events.flatMap((event): readonly Item[] => {
    const text = textOf(service, { ...reader, session_id, agent }, event);
    return text === undefined ? [] : [{ type: "event", kind: event.kind, text, cursor: { position, offset: event.offset } }];
  });
}
