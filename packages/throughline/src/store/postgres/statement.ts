/** One statement in a transaction of its own with its settings, in one round trip. */
import { createHash } from "node:crypto";
import type { Client, Connection, Submittable, types } from "pg";
import type { SqlRow, SqlValue } from "../sql/sql-driver.ts";
import { type PostgresLocation, quotedName, quotedText } from "./location.ts";

/** A statement's text with the name under which it is prepared. */
export interface Text {
  readonly text: string;
  readonly name: string;
}

/**
 * Names a statement by its text. Behind a pooler, connections of many processes share prepared statements: names by order of use ran the statement of
 * another process. `schema` is part of the name, because the same text reads other tables there.
 */
export const namedText = (text: string, schema: string): Text => ({
  text,
  name: `throughline_${createHash("sha256")
    .update(JSON.stringify([schema, text]))
    .digest("hex")
    .slice(0, 32)}`,
});

/** Values that PostgreSQL returns with the settings. */
export interface Place {
  /** The process id of the server process. Behind a pooler it differs from the one of the connection. */
  readonly backend: number;
  /** Whether the server is a standby, or refuses writes for another reason. */
  readonly readOnly: boolean;
}

/**
 * Returns a statement that changes settings until its transaction ends. A pooler refuses most settings at the start of a connection, and shares
 * connections, so that a setting of the connection would reach other programs.
 */
export function settingsOf({ schema, durability }: PostgresLocation, limits: { readonly statementMs: number; readonly lockMs: number }): Text {
  const settings: Readonly<Record<string, string>> = {
    search_path: quotedName(schema),
    // Every statement finds its rows by key, so one plan fits all values. Replanning a load takes three times as long as running it.
    plan_cache_mode: "force_generic_plan",
    // A plan from when a table was small is kept after the table has grown.
    enable_seqscan: "off",
    statement_timeout: String(limits.statementMs),
    lock_timeout: String(limits.lockMs),
    ...(durability === "relaxed" ? { synchronous_commit: "off" } : {}),
  };
  const calls = Object.entries(settings).map(([name, value]) => `set_config('${name}', ${quotedText(value)}, true)`);
  return namedText(`SELECT pg_backend_pid(), current_setting('transaction_read_only'), ${calls.join(", ")}`, schema);
}

/** Reads the row of a {@link settingsOf} statement. */
export const placeOf = ([backend, readOnly]: readonly unknown[]): Place => ({ backend: Number(backend), readOnly: readOnly === "on" });

/** A column of a result. */
interface Field {
  readonly name: string;
  readonly dataTypeID: Parameters<typeof types.getTypeParser>[0];
}

type ParserOf = (...of: Parameters<typeof types.getTypeParser>) => (text: string) => unknown;

interface StatementOptions {
  readonly settings: Text;
  readonly main: Text;
  readonly values: readonly SqlValue[];
  /** Names of statements that this connection has prepared. Undefined if it prepares none. */
  readonly prepared: Set<string> | undefined;
  readonly parserOf: ParserOf;
}

/**
 * A query for `client.query`: the settings and the statement before one Sync, which PostgreSQL runs as one transaction. It ends with the Sync, and an
 * error undoes both. `pg` calls the methods for the messages of the server.
 */
export class Statement implements Submittable {
  readonly #options: StatementOptions;
  readonly #settled: PromiseWithResolvers<readonly SqlRow[]> = Promise.withResolvers();
  #place: Place | undefined;
  #fields: readonly { readonly name: string; readonly parse: (text: string) => unknown }[] = [];
  readonly #rows: Record<string, unknown>[] = [];
  #failure: Error | undefined;
  #stopCounting = (): void => {};

  constructor(options: StatementOptions) {
    this.#options = options;
  }

  /** Where the statement ran, once the settings have been made. */
  get place(): Place | undefined {
    return this.#place;
  }

  /** Runs the statement and returns its rows. */
  run(client: Client): Promise<readonly SqlRow[]> {
    client.query(this);
    return this.#settled.promise;
  }

  submit(connection: Connection): void {
    const { settings, main, values, prepared } = this.#options;
    const parsing: Text[] = [];
    // A statement is prepared from the moment when the server says so, even if its transaction is undone.
    const onParsed = (): void => {
      const parsed = parsing.shift();
      if (parsed !== undefined) prepared?.add(parsed.name);
    };
    connection.on("parseComplete", onParsed);
    this.#stopCounting = () => void connection.off("parseComplete", onParsed);
    const send = ({ text, name }: Text, bound: readonly (string | null)[], described: boolean): void => {
      const statement = prepared === undefined ? "" : name;
      if (prepared?.has(name) !== true) {
        parsing.push({ text, name });
        connection.parse({ name: statement, text, types: [] }, true);
      }
      connection.bind({ statement, values: [...bound] }, true);
      if (described) connection.describe({ type: "P", name: "" }, true);
      connection.execute({}, true);
    };
    connection.stream.cork();
    send(settings, [], false);
    send(
      main,
      values.map((value) => (value === null ? null : String(value))),
      true,
    );
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#fields = fields.map(({ name, dataTypeID }) => ({ name, parse: this.#options.parserOf(dataTypeID, "text") }));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    // The row of the settings comes first.
    if (this.#place === undefined) return void (this.#place = placeOf(fields));
    try {
      this.#rows.push(
        Object.fromEntries(
          this.#fields.map(({ name, parse }, index) => {
            const value = fields[index] ?? null;
            return [name, value === null ? null : parse(value)];
          }),
        ),
      );
    } catch (error) {
      this.#failure ??= error instanceof Error ? error : new Error(String(error));
    }
  }

  handleCommandComplete(): void {}

  handleEmptyQuery(): void {}

  handlePortalSuspended(): void {}

  handleError(error: Error): void {
    this.#stopCounting();
    this.#settled.reject(error);
  }

  handleReadyForQuery(): void {
    this.#stopCounting();
    if (this.#failure !== undefined) return this.#settled.reject(this.#failure);
    // The types of the columns are those of the statement's text.
    this.#settled.resolve(this.#rows as unknown as readonly SqlRow[]);
  }
}
