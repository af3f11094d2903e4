import { ThroughlineError } from "../../kernel/error.ts";

export interface PostgresLocation {
  /** For `pg`: with the password, and with the settings of every connection. */
  readonly url: string;
  /** For messages and logs: without the password. */
  readonly shown: string;
}

function refuse(field: string, why: string, hint: string): never {
  throw new ThroughlineError("store.location_invalid", `The database location has ${why}: ${field}.`, { hint, details: { field } });
}

/**
 * Parses a `postgres://user:password@host:port/database` URL. TLS settings are those that `pg` reads from it (`?sslmode=…`). A password is required
 * unless `PGPASSWORD` is set, or the URL has an empty one (`postgres://user:@host/…`).
 */
export function parseLocation(
  text: string,
  options: { readonly durability: "full" | "relaxed"; readonly environment?: Readonly<Record<string, string | undefined>> },
): PostgresLocation {
  const { durability, environment = process.env } = options;
  if (typeof text !== "string" || !/^postgres(ql)?:\/\//.test(text))
    refuse("protocol", "another beginning than postgres://", "Give a postgres:// URL.");
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
  const settings = [
    "-c search_path=throughline",
    // Every statement finds its rows by key, so one plan fits all values. Replanning a load takes three times as long as running it.
    "-c plan_cache_mode=force_generic_plan",
    // A plan from when a table was small is kept after the table has grown.
    "-c enable_seqscan=off",
    ...(durability === "relaxed" ? ["-c synchronous_commit=off"] : []),
  ];
  url.searchParams.set("options", [url.searchParams.get("options"), ...settings].filter((setting) => setting !== null).join(" "));
  return { url: url.href, shown: `${url.protocol}//${url.host}${url.pathname}` };
}
