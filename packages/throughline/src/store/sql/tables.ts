/** The schema as data: one text for both engines, with the few words in which they differ. */
import { createHash } from "node:crypto";
import type { Dialect } from "./sql-driver.ts";

export interface Migration {
  /** Counts from 1. A released migration never changes. */
  readonly version: number;
  readonly name: string;
  readonly statements: readonly string[];
}

interface Words {
  /** A key that the database assigns. */
  readonly key: string;
  readonly small: string;
  readonly integer: string;
  readonly big: string;
  /** A text that is ordered by its code points. */
  readonly ordered: string;
  /** Ends a table whose rows are stored in the order of its primary key. */
  readonly clustered: string;
  readonly table: string;
  /** Leaves room on the page, so that an updated row stays near its old version and changes no index. */
  readonly updated: string;
}

const words: Readonly<Record<Dialect, Words>> = {
  sqlite: {
    key: "INTEGER PRIMARY KEY",
    small: "INTEGER",
    integer: "INTEGER",
    big: "INTEGER",
    ordered: "text",
    clustered: ") WITHOUT ROWID, STRICT",
    table: ") STRICT",
    updated: ") STRICT",
  },
  postgres: {
    key: "integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    small: "smallint",
    integer: "integer",
    big: "bigint",
    ordered: `text COLLATE "C"`,
    clustered: ")",
    table: ")",
    updated: ") WITH (fillfactor = 70)",
  },
};

/**
 * Columns are ordered by width, because PostgreSQL pads. A turn has about ten events, so `events` only has the columns that every event needs. A
 * separate trace id (outside a turn), metadata and a payload version above 1 are in `event_extras`. Trace ids and keyed hashes are base64url. Ids of
 * commits and idempotency keys are unique within a session and stored as 64-bit hashes. `scope` of a commit is its session, or minus its owner
 * without a session part. Columns with personal data (`customer_id`, `name`, `title`, `metadata`, `labels`, `consumers`, `value`, `data`, `state`)
 * hold the output of the payload codec.
 */
const tables = ({ key, small, integer, big, clustered, table, updated }: Words): readonly string[] => [
  `CREATE TABLE meta (name text PRIMARY KEY, value text NOT NULL ${table}`,

  `CREATE TABLE owners (
    id ${key}, owner_id text NOT NULL UNIQUE, customer_hash text UNIQUE, customer_id text, name text, metadata text,
    version ${integer} NOT NULL, variables_version ${integer} NOT NULL, entries_version ${integer} NOT NULL, created_at ${big} NOT NULL
  ${updated}`,
  `CREATE TABLE variables (
    owner ${integer} NOT NULL, name text NOT NULL, version ${integer} NOT NULL, value text, PRIMARY KEY (owner, name, version)
  ${clustered}`,
  `CREATE TABLE entries (
    owner ${integer} NOT NULL, version ${integer} NOT NULL, entry_id text NOT NULL, kind text NOT NULL, data text, created_at ${big} NOT NULL,
    PRIMARY KEY (owner, version)
  ${clustered}`,

  `CREATE TABLE sessions (
    id ${key}, session_id text NOT NULL UNIQUE, owner ${integer} NOT NULL REFERENCES owners (id), agent text NOT NULL, open_hash text UNIQUE,
    external_hash text, agent_version ${integer} NOT NULL, mode ${small} NOT NULL, title text, metadata text, labels text, consumers text,
    created_at ${big} NOT NULL, updated_at ${big} NOT NULL, lease_until ${big}, lease_worker text, head ${integer} NOT NULL,
    first_offset ${integer} NOT NULL, state_offset ${integer} NOT NULL, epoch ${integer} NOT NULL, version ${integer} NOT NULL,
    episode ${integer} NOT NULL, last_turn ${integer} NOT NULL
  ${updated}`,
  `CREATE INDEX sessions_by_owner ON sessions (owner)`,
  `CREATE INDEX sessions_by_external_id ON sessions (external_hash) WHERE external_hash IS NOT NULL`,
  `CREATE TABLE session_labels (label_hash text NOT NULL, session ${integer} NOT NULL, PRIMARY KEY (label_hash, session) ${clustered}`,
  `CREATE INDEX session_labels_by_session ON session_labels (session)`,

  `CREATE TABLE events (
    created_at ${big} NOT NULL, session ${integer} NOT NULL, "offset" ${integer} NOT NULL, turn ${integer}, kind ${small} NOT NULL,
    source ${small} NOT NULL, data text NOT NULL, PRIMARY KEY (session, "offset")
  ${clustered}`,
  `CREATE TABLE event_extras (
    session ${integer} NOT NULL, "offset" ${integer} NOT NULL, version ${small} NOT NULL, trace_id text, metadata text, PRIMARY KEY (session, "offset")
  ${clustered}`,
  `CREATE INDEX events_messages ON events (session, "offset") WHERE kind IN (0, 1, 3)`,
  `CREATE INDEX events_state ON events (session, "offset") WHERE kind = 4`,
  `CREATE TABLE checkpoints (
    session ${integer} NOT NULL, "offset" ${integer} NOT NULL, bytes ${integer} NOT NULL, state text NOT NULL, PRIMARY KEY (session, "offset")
  ${table}`,
  `CREATE TABLE withdrawn (
    session ${integer} NOT NULL, at_offset ${integer} NOT NULL, from_offset ${integer} NOT NULL, PRIMARY KEY (session, at_offset, from_offset)
  ${clustered}`,

  `CREATE TABLE turns (
    created_at ${big} NOT NULL, session ${integer} NOT NULL, number ${integer} NOT NULL, started_offset ${integer}, ended_offset ${integer},
    attempts ${integer} NOT NULL, cause ${small} NOT NULL, status ${small} NOT NULL, trace_id text NOT NULL, PRIMARY KEY (session, number)
  ${clustered}`,
  `CREATE INDEX turns_open ON turns (session, number) WHERE status < 2`,
  `CREATE TABLE inputs (session ${integer} NOT NULL, "offset" ${integer} NOT NULL, turn ${integer}, PRIMARY KEY (session, "offset") ${clustered}`,
  `CREATE TABLE idempotency (
    key_hash ${big} NOT NULL, session ${integer} NOT NULL, "offset" ${integer} NOT NULL, body_hash text NOT NULL, PRIMARY KEY (session, key_hash)
  ${clustered}`,
  `CREATE TABLE commits (
    commit_id ${big} NOT NULL, scope ${integer} NOT NULL, first_offset ${integer}, head ${integer}, queued_turn ${integer}, PRIMARY KEY (scope, commit_id)
  ${clustered}`,
];

/** Columns with personal data or names from integrations. This list never changes, because a migration depends on it. */
const unsampled = [
  ["owners", "customer_id"],
  ["owners", "name"],
  ["owners", "metadata"],
  ["variables", "name"],
  ["variables", "value"],
  ["entries", "entry_id"],
  ["entries", "kind"],
  ["entries", "data"],
  ["sessions", "title"],
  ["sessions", "metadata"],
  ["sessions", "labels"],
  ["sessions", "consumers"],
  ["events", "data"],
  ["event_extras", "metadata"],
  ["checkpoints", "state"],
  ["drafts", "text"],
] as const;

/**
 * Forks, erasure, keys and drafts. Every session has a segment for its own log, up to `lastPossibleOffset`. A fork has one more for each ancestor:
 * the events from `first` to `upto` belong to `ancestor`. A deleted session is a row that no look-up finds. A fork still needs its log, or its rows
 * are not all deleted yet.
 */
const forksAndErasure = ({ key, small, integer, big, clustered, table }: Words, dialect: Dialect): readonly string[] => [
  `ALTER TABLE sessions ADD COLUMN parent ${integer}`,
  `ALTER TABLE sessions ADD COLUMN forked_at ${integer}`,
  `ALTER TABLE sessions ADD COLUMN deleted ${small}`,
  `CREATE INDEX sessions_by_parent ON sessions (parent) WHERE parent IS NOT NULL`,
  `CREATE TABLE segments (
    session ${integer} NOT NULL, upto ${integer} NOT NULL, ancestor ${integer} NOT NULL, first ${integer} NOT NULL, PRIMARY KEY (session, upto)
  ${clustered}`,
  `CREATE INDEX segments_by_ancestor ON segments (ancestor) WHERE ancestor <> session`,
  `INSERT INTO segments (session, upto, ancestor, first) SELECT id, 2147483647, id, 0 FROM sessions`,
  `CREATE TABLE owner_keys (
    key_id text PRIMARY KEY, owner ${integer} NOT NULL, writes ${small} NOT NULL, operator_key text NOT NULL, wrapped text NOT NULL
  ${clustered}`,
  `CREATE INDEX owner_keys_by_owner ON owner_keys (owner)`,
  // `kind` 0: an erasure, whose row is its receipt. 1: a cut of retention, whose row is deleted when it is done. `owner` and `session` are keys of
  // the remaining rows.
  `CREATE TABLE erasures (
    id ${key}, erasure_id text NOT NULL UNIQUE, kind ${small} NOT NULL, requested_at ${big} NOT NULL, finished_at ${big}, sessions ${integer} NOT NULL,
    events ${big} NOT NULL, owner ${integer}, session ${integer}
  ${table}`,
  `CREATE TABLE tombstones (target_hash text PRIMARY KEY, erasure ${integer} NOT NULL ${clustered}`,
  ...(dialect === "sqlite"
    ? []
    : [
        `CREATE UNLOGGED TABLE drafts (
          written_at bigint NOT NULL, session integer NOT NULL, epoch integer NOT NULL, turn integer NOT NULL, message integer NOT NULL, at integer NOT NULL,
          text text NOT NULL, PRIMARY KEY (session, epoch, message, at)
        )`,
        // The planner's statistics would contain samples of personal data, so these columns have none.
        ...unsampled.map(([name, column]) => `ALTER TABLE ${name} ALTER COLUMN ${column} SET STATISTICS 0`),
      ]),
];

/**
 * Records, handovers, and variables with their times. A variable's row is in force from its version to the one before `replaced`. `handover_place`
 * orders the queues of handovers. A row of `records` without owner and session is not encrypted. Its `data` is NULL for a removed record that is
 * remembered for a while.
 */
const service = ({ small, integer, big, ordered, table }: Words, dialect: Dialect): readonly string[] => [
  `CREATE TABLE records (
    created_at ${big} NOT NULL, updated_at ${big} NOT NULL, expires_at ${big}, commit_id ${big} NOT NULL, version ${integer} NOT NULL, owner ${integer},
    session ${integer}, kind ${ordered} NOT NULL, key ${ordered} NOT NULL, data text, PRIMARY KEY (kind, key)
  ${table}`,
  `CREATE INDEX records_expiring ON records (kind, expires_at) WHERE expires_at IS NOT NULL`,
  `CREATE INDEX records_by_owner ON records (owner) WHERE owner IS NOT NULL`,
  `CREATE INDEX records_by_session ON records (session) WHERE session IS NOT NULL`,
  `ALTER TABLE sessions ADD COLUMN handover_status ${small}`,
  `ALTER TABLE sessions ADD COLUMN handover_place ${big}`,
  `ALTER TABLE sessions ADD COLUMN handover_operator text`,
  `ALTER TABLE sessions ADD COLUMN handover text`,
  `CREATE INDEX sessions_by_handover ON sessions (handover_status, handover_place, id) WHERE handover_status IS NOT NULL`,
  `CREATE INDEX sessions_by_operator ON sessions (handover_operator, handover_status) WHERE handover_operator IS NOT NULL`,
  `ALTER TABLE variables ADD COLUMN set_at ${big} NOT NULL DEFAULT 0`,
  `ALTER TABLE variables ADD COLUMN checked_at ${big}`,
  `ALTER TABLE variables ADD COLUMN replaced ${integer}`,
  `ALTER TABLE variables ADD COLUMN stale ${small}`,
  `UPDATE variables SET replaced = (SELECT min(n.version) FROM variables n
    WHERE n.owner = variables.owner AND n.name = variables.name AND n.version > variables.version)`,
  `CREATE INDEX variables_in_force ON variables (owner) WHERE replaced IS NULL`,
  ...(dialect === "sqlite"
    ? []
    : [`ALTER TABLE records ALTER COLUMN data SET STATISTICS 0`, `ALTER TABLE sessions ALTER COLUMN handover SET STATISTICS 0`]),
];

/** Reads entries by kind and id, and removes one with all its versions. */
const memory: readonly string[] = [
  `CREATE INDEX entries_by_id ON entries (owner, entry_id, version)`,
  `CREATE INDEX entries_by_kind ON entries (owner, kind, version)`,
];

/** Turns that precede all others. There are few, and mostly none. */
const urgency = ({ small }: Words): readonly string[] => [
  `ALTER TABLE turns ADD COLUMN urgent ${small} NOT NULL DEFAULT 0`,
  `CREATE INDEX turns_urgent ON turns (session, number) WHERE urgent = 1 AND status < 2`,
];

/** The columns of `due`, in the order in which the triggers write them. */
const dueColumns = "session, agent, agent_version, urgent, created_at, until, worker";

/** Adds the row of each session with an open turn. `which` is a condition on `sessions`. The turn with the lowest number is the next to run. */
const addDue = (which: string): string => `INSERT INTO due (${dueColumns})
    SELECT s.id, s.agent, s.agent_version, t.urgent, t.created_at, s.lease_until, s.lease_worker FROM sessions s
    JOIN turns t ON t.session = s.id AND t.status < 2 AND t.number = (SELECT min(l.number) FROM turns l WHERE l.session = s.id AND l.status < 2)
    WHERE ${which}`;

/** A trigger, with its function on PostgreSQL. `when` compares NEW with OLD. */
function trigger(
  dialect: Dialect,
  { name, on, when, does }: { readonly name: string; readonly on: string; readonly when: string; readonly does: readonly string[] },
): readonly string[] {
  const body = does.map((statement) => `  ${statement};`).join("\n");
  if (dialect === "sqlite") return [`CREATE TRIGGER ${name} AFTER ${on} FOR EACH ROW WHEN ${when} BEGIN\n${body}\nEND`];
  return [
    `CREATE FUNCTION throughline_${name}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$\nBEGIN\n${body}\n  RETURN NULL;\nEND\n$body$`,
    `CREATE TRIGGER ${name} AFTER ${on} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION throughline_${name}()`,
  ];
}

/** Tests whether two values differ, either of which may be NULL. */
const differs: Readonly<Record<Dialect, string>> = { sqlite: "IS NOT", postgres: "IS DISTINCT FROM" };

/**
 * The queue: one row for each session with an open turn. `until` is NULL for a turn that can be claimed now. Otherwise it is the time when its lease
 * or its wait ends. Triggers maintain the table, so a running process of an earlier version maintains it too.
 */
const queue = ({ small, integer, big, ordered, table }: Words, dialect: Dialect): readonly string[] => [
  // Commits lock the session's row first. Waiting for them here avoids a deadlock with one that locks `turns`.
  ...(dialect === "sqlite" ? [] : [`LOCK TABLE sessions IN EXCLUSIVE MODE`]),
  `CREATE TABLE due (
    created_at ${big} NOT NULL, until ${big}, session ${integer} PRIMARY KEY, agent_version ${integer} NOT NULL, urgent ${small} NOT NULL,
    agent ${ordered} NOT NULL, worker text
  ${table}`,
  `CREATE INDEX due_ready ON due (agent, agent_version, urgent DESC, created_at, session) WHERE until IS NULL`,
  `CREATE INDEX due_later ON due (urgent, until) WHERE until IS NOT NULL`,
  // Only SQLite checks whether the process that holds a lease is gone.
  ...(dialect === "sqlite" ? [`CREATE INDEX due_held ON due (worker, urgent DESC) WHERE worker IS NOT NULL`] : []),
  ...trigger(dialect, {
    name: "due_queued",
    on: "INSERT ON turns",
    when: "NEW.status < 2",
    // A session that already has a row has a turn that precedes this one.
    does: [
      `INSERT INTO due (${dueColumns}) SELECT s.id, s.agent, s.agent_version, NEW.urgent, NEW.created_at, s.lease_until, s.lease_worker
    FROM sessions s WHERE s.id = NEW.session ON CONFLICT DO NOTHING`,
    ],
  }),
  ...trigger(dialect, {
    name: "due_changed",
    on: "UPDATE OF status, urgent ON turns",
    when: "OLD.urgent <> NEW.urgent OR (OLD.status < 2 AND NEW.status >= 2) OR (OLD.status >= 2 AND NEW.status < 2)",
    does: [`DELETE FROM due WHERE session = NEW.session`, addDue("s.id = NEW.session")],
  }),
  ...trigger(dialect, {
    name: "due_leased",
    on: "UPDATE OF lease_until, lease_worker, agent_version ON sessions",
    when: ["lease_until", "lease_worker", "agent_version"].map((column) => `OLD.${column} ${differs[dialect]} NEW.${column}`).join(" OR "),
    does: [`UPDATE due SET until = NEW.lease_until, worker = NEW.lease_worker, agent_version = NEW.agent_version WHERE session = NEW.id`],
  }),
  addDue("s.deleted IS NULL"),
];

/** Prefix of the reference to a split text. Texts are JSON or base64url, which never start so. */
export const splitPrefix = "split:";

/** The columns whose texts can be split, and whether a row's text is ever replaced. */
const splitColumns = [
  { table: "events", column: "data", replaced: true },
  { table: "event_extras", column: "metadata", replaced: true },
  { table: "checkpoints", column: "state", replaced: true },
  { table: "entries", column: "data", replaced: false },
  { table: "variables", column: "value", replaced: false },
  { table: "records", column: "data", replaced: true },
] as const;

/**
 * A trigger that deletes the parts of a removed or replaced text. On PostgreSQL it names no column, because `purge` alters the columns' types, which
 * PostgreSQL rejects for a column that a trigger names.
 */
function removesParts(
  dialect: Dialect,
  name: string,
  event: "DELETE" | "UPDATE",
  { table, column }: (typeof splitColumns)[number],
): readonly string[] {
  const isSplit = `substr(OLD.${column}, 1, ${splitPrefix.length}) = '${splitPrefix}'`;
  const when = event === "DELETE" ? isSplit : `${isSplit} AND OLD.${column} ${differs[dialect]} NEW.${column}`;
  const remove = `DELETE FROM parts WHERE id = OLD.${column}`;
  if (dialect === "sqlite")
    return [
      `CREATE TRIGGER ${name} AFTER ${event === "UPDATE" ? `UPDATE OF ${column}` : event} ON ${table} FOR EACH ROW WHEN ${when} BEGIN ${remove}; END`,
    ];
  return [
    `CREATE FUNCTION throughline_${name}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
BEGIN
  IF ${when} THEN
    ${remove};
  END IF;
  RETURN NULL;
END
$body$`,
    `CREATE TRIGGER ${name} AFTER ${event} ON ${table} FOR EACH ROW EXECUTE FUNCTION throughline_${name}()`,
  ];
}

/** Texts that are too large for a row of some databases. */
const splitting = ({ integer, table }: Words, dialect: Dialect): readonly string[] => [
  `CREATE TABLE parts (id text NOT NULL, place ${integer} NOT NULL, data text NOT NULL, PRIMARY KEY (id, place) ${table}`,
  ...splitColumns.flatMap((place) => [
    ...removesParts(dialect, `parts_of_removed_${place.table}`, "DELETE", place),
    ...(place.replaced ? removesParts(dialect, `parts_of_replaced_${place.table}`, "UPDATE", place) : []),
  ]),
  ...(dialect === "sqlite" ? [] : [`ALTER TABLE parts ALTER COLUMN data SET STATISTICS 0`]),
];

/** The id of the state at `state_offset`: that offset, and the id of the commit that wrote it. */
const stateIds: readonly string[] = [`ALTER TABLE sessions ADD COLUMN state_id text`];

/** Receipts and tombstones that expire. */
const expiringErasures = ({ big }: Words): readonly string[] => [
  `ALTER TABLE erasures ADD COLUMN expires_at ${big}`,
  `CREATE INDEX erasures_expiring ON erasures (expires_at) WHERE expires_at IS NOT NULL`,
  `CREATE INDEX tombstones_by_erasure ON tombstones (erasure)`,
];

/**
 * The stream over all sessions: `position` orders the commits that appended events, and `feed` holds the last position. SQLite runs one write after the
 * other, so a trigger gives the position. On PostgreSQL, commits that run at the same time become visible in any order. A commit gets a negative place
 * there, and a reader gives positions to the commits that it sees (`appends.ts`). Both need nothing from the commit's text, so a running process of an
 * earlier version takes part.
 */
const feed = ({ small, big, table }: Words, dialect: Dialect): readonly string[] => [
  `CREATE TABLE feed (id ${small} PRIMARY KEY, position ${big} NOT NULL ${table}`,
  `INSERT INTO feed (id, position) VALUES (1, 0)`,
  `ALTER TABLE commits ADD COLUMN position ${big}`,
  ...(dialect === "sqlite"
    ? trigger(dialect, {
        name: "commits_positioned",
        on: "INSERT ON commits",
        when: "NEW.head >= NEW.first_offset",
        does: [
          `UPDATE feed SET position = position + 1`,
          `UPDATE commits SET position = (SELECT position FROM feed) WHERE scope = NEW.scope AND commit_id = NEW.commit_id`,
        ],
      })
    : [`CREATE SEQUENCE commits_places`, `ALTER TABLE commits ALTER COLUMN position SET DEFAULT -nextval('commits_places')`]),
  `CREATE INDEX commits_by_position ON commits (position) WHERE position IS NOT NULL AND head >= first_offset`,
];

/** Returns all migrations of a dialect, in order. */
export function migrationsOf(dialect: Dialect): readonly Migration[] {
  return [
    { version: 1, name: "first schema", statements: tables(words[dialect]) },
    { version: 2, name: "forks and erasure", statements: forksAndErasure(words[dialect], dialect) },
    { version: 3, name: "records, hand-overs and times of variables", statements: service(words[dialect], dialect) },
    { version: 4, name: "entries by id and kind", statements: memory },
    { version: 5, name: "urgent turns", statements: urgency(words[dialect]) },
    { version: 6, name: "queue of due turns", statements: queue(words[dialect], dialect) },
    { version: 7, name: "texts in parts", statements: splitting(words[dialect], dialect) },
    { version: 8, name: "ids of states", statements: stateIds },
    { version: 9, name: "erasures that expire", statements: expiringErasures(words[dialect]) },
    { version: 10, name: "stream over all sessions", statements: feed(words[dialect], dialect) },
  ];
}

/** Returns the checksum that shows whether a migration was changed after it was applied. */
export const checksumOf = (migration: Migration): string => createHash("sha256").update(migration.statements.join(";\n")).digest("hex");
