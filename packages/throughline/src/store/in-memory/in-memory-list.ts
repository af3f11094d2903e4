/** Lists of the reference model. */
import { type JsonObject, present } from "../../kernel/json.ts";
import { decodeCursor, encodeCursor, type ListKey } from "../cursor.ts";
import type { CustomerRow, ListItem, ListQuery, OpenTurnQuery, Page, SessionQuery, SessionRow, SessionTail, TailQuery, TurnQuery } from "../port.ts";
import { checkList, placeOfHandover } from "../request.ts";
import { type Book, copyOf, isHidden, isKept, leasedTurn, logOf, originOf, type OwnerRecord, type SessionRecord, turnsOf } from "./book.ts";
import { recordsOf } from "./in-memory-records.ts";
import { variablesAsOf, variablesOf } from "./owner-data.ts";

/** Returns a session's row with its customer's current display name. */
export function headerOf(book: Book, { row, origin }: SessionRecord): SessionRow {
  const owner = book.owners.get(row.owner_id);
  const forked = origin === undefined ? {} : { origin: { session_id: originOf(book, origin.session), at: origin.at } };
  const header = { ...row, ...forked, owner_version: owner?.version ?? 0 };
  return typeof owner?.name === "string" ? { ...header, customer_name: owner.name } : header;
}

function customerRow(owner: OwnerRecord, customer_id: string): CustomerRow {
  const { owner_id, name, created_at, version } = owner;
  return {
    owner_id,
    customer_id,
    name,
    metadata: copyOf(JSON.parse(owner.metadata) as JsonObject),
    variables: variablesOf(owner),
    created_at,
    version,
  };
}

function matches(book: Book, { row, origin, turns }: SessionRecord, query: SessionQuery): boolean {
  return (
    (query.agent === undefined || row.agent === query.agent) &&
    (query.owner_id === undefined || row.owner_id === query.owner_id) &&
    (query.mode === undefined || row.mode === query.mode) &&
    (query.handover === undefined || row.handover?.status === query.handover) &&
    (query.operator === undefined || row.handover?.operator === query.operator) &&
    (query.updated_from === undefined || row.updated_at >= query.updated_from) &&
    (query.updated_before === undefined || row.updated_at < query.updated_before) &&
    (query.running === undefined || turns.some(({ status }) => status === "running")) &&
    (query.origin === undefined || (origin !== undefined && originOf(book, origin.session) === query.origin)) &&
    (query.labels ?? []).every((label) => row.labels.includes(label)) &&
    !(query.without_labels ?? []).some((label) => row.labels.includes(label)) &&
    (query.external_id === undefined || row.metadata["external_id"] === query.external_id)
  );
}

type Keyed = readonly [key: ListKey, item: ListItem<ListQuery>];

function sessionsOf(book: Book, query: SessionQuery): readonly Keyed[] {
  const found = [...book.sessions.values()].filter((session) => matches(book, session, query));
  return found.map((session) => {
    const { handover } = session.row;
    const place = query.by === undefined || handover === undefined ? [] : [placeOfHandover(handover)];
    return [[...place, session.key], headerOf(book, session)];
  });
}

function turnsFound(book: Book, { session_id, number, status, ended_before }: TurnQuery): readonly Keyed[] {
  const session = book.sessions.get(session_id);
  return (session === undefined ? [] : turnsOf(session))
    .filter(
      (turn) =>
        (number === undefined || turn.number === number) &&
        (status === undefined || turn.status === status) &&
        (ended_before === undefined || (turn.ended_offset ?? Infinity) < ended_before),
    )
    .map((turn) => [[turn.number], turn]);
}

function openTurnsOf(book: Book, { held }: OpenTurnQuery): readonly Keyed[] {
  return [...book.sessions.values()].flatMap((session): Keyed[] => {
    const turn = leasedTurn(session);
    const { worker, until } = session.lease ?? {};
    if (turn === undefined || (held === true && worker === undefined)) return [];
    return [[[session.key], { ...turn, agent: session.row.agent, ...present({ worker, until }) }]];
  });
}

/** Maximum number of events of a running turn in the end of a log. */
const journalTail = 100;

function tailsOf(book: Book, { session_ids, messages, messages_only }: TailQuery): readonly SessionTail[] {
  return [...new Set(session_ids)].flatMap((session_id) => {
    const session = book.sessions.get(session_id);
    if (session === undefined) return [];
    const running = messages_only === true ? undefined : session.turns.find(({ status }) => status === "running");
    const since = running?.started_offset ?? Infinity;
    const log = logOf(book, session);
    return {
      session_id,
      messages: log.filter((event) => event.kind === "message" && !isHidden(session, event, Infinity)).slice(-messages),
      journal: log.filter((event) => event.kind === "turn" && event.offset >= since && event.turn_id === running?.turn_id).slice(-journalTail),
    };
  });
}

function itemsOf(book: Book, query: ListQuery, now: number): readonly Keyed[] {
  switch (query.of) {
    case "sessions":
      return sessionsOf(book, query);
    case "turns":
      return turnsFound(book, query);
    case "open_turns":
      return openTurnsOf(book, query);
    case "tails":
      return tailsOf(book, query).map((tail, place) => [[place], tail]);
    case "erasures":
      return book.erasures.filter((erasure) => isKept(erasure, now)).map(({ key, receipt }) => [[key], receipt]);
    case "records":
      return recordsOf(book, query, now).map(([key, row]) => [[key], row]);
    case "variables":
      return variablesAsOf(book, query).map((row) => [[1], row]);
    case "customers":
      return [...book.owners.values()].flatMap((owner): Keyed[] => {
        if (owner.customer_id === undefined || (query.customer_id !== undefined && query.customer_id !== owner.customer_id)) return [];
        return [[[owner.key], customerRow(owner, owner.customer_id)]];
      });
  }
}

/** Compares two keys. Texts are ordered by code points, as in a database. */
function compareKeys(left: ListKey, right: ListKey): number {
  for (const [index, one] of left.entries()) {
    const other = right[index] ?? 0;
    const difference = typeof one === "number" ? one - Number(other) : Buffer.compare(Buffer.from(one), Buffer.from(String(other)));
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Returns one page of a list, as of `now`. */
export function list<Query extends ListQuery>(book: Book, query: Query, now: number): Page<ListItem<Query>> {
  checkList(query);
  const after = decodeCursor(query);
  const { limit = 100, order = "asc" } = query;
  const sign = order === "asc" ? 1 : -1;
  const all = itemsOf(book, query, now).toSorted(([left], [right]) => sign * compareKeys(left, right));
  const rest = all.filter(([key]) => after === undefined || sign * compareKeys(key, after) > 0);
  const page = rest.slice(0, limit);
  const last = page.at(-1)?.[0];
  const next_cursor = rest.length > limit && last !== undefined ? encodeCursor(query, last) : null;
  // `query.of` determines the type of the items. The compiler cannot follow a conditional type through the union.
  return { items: page.map(([, item]) => item) as ListItem<Query>[], next_cursor, total: all.length };
}
