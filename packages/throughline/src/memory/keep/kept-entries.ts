/** The points of memory for stored entries. They also run in processes whose agents have no memory. */
import { entriesOf, eventsOf } from "../../extension/lists.ts";
import { defineExtension, type Extension, type Imported } from "../../extension/port.ts";
import type { SessionId } from "../../kernel/id.ts";
import { isPlainObject } from "../../kernel/json.ts";
import type { RecordChange, Store, StoredEvent } from "../../store/port.ts";
import { arcEntryId, type RememberedTurn } from "../entry.ts";
import { barCheck } from "../write/bar.ts";
import { carriedEntries, metKinds } from "../write/carry.ts";
import { decodeEntries } from "../write/decode.ts";
import { retractFrom } from "../write/retract.ts";
import { readMemory } from "./change-memory.ts";
import { closingRecord } from "./memory-work.ts";

/** Event kinds that can contain text. A `turn` event can contain a stage's reply. */
export const tellingKinds = ["message", "tool", "custom", "turn"] as const;

/** Yields all texts in a value, at any depth. */
function* textsOf(value: unknown): Generator<string, void, undefined> {
  if (typeof value === "string") yield value;
  else if (Array.isArray(value)) for (const item of value) yield* textsOf(item);
  else if (isPlainObject(value)) for (const item of Object.values(value)) yield* textsOf(item);
}

/** Returns the events of a session's log, within an offset range, that contain the words. */
export async function echoesIn(
  store: Store,
  {
    says,
    ...range
  }: { readonly session_id: SessionId; readonly says: (text: string) => boolean; readonly min_offset?: number; readonly max_offset?: number },
): Promise<readonly StoredEvent[]> {
  const found: StoredEvent[] = [];
  for await (const event of eventsOf(store, { ...range, kinds: tellingKinds, withdrawn: true }))
    if (says([...textsOf(event.data)].join("\n"))) found.push(event);
  return found;
}

/** Memory hooks that work on stored entries. An agent's memory replaces some of them with versions that use its cache. */
export const keptEntries: Extension = defineExtension({
  name: "memory",
  retracted: async ({ context: { store }, session: { owner_id, session_id }, from }) =>
    retractFrom(decodeEntries(await Array.fromAsync(entriesOf(store, { owner_id }))).entries, session_id, from),
  identified: async ({ context: { store, clock }, from, to }) => {
    const rows = await Array.fromAsync(entriesOf(store, { owner_id: from }));
    if (rows.length === 0) return [];
    const theirs = to === undefined ? [] : await Array.fromAsync(entriesOf(store, { owner_id: to, kinds: metKinds }));
    return carriedEntries({ owner_id: from, rows }, { owner_id: to ?? "", rows: theirs }, { now: clock.now() });
  },
  imported: async (given) => ({ records: openClosings(given), masked: await barredIn(given) }),
});

/** The parts of a remembered message that a closing record needs. */
type RememberedMessage = Pick<RememberedTurn, "episode" | "source">;

/** Returns the remembered messages of a session, from the last version of each entry. */
function remembered(session_id: string, last: ReadonlyMap<string, Imported["entries"][number]>): readonly RememberedMessage[] {
  return [...last.values()].flatMap(({ kind, data }) => {
    // Entries of a bundle are untrusted input.
    const turn = kind === "turn" && data !== null && data["role"] === undefined ? (data as unknown as Partial<RememberedMessage>) : {};
    const { source, episode } = turn;
    return source?.session_id === session_id && Number.isSafeInteger(source.offset) && Number.isSafeInteger(episode)
      ? [turn as RememberedMessage]
      : [];
  });
}

/**
 * Returns a closing record for each episode with remembered turns, but without an arc or a `remembered` event. The record is due immediately, and the
 * first check sets the real due time.
 */
function openClosings({ session_id, agent, events, entries }: Imported): readonly RecordChange[] {
  const last = new Map(entries.map((line) => [line.entry_id, line]));
  const closed = new Set(events.flatMap(({ kind, data }) => (kind === "session" && data["type"] === "remembered" ? [data["episode"]] : [])));
  const first = new Map<number, number>();
  for (const { episode, source } of remembered(session_id, last)) {
    if (closed.has(episode) || (last.get(arcEntryId(session_id, episode))?.data ?? null) !== null) continue;
    first.set(episode, Math.min(source.offset, first.get(episode) ?? source.offset));
  }
  return [...first].map(([episode, from]) => closingRecord({ session_id, agent, episode, due: 0, from }));
}

/** Returns the offsets of an imported session whose text its new customer has forgotten. */
async function barredIn({ store, session_id, owner_id }: Imported): Promise<readonly number[]> {
  if (owner_id === undefined) return [];
  const { bars } = await readMemory(store, owner_id);
  if (bars.length === 0) return [];
  const isBarred = barCheck(
    bars.map(({ entry }) => entry),
    owner_id,
  );
  return (await echoesIn(store, { session_id, says: (text) => isBarred({ text }) })).map(({ offset }) => offset);
}
