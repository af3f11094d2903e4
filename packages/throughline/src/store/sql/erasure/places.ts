/**
 * The register of places: every table, its possible personal data, and how that is erased and exported. Erasure follows it. A test compares it with
 * the schema: a table or a text column without an entry fails.
 */
import type { Dialect } from "../sql-driver.ts";

/**
 * The content of a text column. `person`: personal data, encoded by the payload codec. `name`: words of the integration or the agent's author, such
 * as a variable's name, which may describe a person. `hash`: a keyed hash. `id`: an opaque id. `own`: Throughline's own words.
 */
export type ColumnHolds = "person" | "name" | "hash" | "id" | "own";

export interface Place {
  readonly table: string;
  /** A description for the generated page. */
  readonly holds: string;
  /** Every text column of the table. */
  readonly columns: Readonly<Record<string, ColumnHolds>>;
  /**
   * The rows of a session or an owner. `key`: the column with its number (a negative number for `-scope`). `within`: the columns that distinguish
   * rows of one key, for a table that is emptied in small steps. Without it all rows are deleted at once. Absent for tables without anyone's data.
   */
  readonly rows?: { readonly of: "session" | "owner"; readonly key: string; readonly within?: readonly string[] };
  /** The dialect with this table, if only one has it. */
  readonly only?: Dialect;
  readonly erased: string;
  readonly exported: string;
}

const withSession = "with the session";
const withOwner = "with the customer";
const notExported = "no";

type Rows = NonNullable<Place["rows"]>;

/** Returns the rows of a session, or of an owner, by the column of that name. Columns tell apart the rows of a table that is emptied in small steps. */
const ofSession = (...within: readonly string[]): Rows => ({ of: "session", key: "session", ...(within.length === 0 ? {} : { within }) });
const ofOwner = (...within: readonly string[]): Rows => ({ ...ofSession(...within), of: "owner", key: "owner" });

/** All tables, in the order in which an erasure empties them. */
export const places: readonly Place[] = [
  {
    table: "events",
    holds: "messages, tool calls and results, state changes",
    columns: { data: "person" },
    rows: ofSession("offset"),
    erased: `${withSession}, up to 1,000 at a time; what living forks share stays until the last of them goes; the text of a message at once when it is redacted`,
    exported: "`event` lines",
  },
  {
    table: "event_extras",
    holds: "the integration's metadata of events",
    columns: { trace_id: "id", metadata: "person" },
    rows: ofSession("offset"),
    erased: "with its event",
    exported: "in `event` lines",
  },
  {
    table: "checkpoints",
    holds: "the state of a conversation",
    columns: { state: "person" },
    rows: ofSession("offset"),
    erased: `${withSession}; those that living forks begin at stay`,
    exported: "the one that the log begins at, in the `session` line",
  },
  {
    table: "parts",
    holds: "texts of other tables that are too large for one row",
    columns: { id: "id", data: "person" },
    erased: "with the row that the text belongs to",
    exported: "with the row that the text belongs to",
  },
  {
    table: "turns",
    holds: "when turns ran, and their trace ids",
    columns: { trace_id: "id" },
    rows: ofSession("number"),
    erased: withSession,
    exported: "in `event` lines",
  },
  {
    table: "due",
    holds: "which sessions have a turn to run, and who runs it",
    columns: { agent: "own", worker: "own" },
    rows: ofSession(),
    erased: "when it is asked for",
    exported: notExported,
  },
  {
    table: "idempotency",
    holds: "keyed hashes of the integration's keys and of messages",
    columns: { body_hash: "hash" },
    rows: ofSession("key_hash"),
    erased: withSession,
    exported: notExported,
  },
  {
    table: "withdrawn",
    holds: "which offsets were withdrawn",
    columns: {},
    rows: ofSession(),
    erased: withSession,
    exported: "in `event` lines",
  },
  {
    table: "inputs",
    holds: "which messages wait",
    columns: {},
    rows: ofSession(),
    erased: "when it is asked for",
    exported: notExported,
  },
  {
    table: "session_labels",
    holds: "keyed hashes of labels",
    columns: { label_hash: "hash" },
    rows: ofSession(),
    erased: "when it is asked for",
    exported: "the labels, in the `session` line",
  },
  {
    table: "commits",
    holds: "hashes of commit ids, and their places in the stream over all sessions",
    columns: {},
    rows: { of: "session", key: "scope" },
    erased: withSession,
    exported: notExported,
  },
  {
    table: "drafts",
    only: "postgres",
    holds: "the text of replies that are being written",
    columns: { text: "person" },
    rows: ofSession(),
    erased: withSession,
    exported: notExported,
  },
  {
    table: "segments",
    holds: "which sessions share which offsets",
    columns: {},
    rows: ofSession(),
    erased: withSession,
    exported: "no: a fork is exported whole",
  },
  {
    table: "sessions",
    holds: "title, metadata, labels, consumers and handover of a conversation",
    columns: {
      session_id: "id",
      agent: "own",
      open_hash: "hash",
      external_hash: "hash",
      title: "person",
      metadata: "person",
      labels: "person",
      consumers: "person",
      handover: "person",
      handover_operator: "hash",
      lease_worker: "own",
      state_id: "own",
    },
    erased: "its texts and ids when it is asked for, its row at the end",
    exported: "the `session` line",
  },
  {
    table: "records",
    holds:
      "keys, answers to requests, kept requests to models, outputs and callback addresses of runs, addresses and dead letters of webhooks, jobs and the audit log of the service; records of nobody hold no personal data and are not encrypted",
    columns: { kind: "own", key: "id", data: "person" },
    rows: ofSession("kind", "key"),
    erased: withSession,
    exported: notExported,
  },
  {
    table: "variables",
    holds: "variables of a customer, of a session or of an agent, with their history",
    columns: { name: "name", value: "person" },
    rows: ofOwner("name", "version"),
    erased: "with the customer, or the session",
    exported: "those in force: a customer's in the `owner` line, a session's in the `session` line, an agent's not",
  },
  {
    table: "entries",
    holds: "long-term memory, with its history: entries, vectors, pending questions, masks, and bars (keyed hashes of forgotten text)",
    columns: { entry_id: "id", kind: "own", data: "person" },
    rows: ofOwner("version"),
    erased: `${withOwner}; one that is forgotten at once, with its history`,
    exported: "`entry` lines",
  },
  {
    table: "records",
    holds: "the same, of a customer",
    columns: { kind: "own", key: "id", data: "person" },
    rows: ofOwner("kind", "key"),
    erased: withOwner,
    exported: notExported,
  },
  {
    table: "commits",
    holds: "hashes of commit ids",
    columns: {},
    rows: { of: "owner", key: "-scope" },
    erased: withOwner,
    exported: notExported,
  },
  {
    table: "owner_keys",
    holds: "the wrapped keys of an encrypted customer",
    columns: { key_id: "id", operator_key: "id", wrapped: "own" },
    rows: ofOwner(),
    erased: `${withOwner}, after all that they encrypt`,
    exported: notExported,
  },
  {
    table: "owners",
    holds: "the integration's id of a customer, name and metadata",
    columns: { owner_id: "id", customer_hash: "hash", customer_id: "person", name: "person", metadata: "person" },
    erased: "its texts and ids when it is asked for, its row at the end",
    exported: "the `owner` line",
  },
  {
    table: "erasures",
    holds: "no personal data: when an erasure was requested and finished, and how much it removed",
    columns: { erasure_id: "id" },
    erased: "never: it is the receipt; that of a session that a run made for itself, 30 days after the run's result",
    exported: notExported,
  },
  {
    table: "tombstones",
    holds: "keyed hashes of the ids of what was erased, so that a restored backup can be brought up to date",
    columns: { target_hash: "hash" },
    erased: "never: they identify nobody; those of a session that a run made for itself, with its receipt",
    exported: "by `erasures export`",
  },
  { table: "feed", holds: "the last position of the stream over all sessions", columns: {}, erased: "never", exported: notExported },
  { table: "meta", holds: "the database's own key for hashes", columns: { name: "own", value: "own" }, erased: "never", exported: notExported },
  {
    table: "schema_migrations",
    holds: "which migrations were applied",
    columns: { name: "own", checksum: "own" },
    erased: "never",
    exported: notExported,
  },
];

/** A place other than a table. */
export interface OtherPlace {
  readonly place: string;
  readonly holds: string;
  readonly removedBy: string;
}

/** Other places with personal data, and how it is removed there. */
export const otherPlaces: readonly OtherPlace[] = [
  {
    place: "free pages of the SQLite file, and its `-wal`",
    holds: "removed data, until it is overwritten",
    removedBy:
      "`throughline purge`; removed rows are overwritten at once (`secure_delete`), copies in unused parts of pages, as in a restored backup, only by it",
  },
  {
    place: "dead rows of PostgreSQL, and `pg_wal`",
    holds: "removed data, until the space is reused",
    removedBy: "`throughline purge`: `VACUUM FULL`, then a switch and a checkpoint for each file of the log",
  },
  {
    place: "drafts in a process",
    holds: "the text of replies that are being written",
    removedBy: "the erasure in its own process; elsewhere the end of the turn",
  },
  {
    place: "caches in a process",
    holds: "owners of sessions by id, keys of encrypted customers, indexes of memories",
    removedBy: "the erasure in its own process; elsewhere they are no longer reachable",
  },
  {
    place: "states of recent sessions in a process",
    holds: "the state of each session that the process has just used, and on SQLite its last messages, at most 64 MB in all",
    removedBy:
      "any erasure, in any process, within two seconds: all of them. A redacted or withdrawn message can stay for ten minutes after the session's last turn, where nothing reads it",
  },
  { place: "backups", holds: "everything, as of their day", removedBy: "their expiry; `throughline restore` repeats later erasures" },
  { place: "exports", holds: "the exported data", removedBy: "the holder of the file" },
  { place: "replicas and archives of PostgreSQL's log", holds: "everything, as of their day", removedBy: "their operators" },
  {
    place: "models' providers, and your own logs",
    holds: "prompts, and your own log lines",
    removedBy: "their operators; Throughline writes no person's text to a log",
  },
];
