/** The texts of all reads, one text for both engines. `$1` of a session's read is its session id. */
import { type EventKind, eventKinds } from "../port.ts";
import type { Dialect } from "./sql-driver.ts";

/** Returns the placeholders of a list of values, from `$1` on. */
export const placeholders = (count: number): string => Array.from({ length: count }, (_, index) => `$${index + 1}`).join(", ");

/** Fills up a list of values with NULL, so that there is one statement to prepare for any number of them. */
export const filledUp = <Value>(values: readonly Value[], count: number): readonly (Value | null)[] => [
  ...values,
  ...Array<null>(count - values.length).fill(null),
];

/*
 * Reads over the segments of a log. A fork has some of its events from its ancestors, and all reads treat the segments as one log. It is the only
 * statement whose shape differs between the engines. SQLite reads segments and rows in order and stops at the limit. PostgreSQL does so only if each
 * segment is a subquery with its own limit.
 */

/** Offsets are 32-bit integers in the database. This one means "to the end". */
export const lastPossibleOffset = 2_147_483_647;

/** The rows to read by offset. `e` stands for the table, `g` for the segment. */
interface Stretch {
  readonly columns: string;
  /** The table, with the index to use. */
  readonly table: string;
  readonly joins?: string;
  /** The first offset, an expression. Defaults to the start of the segment. */
  readonly from?: string;
  /** The first offset of a segment's rows. */
  readonly begins?: string;
  /** The last offset, an expression. */
  readonly to: string;
  readonly conditions?: readonly string[];
  readonly order: "ASC" | "DESC";
  readonly limit?: string;
}

const words = { sqlite: { earlier: "min", later: "max" }, postgres: { earlier: "LEAST", later: "GREATEST" } } as const;

/** Rows of the log whose session's key is `key`, in offset order. */
export function stretchOf(dialect: Dialect, key: string, stretch: Stretch): string {
  const { columns, table, joins = "", from, begins = "g.first", to, conditions = [], order, limit } = stretch;
  const { earlier, later } = words[dialect];
  const rows = (since: string | undefined): string =>
    [
      `e.session = g.ancestor`,
      `e."offset" >= ${since === undefined ? begins : `${later}(${begins}, ${since})`}`,
      `e."offset" <= ${earlier}(g.upto, ${to})`,
      ...conditions,
    ].join(" AND ");
  const shared = `g.session = ${key} AND ${begins} <= ${to}`;
  const segments = from === undefined ? shared : `${shared} AND g.upto >= ${from}`;
  const end = limit === undefined ? "" : ` LIMIT ${limit}`;
  if (dialect === "sqlite")
    return `SELECT ${columns} FROM segments g CROSS JOIN ${table} ${joins} WHERE ${segments} AND ${rows(from)} ORDER BY g.upto ${order}, e."offset" ${order}${end}`;
  const parts = (since: string | undefined): string =>
    `CROSS JOIN LATERAL (SELECT ${columns} FROM ${table} ${joins} WHERE ${rows(since)} ORDER BY e."offset" ${order}${end}) part`;
  const sorted = `ORDER BY g.upto ${order}, part."offset" ${order}${end}`;
  // With a limit it stops at the segment that reaches the limit. Without one, OFFSET 0 separates the first offset, which is then computed once
  // instead of twice.
  return from === undefined || limit !== undefined
    ? `SELECT part.* FROM segments g ${parts(from)} WHERE ${segments} ${sorted}`
    : `SELECT part.* FROM (SELECT g.*, CAST(${from} AS integer) AS since FROM segments g WHERE ${shared} OFFSET 0) g ${parts("g.since")} WHERE g.upto >= g.since ${sorted}`;
}

/**
 * Hides withdrawn events in a view of the log of `key` up to `at`: those withdrawn by the session itself, and in the shared part those withdrawn by
 * its ancestors there. PostgreSQL takes longer to start a subquery for each row. It first finds the newest withdrawal, and only checks events before
 * it.
 */
function visible(dialect: Dialect, key: string, at: string): string {
  const withdrawals = (session: string): string => `FROM segments h CROSS JOIN withdrawn w
    WHERE h.session = ${session} AND w.session = h.ancestor AND w.at_offset <= ${words[dialect].earlier}(h.upto, ${at})`;
  const hidden = `EXISTS (SELECT 1 ${withdrawals("g.session")} AND h.upto >= g.upto AND w.at_offset > e."offset" AND w.from_offset <= e."offset")`;
  const newest = `SELECT max(w.at_offset) ${withdrawals(key)}`;
  return dialect === "sqlite" ? `NOT ${hidden}` : `(e."offset" >= COALESCE((${newest}), 0) OR NOT ${hidden})`;
}

/** The key of an existing session. A deleted session is never found. */
const keyOf = (session_id: string): string => `(SELECT id FROM sessions WHERE session_id = ${session_id} AND deleted IS NULL)`;
const key = keyOf("$1");
const sessionColumns = `s.session_id, o.owner_id, o.version AS owner_version, o.customer_id, o.name AS customer_name, s.agent, s.agent_version, s.mode, s.title, s.metadata, s.labels, s.consumers, s.handover, s.created_at, s.updated_at,
  s.head, s.first_offset, s.state_offset, s.epoch, s.version, s.episode, s.last_turn, s.forked_at,
  CASE WHEN s.parent IS NOT NULL THEN (SELECT p.session_id FROM sessions p WHERE p.id = s.parent AND p.deleted IS NULL) END AS origin`;
const sessions = `FROM sessions s JOIN owners o ON o.id = s.owner`;
const eventColumns = `e."offset", e.kind, e.source, e.turn, e.created_at, e.data, COALESCE(x.version, 1) AS version, x.metadata, COALESCE(x.trace_id, t.trace_id) AS trace_id`;
/** Empty for an event of the session's own, else the id of the session that wrote it. NULL if that was deleted. */
const origin = `CASE WHEN e.session = g.session THEN '' ELSE (SELECT w.session_id FROM sessions w WHERE w.id = e.session AND w.deleted IS NULL) END AS origin`;
const extras = `LEFT JOIN event_extras x ON x.session = e.session AND x."offset" = e."offset"`;
const withTurn = `LEFT JOIN turns t ON t.session = e.session AND t.number = e.turn ${extras}`;
/** Names of partial indexes, for the engine that does not find them by itself. */
const byMessages = `/* INDEXED BY events_messages */`;
export const byState = `/* INDEXED BY events_state */`;
export const byOpenTurns = `/* INDEXED BY turns_open */`;
/** Indexes of the turns that can be claimed, that wait for a time, and that a worker holds. */
export const byDueReady = `/* INDEXED BY due_ready */`;
export const byDueLater = `/* INDEXED BY due_later */`;
export const byDueHeld = `/* INDEXED BY due_held */`;
/** The number of the turn that a lease of a session is for. The running one has a lower number than the queued one. */
export const leasedTurn = (session: string): string =>
  `(SELECT min(l.number) FROM turns l ${byOpenTurns} WHERE l.session = ${session} AND l.status < 2)`;
const turnColumns = `number, trace_id, cause, status, attempts, created_at, urgent, started_offset, ended_offset`;

export const openById = { session: `SELECT ${sessionColumns} ${sessions} WHERE s.session_id = $1 AND s.deleted IS NULL` };
export const openByKey = { session: `SELECT ${sessionColumns} ${sessions} WHERE s.open_hash = $1 AND s.deleted IS NULL` };
export const headOf = { session: `SELECT head FROM sessions WHERE session_id = $1 AND deleted IS NULL` };
/** Maximum number of sessions per read of heads. Unused places hold NULL, so that there is one statement to prepare. */
export const headsAtOnce = 100;
export const heads = {
  heads: `SELECT session_id, head FROM sessions WHERE deleted IS NULL AND session_id IN (${placeholders(headsAtOnce)})`,
};
const waitOver = (urgent: number): string => `EXISTS (SELECT 1 FROM due ${byDueLater} WHERE urgent = ${urgent} AND until <= $1)`;
/** Whether a turn can be claimed, as of `$1`. */
export const freeTurn = {
  turn: `SELECT 1 AS free WHERE EXISTS (SELECT 1 FROM due ${byDueReady} WHERE until IS NULL) OR ${waitOver(1)} OR ${waitOver(0)}`,
};
export const ownerOfSession = { session: `SELECT o.owner_id ${sessions} WHERE s.session_id = $1 AND s.deleted IS NULL` };
export const metaValue = { meta: `SELECT value FROM meta WHERE name = $1` };

const variableColumns = `v.name, v.value, v.version, COALESCE(v.checked_at, v.set_at) AS checked_at, v.stale`;
const inForce = `/* INDEXED BY variables_in_force */`;

/** The variables of a session's owner, of the session alone, and of its agent. Each existing owner has at least one row. */
const scopes = `SELECT o.owner_id, o.variables_version, ${variableColumns}
  FROM (SELECT s.owner AS id FROM sessions s WHERE s.session_id = $1
    UNION ALL SELECT w.id FROM owners w WHERE w.owner_id = 'own:' || CAST($1 AS text)
    UNION ALL SELECT w.id FROM sessions s JOIN owners w ON w.owner_id = 'own:' || s.agent WHERE s.session_id = $1) k
  JOIN owners o ON o.id = k.id LEFT JOIN variables v ${inForce} ON v.owner = o.id AND v.replaced IS NULL`;

/** The variables of an owner, `$1`, at a version (`$2`) or a time. */
export function variablesAsOf(version: boolean, at: boolean): { readonly owner: string; readonly variables: string } {
  const time = `$${version ? 3 : 2}`;
  const then = `COALESCE((SELECT max(t.version) FROM variables t WHERE t.owner = o.id AND t.set_at <= ${time}), 0)`;
  const upto = at ? then : `o.variables_version`;
  const wanted = version ? `CASE WHEN $2 < ${upto} THEN $2 ELSE ${upto} END` : upto;
  const there = `FROM owners o WHERE o.owner_id = $1${version ? ` AND o.variables_version >= $2` : ""}`;
  return {
    owner: `SELECT ${wanted} AS version ${there}`,
    variables: `SELECT ${variableColumns} FROM (SELECT o.id, ${wanted} AS version ${there}) o JOIN variables v ON v.owner = o.id
      WHERE v.version <= o.version AND (v.replaced IS NULL OR v.replaced > o.version)`,
  };
}

/** The id of what all logs hold besides appended events. SQLite counts the commits of other connections; PostgreSQL cannot tell. */
const logId = { sqlite: `(SELECT data_version FROM pragma_data_version) || ' ' || log_rewrites()`, postgres: `NULL` };

/**
 * All data for the start of a turn. `$2` is the offset to load at, `$3` the number of messages, `since` their first offset. A checkpoint may be at the
 * offset before a segment: where the session was forked, or where its log was cut.
 */
function partsOf(dialect: Dialect, since?: string) {
  const newest = (columns: string): string =>
    stretchOf(dialect, key, { columns, table: `checkpoints e`, begins: `g.first - 1`, to: "$2", order: "DESC", limit: "1" });
  const noCheckpoint = `NOT EXISTS (${newest(`e."offset"`)})`;
  return {
    session: `SELECT ${sessionColumns}, s.state_id, ${logId[dialect]} AS log_id ${sessions} WHERE s.session_id = $1 AND s.deleted IS NULL`,
    checkpoint: newest(`e."offset", e.state, e.bytes`),
    first: `SELECT e.created_at, e.data FROM segments g JOIN events e ON e.session = g.ancestor AND e."offset" = 0 WHERE g.session = ${key} AND g.first = 0 AND ${noCheckpoint}`,
    patches: stretchOf(dialect, key, {
      columns: `e."offset", COALESCE(x.version, 1) AS version, e.created_at, e.data`,
      table: `events e ${byState}`,
      joins: extras,
      from: `COALESCE((${newest(`e."offset" + 1 AS "offset"`)}), 1)`,
      to: "$2",
      conditions: [`e.kind = 4`],
      order: "ASC",
    }),
    messages: stretchOf(dialect, key, {
      columns: `${eventColumns}, ${origin}`,
      table: `events e ${byMessages}`,
      joins: withTurn,
      ...(since === undefined ? {} : { from: since }),
      to: "$2",
      conditions: [`e.kind IN (0, 1, 3)`, visible(dialect, key, "$2")],
      order: "DESC",
      limit: "$3",
    }),
    variables: scopes,
    waiting: `SELECT "offset", turn FROM inputs WHERE session = ${key} ORDER BY "offset"`,
    turns: `SELECT ${turnColumns} FROM turns ${byOpenTurns} WHERE session = ${key} AND status < 2 ORDER BY number`,
    journal: `SELECT ${eventColumns}, '' AS origin FROM turns t JOIN events e ON e.session = t.session AND e."offset" >= t.started_offset AND e.turn = t.number ${extras}
    WHERE e.kind = 5 AND t.session = ${key} AND t.number = ${leasedTurn(key)} AND t.status = 1 ORDER BY e."offset"`,
  };
}

export const load = { sqlite: partsOf("sqlite"), postgres: partsOf("postgres") };

/** The same without the state. */
function restOf(dialect: Dialect, since?: string) {
  const { checkpoint: _checkpoint, first: _first, patches: _patches, ...rest } = partsOf(dialect, since);
  return rest;
}
export const loadRest = { sqlite: restOf("sqlite"), postgres: restOf("postgres") };
/** The same with the messages from offset `$4` on. */
export const loadSince = { sqlite: restOf("sqlite", "$4"), postgres: restOf("postgres", "$4") };

/** Maximum number of events of a running turn in the end of a log. */
const journalTail = 100;

/** The ends of the logs of the sessions in `$1`, a JSON list, with the last `$2` messages of each. Rows are in no order. */
function tailsOf(dialect: Dialect) {
  const found = `FROM ${listed(dialect, "$1")} CROSS JOIN sessions s`;
  const isFound = `s.session_id = w.value AND s.deleted IS NULL`;
  const said = [`e.kind IN (0, 1, 3)`, `e.kind = 0`, visible(dialect, "s.id", String(lastPossibleOffset))];
  const table = `events e ${byMessages}`;
  const last = stretchOf(dialect, "s.id", {
    ...{ columns: `e."offset"`, table, to: String(lastPossibleOffset), conditions: said, order: "DESC", limit: "$2" },
  });
  // With a limit, SQLite computes the first offset once for each session instead of for each event.
  const since = `SELECT s.id, s.session_id, (SELECT min(l."offset") FROM (${last}) l) AS since ${found} WHERE ${isFound} LIMIT 100`;
  return {
    sessions: `SELECT s.session_id, o.owner_id ${found} CROSS JOIN owners o WHERE ${isFound} AND o.id = s.owner`,
    messages: `SELECT s.session_id, ${eventColumns}, ${origin} FROM (${since}) s CROSS JOIN segments g CROSS JOIN ${table} ${withTurn}
      WHERE g.session = s.id AND g.upto >= s.since AND e.session = g.ancestor AND e."offset" >= ${words[dialect].later}(g.first, s.since) AND e."offset" <= g.upto
      AND ${said.join(" AND ")}`,
    journal: `SELECT s.session_id, ${eventColumns}, '' AS origin ${found} CROSS JOIN turns t ${byOpenTurns} CROSS JOIN events e ${extras}
      WHERE ${isFound} AND t.session = s.id AND t.status < 2 AND t.status = 1 AND e.session = t.session AND e.turn = t.number AND e.kind = 5
      AND e."offset" >= COALESCE((SELECT j."offset" FROM events j WHERE j.session = t.session AND j."offset" >= t.started_offset AND j.turn = t.number
        AND j.kind = 5 ORDER BY j."offset" DESC LIMIT 1 OFFSET ${journalTail - 1}), t.started_offset)`,
  };
}

/** Erasures after `$1`. Receipts stay, so that their number never falls. An id may become visible after a greater one. */
export const erasuresFrom = { erasures: `SELECT count(*) AS erasures, max(id) AS last FROM erasures WHERE id > $1 AND kind = 0` };

/** The filters of a read of events. */
export interface ReadFilter {
  readonly kinds: readonly EventKind[] | undefined;
  readonly source: boolean;
  readonly trace: boolean;
  readonly withdrawn: boolean;
}

/** A page of events. `$2` and `$3` are the first and last offset, `$4` the limit, followed by source and trace id if the filter has them. */
export function readPage(dialect: Dialect, filter: ReadFilter): { readonly session: string; readonly events: string } {
  const conditions: string[] = [];
  if (filter.kinds?.length === 0) conditions.push(`1 = 0`);
  else if (filter.kinds !== undefined)
    conditions.push(`e.kind IN (${eventKinds.flatMap((kind, index) => (filter.kinds?.includes(kind) === true ? [index] : [])).join(", ")})`);
  // The partial index over messages only serves a filter on those kinds.
  const onlyMessages = filter.kinds?.every((kind) => kind === "message" || kind === "tool" || kind === "custom") === true;
  if (onlyMessages) conditions.push(`e.kind IN (0, 1, 3)`);
  if (filter.source) conditions.push(`e.source = $5`);
  if (filter.trace) conditions.push(`COALESCE(x.trace_id, t.trace_id) = $${filter.source ? 6 : 5}`);
  if (!filter.withdrawn) conditions.push(visible(dialect, key, String(lastPossibleOffset)));
  return {
    session: `SELECT s.head, s.first_offset, o.owner_id ${sessions} WHERE s.session_id = $1 AND s.deleted IS NULL`,
    events: stretchOf(dialect, key, {
      columns: `${eventColumns}, ${origin}`,
      table: `events e ${onlyMessages ? byMessages : ""}`,
      joins: withTurn,
      from: "$2",
      to: "$3",
      conditions,
      order: "ASC",
      limit: "$4",
    }),
  };
}

/** The filters of a read of entries. */
export interface EntriesFilter {
  readonly newest: boolean;
  readonly entry: boolean;
  /** Number of kinds. Undefined for all. */
  readonly kinds: number | undefined;
}

/** Maximum number of kinds per statement, because some databases allow 100 values. */
export const kindsAtOnce = 50;

/**
 * Entries of an owner, `$1`. `$2` and `$3` are the first and last version, `$4` the limit, followed by the entry and the kinds of the filter. Each
 * kind is read as a separate page from its part of the index, because sorting several kinds together would read all their rows.
 */
export function entries({ newest, entry, kinds }: EntriesFilter): Readonly<Record<string, string>> {
  const page = (index: string, condition: string): string =>
    `SELECT e.version, e.entry_id, e.kind, e.data, e.created_at FROM entries e ${index}
      WHERE e.owner = (SELECT id FROM owners WHERE owner_id = $1) AND e.version >= $2 AND e.version <= $3${condition}
      ORDER BY version ${newest ? "DESC" : "ASC"} LIMIT $4`;
  const ofEntry = entry ? ` AND e.entry_id = $5` : "";
  const byEntry = entry ? `/* INDEXED BY entries_by_id */` : "";
  if (kinds === undefined) return { all: page(byEntry, ofEntry) };
  const first = entry ? 6 : 5;
  const byKind = entry ? byEntry : `/* INDEXED BY entries_by_kind */`;
  return Object.fromEntries(
    Array.from({ length: kinds }, (_, index) => [`kind_${index}`, page(byKind, `${ofEntry} AND e.kind = $${first + index}`)]),
  );
}

/** The binding of an event's text. `$1` is a session, `$2` an offset of its log. */
export const eventPlace = {
  event: `SELECT e.kind, e.created_at FROM segments g JOIN events e ON e.session = g.ancestor AND e."offset" = $2
    WHERE g.session = ${key} AND g.first <= $2 AND $2 <= g.upto`,
};

const isOwnTurn = `g.ancestor = g.session`;
/** The offset at which a turn ended. The fork ended a turn that was open at the fork. */
export const ended = `CASE WHEN ${isOwnTurn} OR t.ended_offset <= g.upto THEN t.ended_offset ELSE g.upto + 1 END`;
export const turnStatus = `CASE WHEN ${isOwnTurn} THEN t.status ELSE 2 END`;
/** The turns of a session: its own, and those that had started in the shared part of the log. */
export const turnsOf = (session_id: string): string =>
  `g.session = ${keyOf(session_id)} AND (t.ended_offset IS NULL OR t.ended_offset >= g.first) AND (${isOwnTurn} OR t.started_offset <= g.upto)`;
/** The sessions that were forked from a session. */
export const forksOf = (session_id: string): string => `s.parent = ${keyOf(session_id)}`;

/** Rows with the column `value` from a list of texts, which is bound as one JSON value, `values`. */
export const listed = (dialect: Dialect, values: string): string =>
  dialect === "sqlite" ? `json_each(${values}) w` : `jsonb_array_elements_text(CAST(${values} AS jsonb)) AS w(value)`;

export const tails = { sqlite: tailsOf("sqlite"), postgres: tailsOf("postgres") };

/** Sessions with a claimed turn that has not ended. Naming both statuses lets SQLite use the index of open turns. */
export const isRunning = `s.id IN (SELECT l.session FROM turns l ${byOpenTurns} WHERE l.status < 2 AND l.status = 1)`;

interface ListText {
  readonly from: string;
  readonly columns: string;
  /** The columns that order the list. */
  readonly key: readonly string[];
}

/** Whether a record exists as of `now`: it has not expired, and its owner has not been erased. */
export const isLiveRecord = (now: string): string => `(r.expires_at IS NULL OR r.expires_at > ${now})
    AND (r.owner IS NULL OR EXISTS (SELECT 1 FROM owners a WHERE a.id = r.owner AND a.owner_id NOT LIKE 'erased:%'))
    AND (r.session IS NULL OR EXISTS (SELECT 1 FROM sessions a WHERE a.id = r.session AND a.deleted IS NULL))`;

export const lists: Readonly<Record<"sessions" | "handovers" | "customers" | "turns" | "open_turns" | "erasures" | "records", ListText>> = {
  sessions: { from: sessions, columns: sessionColumns, key: ["s.id"] },
  handovers: { from: sessions, columns: sessionColumns, key: ["s.handover_place", "s.id"] },
  records: {
    from: `FROM records r`,
    columns: `r.kind, r.key, r.version, r.data, r.created_at, r.updated_at, r.expires_at,
      COALESCE((SELECT o.owner_id FROM owners o WHERE o.id = r.owner), (SELECT o.owner_id FROM sessions s JOIN owners o ON o.id = s.owner WHERE s.id = r.session)) AS owner_id`,
    key: ["r.key"],
  },
  customers: {
    from: `FROM owners o`,
    columns: `o.id AS owner, o.owner_id, o.customer_id, o.name, o.metadata, o.version, o.variables_version, o.created_at`,
    key: ["o.id"],
  },
  erasures: { from: `FROM erasures e`, columns: `e.erasure_id, e.requested_at, e.finished_at, e.sessions, e.events`, key: ["e.id"] },
  open_turns: {
    from: `FROM due d JOIN sessions s ON s.id = d.session JOIN turns t ON t.session = s.id AND t.number = ${leasedTurn("s.id")}`,
    columns: `s.session_id, s.agent, d.worker, d.until, t.number, t.trace_id, t.cause, t.status, t.attempts, t.created_at, t.urgent, t.started_offset, t.ended_offset`,
    key: ["d.session"],
  },
  turns: {
    from: `FROM segments g JOIN turns t ON t.session = g.ancestor`,
    columns: `t.number, t.trace_id, t.cause, t.attempts, t.created_at, t.urgent, t.started_offset, ${ended} AS ended_offset,
      ${turnStatus} AS status`,
    key: ["t.number"],
  },
};

/** A page of a list, with the total. `$1` is the limit, followed by the key to continue after, if any, and the values of `conditions`. */
export function listPage(
  of: keyof typeof lists,
  conditions: readonly string[],
  order: "asc" | "desc",
  after: boolean,
): { readonly page: string; readonly total: string } {
  const { from, columns, key } = lists[of];
  const where = (all: readonly string[]): string => (all.length === 0 ? "" : ` WHERE ${all.join(" AND ")}`);
  const last = key.map((_, index) => `$${index + 2}`).join(", ");
  const rest = after ? [...conditions, `(${key.join(", ")}) ${order === "asc" ? ">" : "<"} (${last})`] : conditions;
  const keys = key.map((column, index) => `${column} AS key_${index}`).join(", ");
  return {
    page: `SELECT ${keys}, ${columns} ${from}${where(rest)} ORDER BY ${key.map((column) => `${column} ${order}`).join(", ")} LIMIT $1`,
    total: `SELECT count(*) AS total ${from}${where(conditions)}`,
  };
}

/** The variables in force of the customers on a page. */
export const customerVariables = (count: number): { readonly variables: string } => ({
  variables: `SELECT v.owner, ${variableColumns} FROM variables v ${inForce}
    WHERE v.replaced IS NULL AND v.owner IN (${placeholders(count)})`,
});

/** The database's clock, in milliseconds. */
export const databaseNow = `floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;

/** Joins statements. Index names, which are comments for SQLite, are removed. */
export const block = (statements: readonly string[]): string =>
  statements.map((statement) => `    ${statement.replaceAll(/\/\*.*?\*\//g, "")};`).join("\n");
