/** The gate over every store that there is: what it keeps, what goes with a person, and what never says who they were. */
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openStore, type Session, type Store } from "../../../packages/throughline/src/index.ts";
import { emptyPostgresDatabase, newSqliteFile, noPostgres, runSql } from "../../setup/database.ts";
import { collect, started } from "../harness.ts";
import { assessments, gated } from "./harness.ts";

const canary = "Qzvulpkrandt";
const ideation = `I want to die. ${canary}`;
const imminent = `I took all my pills an hour ago, goodbye everyone. ${canary}`;
const encryption = { keys: [{ id: "k1", key: createHash("sha256").update("a key of tests").digest() }] };

interface Place {
  readonly store: Store;
  /** All bytes of what the store has on a disk, or in its tables. A file is closed for it. */
  readonly bytes: () => Promise<string>;
}

async function fileStore(options: Parameters<typeof openStore>[1]): Promise<Place> {
  const path = newSqliteFile();
  const store = await openStore(path, options);
  onTestFinished(() => store.close());
  const folder = dirname(path);
  const bytes = async (): Promise<string> => {
    // Its log is emptied when it is closed, or purged.
    await store.close();
    return readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), "latin1"))
      .join(" ");
  };
  return { store, bytes };
}

async function postgresStore(): Promise<Place> {
  const url = await emptyPostgresDatabase();
  const store = await openStore(url);
  onTestFinished(() => store.close());
  const bytes = async (): Promise<string> => {
    const tables = await runSql(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'throughline'");
    const texts = await Promise.all(tables.map(({ tablename }) => runSql(url, `SELECT t::text AS row FROM throughline."${String(tablename)}" t`)));
    return JSON.stringify(texts);
  };
  return { store, bytes };
}

const places: readonly { readonly name: string; readonly open: () => Promise<Place>; readonly skip?: string }[] = [
  { name: "memory", open: async () => ({ store: await openStore(":memory:"), bytes: () => Promise.resolve("") }) },
  { name: "SQLite", open: () => fileStore({}) },
  { name: "encrypted SQLite", open: () => fileStore({ encryption }) },
  { name: "PostgreSQL", open: postgresStore, ...(noPostgres === undefined ? {} : { skip: noPostgres }) },
];

const secretsOf = async (store: Store): Promise<number> => (await store.list({ of: "records", kind: "assessment_secret", limit: 10 })).items.length;

async function talk(session: Session): Promise<readonly (string | undefined)[]> {
  const replies: (string | undefined)[] = [];
  for (const text of [`The rain has stopped. ${canary}`, `${ideation} I live in Canada.`, "yes", imminent])
    replies.push((await session.send(text)).reply);
  return replies;
}

describe.each(places)("on $name", ({ open, skip }) => {
  test.skipIf(skip !== undefined)("each turn leaves one assessment without a word of it, and a plan that is followed", async () => {
    const { store } = await open();
    const { agent } = gated({}, { answer: () => "I am here with you. [[resources]] Are you thinking about suicide?" });
    const runtime = await started({ store, agents: [agent] });
    await runtime.customers.create({ id: "ada" });
    const session = await runtime.sessions.create({ agent: "companion", customer: "ada" });
    const replies = await talk(session);
    expect(replies.every((reply) => reply !== undefined && reply.trim() !== "")).toBe(true);
    expect(replies[1]).toContain("988");
    const rows = await assessments(store);
    expect(rows.map(({ level }) => level).toSorted((left, right) => left - right)).toEqual([0, 2, 3, 3]);
    expect(new Set(rows.map(({ audit_id }) => audit_id)).size).toBe(4);
    expect(new Set(rows.map(({ subject_ref }) => subject_ref)).size).toBe(1);
    expect(JSON.stringify(rows)).not.toContain(canary);
    const events = await collect(session, { kinds: ["assessment"] });
    expect(new Set(events.map(({ data }) => "audit_id" in data && data.audit_id))).toEqual(new Set(rows.map(({ audit_id }) => audit_id)));
    expect(events).toHaveLength(4);
    expect((await session.state()).document).toMatchObject({ safety_plan: { highest: 3, regions: ["CA"], replies: 3 } });
  });

  test.skipIf(skip !== undefined)("of a person who was erased the assessments stay, and nothing says whose they were", async () => {
    const { store, bytes } = await open();
    const runtime = await started({ store, agents: [gated().agent] });
    await runtime.customers.create({ id: "ada" });
    const session = await runtime.sessions.create({ agent: "companion", customer: "ada" });
    await talk(session);
    expect(await secretsOf(store)).toBe(1);
    const before = await assessments(store);
    await runtime.customers.delete("ada");
    expect(await secretsOf(store)).toBe(0);
    const rows = await assessments(store);
    expect(rows).toEqual(before);
    // The same person anew is somebody else to the audit.
    await runtime.customers.create({ id: "ada" });
    const again = await runtime.sessions.create({ agent: "companion", customer: "ada" });
    await again.send("I want to die");
    const added = (await assessments(store)).filter(({ audit_id }) => !before.some((row) => row.audit_id === audit_id));
    expect(added).toHaveLength(1);
    expect(before.map(({ subject_ref }) => subject_ref)).not.toContain(added[0]?.subject_ref);
    await runtime.close({ drainMs: 0 });
    const left = await bytes();
    expect([canary, session.id, "pills an hour ago"].filter((word) => left.includes(word))).toEqual([]);
  });

  test.skipIf(skip !== undefined)("the secret of somebody without a name goes with their session", async () => {
    const { store } = await open();
    const runtime = await started({ store, agents: [gated().agent] });
    const session = await runtime.sessions.create({ agent: "companion" });
    await session.send(ideation);
    await runtime.sessions.delete(session.id);
    expect({ secrets: await secretsOf(store), rows: (await assessments(store)).length }).toEqual({ secrets: 0, rows: 1 });
  });

  test.skipIf(skip !== undefined)("assessments of an incognito session are each a stranger's", async () => {
    const { store } = await open();
    const runtime = await started({ store, agents: [gated().agent] });
    await runtime.customers.create({ id: "ada" });
    const session = await runtime.sessions.create({ agent: "companion", customer: "ada", incognito: true });
    await talk(session);
    const rows = await assessments(store);
    expect(rows).toHaveLength(4);
    expect(rows.every(({ incognito, subject_ref }) => incognito === true && subject_ref === "")).toBe(true);
    for (const name of ["audit_id", "session_ref", "turn_ref"] as const) expect(new Set(rows.map((row) => row[name])).size).toBe(4);
    expect(await secretsOf(store)).toBe(0);
  });
});
