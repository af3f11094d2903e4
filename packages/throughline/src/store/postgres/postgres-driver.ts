/** PostgreSQL through `pg`: pools, prepared statements where connections are not shared, one round trip for every read and write. */
import type { Client, types } from "pg";
import { systemClock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { Logger } from "../../kernel/log.ts";
import { systemRandom } from "../../kernel/random.ts";
import { functionName } from "../sql/migrate.ts";
import type { Pace, Procedure, SqlDriver, SqlRow, SqlValue, Steps } from "../sql/sql-driver.ts";
import type { Timeouts } from "../store-options.ts";
import { answerWithin, Connections, Hosts, isUnprepared, loadPg, pg, processIdOf, readOnlyError, serverLimits, wantsRepeat } from "./connections.ts";
import { Listener } from "./listener.ts";
import { channelOf, type PostgresLocation, quotedName, quotedText } from "./location.ts";
import { namedText, placeOf, settingsOf, Statement, type Text } from "./statement.ts";

export interface PostgresDriverOptions {
  readonly logger: Logger;
  readonly onStatement?: ((sql: string) => void) | undefined;
  readonly timeouts?: Timeouts | undefined;
}

/** Maximum connections of each pool. Batch work has its own pool, so that it takes none from calls with a waiting caller. */
const mostConnections: Readonly<Record<Pace, number>> = { interactive: 10, batch: 2 };

/** An arbitrary number that all versions of Throughline share. */
const migrationLock = 7_468_726_757;
const mostRepeats = 5;
/** Share of a call's limit during which a statement is repeated that is in the way of others. */
const contentionShare = 0.7;
/** Maximum milliseconds of a pause between two repetitions. */
const longestPauseMs = 64;
/** Maximum number of statements that are prepared by name. Each takes memory in every connection of the server. */
const mostPrepared = 500;

/** Returns the parser of a column's type. `pg` returns 64-bit integers as text, because not all of them are safe numbers. */
function parserOf(...[type, format]: Parameters<typeof types.getTypeParser>): (text: string) => unknown {
  if (type !== pg().types.builtins.INT8) return pg().types.getTypeParser(type, format) as (text: string) => unknown;
  return (text) => {
    const value = Number(text);
    if (!Number.isSafeInteger(value)) throw new ThroughlineError("store.corrupt", `The database holds ${text}, which is not a safe integer.`);
    return value;
  };
}

/** PostgreSQL texts cannot contain NUL. No stored text contains one, so such a value finds nothing. */
const storable = (value: SqlValue): SqlValue => (typeof value === "string" ? value.replaceAll("\u0000", "\ufffd") : value);

/** A random time that grows with the attempts. */
const pauseMs = (attempt: number): number => ((systemRandom.bytes(1)[0] ?? 0) / 256) * Math.min(longestPauseMs, 2 ** attempt);

/** Options of a statement. */
interface StatementOptions {
  readonly pace?: Pace;
  readonly writes?: boolean;
  /** Whether `onStatement` is called. Defaults to true. */
  readonly reported?: boolean;
}

/** Creates a driver for the database at `location`. Connections are opened on demand. Throws `package.missing` without `pg`. */
export async function postgresDriver(location: PostgresLocation, options: PostgresDriverOptions): Promise<SqlDriver> {
  await loadPg();
  return new PostgresDriver(location, options);
}

class PostgresDriver implements SqlDriver {
  readonly dialect = "postgres";
  readonly sharesDrafts = true;
  readonly link: Listener;
  readonly #location: PostgresLocation;
  readonly #logger: Logger;
  readonly #onStatement: ((sql: string) => void) | undefined;
  readonly #limits: Readonly<Record<Pace, number>>;
  readonly #settings: Readonly<Record<Pace, Text>>;
  readonly #pools: Readonly<Record<Pace, Connections>>;
  readonly #texts = new Map<string, Text>();
  /** Whether statements are prepared by name, on connections that nobody else shares. */
  #prepares: boolean;
  /** The names that a connection has prepared. Connections that have not shown yet that nobody shares them have none. */
  readonly #prepared = new WeakMap<Client, Set<string>>();

  constructor(location: PostgresLocation, { logger, onStatement, timeouts = {} }: PostgresDriverOptions) {
    const { urls, listenUrls, shown, schema } = location;
    this.#location = location;
    this.#logger = logger;
    this.#onStatement = onStatement;
    this.#prepares = location.preparedStatements === "auto";
    const { interactiveMs = 5_000, batchMs = 60_000 } = timeouts;
    this.#limits = { interactive: interactiveMs, batch: batchMs };
    const settings = (pace: Pace): Text => settingsOf(location, serverLimits(this.#limits[pace], location));
    this.#settings = { interactive: settings("interactive"), batch: settings("batch") };
    const onLost = (error: Error): void => logger.warn("store.connection_lost", { reason: error.message });
    const poolOf = (pace: Pace): Connections =>
      new Connections(
        urls,
        { max: mostConnections[pace], application_name: "throughline", types: { getTypeParser: parserOf } },
        { limitMs: this.#limits[pace], connectMs: interactiveMs, shown, onLost },
      );
    this.#pools = { interactive: poolOf("interactive"), batch: poolOf("batch") };
    this.link = new Listener({
      hosts: new Hosts(listenUrls, { connectMs: interactiveMs, application_name: "throughline listen" }),
      limitMs: interactiveMs,
      logger,
      name: Buffer.from(systemRandom.bytes(6)).toString("hex"),
      channel: channelOf(schema),
      onStatement,
      notify: (sql, values) => this.#execute(sql, values, { reported: false }),
    });
  }

  async read<Part extends string>(
    parts: Readonly<Record<Part, string>>,
    values: readonly SqlValue[],
    pace: Pace = "interactive",
  ): Promise<Readonly<Record<Part, readonly SqlRow[]>>> {
    const columns = Object.entries<string>(parts).map(([name, sql]) => `(SELECT COALESCE(json_agg(part), '[]') FROM (${sql}) part) AS "${name}"`);
    const [row] = await this.#execute(`SELECT ${columns.join(",\n")}`, values, { pace });
    // The statement is built so that every column is a list of rows.
    return row as unknown as Readonly<Record<Part, readonly SqlRow[]>>;
  }

  async call<Input extends object, Output extends object>(procedure: Procedure<Input, Output>, input: Input): Promise<Output> {
    const { pace = "interactive" } = procedure;
    const sql = `SELECT ${functionName(procedure)}($1) AS output`;
    const [row] = await this.#execute(sql, [JSON.stringify(input)], { pace, writes: true });
    // The function returns the procedure's output type. The conformance suite checks that.
    return row?.["output"] as unknown as Output;
  }

  async hasJournal(): Promise<boolean> {
    return Boolean((await this.#execute(this.#journal, []))[0]?.["there"]);
  }

  /**
   * Has no limit except keep-alive, because a migration has no maximum duration. Its first statement shows within the limit of a call whether the
   * server responds.
   */
  async exclusive<Result>(work: (journalExists: boolean) => Steps<Result>): Promise<Result> {
    return this.#pools.batch.run(
      async (client) => {
        const run = async (sql: string, values: readonly SqlValue[] = []): Promise<readonly SqlRow[]> => {
          this.#onStatement?.(sql);
          return (await client.query<SqlRow>(sql, [...values])).rows;
        };
        // A transaction of a higher isolation level would not see what another process did while this one waited for the lock.
        await answerWithin(client, this.#limits.interactive, run("BEGIN ISOLATION LEVEL READ COMMITTED"));
        const { text } = settingsOf(this.#location, { statementMs: 0, lockMs: 0 });
        const { rows } = await client.query<unknown[]>({ text, rowMode: "array" });
        if (placeOf(rows[0] ?? []).readOnly) throw readOnlyError(this.#location.shown);
        await run("SELECT pg_advisory_xact_lock($1)", [migrationLock]);
        const schema = quotedName(this.#location.schema);
        // Creating a schema that is there takes a right that the role may lack.
        const [found] = await run("SELECT to_regnamespace($1) IS NOT NULL AS there", [schema]);
        if (!found?.["there"]) await run(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
        const steps = work(Boolean((await run(this.#journal))[0]?.["there"]));
        let step = steps.next();
        while (step.done !== true) step = steps.next(await run(step.value.sql, step.value.values));
        await run("COMMIT");
        return step.value;
      },
      { limit: "none" },
    );
  }

  async close(): Promise<void> {
    await this.link.close();
    await Promise.all(Object.values(this.#pools).map((pool) => pool.end()));
  }

  get #journal(): string {
    return `SELECT to_regclass(${quotedText(`${quotedName(this.#location.schema)}.schema_migrations`)}) IS NOT NULL AS there`;
  }

  /** Runs one statement in its own transaction, and repeats it if the database requests that, all within one limit. */
  #execute(
    sql: string,
    values: readonly SqlValue[],
    { pace = "interactive", writes = false, reported = true }: StatementOptions = {},
  ): Promise<readonly SqlRow[]> {
    const main = this.#textOf(sql);
    const storables = values.map(storable);
    const until = systemClock.monotonic() + contentionShare * this.#limits[pace];
    const run = async (client: Client): Promise<readonly SqlRow[]> => {
      for (let attempt = 1; ; attempt++) {
        if (reported) this.#onStatement?.(sql);
        const prepared = this.#prepares && main.name !== "" ? this.#prepared.get(client) : undefined;
        const statement = new Statement({ settings: this.#settings[pace], main, values: storables, prepared, parserOf });
        try {
          const rows = await statement.run(client);
          if (statement.place?.readOnly === true) throw readOnlyError(this.#location.shown);
          this.#checkShared(client, statement.place?.backend);
          return rows;
        } catch (error) {
          if (statement.place?.readOnly === true) throw readOnlyError(this.#location.shown, error);
          const again = wantsRepeat(error);
          if (prepared !== undefined && isUnprepared(error)) this.#unprepare("a prepared statement was lost");
          else if (again === "pause" && systemClock.monotonic() < until) await systemClock.sleep(pauseMs(attempt));
          else if (again !== "now" || attempt > mostRepeats) throw error;
        }
      }
    };
    return this.#pools[pace].run(run, { writes });
  }

  /** After the first statement of a connection, finds out whether a pooler shares it: then the server process is not the one that was announced. */
  #checkShared(client: Client, backend: number | undefined): void {
    if (!this.#prepares || this.#prepared.has(client)) return;
    if (backend === processIdOf(client)) this.#prepared.set(client, new Set());
    else this.#unprepare("a pooler");
  }

  #unprepare(reason: string): void {
    if (!this.#prepares) return;
    this.#prepares = false;
    this.#logger.warn("store.prepared_statements_off", { reason });
  }

  /** Returns a statement with its name, without a name once the maximum number is reached. */
  #textOf(sql: string): Text {
    const known = this.#texts.get(sql);
    if (known !== undefined) return known;
    if (this.#texts.size >= mostPrepared) return { text: sql, name: "" };
    const text = namedText(sql, this.#location.schema);
    this.#texts.set(sql, text);
    return text;
  }
}
