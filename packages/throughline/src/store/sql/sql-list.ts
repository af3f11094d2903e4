/** Lists with keyset cursors: the next page neither repeats nor skips items that existed when a page was read. */
import { ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import { decodeCursor, encodeCursor, type ListKey } from "../cursor.ts";
import {
  type CustomerQuery,
  handoverStatuses,
  type ListItem,
  type ListQuery,
  type Page,
  type RecordQuery,
  type SessionQuery,
  type SessionTail,
  type TailQuery,
  type TurnQuery,
  turnStatuses,
  type VariablesQuery,
  type VariablesRow,
} from "../port.ts";
import { checkList } from "../request.ts";
import { erasedOf } from "./erasure/erasure-job.ts";
import { isKept } from "./erasure/erasure-steps.ts";
import * as queries from "./queries.ts";
import { lastPossibleOffset } from "./queries.ts";
import { customerOf, eventOf, numberOf, openTurnOf, type Reader, recordOf, sessionOf, turnOf, variablesOf } from "./rows.ts";
import type { SqlDriver, SqlRow, SqlValue } from "./sql-driver.ts";
import type { Texts } from "./texts.ts";

/** Adds a value to a statement and returns its placeholder. */
type Bind = (value: SqlValue) => string;

function sessionConditions(query: SessionQuery, { driver, texts }: ListContext, bind: Bind): readonly string[] {
  const { agent, owner_id, mode, handover, operator, labels = [], without_labels = [], external_id, origin } = query;
  const { updated_from, updated_before, running } = query;
  const hashes = (all: readonly string[]): string =>
    queries.listed(driver.dialect, bind(JSON.stringify([...new Set(all)].map((label) => texts.hash("label", label)))));
  const has = `EXISTS (SELECT 1 FROM session_labels l WHERE l.session = s.id AND l.label_hash = w.value)`;
  return [
    `s.deleted IS NULL`,
    ...(agent === undefined ? [] : [`s.agent = ${bind(agent)}`]),
    ...(owner_id === undefined ? [] : [`o.owner_id = ${bind(owner_id)}`]),
    ...(mode === undefined ? [] : [`s.mode = ${bind(mode === "manual" ? 1 : 0)}`]),
    ...(handover === undefined ? [] : [`s.handover_status = ${bind(handoverStatuses.indexOf(handover))}`]),
    ...(operator === undefined ? [] : [`s.handover_operator = ${bind(texts.hash("operator", operator))}`]),
    ...(labels.length === 0 ? [] : [`NOT EXISTS (SELECT 1 FROM ${hashes(labels)} WHERE NOT ${has})`]),
    ...(without_labels.length === 0 ? [] : [`NOT EXISTS (SELECT 1 FROM ${hashes(without_labels)} WHERE ${has})`]),
    ...(updated_from === undefined ? [] : [`s.updated_at >= ${bind(updated_from)}`]),
    ...(updated_before === undefined ? [] : [`s.updated_at < ${bind(updated_before)}`]),
    ...(running === undefined ? [] : [queries.isRunning]),
    ...(origin === undefined ? [] : [queries.forksOf(bind(origin))]),
    ...(external_id === undefined ? [] : [`s.external_hash = ${bind(texts.hash("external", external_id))}`]),
  ];
}

function customerConditions({ customer_id }: CustomerQuery, texts: Texts, bind: Bind): readonly string[] {
  return [`o.customer_hash IS NOT NULL`, ...(customer_id === undefined ? [] : [`o.customer_hash = ${bind(texts.hash("customer", customer_id))}`])];
}

function turnConditions({ session_id, number, status, ended_before }: TurnQuery, bind: Bind): readonly string[] {
  return [
    queries.turnsOf(bind(session_id)),
    ...(number === undefined ? [] : [`t.number = ${bind(Math.min(number, lastPossibleOffset))}`]),
    ...(status === undefined ? [] : [`${queries.turnStatus} = ${bind(turnStatuses.indexOf(status))}`]),
    ...(ended_before === undefined ? [] : [`${queries.ended} < ${bind(Math.min(ended_before, lastPossibleOffset))}`]),
  ];
}

/** Returns the upper bound of the texts with a prefix. Undefined if there is none. */
function afterPrefix(prefix: string): string | undefined {
  const characters = Array.from(prefix);
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const code = last.codePointAt(0) ?? 0;
    // No character lies between the two.
    if (code < 0x10ffff) return characters.join("") + String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1);
  }
  return undefined;
}

function recordConditions({ kind, key, prefix = "", session_id }: RecordQuery, now: number, bind: Bind): readonly string[] {
  const end = afterPrefix(prefix);
  return [
    // A session has few records, a kind may have many. SQLite would scan the kind, whose index has their order.
    `${session_id === undefined ? "r.kind" : "r.kind || ''"} = ${bind(kind)}`,
    ...(key === undefined ? [] : [`r.key = ${bind(key)}`]),
    ...(prefix === "" ? [] : [`r.key >= ${bind(prefix)}`]),
    ...(end === undefined ? [] : [`r.key < ${bind(end)}`]),
    ...(session_id === undefined ? [] : [`r.session = (SELECT a.id FROM sessions a WHERE a.session_id = ${bind(session_id)})`]),
    `r.data IS NOT NULL`,
    queries.isLiveRecord(bind(now)),
  ];
}

type PagedQuery = Exclude<ListQuery, { of: "variables" | "tails" }>;

function conditionsOf(query: PagedQuery, context: ListContext, bind: Bind): readonly string[] {
  const { texts, now } = context;
  switch (query.of) {
    case "sessions":
      return sessionConditions(query, context, bind);
    case "customers":
      return customerConditions(query, texts, bind);
    case "turns":
      return turnConditions(query, bind);
    case "open_turns":
      return [`s.deleted IS NULL`, ...(query.held === true ? [`d.worker IS NOT NULL`] : [])];
    case "erasures":
      return [`e.kind = 0`, isKept(bind(now))];
    case "records":
      return recordConditions(query, now, bind);
  }
}

/** The readable rows of a page. */
type ItemsRead = Pick<Page<ListItem<ListQuery>>, "items" | "damaged">;

/** Reads each row. A damaged one does not hide the others: its place is listed instead. */
function itemsIn(rows: readonly SqlRow[], read: (row: SqlRow) => ListItem<ListQuery>): ItemsRead {
  const [items, damaged]: [ListItem<ListQuery>[], string[]] = [[], []];
  for (const row of rows) {
    try {
      items.push(read(row));
    } catch (error) {
      if (!ThroughlineError.is(error, "store.corrupt")) throw error;
      const { place } = error.details;
      damaged.push(typeof place === "string" ? place : error.message);
    }
  }
  return damaged.length === 0 ? { items } : { items, damaged };
}

/** Whether the query names one row, so that leaving it out would suggest that it does not exist. */
const namesOne = (query: PagedQuery): boolean =>
  (query.of === "records" && query.key !== undefined) || (query.of === "customers" && query.customer_id !== undefined);

/** Returns the owners of the texts in the rows. */
const ownersIn = (rows: readonly SqlRow[]): readonly OwnerId[] =>
  rows.flatMap(({ owner_id }) => (typeof owner_id === "string" ? [owner_id as OwnerId] : []));

/** Returns a reader for one row of the query. */
async function readerOf(query: PagedQuery, rows: readonly SqlRow[], { driver, texts }: ListContext): Promise<(row: SqlRow) => ListItem<ListQuery>> {
  await texts.ready?.(ownersIn(rows));
  if (query.of === "sessions") return (row) => sessionOf(row, texts);
  if (query.of === "erasures") return erasedOf;
  if (query.of === "open_turns") return openTurnOf;
  if (query.of === "turns") return (row) => turnOf(row, query.session_id);
  if (query.of === "records") return (row) => recordOf(row, texts);
  const owners = rows.map((row) => numberOf(row, "owner"));
  const { variables } = owners.length === 0 ? { variables: [] } : await driver.read(queries.customerVariables(owners.length), owners);
  const ofOwner = Map.groupBy(variables, (variable) => variable["owner"]);
  return (row) => customerOf(row, ofOwner.get(row["owner"]) ?? [], texts);
}

/** Dependencies for reading a list. */
export interface ListContext {
  readonly driver: SqlDriver;
  readonly texts: Texts;
  /** The time by the store's clock. */
  readonly now: number;
}

/** Returns the variables of an owner, now or at an earlier time. */
async function variablesFound({ owner_id, version, at }: VariablesQuery, { driver, texts }: ListContext): Promise<readonly VariablesRow[]> {
  const values: SqlValue[] = [owner_id];
  if (version !== undefined) values.push(Math.min(version, lastPossibleOffset));
  if (at !== undefined) values.push(at);
  const { owner, variables } = await driver.read(queries.variablesAsOf(version !== undefined, at !== undefined), values);
  const [row] = owner;
  if (row === undefined) return [];
  await texts.ready?.([owner_id]);
  return [variablesOf(numberOf(row, "version"), variables, owner_id, texts)];
}

/** Returns the ends of logs, in the order of the query. */
async function tailsFound({ session_ids, messages, messages_only }: TailQuery, { driver, texts }: ListContext): Promise<Page<ListItem<ListQuery>>> {
  const asked = [...new Set(session_ids)];
  const values = [JSON.stringify(asked), messages];
  const { journal: _journal, ...rest } = queries.tails[driver.dialect];
  const read =
    messages_only === true ? { ...(await driver.read(rest, values)), journal: [] } : await driver.read(queries.tails[driver.dialect], values);
  await texts.ready?.(ownersIn(read.sessions));
  const found = new Map(read.sessions.map((row) => [row["session_id"], row]));
  const [said, journals] = [read.messages, read.journal].map((rows) => Map.groupBy(rows, ({ session_id }) => session_id));
  const tailOf = ({ session_id, owner_id }: SqlRow): SessionTail => {
    const reader: Reader = { session_id: session_id as SessionId, owner_id: owner_id as OwnerId, texts };
    const eventsOf = (rows: readonly SqlRow[] = []) => rows.map((row) => eventOf(row, reader)).toSorted((left, right) => left.offset - right.offset);
    return { session_id: reader.session_id, messages: eventsOf(said?.get(session_id)), journal: eventsOf(journals?.get(session_id)) };
  };
  const rows = asked.map((id) => found.get(id)).filter((row) => row !== undefined);
  return { ...itemsIn(rows, tailOf), next_cursor: null, total: rows.length };
}

/** Returns the key of a row from its page's columns. */
function keyOf(row: SqlRow): ListKey {
  const key: (number | string)[] = [];
  for (let value = row["key_0"]; value !== undefined && value !== null; value = row[`key_${key.length}`]) key.push(value);
  return key;
}

/** Returns one page of a list. */
export async function listPageOf<Query extends ListQuery>(context: ListContext, query: Query): Promise<Page<ListItem<Query>>> {
  checkList(query);
  // `query.of` determines the type of the items. The compiler cannot follow a conditional type through the union.
  if (query.of === "tails") return (await tailsFound(query, context)) as Page<ListItem<Query>>;
  return (query.of === "variables" ? onlyPage(await variablesFound(query, context)) : await pageOf(context, query)) as Page<ListItem<Query>>;
}

const onlyPage = <Item>(items: readonly Item[]): Page<Item> => ({ items, next_cursor: null, total: items.length });

async function pageOf(context: ListContext, query: PagedQuery): Promise<Page<ListItem<ListQuery>>> {
  const after = decodeCursor(query);
  const { limit = 100, order = "asc" } = query;
  const text = query.of === "sessions" && query.by === "handover" ? "handovers" : query.of;
  // One additional row shows whether there is a next page. A number in the last part of a key is an integer of 32 bits.
  const values: SqlValue[] = [
    limit + 1,
    ...(after ?? []).map((part, index, all) => (index === all.length - 1 && typeof part === "number" ? Math.min(part, lastPossibleOffset) : part)),
  ];
  const conditions = conditionsOf(query, context, (value) => `$${values.push(value)}`);
  const { page, total } = queries.listPage(text, conditions, order, after !== undefined);
  // One statement suffices for a query by name.
  const isOne = query.of === "records" && query.key !== undefined && after === undefined;
  const read: Record<"page" | "total", readonly SqlRow[]> = isOne
    ? { total: [], ...(await context.driver.read({ page }, values)) }
    : await context.driver.read({ page, total }, values);
  const rows = read.page.slice(0, limit);
  const last = rows.at(-1);
  const readRow = await readerOf(query, rows, context);
  return {
    ...(namesOne(query) ? { items: rows.map(readRow) } : itemsIn(rows, readRow)),
    next_cursor: read.page.length > limit && last !== undefined ? encodeCursor(query, keyOf(last)) : null,
    total: isOne ? rows.length : numberOf(read.total[0] ?? {}, "total"),
  };
}
