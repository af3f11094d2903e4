/** Backups of a PostgreSQL database through its own tool. */
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, renameSync, rmSync } from "node:fs";
import { ThroughlineError } from "../../kernel/error.ts";
import { processId, syncFolderOf } from "../../kernel/process.ts";
import { parseLocation } from "./location.ts";

/** Returns the location without its password. The password is passed in the environment, where no process list shows it. */
function withoutPassword(location: string): { readonly url: string; readonly password: string | undefined } {
  const url = new URL(location);
  const password = url.searchParams.get("password") ?? (url.password === "" ? undefined : decodeURIComponent(url.password));
  url.password = "";
  url.searchParams.delete("password");
  return { url: url.href, password };
}

function failure({ error, signal, stderr, status }: ReturnType<typeof spawnSync>): string {
  if (error !== undefined) return "code" in error && error.code === "ENOENT" ? "there is no `pg_dump` on the PATH" : error.message;
  if (signal !== null) return `pg_dump was ended by ${signal}`;
  const lines = String(stderr)
    .split("\n")
    .map((line) => line.replace(/^pg_dump: (?:error: |detail: )?/u, "").trim())
    .filter((line) => line !== "");
  return lines.length === 0 ? `pg_dump ended with ${status}` : lines.slice(0, 3).join("; ").replace(/\.$/u, "");
}

/**
 * Runs `pg_dump` on the schema `throughline`, without the drafts of replies. Writes a new file in the custom format that only its owner can read. The
 * file gets its final name once it is complete.
 */
export function backupPostgres(location: string, file: string, environment: NodeJS.ProcessEnv = process.env): void {
  if (existsSync(file)) throw new ThroughlineError("backup.exists", `${file} is there already.`);
  const { shown } = parseLocation(location, { durability: "full", environment });
  const { url, password } = withoutPassword(location);
  const fresh = `${file}.partial-${processId()}`;
  try {
    closeSync(openSync(fresh, "wx", 0o600));
  } catch (cause) {
    throw new ThroughlineError("backup.failed", `${file} cannot be created.`, { cause });
  }
  try {
    const words = ["--format=custom", "--schema=throughline", "--exclude-table-data=throughline.drafts", "--no-owner"];
    const done = spawnSync("pg_dump", [...words, `--file=${fresh}`, `--dbname=${url}`], {
      encoding: "utf8",
      env: { ...environment, ...(password === undefined ? {} : { PGPASSWORD: password }) },
    });
    if (done.status !== 0)
      throw new ThroughlineError("backup.failed", `${shown} was not backed up: ${failure(done)}.`, {
        hint: "`pg_dump` must be there, of the server's version or a later one; nothing was changed.",
        cause: done.error,
      });
    if (existsSync(file)) throw new ThroughlineError("backup.exists", `${file} is there already.`);
    renameSync(fresh, file);
    syncFolderOf(file);
  } finally {
    rmSync(fresh, { force: true });
  }
}
