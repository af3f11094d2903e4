/** PostgreSQL through `pg`: a pool, named prepared statements, one round trip for every read and write. */
import type { Client, types } from "pg";
import { ThroughlineError } from "../../kernel/error.ts";
import type { Logger } from "../../kernel/log.ts";
import { systemRandom } from "../../kernel/random.ts";
import { functionName } from "../sql/migrate.ts";
import type { Pace, Procedure, SqlDriver, SqlRow, SqlValue, Steps } from "../sql/sql-driver.ts";
import type { Timeouts } from "../store-options.ts";
import { answerWithin, boundedConfig, Connections, loadPg, pg, wantsRepeat } from "./connections.ts";
import { Listener } from "./listener.ts";
import type { PostgresLocation } from "./location.ts";

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
const journal = `SELECT to_regclass('throughline.schema_migrations') IS NOT NULL AS there`;

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
  readonly #onStatement: ((sql: string) => void) | undefined;
  readonly #limits: Readonly<Record<Pace, number>>;
  readonly #pools: Readonly<Record<Pace, Connections>>;
  readonly #names = new Map<string, string>();

  constructor({ url, shown }: PostgresLocation, { logger, onStatement, timeouts = {} }: PostgresDriverOptions) {
    this.#onStatement = onStatement;
    const { interactiveMs = 5_000, batchMs = 60_000 } = timeouts;
    this.#limits = { interactive: interactiveMs, batch: batchMs };
    const onLost = (error: Error): void => logger.warn("store.connection_lost", { reason: error.message });
    const poolOf = (pace: Pace): Connections => {
      const settings = { max: mostConnections[pace], application_name: "throughline", types: { getTypeParser: parserOf } };
      return new Connections(url, settings, { limitMs: this.#limits[pace], connectMs: interactiveMs, shown, onLost });
    };
    this.#pools = { interactive: poolOf("interactive"), batch: poolOf("batch") };
    this.link = new Listener({
      config: boundedConfig(url, { limitMs: interactiveMs, connectMs: interactiveMs }),
      limitMs: interactiveMs,
      logger,
      name: Buffer.from(systemRandom.bytes(6)).toString("hex"),
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
    return Boolean((await this.#execute(journal, []))[0]?.["there"]);
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
        await answerWithin(client, this.#limits.interactive, run("BEGIN"));
        await run("SET LOCAL statement_timeout = 0");
        await run("SET LOCAL lock_timeout = 0");
        await run("SELECT pg_advisory_xact_lock($1)", [migrationLock]);
        await run("CREATE SCHEMA IF NOT EXISTS throughline");
        const steps = work(Boolean((await run(journal))[0]?.["there"]));
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

  /** Runs one statement in its own transaction, and repeats it if the database requests that, all within one limit. */
  #execute(
    sql: string,
    values: readonly SqlValue[],
    { pace = "interactive", writes = false, reported = true }: StatementOptions = {},
  ): Promise<readonly SqlRow[]> {
    const query = { name: this.#nameOf(sql), text: sql, values: values.map(storable) };
    const run = async (client: Client): Promise<readonly SqlRow[]> => {
      for (let attempt = 1; ; attempt++) {
        if (reported) this.#onStatement?.(sql);
        try {
          return (await client.query<SqlRow>(query)).rows;
        } catch (error) {
          if (attempt > mostRepeats || !wantsRepeat(error)) throw error;
        }
      }
    };
    return this.#pools[pace].run(run, { writes });
  }

  /** Returns the name of the prepared statement, or none once the maximum number is reached. */
  #nameOf(sql: string): string {
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= 500) return known ?? "";
    const name = `throughline_${this.#names.size + 1}`;
    this.#names.set(sql, name);
    return name;
  }
}
