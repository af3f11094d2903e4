/** What is on disk when a backup, a restore, a new database or a fallback record is reported as done: the file, and the name of the file. */
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const source = (path: string): string => JSON.stringify(new URL(`../../packages/throughline/src/${path}`, import.meta.url).href);

/** Runs `body` in a process that records each fsync and rename, and returns what it did, in order. */
function traced(imports: string, body: string): readonly string[] {
  const script = `
    import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const trace = [];
    const { fsyncSync, renameSync } = fs;
    fs.fsyncSync = (file) => (trace.push(fs.fstatSync(file).isDirectory() ? "sync folder" : "sync file"), fsyncSync(file));
    fs.renameSync = (from, to) => (trace.push("rename"), renameSync(from, to));
    syncBuiltinESMExports();
    ${imports}
    const folder = ${JSON.stringify(mkdtempSync(join(tmpdir(), "sync-folder-")))};
    ${body}
    console.log(JSON.stringify(trace));`;
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" })) as readonly string[];
}

const sqlite = `
  const { openSqliteStore } = await import(${source("store/sqlite/sqlite-store.ts")});
  const { backupSqlite, restoreSqlite } = await import(${source("store/sqlite/sqlite-maintenance.ts")});`;

test.skipIf(process.platform === "win32")("a new database's name is on disk once the store is open", () => {
  expect(traced(sqlite, `await (await openSqliteStore(folder + "/a.db")).close();`)).toEqual(["sync folder"]);
});

test.skipIf(process.platform === "win32")("a backup and a restored database are synced before they get their name, and their name afterwards", () => {
  const body = `
    await (await openSqliteStore(folder + "/a.db")).close();
    trace.length = 0;
    backupSqlite(folder + "/a.db", folder + "/b.db");
    trace.push("restore");
    await restoreSqlite(folder + "/b.db", folder + "/a.db", { withoutTombstones: true });`;
  expect(traced(sqlite, body)).toEqual(["sync file", "rename", "sync folder", "restore", "sync file", "rename", "sync folder"]);
});

test.skipIf(process.platform === "win32")("the first record of a fallback log has its name on disk; later ones need not sync it again", () => {
  const spool = `const { openSpool } = await import(${source("safety/spool/file-spool.ts")});`;
  const record = `{ audit_id: "a", at: 1 }`;
  const body = `const spool = openSpool(folder + "/spool"); await spool.append(${record}); trace.push("second"); await spool.append(${record});`;
  expect(traced(spool, body)).toEqual(["sync folder", "second"]);
});
