/** With encryption on, nothing that a person wrote is in the bytes on disk, in whatever writing. */
import { randomBytes } from "node:crypto";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { append, ids, message, newOwner, newSession, someTime, write } from "../../packages/throughline/src/testing/store/fixtures.ts";
import { noPostgres, runSql, serverUrl } from "../setup/database.ts";
import { fillOwner } from "../store/canary.ts";
import { type Place, encryption, engines } from "./stores.ts";

/** A word as it might be written: plain, as base64 at each of the three places in a group, as hexadecimal digits, in two bytes a character. */
function writings(word: string): readonly Buffer[] {
  const shifted = [0, 1, 2].map((shift) => Buffer.from("x".repeat(shift) + word).toString("base64"));
  // The first and the last group hold bits of the neighbours too.
  const inBase64 = shifted.map((text) => text.slice(4, -4));
  return [word, ...inBase64, Buffer.from(word).toString("hex")].map((text) => Buffer.from(text)).concat(Buffer.from(word, "utf16le"));
}

function* filesIn(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(path);
    else if (entry.isFile()) yield path;
  }
}

/** The files in which a word is found. */
function filesWith(folder: string, word: string): readonly string[] {
  const sought = writings(word);
  const found: string[] = [];
  for (const path of filesIn(folder)) {
    try {
      const bytes = readFileSync(path);
      if (sought.some((writing) => bytes.includes(writing))) found.push(path);
    } catch (error) {
      // A server removes files of its own while we look.
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
  }
  return found;
}

/** Plants the word wherever the port takes a text: in a filled customer, and in an anonymous session that is given to one. */
async function plant(store: Store, word: string): Promise<void> {
  await fillOwner(store, word);
  const [anonymous, customer] = [await newOwner(store), await newOwner(store, `${word}-second`)];
  await write(store, { owner: { owner_id: anonymous, variables: [{ name: `${word}-own`, value: `${word}-own` }] } });
  const session_id = await newSession(store, { owner_id: anonymous, create: { open_key: `${word}-cookie` } });
  await append(store, session_id, { events: [message(word)], idempotency: { key: `${word}-key`, body_hash: word } });
  await append(store, session_id, {
    owner_id: customer,
    events: [{ kind: "session", source: "system", data: { type: "identified", customer_id: word }, trace_id: ids.trace() }],
  });
  await append(store, session_id, {
    events: [{ kind: "state", source: "system", data: { patch: [], writer: { type: "operator", name: word } }, trace_id: ids.trace() }],
  });
  // Texts leave traces also where they were replaced.
  for (const title of [`${word} once`, `${word} twice`]) await append(store, session_id, { header: { title } }, someTime + 1);
}

/** The folder of the PostgreSQL server, if it is on this machine and may be read. */
async function postgresFolder(): Promise<string | undefined> {
  const [row] = await runSql(serverUrl(), "SHOW data_directory");
  const folder = String(row?.["data_directory"]);
  try {
    readdirSync(folder);
    return folder;
  } catch {
    return undefined;
  }
}

const newWord = (): string => `canary${randomBytes(9).toString("hex")}`;

async function planted(place: Place, encrypted: boolean, look: () => Promise<readonly string[]>, word: string): Promise<readonly string[]> {
  const store = await place.open(encrypted ? encryption : undefined);
  try {
    await plant(store, word);
    // While it is open the newest is in the write-ahead log.
    const open = await look();
    expect((await store.list({ of: "customers", customer_id: `${word}-second` })).total).toBe(1);
    expect((await store.list({ of: "sessions", external_id: `${word}-external` })).total).toBe(2);
    expect((await store.list({ of: "sessions", labels: [`${word}-label`] })).total).toBe(2);
    expect((await store.open({ open_key: `${word}-cookie` }))?.title).toBe(`${word} twice`);
    return open;
  } finally {
    await store.close();
  }
}

test.each([true, false])("SQLite, with its log and shared memory, encrypted %s", async (encrypted) => {
  const place = await engines["SQLite"]!();
  const folder = dirname(place.location);
  const word = newWord();
  const open = await planted(place, encrypted, async () => filesWith(folder, word), word);
  expect(statSync(place.location).size).toBeGreaterThan(10_000);
  // Without encryption the same look finds it, or it would prove nothing.
  expect([open.length > 0, filesWith(folder, word).length > 0]).toEqual([!encrypted, !encrypted]);
});

test.skipIf(noPostgres !== undefined).each([true, false])("PostgreSQL, with pg_wal, encrypted %s", async (encrypted) => {
  const folder = await postgresFolder();
  if (folder === undefined) return expect(process.env["DATABASE_URL"]).toBeDefined();
  const place = await engines["PostgreSQL"]!();
  const word = newWord();
  const look = async (): Promise<readonly string[]> => {
    await runSql(serverUrl(), "CHECKPOINT");
    return filesWith(folder, word);
  };
  const found = await planted(place, encrypted, look, word);
  const places = new Set(found.map((path) => (path.includes("pg_wal") ? "log" : "table")));
  expect([...places].toSorted()).toEqual(encrypted ? [] : ["log", "table"]);
});
