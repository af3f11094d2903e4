/** Backups of PostgreSQL, with a stand-in for `pg_dump`: what it is given, and what is made of how it ends. */
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { backupPostgres } from "../../packages/throughline/src/store/postgres/postgres-maintenance.ts";

const location = "postgres://ada:s3cret%21@db.example:5432/app?sslmode=require";

/** A folder with a `pg_dump` that runs `script`; `$file` is where it is to write. */
function standIn(script: string | undefined): { readonly folder: string; readonly file: string; readonly environment: NodeJS.ProcessEnv } {
  const folder = mkdtempSync(join(tmpdir(), "throughline-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (script !== undefined) {
    const find = `for word in "$@"; do case "$word" in --file=*) file="\${word#--file=}";; esac; done`;
    writeFileSync(join(folder, "pg_dump"), `#!/bin/sh\n${find}\n${script}\n`);
    chmodSync(join(folder, "pg_dump"), 0o700);
  }
  return {
    folder,
    file: join(folder, "backup.dump"),
    environment: { PATH: `${folder}:/bin:/usr/bin`.replace(script === undefined ? ":/bin:/usr/bin" : "", "") },
  };
}

test("it writes a file that only its owner can read, and the password stands in no argument", () => {
  const { folder, file, environment } = standIn(`echo "$@ / $PGPASSWORD" > "$file"`);
  backupPostgres(location, file, environment);
  const [words, password] = readFileSync(file, "utf8").trim().split(" / ");
  expect(words).not.toContain("s3cret");
  expect(words).toContain("--dbname=postgres://ada@db.example:5432/app?sslmode=require");
  expect(password).toBe("s3cret!");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(() => backupPostgres(location, file, environment)).toThrow(expect.objectContaining({ code: "backup.exists" }));
  backupPostgres("postgres://ada:x@db.example/app?password=s3cret", `${file}-2`, environment);
  expect(readFileSync(`${file}-2`, "utf8")).toMatch(/^(?!.*s3cret.* \/ ).* \/ s3cret\n$/);
  expect(readdirSync(folder).toSorted()).toEqual(["backup.dump", "backup.dump-2", "pg_dump"]);
});

test.each([
  [
    "another version",
    `echo half > "$file"; echo "pg_dump: error: aborting because of server version mismatch" >&2; echo "pg_dump: detail: server version: 18.4; pg_dump version: 15.1" >&2; exit 1`,
    "server version: 18.4; pg_dump version: 15.1",
  ],
  ["a kill", `echo half > "$file"; kill -9 $$`, "ended by SIGKILL"],
  ["silence", `exit 3`, "ended with 3"],
  ["no pg_dump", undefined, "no `pg_dump` on the PATH"],
])("of %s it leaves no file, and says why without the password", (_what, script, says) => {
  const { folder, file, environment } = standIn(script);
  let error: unknown;
  try {
    backupPostgres(location, file, environment);
  } catch (caught) {
    error = caught;
  }
  expect(error).toMatchObject({ code: "backup.failed" });
  expect(String(error)).toContain(says);
  expect(String(error)).not.toContain("s3cret");
  expect(readdirSync(folder).filter((name) => name !== "pg_dump")).toEqual([]);
});
