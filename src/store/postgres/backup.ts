/** Backups of a PostgreSQL database through its own tool. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { ThroughlineError } from "../../kernel/error.ts";
import { parseLocation } from "./location.ts";

/**
 * Has `pg_dump` write the schema `throughline` into a new file in its custom format. The password goes by the environment, where no list of processes
 * shows it.
 */
export function backupPostgres(location: string, file: string, environment: NodeJS.ProcessEnv = process.env): void {
  if (existsSync(file)) throw new ThroughlineError("backup.exists", `${file} is there already.`);
  const { shown } = parseLocation(location, { durability: "full", environment });
  const url = new URL(location);
  const password = decodeURIComponent(url.password);
  url.password = "";
  const { status, stderr, error } = spawnSync(
    "pg_dump",
    ["--format=custom", "--schema=throughline", "--no-owner", `--file=${file}`, `--dbname=${url.href}`],
    {
      encoding: "utf8",
      env: { ...environment, ...(password === "" ? {} : { PGPASSWORD: password }) },
    },
  );
  if (status === 0) return chmodSync(file, 0o600);
  rmSync(file, { force: true });
  const why = error === undefined ? stderr.trim().split("\n")[0] : "there is no `pg_dump` on the PATH";
  throw new ThroughlineError("backup.failed", `${shown} was not backed up: ${why}.`, {
    hint: "Install the PostgreSQL client tools of the server's version.",
    cause: error,
  });
}
