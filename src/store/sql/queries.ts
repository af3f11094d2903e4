/** The texts of all reads: one text for both engines. `$1` of a session's read is its session id. */
import { type EventKind, eventKinds } from "../port.ts";

/** Offsets are 32-bit integers in the database; this one stands for "to the end". */
export const lastPossibleOffset = 2_147_483_647;

const key = `(SELECT id FROM sessions WHERE session_id = $1)`;
const sessionColumns = `s.session_id, o.owner_id, o.customer_id, o.name AS customer_name, s.agent, s.agent_version, s.mode, s.title, s.metadata, s.labels, s.consumers, s.created_at, s.updated_at,
  s.head, s.first_offset, s.state_offset, s.epoch, s.version, s.episode, s.last_turn`;
const sessions = `FROM sessions s JOIN owners o ON o.id = s.owner`;
const eventColumns = `e."offset", e.kind, e.source, e.turn, e.created_at, e.data, COALESCE(x.version, 1) AS version, x.metadata, COALESCE(x.trace_id, t.trace_id) AS trace_id`;
const extras = `LEFT JOIN event_extras x ON x.session = e.session AND x."offset" = e."offset"`;
const withTurn = `LEFT JOIN turns t ON t.session = e.session AND t.number = e.turn ${extras}`;
/** Names of partial indexes, for the engine that does not find them by itself. */
const byMessages = `/* INDEXED BY events_messages */`;
const byState = `/* INDEXED BY events_state */`;
export const byOpenTurns = `/* INDEXED BY turns_open */`;
/** The number of the turn that a lease of a session is for: the running one has a lower number than the queued one. */
export const leasedTurn = (session: string): string =>
  `(SELECT min(l.number) FROM turns l ${byOpenTurns} WHERE l.session = ${session} AND l.status < 2)`;
const turnColumns = `number, trace_id, cause, status, attempts, created_at, started_offset, ended_offset`;

/** Hides what was withdrawn in a view of the log up to `at`. */
const visible = (at: string): string =>
  `NOT EXISTS (SELECT 1 FROM withdrawn w WHERE w.session = e.session AND w.from_offset <= e."offset" AND e."offset" < w.at_offset AND w.at_offset <= ${at})`;

export const openById = { session: `SELECT ${sessionColumns} ${sessions} WHERE s.session_id = $1` };
export const openByKey = { session: `SELECT ${sessionColumns} ${sessions} WHERE s.open_hash = $1` };
export const headOf = { session: `SELECT head FROM sessions WHERE session_id = $1` };
/** Heads of many sessions; places that are not needed hold NULL, so that there is one statement to prepare. */
export const headsAtOnce = 50;
export const heads = {
  heads: `SELECT session_id, head FROM sessions WHERE session_id IN (${Array.from({ length: headsAtOnce }, (_, index) => `$${index + 1}`).join(", ")})`,
};
export const ownerOfSession = { session: `SELECT o.owner_id ${sessions} WHERE s.session_id = $1` };
export const metaValue = { meta: `SELECT value FROM meta WHERE name = $1` };

/** The variables in force of one owner, given by its key. */
const variables = (owner: string): string => `SELECT v.owner, v.name, v.value FROM variables v
  JOIN (SELECT owner, name, max(version) AS version FROM variables WHERE owner ${owner} GROUP BY owner, name) latest
    ON latest.owner = v.owner AND latest.name = v.name AND latest.version = v.version
  WHERE v.value IS NOT NULL ORDER BY v.name`;

const newestCheckpoint = `FROM checkpoints c WHERE c.session = ${key} AND c."offset" <= $2`;

/** Everything a turn begins with: `$2` the offset to load as of, `$3` the number of messages. */
export const load = {
  session: `SELECT ${sessionColumns}, o.variables_version ${sessions} WHERE s.session_id = $1`,
  checkpoint: `SELECT c."offset", c.state, c.bytes ${newestCheckpoint} ORDER BY c."offset" DESC LIMIT 1`,
  first: `SELECT e.data FROM events e WHERE e.session = ${key} AND e."offset" = 0 AND NOT EXISTS (SELECT 1 ${newestCheckpoint})`,
  patches: `SELECT e."offset", COALESCE(x.version, 1) AS version, e.data FROM events e ${byState} ${extras} WHERE e.session = ${key} AND e.kind = 4 AND e."offset" <= $2
    AND e."offset" > COALESCE((SELECT max(c."offset") ${newestCheckpoint}), 0) ORDER BY e."offset"`,
  messages: `SELECT ${eventColumns} FROM events e ${byMessages} ${withTurn} WHERE e.session = ${key} AND e.kind IN (0, 1, 3) AND e."offset" <= $2 AND ${visible("$2")} ORDER BY e."offset" DESC LIMIT $3`,
  variables: variables(`= (SELECT owner FROM sessions WHERE session_id = $1)`),
  waiting: `SELECT "offset", turn FROM inputs WHERE session = ${key} ORDER BY "offset"`,
  turns: `SELECT ${turnColumns} FROM turns ${byOpenTurns} WHERE session = ${key} AND status < 2 ORDER BY number`,
  journal: `SELECT ${eventColumns} FROM turns t JOIN events e ON e.session = t.session AND e."offset" >= t.started_offset AND e.turn = t.number ${extras}
    WHERE e.kind = 5 AND t.session = ${key} AND t.number = ${leasedTurn(key)} AND t.status = 1 ORDER BY e."offset"`,
};

/** Which filters a read of events has. */
export interface ReadFilter {
  readonly kinds: readonly EventKind[] | undefined;
  readonly source: boolean;
  readonly trace: boolean;
  readonly withdrawn: boolean;
}

/** A page of events: `$2` and `$3` first and last offset, `$4` the limit, then source and trace id as the filter has them. */
export function readPage(filter: ReadFilter): { readonly session: string; readonly events: string } {
  const conditions = [`e.session = ${key}`, `e."offset" >= $2`, `e."offset" <= $3`];
  if (filter.kinds?.length === 0) conditions.push(`1 = 0`);
  else if (filter.kinds !== undefined)
    conditions.push(`e.kind IN (${eventKinds.flatMap((kind, index) => (filter.kinds?.includes(kind) === true ? [index] : [])).join(", ")})`);
  // The partial index over messages serves a filter for nothing else.
  const onlyMessages = filter.kinds?.every((kind) => kind === "message" || kind === "tool" || kind === "custom") === true;
  if (onlyMessages) conditions.push(`e.kind IN (0, 1, 3)`);
  if (filter.source) conditions.push(`e.source = $5`);
  if (filter.trace) conditions.push(`COALESCE(x.trace_id, t.trace_id) = $${filter.source ? 6 : 5}`);
  if (!filter.withdrawn) conditions.push(visible(String(lastPossibleOffset)));
  return {
    session: `SELECT s.head, o.owner_id ${sessions} WHERE s.session_id = $1`,
    events: `SELECT ${eventColumns} FROM events e ${onlyMessages ? byMessages : ""} ${withTurn} WHERE ${conditions.join(" AND ")} ORDER BY e."offset" LIMIT $4`,
  };
}

/** Entries of an owner after a version. */
export const entries = {
  entries: `SELECT e.version, e.entry_id, e.kind, e.data, e.created_at FROM entries e JOIN owners o ON o.id = e.owner
    WHERE o.owner_id = $1 AND e.version > $2 ORDER BY e.version`,
};

interface ListText {
  readonly from: string;
  readonly columns: string;
  /** The column of the key that orders the list. */
  readonly key: string;
}

export const lists: Readonly<Record<"sessions" | "customers" | "turns", ListText>> = {
  sessions: { from: sessions, columns: `s.id AS key, ${sessionColumns}`, key: "s.id" },
  customers: {
    from: `FROM owners o`,
    columns: `o.id AS key, o.owner_id, o.customer_id, o.name, o.metadata, o.version, o.variables_version, o.created_at`,
    key: "o.id",
  },
  turns: { from: `FROM turns t`, columns: `t.number AS key, ${turnColumns}`, key: "t.number" },
};

/** A page of a list, with the total: `$1` the limit, `$2` the key to continue after if there is one, then what `conditions` use. */
export function listPage(
  of: keyof typeof lists,
  conditions: readonly string[],
  order: "asc" | "desc",
  after: boolean,
): { readonly page: string; readonly total: string } {
  const { from, columns, key: column } = lists[of];
  const where = (all: readonly string[]): string => (all.length === 0 ? "" : ` WHERE ${all.join(" AND ")}`);
  const rest = after ? [...conditions, `${column} ${order === "asc" ? ">" : "<"} $2`] : conditions;
  return {
    page: `SELECT ${columns} ${from}${where(rest)} ORDER BY ${column} ${order} LIMIT $1`,
    total: `SELECT count(*) AS total ${from}${where(conditions)}`,
  };
}

/** The variables in force of the customers on a page. */
export const customerVariables = (count: number): { readonly variables: string } => ({
  variables: variables(`IN (${Array.from({ length: count }, (_, index) => `$${index + 1}`).join(", ")})`),
});
