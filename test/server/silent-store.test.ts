/** Parts of the service that never answer: a customer's message is answered within six seconds all the same, and nothing else waits for ever. */
import { describe, expect, onTestFinished, test } from "vitest";
import type { AssessmentRecord, AssessmentSpool } from "../../packages/throughline/src/safety.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { createServer } from "../../packages/server/src/server/create-server.ts";
import { createRuntime } from "../../packages/throughline/src/create-runtime.ts";
import { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../packages/throughline/src/kernel/clock.ts";
import { openSqlStore } from "../../packages/throughline/src/store/sql/sql-store.ts";
import { SqliteDriver } from "../../packages/throughline/src/store/sqlite/sqlite-driver.ts";
import { newSqliteFile } from "../setup/database.ts";
import { createIds } from "../../packages/throughline/src/kernel/id.ts";
import type { Agent } from "../../packages/throughline/src/runtime/agent/agent.ts";
import { openMemoryStore } from "../../packages/throughline/src/store/in-memory/in-memory-store.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { gated, saying } from "../runtime/safety/harness.ts";
import { virtualClock } from "../chaos/gate/virtual-clock.ts";
import { echo } from "../setup/server.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import "../chaos/gate/loaded.ts";

const imminent = "I took all my pills an hour ago, goodbye everyone";
const calm = "The rain has stopped at last";
const never = new Promise<never>(() => {});

type Call = "open" | "load" | "read" | "list" | "commit";
const storeCalls: readonly Call[] = ["open", "load", "read", "list", "commit"];

interface Parts {
  readonly agent?: Agent;
  readonly append?: AssessmentSpool["append"];
  /** A database, opened with this clock; memory by default. */
  readonly open?: (clock: Clock) => Promise<Store>;
}

/** A service in time that passes only while everybody waits; some calls of its store can be told never to answer. */
async function service({ agent = gated().agent, append, open }: Parts = {}) {
  const timing = virtualClock();
  const { clock } = timing;
  const kept: AssessmentRecord[] = [];
  const spool: AssessmentSpool = {
    append: append ?? (async (record) => void kept.push(record)),
    drain: async () => kept.length,
    waiting: async () => kept.length,
  };
  const inner = open === undefined ? openMemoryStore({ clock: timing.storeClock }) : await open(timing.storeClock);
  const hung = new Set<Call>();
  const orHang =
    <Input, Output>(name: Call, call: (input: Input) => Promise<Output>) =>
    (input: Input): Promise<Output> =>
      hung.has(name) ? never : call(input);
  const store: Store = {
    ...forwarding(inner),
    open: orHang("open", (selector) => inner.open(selector)),
    load: orHang("load", (request) => inner.load(request)),
    read: orHang("read", (request) => inner.read(request)),
    commit: orHang("commit", (commit) => inner.commit(commit)),
    list: (query) => (hung.has("list") ? never : inner.list(query)),
  };
  const ids = createIds({ clock });
  const runtime = await createRuntime({ store, agents: [agent], clock, ids, safetySpool: spool, work: false });
  const server = await createServer({ runtime, agents: [agent], clock, ids });
  onTestFinished(() => server.close({ drainMs: 0 }));
  const ask = async (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const began = timing.elapsed();
    const json = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json", ...headers } };
    const response = await timing.run(server.fetch(new Request(`http://127.0.0.1${path}`, { method, headers, ...json })), 120_000);
    const text = await response.text();
    return {
      status: response.status,
      ms: timing.elapsed() - began,
      body: text === "" ? {} : (JSON.parse(text) as Readonly<Record<string, unknown>>),
    };
  };
  const session = await timing.run(runtime.sessions.create({ agent: agent.name }), 10_000);
  const post = (text: string, headers?: Readonly<Record<string, string>>) =>
    ask("POST", `/v1/sessions/${session.id}/events`, { kind: "message", source: "customer", text }, headers);
  return {
    inner,
    session,
    ask,
    post,
    kept,
    timing,
    hang: (...calls: readonly Call[]) => calls.forEach((call) => hung.add(call)),
    recover: () => hung.clear(),
  };
}

const headers = [{}, { "idempotency-key": "k-1" }] as const;

describe.each(headers)("a message with the headers %j", (given) => {
  test.each([...storeCalls.map((call) => [call]), [...storeCalls]])(
    "while the store never answers %s: somebody in danger is answered within six seconds",
    async (...calls) => {
      const { post, hang, kept } = await service();
      hang(...calls);
      const { status, ms, body } = await post(imminent, given);
      expect(ms).toBeLessThanOrEqual(6_000);
      if (status === 201) return expect(calls).not.toContain("commit");
      expect({ status, code: body["code"], saved: body["saved"], reply: body["reply"] }).toEqual({
        ...{ status: 503, code: "store.unreachable", saved: "unknown" },
        reply: expect.stringMatching(/emergency/iu) as string,
      });
      expect(kept).toMatchObject([{ level: 3, action: "static_reply" }]);
    },
  );

  test("a spool that never answers holds the reply up for a second", async () => {
    const { post, hang } = await service({ append: () => never });
    hang(...storeCalls);
    const { ms, body } = await post(imminent, given);
    expect(ms).toBeLessThanOrEqual(6_000);
    expect(body["reply"]).toMatch(/emergency/iu);
  });

  test("a calm message is answered in the same time, and one assessment waits, however late the store gives up", async () => {
    const { post, hang, kept, timing } = await service();
    hang("commit");
    const { ms, body } = await post(calm, given);
    expect(ms).toBeLessThanOrEqual(6_000);
    expect(body).toMatchObject({ code: "store.unreachable", saved: "unknown" });
    await timing.run(timing.clock.sleep(60_000), 120_000);
    expect(kept).toMatchObject([{ level: 0 }]);
  });
});

test("a sender whom the store cannot verify is answered", async () => {
  const { inner, hang, post, kept } = await service();
  const { key } = await createKey(inner, { name: "backend", scopes: ["sessions:write"] });
  const bearer = { authorization: `Bearer ${key}` };
  hang(...storeCalls);
  const { status, ms, body } = await post(imminent, bearer);
  expect({ status, saved: body["saved"] }).toEqual({ status: 503, saved: "unknown" });
  expect(ms).toBeLessThanOrEqual(6_000);
  expect(body["reply"]).toMatch(/emergency/iu);
  expect(kept).toHaveLength(1);
});

test("a key that was read before is good for a second's wait while the store is silent", async () => {
  const { inner, post, hang, timing } = await service();
  const { key } = await createKey(inner, { name: "backend", scopes: ["sessions:write"] });
  const bearer = { authorization: `Bearer ${key}` };
  expect((await post(calm, bearer)).status).toBe(201);
  await timing.run(timing.clock.sleep(3_000), 10_000);
  hang("list");
  const { status, ms } = await post(calm, bearer);
  expect(status).toBe(201);
  expect(ms).toBeLessThanOrEqual(1_000);
});

test("a message of somebody in danger that is refused is answered within six seconds although nobody can say whose session it is", async () => {
  const { ask, session, hang, post } = await service();
  // It has been in use: it knows that no keys are needed.
  await post(calm);
  hang(...storeCalls);
  const { ms, body } = await ask("POST", `/v1/sessions/${session.id}/events`, { kind: "message", source: "customer", text: imminent, unheard: 1 });
  expect(ms).toBeLessThanOrEqual(6_000);
  expect(body).toMatchObject({ code: "request.invalid", saved: false, reply: expect.stringMatching(/emergency/iu) as string });
});

test("models that never answer hold no message up", async () => {
  const silent = { name: "silent", stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => never }) }) };
  const { post } = await service({ agent: gated({ classifier: saying(() => never) }, { model: silent }).agent });
  for (const text of [imminent, calm]) expect(await post(text)).toMatchObject({ status: 201, ms: 0 });
});

test("what was answered without the store may be kept: the same key finds out, and the message is there once", async () => {
  const { post, inner, session, hang, recover, timing } = await service();
  hang("read");
  const first = await post(imminent, { "idempotency-key": "k-2" });
  expect(first.body["saved"]).toBe("unknown");
  recover();
  await timing.run(timing.clock.sleep(60_000), 120_000);
  expect((await post(imminent, { "idempotency-key": "k-2" })).status).toBe(201);
  const events = (await inner.read({ session_id: session.id }))?.events ?? [];
  expect(events.filter(({ kind, source }) => kind === "message" && source === "customer")).toHaveLength(1);
});

test("while the store is silent the service is alive and not ready, and says so at once", async () => {
  const { ask, hang } = await service({ agent: echo });
  hang(...storeCalls);
  expect(await ask("GET", "/livez")).toMatchObject({ status: 200, ms: 0 });
  const ready = await ask("GET", "/readyz");
  expect(ready.status).toBe(503);
  expect(ready.ms).toBeLessThanOrEqual(1_000);
});

test.each(headers)("while another process holds a SQLite file locked: the same law, with the headers %j", async (given) => {
  const path = newSqliteFile();
  // The store waits for the lock for longer than the test may take.
  const { post, inner } = await service({
    open: (clock) => openSqlStore(new SqliteDriver(path, { durability: "relaxed", busyMs: 600_000 }), { clock }),
  });
  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  const { status, ms, body } = await post(imminent, given);
  expect({ status, saved: body["saved"], reply: body["reply"] }).toEqual({
    status: 503,
    saved: "unknown",
    reply: expect.stringMatching(/emergency/iu) as string,
  });
  expect(ms).toBeLessThanOrEqual(6_000);
  other.close();
  await inner.close();
});
