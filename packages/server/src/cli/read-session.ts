/** Reads a session directly from the store with the runtime's pure functions. No agent is needed. */
import { itemsOf, subagentLabel, present } from "throughline/internal";
import { ThroughlineError, type OwnerId, parseSessionId, type SessionId, type JsonObject } from "throughline/kernel";
import type { Event, Store } from "throughline";
import { foldState, decodeEvent } from "throughline/session";
import type { LoadedSession, ReadRequest, SessionRow, TurnRow } from "throughline/store";
import type { CommandContext } from "./command-context.ts";
import { changesBetween, type FieldChange } from "./describe-event.ts";
import { clip } from "./terminal-text.ts";

/** How many of the newest sessions are compared to find the most recently used one. */
const looked = 300;

/** The turns of a session, newest first. */
export const turnsOf = (store: Store, session_id: SessionId): AsyncGenerator<TurnRow> => itemsOf(store, { of: "turns", session_id, order: "desc" });

/** An open turn in the document of a command. */
export const openTurn = ({ number, turn_id, cause, status, attempts }: LoadedSession["turns"][number]) => ({
  number,
  turn_id,
  cause,
  status,
  attempts,
});

/** Limits the sessions to an agent, an owner or both. */
interface LastOf {
  readonly agent?: string;
  readonly owner_id?: OwnerId;
}

/** Finds the most recently used session; undefined if there is none. Lists are sorted by creation, so only the newest sessions are compared. */
export async function lastSession(store: Store, { agent, owner_id }: LastOf = {}): Promise<SessionRow | undefined> {
  const of = present({ agent, owner_id });
  const query = { of: "sessions", order: "desc", limit: 100, without_labels: [subagentLabel], ...of } as const;
  let last: SessionRow | undefined;
  let seen = 0;
  for await (const row of itemsOf(store, query, () => {})) {
    if (last === undefined || row.updated_at > last.updated_at) last = row;
    if (++seen === looked) break;
  }
  return last;
}

/**
 * Loads the session with this id, or the most recently used one, which is then named on stderr. Throws `session.not_found` if there is none.
 */
export async function chosenSession({ output }: Pick<CommandContext, "output">, store: Store, id: string | undefined): Promise<SessionRow> {
  const row = id === undefined ? await lastSession(store) : await store.open({ session_id: parseSessionId(id) });
  if (row !== undefined) {
    if (id === undefined && !output.json) output.err.line(output.err.paint("dim", chosen(row)));
    return row;
  }
  if (id !== undefined) throw missing(id);
  throw new ThroughlineError("session.not_found", "There is no session in this database yet.", { hint: "Start one with `throughline chat`." });
}

const chosen = ({ session_id, agent, customer_id }: SessionRow): string =>
  `The most recent session: ${session_id} of agent ${agent}, ${customer_id === undefined ? "no customer" : `customer ${clip(customer_id, 40)}`}`;

const missing = (session_id: string): ThroughlineError =>
  new ThroughlineError("session.not_found", `There is no session ${session_id}.`, {
    hint: "List them with `throughline sessions list`.",
    details: { session_id },
  });

/** Loads a session at an offset; the head by default. Throws `session.not_found`. */
export async function loadAt(
  store: Store,
  session_id: SessionId,
  options: { readonly at?: number; readonly messages?: number } = {},
): Promise<LoadedSession> {
  const loaded = await store.load({ session_id, messages: 0, ...options });
  if (loaded === undefined) throw missing(session_id);
  return loaded;
}

/** The encoded state at an offset; the head by default. */
export const documentAt = async (store: Store, session_id: SessionId, at?: number): Promise<JsonObject> =>
  foldState(await loadAt(store, session_id, at === undefined ? {} : { at })).document;

/** The state changes between two offsets. */
export async function changesOver(store: Store, session_id: SessionId, from: number, to: number): Promise<readonly FieldChange[]> {
  const [before, after] = await Promise.all([documentAt(store, session_id, from), documentAt(store, session_id, to)]);
  return changesBetween(before, after);
}

/** The state at an offset. Throws `log.offset_invalid` beyond the head, and `log.retained_from` before the first retained offset. */
export async function stateAt(store: Store, row: SessionRow, at: number): Promise<JsonObject> {
  if (at > row.head) {
    throw new ThroughlineError(
      "log.offset_invalid",
      `There is no offset ${at} in session ${row.session_id}: its offsets go from ${row.first_offset} to ${row.head}.`,
      {
        details: { session_id: row.session_id, at, first_offset: row.first_offset, head: row.head },
      },
    );
  }
  return documentAt(store, row.session_id, at);
}

/** Reads and decodes a page of events. Throws `session.not_found`. */
export async function readEvents(
  store: Store,
  request: ReadRequest,
): Promise<{ readonly events: readonly Event[]; readonly next_offset: number; readonly head: number }> {
  const page = await store.read(request);
  if (page === undefined) throw missing(request.session_id);
  return { ...page, events: page.events.map((event) => decodeEvent(event)) };
}

/** Reads all visible, retained events, oldest first. `kinds` limits the kinds. */
export async function allEvents(store: Store, session_id: SessionId, kinds?: ReadRequest["kinds"]): Promise<readonly Event[]> {
  const { session } = await loadAt(store, session_id);
  const found: Event[] = [];
  for (let min_offset = session.first_offset; min_offset <= session.head;) {
    const { events, next_offset } = await readEvents(store, { session_id, min_offset, limit: 1000, ...present({ kinds }) });
    found.push(...events);
    min_offset = next_offset;
  }
  return found;
}

/** Reads the last `count` visible events, oldest first. */
export async function lastEvents(store: Store, { session_id, first_offset, head }: SessionRow, count: number): Promise<readonly Event[]> {
  for (let window = count * 2; ; window *= 4) {
    const first = Math.max(first_offset, head - window + 1);
    const found: Event[] = [];
    for (let min_offset = first; min_offset <= head;) {
      const { events, next_offset } = await readEvents(store, { session_id, min_offset, max_offset: head, limit: 1000 });
      found.push(...events);
      min_offset = next_offset;
    }
    if (found.length >= count || first === first_offset) return found.slice(-count);
  }
}

/** The first offset of a turn: that of the first message it answers, or of its own first event. Undefined if the turn was withdrawn. */
export async function firstOffsetOf(store: Store, { session_id, number, started_offset }: TurnRow): Promise<number | undefined> {
  if (started_offset === undefined) return (await loadAt(store, session_id)).waiting.find((message) => message.turn === number)?.offset;
  const { events } = await readEvents(store, { session_id, min_offset: started_offset, max_offset: started_offset });
  const event = events[0];
  return event?.kind === "turn" && event.data.type === "started" ? Math.min(started_offset, ...event.data.answers) : undefined;
}
