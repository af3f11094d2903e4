/** PostgreSQL through `pg`: a pool, named prepared statements, one round trip for every read and every write. */
import { Pool, type PoolClient, types } from "pg";
import { ThroughlineError } from "../../kernel/error.ts";
import type { Logger } from "../../kernel/log.ts";
import { systemRandom } from "../../kernel/random.ts";
import type { Procedure, SqlDriver, SqlRow, SqlValue, Steps } from "../sql/driver.ts";
import { functionName } from "../sql/functions.ts";
import { postgresError, wantsRepeat } from "./error.ts";
import { Listener } from "./listener.ts";
import type { PostgresLocation } from "./location.ts";

export interface PostgresDriverOptions {
  readonly logger: Logger;
  readonly onStatement?: ((sql: string) => void) | undefined;
}

/** Any number will do, as long as all versions of Throughline take the same. */
const migrationLock = 7_468_726_757;
const mostRepeats = 5;
const journal = `SELECT to_regclass('throughline.schema_migrations') IS NOT NULL AS there`;

/** The parser of a column's type: `pg` gives 64-bit integers as text, because not all of them are safe numbers. */
function parserOf(...[type, format]: Parameters<typeof types.getTypeParser>): (text: string) => unknown {
  if (type !== types.builtins.INT8) return types.getTypeParser(type, format) as (text: string) => unknown;
  return (text) => {
    const value = Number(text);
    if (!Number.isSafeInteger(value)) throw new ThroughlineError("store.corrupt", `The database holds ${text}, which is not a safe integer.`);
    return value;
  };
}

/** PostgreSQL has no NUL in a text; nothing that is stored holds one, so such a value finds nothing. */
const storable = (value: SqlValue): SqlValue => (typeof value === "string" ? value.replaceAll("\u0000", "\ufffd") : value);

/** A driver for the database at `location`. Connections are made when they are needed. */
export class PostgresDriver implements SqlDriver {
  readonly dialect = "postgres";
  readonly sharesDrafts = true;
  readonly link: Listener;
  readonly #shown: string;
  readonly #onStatement: ((sql: string) => void) | undefined;
  readonly #pool: Pool;
  readonly #names = new Map<string, string>();
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(location: PostgresLocation, { logger, onStatement }: PostgresDriverOptions) {
    this.#shown = location.shown;
    this.#onStatement = onStatement;
    const config = { connectionString: location.url, connectionTimeoutMillis: 5000, statement_timeout: 30_000, lock_timeout: 5000 };
    this.#pool = new Pool({ ...config, max: 10, application_name: "throughline", types: { getTypeParser: parserOf } });
    const name = Buffer.from(systemRandom.bytes(6)).toString("hex");
    this.link = new Listener({ config, logger, name, onStatement, notify: (sql, values) => this.#ask(sql, values) });
    // An idle connection that breaks is replaced by the next call.
    this.#pool.on("error", (error) => logger.warn("store.connection_lost", { reason: error.message }));
  }

  async read<Part extends string>(
    parts: Readonly<Record<Part, string>>,
    values: readonly SqlValue[],
  ): Promise<Readonly<Record<Part, readonly SqlRow[]>>> {
    const columns = Object.entries<string>(parts).map(([name, sql]) => `(SELECT COALESCE(json_agg(part), '[]') FROM (${sql}) part) AS "${name}"`);
    const [row] = await this.#query(`SELECT ${columns.join(",\n")}`, values);
    // Every column is a list of rows by construction of the statement.
    return row as unknown as Readonly<Record<Part, readonly SqlRow[]>>;
  }

  async call<Input extends object, Output extends object>(procedure: Procedure<Input, Output>, input: Input): Promise<Output> {
    for (let attempt = 1; ; attempt++) {
      try {
        const [row] = await this.#query(`SELECT ${functionName(procedure)}($1) AS output`, [JSON.stringify(input)]);
        // The function gives what the procedure's type says; the conformance suite holds it to that.
        return row?.["output"] as unknown as Output;
      } catch (error) {
        if (attempt > mostRepeats || !wantsRepeat(error)) throw error;
      }
    }
  }

  async hasJournal(): Promise<boolean> {
    return Boolean((await this.#query(journal, []))[0]?.["there"]);
  }

  async exclusive<Result>(work: (journalExists: boolean) => Steps<Result>): Promise<Result> {
    const client = await this.#connect();
    // The pool listens only to idle connections, and an error that nobody listens to ends the process; the call under way is told, too.
    const heard = (): void => {};
    client.on("error", heard);
    const run = async (sql: string, values: readonly SqlValue[] = []): Promise<readonly SqlRow[]> => {
      this.#onStatement?.(sql);
      return (await client.query<SqlRow>(sql, [...values])).rows;
    };
    let broken = false;
    try {
      await run("BEGIN");
      await run("SET LOCAL statement_timeout = 0");
      await run("SET LOCAL lock_timeout = 0");
      await run("SELECT pg_advisory_xact_lock($1)", [migrationLock]);
      await run("CREATE SCHEMA IF NOT EXISTS throughline");
      const steps = work(Boolean((await run(journal))[0]?.["there"]));
      let step = steps.next();
      while (step.done !== true) step = steps.next(await run(step.value.sql, step.value.values));
      await run("COMMIT");
      return step.value;
    } catch (error) {
      broken = true;
      throw postgresError(error, this.#shown);
    } finally {
      // Letting go of a broken connection for good also ends its transaction.
      client.release(broken);
      client.off("error", heard);
    }
  }

  async close(): Promise<void> {
    await this.link.close();
    // A pool that ends forgets those who still wait for a connection.
    await Promise.allSettled(this.#underWay);
    await this.#pool.end();
  }

  async #query(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    this.#onStatement?.(sql);
    return this.#ask(sql, values);
  }

  async #ask(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    const asked = this.#pool.query<SqlRow>({ name: this.#nameOf(sql), text: sql, values: values.map(storable) });
    this.#underWay.add(asked);
    try {
      return (await asked).rows;
    } catch (error) {
      throw postgresError(error, this.#shown);
    } finally {
      this.#underWay.delete(asked);
    }
  }

  /** The name that a statement is prepared under; none for what would be one too many. */
  #nameOf(sql: string): string {
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= 500) return known ?? "";
    const name = `throughline_${this.#names.size + 1}`;
    this.#names.set(sql, name);
    return name;
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw postgresError(error, this.#shown);
    }
  }
}
