/** Searches sessions for a text. Texts may be encrypted, so they are read in memory. A page reads a limited number, and the next page continues there. */
import { invalidAt } from "../../extension/failure.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { isPlainObject, present } from "../../kernel/json.ts";
import { decodeEvent } from "../../session/fold.ts";
import { textOf } from "../../session/session-messages.ts";
import { damagedIn, readable } from "./listed-session.ts";
import type { ListQuery, Page, SessionRow, Store, StoredEvent } from "../../store/port.ts";

/** Position of a match. */
export interface Match {
  /** Offset of the message. Absent for a match in the title. */
  readonly offset?: number;
  /** The text around the match. */
  readonly text: string;
}

/** Maximum number of sessions searched per page. */
const sessionsAPage = 200;
/** Approximate number of messages read per page. */
const messagesAPage = 5_000;
/** Number of messages, and of sessions, per read. */
const batch = { messages: 500, sessions: 50 };

/** Characters on each side of a match. */
const around = 60;

/** Returns a text without case and accents, for comparison. */
const folded = (text: string): string => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** Start of the next page: a page of the list, its progress, and the offset in the current session. */
interface Place {
  readonly page: string | undefined;
  /** The last session that was searched, or the current one. Identified by id, and by creation time in case it has been deleted. */
  readonly at: { readonly id: string; readonly created_at: number } | undefined;
  /** Offset at which to continue in that session. Undefined if it is finished. */
  readonly offset: number | undefined;
}

type Query = Extract<ListQuery, { readonly of: "sessions" }>;

/**
 * Returns sessions whose title or messages contain the text, ignoring case and accents, in the order of the list. A page searches at most 200
 * sessions and about 5,000 messages. It may be short or empty, and the next one continues. `total` counts the searched sessions.
 */
export async function searchSessions(
  store: Store,
  query: Omit<Query, "cursor" | "limit">,
  { q, limit = 100, cursor }: { readonly q: string; readonly limit?: number; readonly cursor?: string | undefined },
): Promise<Page<{ readonly row: SessionRow; readonly match: Match }>> {
  const term = termIn(q);
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > 100)
    throw invalidAt("input.invalid", "limit", `A page has 1 to 100 items, got ${seen(limit)}.`);
  const items: { readonly row: SessionRow; readonly match: Match }[] = [];
  const left = { sessions: sessionsAPage, messages: messagesAPage };
  const damaged: string[] = [];
  const pageTo = (next_cursor: string | null, total: number) => ({ items, next_cursor, total, ...damagedIn({ damaged }) });
  for (let place = placeOf(cursor); ;) {
    const page = await store.list({ ...query, limit: batch.sessions, ...present({ cursor: place.page }) });
    const { total } = page;
    damaged.push(...(page.damaged ?? []));
    for (const row of restOf(page.items, place, query.order)) {
      if (items.length === limit || left.sessions === 0 || left.messages <= 0) return pageTo(cursorOf(place), total);
      left.sessions -= 1;
      const from = place.offset !== undefined && place.at?.id === row.session_id ? place.offset : undefined;
      const found = await searchSession(store, row, { sought: term, from, left, damaged });
      const at = { id: row.session_id, created_at: row.created_at };
      place = { page: place.page, at, offset: typeof found === "number" ? found : undefined };
      if (typeof found === "number") return pageTo(cursorOf(place), total);
      if (found !== undefined) items.push({ row, match: found });
    }
    if (page.next_cursor === null) return pageTo(null, total);
    place = { page: page.next_cursor, at: place.at, offset: undefined };
  }
}

/** Returns the normalized search text. Throws `input.invalid` if it is empty. */
function termIn(q: unknown): string {
  const term = typeof q === "string" && q.length <= 200 ? folded(q.trim()) : "";
  if (term !== "") return term;
  throw invalidAt("input.invalid", "q", `A search is for 1 to 200 characters, got ${seen(q)}.`);
}

/** Returns the sessions of a list page that have not been searched yet. */
function restOf(rows: readonly SessionRow[], { at, offset }: Place, order: Query["order"]): readonly SessionRow[] {
  if (at === undefined) return rows;
  const index = rows.findIndex((row) => row.session_id === at.id);
  if (index >= 0) return rows.slice(offset === undefined ? index + 1 : index);
  // The session was deleted, or newer sessions moved it to another page. Ids sort by creation time.
  const later = (row: SessionRow): boolean => row.created_at > at.created_at || (row.created_at === at.created_at && row.session_id > at.id);
  return rows.filter((row) => later(row) === (order !== "desc"));
}

/** Returns the match, or the offset at which to continue if this page may read no more. Undefined if there is no match. */
async function searchSession(
  store: Store,
  { session_id, title }: SessionRow,
  {
    sought: term,
    from,
    left,
    damaged,
  }: { readonly sought: string; readonly from: number | undefined; readonly left: { messages: number }; readonly damaged: string[] },
): Promise<Match | number | undefined> {
  const titled = from === undefined && title !== null ? snippet(title, term) : undefined;
  if (titled !== undefined) return { text: titled };
  for (let next = from; ;) {
    if (left.messages <= 0) return next ?? 0;
    const page = await store.read({ session_id, kinds: ["message"], limit: batch.messages, ...present({ min_offset: next }) });
    for (const stored of page?.events ?? []) {
      left.messages -= 1;
      const text = readable(`message ${stored.offset} of session ${session_id}`, damaged, () => snippet(wordsOf(stored), term));
      if (text !== undefined) return { offset: stored.offset, text };
    }
    if (page === undefined || page.next_offset > page.head) return undefined;
    next = page.next_offset;
  }
}

function wordsOf(stored: StoredEvent): string {
  const event = decodeEvent(stored);
  return event.kind === "message" ? textOf(event.data.parts) : "";
}

/** Returns the text around the match, or undefined without a match. */
function snippet(text: string, term: string): string | undefined {
  if (!folded(text).includes(term)) return undefined;
  // Folding changes lengths, so the position in the original text is found character by character.
  const characters = Array.from(text);
  let all = "";
  const starts = characters.map((character) => {
    const start = all.length;
    all += folded(character);
    return start;
  });
  const found = Math.max(0, all.indexOf(term));
  const first = Math.max(0, starts.findLastIndex((start) => start <= found) - around);
  const past = starts.findIndex((start) => start >= found + term.length);
  const last = Math.min(characters.length, (past < 0 ? characters.length : past) + around);
  return `${first > 0 ? "…" : ""}${characters.slice(first, last).join("")}${last < characters.length ? "…" : ""}`;
}

const cursorOf = (place: Place): string =>
  Buffer.from(JSON.stringify([place.page ?? null, place.at ?? null, place.offset ?? null])).toString("base64url");

function placeOf(cursor: string | undefined): Place {
  if (cursor === undefined) return { page: undefined, at: undefined, offset: undefined };
  const [page, at, offset] = partsOf(cursor);
  const isAt = at === null || (isPlainObject(at) && typeof at["id"] === "string" && Number.isSafeInteger(at["created_at"]));
  const isOffset = offset === null || (Number.isSafeInteger(offset) && Number(offset) >= 0);
  if ((page !== null && typeof page !== "string") || !isAt || !isOffset)
    throw new ThroughlineError("cursor.invalid", `cursor ${seen(cursor)} was not issued by this search.`);
  return { page: page ?? undefined, at: (at ?? undefined) as Place["at"], offset: offset === null ? undefined : Number(offset) };
}

function partsOf(cursor: unknown): readonly unknown[] {
  try {
    const parts = typeof cursor === "string" ? (JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown) : undefined;
    if (Array.isArray(parts) && parts.length === 3) return parts;
  } catch {
    // Invalid JSON is rejected below, like every other cursor that the service did not issue.
  }
  return [undefined, undefined, undefined];
}
