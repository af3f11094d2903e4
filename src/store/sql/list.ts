/** Lists with keyset cursors: what was there when a page was read is neither repeated nor passed over by the next. */
import type { OwnerId } from "../../kernel/id.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { type CustomerQuery, type ListItem, type ListQuery, type Page, type SessionQuery, type TurnQuery, turnStatuses } from "../port.ts";
import { checkList } from "../request.ts";
import type { SqlDriver, SqlRow, SqlValue } from "./driver.ts";
import { erasedOf } from "./erasure/job.ts";
import * as queries from "./queries.ts";
import { customerOf, numberOf, sessionOf, turnOf } from "./rows.ts";
import { lastPossibleOffset } from "./segments.ts";
import type { Texts } from "./texts.ts";

/** Adds a value to a statement and gives its placeholder. */
type Bind = (value: SqlValue) => string;

function sessionConditions(query: SessionQuery, texts: Texts, bind: Bind): readonly string[] {
  const { agent, owner_id, mode, labels = [], without_labels = [], external_id, origin } = query;
  const label = (text: string): string =>
    `EXISTS (SELECT 1 FROM session_labels l WHERE l.session = s.id AND l.label_hash = ${bind(texts.hash("label", text))})`;
  return [
    `s.deleted IS NULL`,
    ...(agent === undefined ? [] : [`s.agent = ${bind(agent)}`]),
    ...(owner_id === undefined ? [] : [`o.owner_id = ${bind(owner_id)}`]),
    ...(mode === undefined ? [] : [`s.mode = ${bind(mode === "manual" ? 1 : 0)}`]),
    ...labels.map(label),
    ...without_labels.map((text) => `NOT ${label(text)}`),
    ...(origin === undefined ? [] : [queries.forksOf(bind(origin))]),
    ...(external_id === undefined ? [] : [`s.external_hash = ${bind(texts.hash("external", external_id))}`]),
  ];
}

function customerConditions({ customer_id }: CustomerQuery, texts: Texts, bind: Bind): readonly string[] {
  return [`o.customer_hash IS NOT NULL`, ...(customer_id === undefined ? [] : [`o.customer_hash = ${bind(texts.hash("customer", customer_id))}`])];
}

function turnConditions({ session_id, status, ended_before }: TurnQuery, bind: Bind): readonly string[] {
  return [
    queries.turnsOf(bind(session_id)),
    ...(status === undefined ? [] : [`${queries.turnStatus} = ${bind(turnStatuses.indexOf(status))}`]),
    ...(ended_before === undefined ? [] : [`${queries.ended} < ${bind(Math.min(ended_before, lastPossibleOffset))}`]),
  ];
}

function conditionsOf(query: ListQuery, texts: Texts, bind: Bind): readonly string[] {
  if (query.of === "sessions") return sessionConditions(query, texts, bind);
  if (query.of === "erasures") return [`e.kind = 0`];
  return query.of === "customers" ? customerConditions(query, texts, bind) : turnConditions(query, bind);
}

async function itemsOf(driver: SqlDriver, texts: Texts, query: ListQuery, rows: readonly SqlRow[]): Promise<readonly ListItem<ListQuery>[]> {
  await texts.ready?.(query.of === "turns" ? [] : rows.map((row) => String(row["owner_id"]) as OwnerId));
  if (query.of === "sessions") return rows.map((row) => sessionOf(row, texts));
  if (query.of === "erasures") return rows.map(erasedOf);
  if (query.of === "turns") return rows.map((row) => turnOf(row, query.session_id));
  if (rows.length === 0) return [];
  const { variables } = await driver.read(
    queries.customerVariables(rows.length),
    rows.map((row) => numberOf(row, "key")),
  );
  return rows.map((row) =>
    customerOf(
      row,
      variables.filter((variable) => variable["owner"] === row["key"]),
      texts,
    ),
  );
}

/** One page of a list. */
export async function listPageOf<Query extends ListQuery>(driver: SqlDriver, texts: Texts, query: Query): Promise<Page<ListItem<Query>>> {
  checkList(query);
  const after = decodeCursor(query);
  const { limit = 100, order = "asc" } = query;
  // One row more than asked for tells whether there is a next page.
  const values: SqlValue[] = after === undefined ? [limit + 1] : [limit + 1, Math.min(after, lastPossibleOffset)];
  const conditions = conditionsOf(query, texts, (value) => `$${values.push(value)}`);
  const read = await driver.read(queries.listPage(query.of, conditions, order, after !== undefined), values);
  const rows = read.page.slice(0, limit);
  const last = rows.at(-1);
  const items = await itemsOf(driver, texts, query, rows);
  const total = numberOf(read.total[0] ?? {}, "total");
  // The items are what `query.of` asked for; the compiler cannot follow a conditional type through the union.
  return {
    items: items as readonly ListItem<Query>[],
    next_cursor: read.page.length > limit && last !== undefined ? encodeCursor(query, numberOf(last, "key")) : null,
    total,
  };
}
