/** Parses the URL of a PostgreSQL database: one host or several, TLS settings for `pg`, and settings of Throughline. */
import { createHash } from "node:crypto";
import { ThroughlineError } from "../../kernel/error.ts";
import type { StoreOptions } from "../store-options.ts";

/** Whether statements are prepared by name: `auto` until a pooler is found, or `off`. */
export type PreparedStatements = NonNullable<StoreOptions["preparedStatements"]>;

export interface PostgresLocation {
  /** One URL for each host, in order. For `pg`: with the password, without settings of Throughline. */
  readonly urls: readonly string[];
  /** The URLs of the connection that listens for notifications. */
  readonly listenUrls: readonly string[];
  /** For messages and logs: without the password. */
  readonly shown: string;
  /** The name of the schema, not quoted. */
  readonly schema: string;
  readonly preparedStatements: PreparedStatements;
  readonly durability: "full" | "relaxed";
  /** Limits in milliseconds that the URL sets, instead of shares of a call's limit. */
  readonly statementMs: number | undefined;
  readonly lockMs: number | undefined;
}

const defaultSchema = "throughline";

/** Names have at most 63 bytes in PostgreSQL, which cuts longer ones silently. */
const mostNameBytes = 63;

/** Parameters of the URL that `pg` and `pg_dump` must not get. */
const ownParameters = ["schema", "prepared_statements", "listen_host", "statement_timeout", "lock_timeout", "target_session_attrs"];

function refuse(field: string, why: string, hint: string): never {
  throw new ThroughlineError("store.location_invalid", `The database location has ${why}: ${field}.`, { hint, details: { field } });
}

/** Quotes a name for SQL. */
export const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Quotes a text for SQL, whatever `standard_conforming_strings` is. */
export function quotedText(text: string): string {
  const doubled = text.replaceAll("'", "''");
  return doubled.includes("\\") ? ` E'${doubled.replaceAll("\\", "\\\\")}'` : `'${doubled}'`;
}

/** The notification channel of the processes that share a schema. Channels are specific to the database, and their names are as short as others. */
export const channelOf = (schema: string): string =>
  schema === defaultSchema ? defaultSchema : `${defaultSchema}_${createHash("sha256").update(schema).digest("hex").slice(0, 16)}`;

/** The parts of a URL with any number of hosts. The user's name and password end with `@`, or are empty. */
function partsOf(text: string): { readonly scheme: string; readonly login: string; readonly hosts: readonly string[]; readonly rest: string } {
  const [, scheme = "", login = "", hosts = "", rest = ""] = /^([a-z]+:\/\/)(?:([^/?#]*)@)?([^/?#]*)(.*)$/su.exec(text) ?? [];
  return { scheme, login: text.startsWith(`${scheme}${login}@`) ? `${login}@` : "", hosts: hosts.split(","), rest };
}

/** Returns the same URL for other hosts. */
function withHosts(text: string, hosts: string): string {
  const { scheme, login, rest } = partsOf(text);
  return `${scheme}${login}${hosts}${rest}`;
}

interface LocationOptions extends Pick<StoreOptions, "listenUrl" | "schema" | "preparedStatements"> {
  readonly durability: "full" | "relaxed";
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * Parses a `postgres://user:password@host:port/database` URL, with one host or several, separated by commas. TLS settings are those that `pg` reads
 * from it (`?sslmode=…`). A password is required unless `PGPASSWORD` is set, or the URL has an empty one (`postgres://user:@host/…`). The parameters
 * `schema`, `prepared_statements` and `listen_host` are for callers that have only a URL. Options win.
 */
export function parseLocation(text: string, options: LocationOptions): PostgresLocation {
  const { durability, environment = process.env } = options;
  const urls = urlsOf(text, environment);
  const parameters = new URL(urls[0] ?? "").searchParams;
  const schema = options.schema ?? parameters.get("schema") ?? defaultSchema;
  checkSchema(schema);
  const preparedStatements = options.preparedStatements ?? parameters.get("prepared_statements") ?? "auto";
  if (preparedStatements !== "auto" && preparedStatements !== "off")
    refuse("prepared_statements", "a value that is neither auto nor off for", "Leave it out, or write prepared_statements=off.");
  const attributes = parameters.get("target_session_attrs") ?? "read-write";
  if (!["read-write", "primary", "any"].includes(attributes))
    refuse("target_session_attrs", "a value that can select a read-only server for", "Write target_session_attrs=read-write.");
  const listenHost = parameters.get("listen_host");
  const listenText = options.listenUrl ?? (listenHost === null ? undefined : withHosts(text, listenHost));
  const own = (url: string): string => {
    const clean = new URL(url);
    for (const name of ownParameters) clean.searchParams.delete(name);
    return clean.href;
  };
  const { scheme, hosts } = partsOf(text);
  return {
    urls: urls.map(own),
    listenUrls: (listenText === undefined ? urls : urlsOf(listenText, environment)).map(own),
    shown: `${scheme}${hosts.join(",")}${new URL(urls[0] ?? "").pathname}`,
    schema,
    preparedStatements,
    durability,
    statementMs: limitOf(parameters, "statement_timeout"),
    lockMs: limitOf(parameters, "lock_timeout"),
  };
}

/**
 * Returns the location for PostgreSQL's own programs: without the password, which is passed in the environment, where no process list shows it, and
 * without parameters that they do not know.
 */
export function forPrograms(text: string): { readonly url: string; readonly password: string | undefined } {
  const { scheme, login, hosts, rest } = partsOf(text);
  const [path = "", query = ""] = rest.split("?", 2);
  const parameters = new URLSearchParams(query);
  const [user = "", password = ""] = login.slice(0, -1).split(/:(.*)/su);
  const secret = parameters.get("password") ?? (password === "" ? undefined : decodeURIComponent(password));
  const attributes = hosts.length > 1 ? "read-write" : null;
  for (const name of [...ownParameters, "password", "uselibpqcompat"]) parameters.delete(name);
  if (attributes !== null) parameters.set("target_session_attrs", attributes);
  const tail = parameters.size === 0 ? "" : `?${parameters.toString().replaceAll("+", "%20")}`;
  return { url: `${scheme}${login === "" ? "" : `${user}@`}${hosts.join(",")}${path}${tail}`, password: secret };
}

/** Returns a checked URL for each host. */
function urlsOf(text: string, environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  if (typeof text !== "string" || !/^postgres(ql)?:\/\//.test(text))
    refuse("protocol", "another beginning than postgres://", "Give a postgres:// URL.");
  const { hosts } = partsOf(text);
  return hosts.map((host) => {
    const url = withHosts(text, host);
    check(url, environment);
    if (host === "" && hosts.length > 1) refuse("hostname", "no value for", "Write a host on each side of a comma.");
    return url;
  });
}

function check(text: string, environment: Readonly<Record<string, string | undefined>>): void {
  if (!URL.canParse(text)) {
    const empty = /^[a-z]+:\/\/([^/@]*@)?(:\d+)?(\/|$)/.test(text);
    refuse(
      empty ? "hostname" : "url",
      empty ? "no value for" : "a form that is not a URL's",
      "Give postgres://user:password@host:port/database; escape special characters with %.",
    );
  }
  const url = new URL(text);
  const socket = url.searchParams.get("host");
  if (url.hostname === "" && socket === null) refuse("hostname", "no value for", "Write the host: postgres://user:password@host:port/database.");
  const user = url.username === "" ? (url.searchParams.get("user") ?? environment["PGUSER"]) : url.username;
  if (user === undefined) refuse("username", "no value for", "Write the user: postgres://user:password@host:port/database.");
  const saysNone = /^[a-z]+:\/\/[^/@]*:@/.test(text);
  if (url.password === "" && !saysNone && socket === null && environment["PGPASSWORD"] === undefined) {
    refuse("password", "no value for", "Write the password into the URL or set PGPASSWORD; `postgres://user:@host/…` says that there is none.");
  }
  if (url.pathname.length <= 1) refuse("database", "no value for", "Write the database: postgres://user:password@host:port/database.");
}

function checkSchema(schema: string): void {
  const fits = typeof schema === "string" && schema !== "" && !schema.includes("\0") && Buffer.byteLength(schema) <= mostNameBytes;
  if (!fits || schema.startsWith("pg_"))
    refuse("schema", "an impossible value for", `A schema has a name of 1 to ${mostNameBytes} bytes that does not begin with pg_.`);
}

function limitOf(parameters: URLSearchParams, name: string): number | undefined {
  const value = parameters.get(name);
  if (value === null) return undefined;
  if (!/^\d{1,9}$/.test(value)) refuse(name, "a value that is not a number of milliseconds for", `Write ${name}=5000.`);
  return Number(value);
}
