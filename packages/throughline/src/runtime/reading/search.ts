/** Looking for a text in sessions. Texts may be encrypted, so they are read: so many a page, and the next page goes on from there. */
import { ThroughlineError, seen } from "../../kernel/error.ts";
import { isPlainObject } from "../../kernel/json.ts";
import { textOf } from "../../session/session-messages.ts";
import { decodeEvent } from "../../session/upcast.ts";
import type { ListQuery, Page, SessionRow, Store } from "../../store/port.ts";

/** Where a text was found. */
export interface Match {
  /** Of the message; absent if it is the title. */
  readonly offset?: number;
  /** The text around it. */
  readonly text: string;
}

/** Sessions looked at for one page, at most. */
const sessionsAPage = 200;
/** Messages read for one page, about. */
const messagesAPage = 5_000;
/** Messages that are read at once, and sessions. */
const batch = { messages: 500, sessions: 50 };

/** Characters on each side of what was found. */
const around = 60;

/** A text as it is compared: without case and without accents. */
const folded = (text: string): string => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** Where the next page begins: a page of the list, what of it was looked at, and how far the session at hand. */
interface Place {
  readonly page: string | undefined;
  /** The last session that was looked at, or is being: by id, and by when it was created if it is there no more. */
  readonly at: { readonly id: string; readonly created_at: number } | undefined;
  /** Where to read on in that session; undefined if it is done. */
  readonly offset: number | undefined;
}

type Query = Extract<ListQuery, { readonly of: "sessions" }>;

/**
 * Sessions in whose title or messages the text is, whatever the case and the accents, in the order of the list. A page looks at 200 sessions and about
 * 5,000 messages at most, so it may be short or empty, and the next goes on. `total` counts the sessions that are searched.
 */
export async function searchSessions(
  store: Store,
  query: Omit<Query, "cursor" | "limit">,
  { q, limit = 100, cursor }: { readonly q: string; readonly limit?: number; readonly cursor?: string | undefined },
): Promise<Page<{ readonly row: SessionRow; readonly match: Match }>> {
  const sought = soughtIn(q);
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > 100)
    throw new ThroughlineError("input.invalid", `A page has 1 to 100 items, got ${seen(limit)}.`, { details: { path: "limit" } });
  const items: { readonly row: SessionRow; readonly match: Match }[] = [];
  const left = { sessions: sessionsAPage, messages: messagesAPage };
  for (let place = placeOf(cursor); ;) {
    const page = await store.list({ ...query, limit: batch.sessions, ...(place.page === undefined ? {} : { cursor: place.page }) });
    const { total } = page;
    for (const row of restOf(page.items, place, query.order)) {
      if (items.length === limit || left.sessions === 0 || left.messages <= 0) return { items, next_cursor: cursorOf(place), total };
      left.sessions -= 1;
      const from = place.offset !== undefined && place.at?.id === row.session_id ? place.offset : undefined;
      const found = await searchSession(store, row, { sought, from, left });
      const at = { id: row.session_id, created_at: row.created_at };
      place = { page: place.page, at, offset: typeof found === "number" ? found : undefined };
      if (typeof found === "number") return { items, next_cursor: cursorOf(place), total };
      if (found !== undefined) items.push({ row, match: found });
    }
    if (page.next_cursor === null) return { items, next_cursor: null, total };
    place = { page: page.next_cursor, at: place.at, offset: undefined };
  }
}

/** What is looked for; `input.invalid` if that is nothing. */
function soughtIn(q: unknown): string {
  const sought = typeof q === "string" && q.length <= 200 ? folded(q.trim()) : "";
  if (sought !== "") return sought;
  throw new ThroughlineError("input.invalid", `A search is for 1 to 200 characters, got ${seen(q)}.`, { details: { path: "q" } });
}

/** The sessions of a page of the list that are to be looked at yet. */
function restOf(rows: readonly SessionRow[], { at, offset }: Place, order: Query["order"]): readonly SessionRow[] {
  if (at === undefined) return rows;
  const index = rows.findIndex((row) => row.session_id === at.id);
  if (index >= 0) return rows.slice(offset === undefined ? index + 1 : index);
  // It is gone, or sessions that were made since have moved it to another page. Ids sort as they were made.
  const later = (row: SessionRow): boolean => row.created_at > at.created_at || (row.created_at === at.created_at && row.session_id > at.id);
  return rows.filter((row) => later(row) === (order !== "desc"));
}

/** What was found; the offset to read on from if no more may be read for this page; undefined if there is nothing. */
async function searchSession(
  store: Store,
  { session_id, title }: SessionRow,
  { sought, from, left }: { readonly sought: string; readonly from: number | undefined; readonly left: { messages: number } },
): Promise<Match | number | undefined> {
  const titled = from === undefined && title !== null ? snippet(title, sought) : undefined;
  if (titled !== undefined) return { text: titled };
  for (let next = from; ;) {
    if (left.messages <= 0) return next ?? 0;
    const page = await store.read({ session_id, kinds: ["message"], limit: batch.messages, ...(next === undefined ? {} : { min_offset: next }) });
    for (const stored of page?.events ?? []) {
      left.messages -= 1;
      const event = decodeEvent(stored);
      const text = event.kind === "message" ? snippet(textOf(event.data.parts), sought) : undefined;
      if (text !== undefined) return { offset: event.offset, text };
    }
    if (page === undefined || page.next_offset > page.head) return undefined;
    next = page.next_offset;
  }
}

/** The text around what is sought; undefined if it is not there. */
function snippet(text: string, sought: string): string | undefined {
  if (!folded(text).includes(sought)) return undefined;
  // Folding changes lengths, so where it is in the text itself is found character by character.
  const characters = Array.from(text);
  let all = "";
  const starts = characters.map((character) => {
    const start = all.length;
    all += folded(character);
    return start;
  });
  const found = Math.max(0, all.indexOf(sought));
  const first = Math.max(0, starts.findLastIndex((start) => start <= found) - around);
  const past = starts.findIndex((start) => start >= found + sought.length);
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
    throw new ThroughlineError("cursor.invalid", `cursor ${seen(cursor)} was not handed out for this search.`);
  return { page: page ?? undefined, at: (at ?? undefined) as Place["at"], offset: offset === null ? undefined : Number(offset) };
}

function partsOf(cursor: unknown): readonly unknown[] {
  try {
    const parts = typeof cursor === "string" ? (JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown) : undefined;
    if (Array.isArray(parts) && parts.length === 3) return parts;
  } catch {
    // What is no JSON is refused below, like everything that was not handed out.
  }
  return [undefined, undefined, undefined];
}
