/** What a memory's entries need that lie in a database, also of a process whose agents have none. */
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
import { closingRecord } from "./closing-record.ts";

/** The kinds of event in which something can be told: an entry of a turn has what a stage has replied. */
export const tellingKinds = ["message", "tool", "custom", "turn"] as const;

/** All texts of a value: what is said in an event, wherever it stands in it. */
function* textsOf(value: unknown): Generator<string, void, undefined> {
  if (typeof value === "string") yield value;
  else if (Array.isArray(value)) for (const item of value) yield* textsOf(item);
  else if (isPlainObject(value)) for (const item of Object.values(value)) yield* textsOf(item);
}

/** The events of a session's log that say it, from an offset to another. */
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

/** What a memory does with its entries in a database. An agent's own memory does more: what it has read of them it need not read again. */
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

/** A remembered message of a session, as far as a note needs it. */
type Said = Pick<RememberedTurn, "episode" | "source">;

/** The messages of a session that are remembered, by the last version of each entry. */
function remembered(session_id: string, last: ReadonlyMap<string, Imported["entries"][number]>): readonly Said[] {
  return [...last.values()].flatMap(({ kind, data }) => {
    // An entry of a bundle is what somebody gives.
    const turn = kind === "turn" && data !== null && data["role"] === undefined ? (data as unknown as Partial<Said>) : {};
    const { source, episode } = turn;
    return source?.session_id === session_id && Number.isSafeInteger(source.offset) && Number.isSafeInteger(episode) ? [turn as Said] : [];
  });
}

/**
 * A note for each episode of which something is remembered, and that has left neither an arc nor a word that it was closed. It is looked at at once, and then told when
 * it is due.
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

/** The offsets of a session that say words which the customer has forgotten that it is imported to. */
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
