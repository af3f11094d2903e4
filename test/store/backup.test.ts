/** A backup that comes back does not bring back who was erased since. */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openStore } from "../../packages/throughline/src/index.ts";
import { backupPostgres } from "../../packages/throughline/src/store/postgres/postgres-maintenance.ts";
import { parseTombstones, replay, tombstoneLines, tombstonesOf } from "../../packages/throughline/src/store/sql/erasure/tombstones.ts";
import { backupSqlite, restoreSqlite } from "../../packages/throughline/src/store/sqlite/sqlite-maintenance.ts";
import { emptyPostgresDatabase, newSqliteFile, noPostgres, serverUrl } from "../setup/database.ts";
import { fillOwner } from "./canary.ts";

const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "throughline-backup-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

/** A database with a backup, of whose customers two were erased since and one before. */
async function erasedSince(location: string) {
  const store = await openStore(location);
  const before = await fillOwner(store, "nightjar");
  await store.erase({ owner_id: before.owner_id });
  const doomed = await fillOwner(store, "zebrafinch");
  const partly = await fillOwner(store, "kingfisher");
  const kept = await fillOwner(store, "woodpecker");
  const backup = join(folder(), "backup.db");
  backupSqlite(location, backup);
  await store.erase({ owner_id: doomed.owner_id });
  await store.erase({ session_id: partly.sessions[0] });
  return { store, backup, kept, partly };
}

describe("a SQLite backup", () => {
  test("is whole, readable by its owner only, made while others write, and never overwrites", async () => {
    const location = newSqliteFile();
    const { store, backup, kept } = await erasedSince(location);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    expect(() => backupSqlite(location, backup)).toThrow(expect.objectContaining({ code: "backup.exists" }));
    expect(() => backupSqlite(join(dirname(location), "none.db"), `${backup}2`)).toThrow(expect.objectContaining({ code: "store.not_found" }));
    const copy = await openStore(backup);
    expect(await copy.load({ session_id: kept.sessions[0] })).toEqual(await store.load({ session_id: kept.sessions[0] }));
    expect((await copy.list({ of: "customers" })).total).toBe(3);
    await Promise.all([copy.close(), store.close()]);
  });

  test("that is restored has erased again whoever was erased since, down to the bytes", async () => {
    const location = newSqliteFile();
    const { store, backup, kept, partly } = await erasedSince(location);
    await expect(restoreSqlite(backup, location)).rejects.toMatchObject({ code: "store.in_use" });
    const before = await store.load({ session_id: kept.sessions[1] });
    await store.close();
    expect(readFileSync(backup).includes("zebrafinch")).toBe(true);
    expect(await restoreSqlite(backup, location)).toEqual({ owners: 1, sessions: 1 });
    expect(readFileSync(location).includes("zebrafinch")).toBe(false);
    const restored = await openStore(location);
    expect(await restored.load({ session_id: kept.sessions[1] })).toEqual(before);
    expect(await restored.open({ session_id: partly.sessions[0] })).toBeUndefined();
    expect((await restored.open({ session_id: partly.sessions[1] }))?.title).toBe("kingfisher-title");
    // And what it knows is as much as the database knew that it replaced.
    expect((await tombstonesOf(restored)).hashes.size).toBe(3 + 3 + 1);
    await restored.close();
  });

  test("is not restored where nothing says who was erased, unless that is wanted", async () => {
    const location = newSqliteFile();
    const { store, backup } = await erasedSince(location);
    const list = parseTombstones(tombstoneLines(await tombstonesOf(store)).join("\n"));
    await store.close();
    const elsewhere = join(folder(), "new.db");
    await expect(restoreSqlite(backup, elsewhere)).rejects.toMatchObject({ code: "backup.tombstones_missing" });
    expect(await restoreSqlite(backup, elsewhere, { tombstones: [list] })).toEqual({ owners: 1, sessions: 1 });
    const stranger = { database: "another", hashes: new Set<string>() };
    await expect(restoreSqlite(backup, elsewhere, { tombstones: [stranger] })).rejects.toMatchObject({ code: "backup.foreign" });
    const again = await openStore(elsewhere);
    expect((await again.list({ of: "customers" })).total).toBe(2);
    await again.close();
    const third = join(folder(), "third.db");
    expect(await restoreSqlite(backup, third, { withoutTombstones: true })).toEqual({ owners: 0, sessions: 0 });
  });
});

describe("a list of erasures", () => {
  test("is replayed on PostgreSQL too", async ({ skip }) => {
    if (noPostgres !== undefined) skip(noPostgres);
    const store = await openStore(await emptyPostgresDatabase());
    const [doomed, kept] = [await fillOwner(store, "zebrafinch"), await fillOwner(store, "woodpecker")];
    const { database } = await tombstonesOf(store);
    const gone = await fillOwner(store, "nightjar");
    await store.erase({ owner_id: gone.owner_id });
    const { hashes } = await tombstonesOf(store);
    expect(hashes.size).toBeGreaterThanOrEqual(3);
    await store.erase({ owner_id: doomed.owner_id });
    const list = await tombstonesOf(store);
    expect(await replay(store, [list])).toEqual({ owners: 0, sessions: 0 });
    expect(list.database).toBe(database);
    expect(await store.open({ session_id: kept.sessions[0] })).toBeDefined();
    await store.close();
  });

  test("that is not whole is refused", () => {
    const lines = tombstoneLines({ database: "d", hashes: new Set(["a", "b"]) });
    expect(parseTombstones(lines.join("\n")).hashes).toEqual(new Set(["a", "b"]));
    for (const wrong of ["", "nonsense", lines.slice(0, 2).join("\n"), lines.slice(1).join("\n"), `{"format":"other"}`])
      expect(() => parseTombstones(wrong)).toThrow(expect.objectContaining({ code: "bundle.invalid" }));
  });
});

describe("a PostgreSQL backup", () => {
  test("without `pg_dump`, or with one that fails, says so without the password", ({ skip }) => {
    if (noPostgres !== undefined) skip(noPostgres);
    const file = join(folder(), "backup.dump");
    const code = (path: string): unknown => {
      try {
        backupPostgres(serverUrl().replace(/:[^:@/]*@/, ":secret-word@"), file, { PATH: path });
        return "done";
      } catch (error) {
        expect(String(error)).not.toContain("secret-word");
        return (error as { code?: unknown }).code;
      }
    };
    expect(code("/nowhere")).toBe("backup.failed");
  });
});
