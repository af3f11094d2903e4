/** Callbacks of runs: what is sent, when nothing is, and what becomes of the session meanwhile. */
import { describe, expect, onTestFinished, test } from "vitest";
import { Webhook } from "standardwebhooks";
import { z } from "zod";
import { createTriage } from "../../examples/triage/agent.ts";
import { createCallbacks, type CallbackOptions } from "../../packages/server/src/server/webhooks/callbacks.ts";
import { createRuntime, defineAgent, defineState, input, loop, openStore, scripted, type Store } from "../../packages/throughline/src/index.ts";
import { defineRoutine, routineFields, routines } from "../../packages/throughline/src/routines.ts";
import { createIds } from "../../packages/throughline/src/kernel/id.ts";
import { silentLogger } from "../../packages/throughline/src/kernel/log.ts";
import { takeCallbacks } from "../../packages/throughline/src/routines/runs/callback.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import { emptyPostgresDatabase, newSqliteFile } from "../setup/database.ts";
import { databases, startServer } from "../setup/server.ts";
import { type Reaction, startReceiver } from "../setup/webhook-receiver.ts";

const secret = "whsec_c2VjcmV0IGNhbmFyeSBvZiB0aGlydHktdHdvIGJ5dGVz";
const emptied = (database: "SQLite" | "PostgreSQL") => (database === "SQLite" ? newSqliteFile() : emptyPostgresDatabase());
const mail = { text: "The parcel is broken, answer today." };

const state = defineState({ message: input(z.string()), ...routineFields() });
const waiting = defineAgent({
  name: "waiting",
  state,
  extensions: [
    routines({
      routines: [
        defineRoutine({
          ...{ id: "patient", title: "Patient", state, autonomous: { callback_hosts: ["127.0.0.1"] } },
          nodes: { hold: { wait: { event: "parcel" }, next: "end" } },
        }),
      ],
    }),
  ],
  reply: loop({ model: scripted(() => "nothing") }),
});

/** A receiver, and a service whose runs call it back. */
async function desk(react?: Reaction, options: Partial<CallbackOptions> & { readonly location?: string } = {}) {
  const { location = ":memory:", ...given } = options;
  const receiver = await startReceiver(react);
  const store = await openStore(location);
  const agents = [createTriage({ openTicket: () => {} }), waiting];
  const runtime = await createRuntime({ store, agents, pollMs: 50, callbacks: true });
  onTestFinished(async () => {
    await runtime.close({ drainMs: 500 });
    await store.close();
  });
  const callbacks = createCallbacks({ runtime, secrets: [secret], allowHosts: ["127.0.0.1"], pollMs: 20, retryMs: [20, 20], ...given });
  onTestFinished(() => callbacks.close({ drainMs: 100 }));
  const start = (more: object = {}) => runtime.runs.start("triage", mail, { callback_url: receiver.url, ...more });
  const settled = async (id: string) => {
    await expect.poll(async () => (await runtime.runs.get(id)).callback?.status, { timeout: 10_000 }).not.toBe("pending");
    return runtime.runs.get(id);
  };
  const erased = (id: string) => expect.poll(async () => (await runtime.runs.get(id)).erasure?.sessions, { timeout: 10_000 }).toBe(1);
  return { receiver, store, runtime, callbacks, start, settled, erased };
}

describe.each(databases)("a callback on %s", (database) => {
  test("K1: brings the validated output once, signed, before the session is deleted", async () => {
    const { receiver, callbacks, runtime, start, settled, erased } = await desk(undefined, { location: await emptied(database) });
    callbacks.start();
    const run = await start();
    expect(await settled(run.id)).toMatchObject({ status: "completed", callback: { status: "delivered", attempts: 1 } });
    await erased(run.id);
    expect(receiver.received).toHaveLength(1);
    const { body = "", headers = {} } = receiver.received[0] ?? {};
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
      delivery_id: headers["webhook-id"],
      type: "run.completed",
      run: { id: run.id, routine: "triage", status: "completed", output: { category: "complaint", urgent: true, ticket: "opened" } },
    });
    expect(headers["authorization"]).toBeUndefined();
    expect(await runtime.runs.result(run.id)).toMatchObject({ output: { category: "complaint" } });
  });

  test("K20: has the same id and body in each attempt", async () => {
    const { receiver, callbacks, start, settled } = await desk((_received, index) => (index < 2 ? 500 : 200), { location: await emptied(database) });
    callbacks.start();
    const run = await start();
    expect(await settled(run.id)).toMatchObject({ callback: { status: "delivered", attempts: 3 } });
    const told = receiver.received.map(({ body, headers }) => `${String(headers["webhook-id"])} ${body}`);
    expect(told).toHaveLength(3);
    expect(new Set(told).size).toBe(1);
  });

  test("K5: that fails for all its attempts keeps the session until then, and the failure after it", async () => {
    const { receiver, callbacks, store, start, settled, erased } = await desk(() => 503, { location: await emptied(database) });
    const run = await start();
    await expect.poll(async () => (await store.list({ of: "records", kind: "routine.run_call" })).items.length, { timeout: 10_000 }).toBe(1);
    // Looks at runs come and go.
    expect(await store.open({ session_id: run.session_id })).toBeDefined();
    callbacks.start();
    expect(await settled(run.id)).toMatchObject({ status: "completed", callback: { status: "dead", attempts: 3, error: "503" } });
    expect(receiver.received).toHaveLength(3);
    await erased(run.id);
    expect(await store.open({ session_id: run.session_id })).toBeUndefined();
    for (const kind of ["routine.run_call", "routine.run_callback"]) expect((await store.list({ of: "records", kind })).items).toEqual([]);
  });
});

test("a callback that is given up is counted, and one line of the log names its run", async () => {
  const lines: unknown[] = [];
  const logger = { ...silentLogger, warn: (message: string, fields?: unknown) => void lines.push({ message, fields }) };
  const { callbacks, start, settled } = await desk(() => 503, { logger });
  const results: string[] = [];
  callbacks.start({ counted: (result) => void results.push(result) });
  const run = await start();
  expect(await settled(run.id)).toMatchObject({ callback: { status: "dead" } });
  await expect.poll(() => results).toEqual(["failed", "failed", "dead"]);
  const given = { run: run.id, routine: "triage", attempts: 3, error: "503" };
  await expect.poll(() => lines).toContainEqual({ message: "a callback is given up", fields: given });
});

describe.each(databases)("a callback that was given up on %s", (database) => {
  test.each(["its own", "a given"])("is sent again to a given address, with the id and body of the first: a run in %s session", async (which) => {
    const at = { broken: true };
    const { receiver, callbacks, store, runtime, start, settled, erased } = await desk(() => (at.broken ? 503 : 200), {
      location: await emptied(database),
    });
    callbacks.start();
    const own = which === "its own";
    const session = own ? undefined : await runtime.sessions.create({ agent: "triage" });
    const { id } = await start(session === undefined ? {} : { session_id: session.id });
    expect(await settled(id)).toMatchObject({ callback: { status: "dead", attempts: 3 } });
    if (own) await erased(id);
    at.broken = false;
    const again = (callback_url: string) => runtime.runs.resend(id, { callback_url });
    await expect(again("https://evil.example/")).rejects.toMatchObject({ code: "outbound.refused" });
    expect(await again(receiver.url)).toMatchObject({ callback: { status: "pending", attempts: 0 } });
    expect(await settled(id)).toMatchObject({ status: "completed", callback: { status: "delivered", attempts: 1 } });
    const told = receiver.received.map(({ body, headers }) => `${String(headers["webhook-id"])} ${body}`);
    expect([told.length, new Set(told).size]).toEqual([4, 1]);
    // The result is kept as long as before.
    expect(await runtime.runs.result(id)).toMatchObject({ output: { category: "complaint" } });
    for (const kind of ["routine.run_call", "routine.run_callback"]) expect((await store.list({ of: "records", kind })).items).toEqual([]);
  });
});

describe("a callback", () => {
  test("is sent again only while the result is there, and only for a run that is over", async () => {
    const { runtime, start, receiver, callbacks, settled } = await desk();
    callbacks.start();
    const { id: open } = await runtime.runs.start("patient");
    await expect(runtime.runs.resend(open, { callback_url: receiver.url })).rejects.toMatchObject({ code: "run.not_done" });
    const { id } = await start({ keep_seconds: 0.2 });
    await settled(id).catch(() => undefined);
    await expect
      .poll(() => runtime.runs.resend(id, { callback_url: receiver.url }).catch((error: unknown) => error), { timeout: 10_000 })
      .toMatchObject({ code: "run.expired" });
    const failed = await runtime.runs.start("patient", undefined, { timeout_seconds: 0.05 });
    await expect.poll(async () => (await runtime.runs.get(failed.id)).erasure?.sessions, { timeout: 10_000 }).toBe(1);
    // It has no output, and never had an address.
    await runtime.runs.resend(failed.id, { callback_url: receiver.url });
    expect(await settled(failed.id)).toMatchObject({ callback: { status: "delivered" } });
    expect(JSON.parse(receiver.received.at(-1)?.body ?? "")).toMatchObject({ type: "run.failed", run: { id: failed.id } });
  });

  test.each(["timeout", "cancelled"])("K16: tells of a run that has ended without a result: %s", async (code) => {
    const { receiver, callbacks, runtime, settled } = await desk();
    callbacks.start();
    const how = code === "timeout" ? { timeout_seconds: 0.1 } : {};
    const { id } = await runtime.runs.start("patient", undefined, { callback_url: receiver.url, ...how });
    if (code === "cancelled") await runtime.runs.cancel(id);
    expect(await settled(id)).toMatchObject({ callback: { status: "delivered" } });
    const status = code === "timeout" ? "failed" : "cancelled";
    expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({ type: `run.${status}`, run: { id, status, error: { code } } });
  });

  test("is taken by one of two processes that have seen it", async () => {
    const { store, start } = await desk();
    await start();
    const due = async () => (await store.list({ of: "records", kind: "routine.run_call" })).items.length;
    await expect.poll(due, { timeout: 10_000 }).toBe(1);
    const taken = Promise.withResolvers<void>();
    const slow: Store = {
      ...forwarding(store),
      list: async (query) => {
        const page = await store.list(query);
        await taken.promise;
        return page;
      },
    };
    const context = { clock: systemClock, ids: createIds(), logger: silentLogger };
    const late = takeCallbacks({ ...context, store: slow }, { leaseMs: 60_000 }).next();
    expect((await takeCallbacks({ ...context, store }, { leaseMs: 60_000 }).next()).value).toMatchObject({ attempt: 1 });
    taken.resolve();
    expect(await late).toEqual({ done: true, value: undefined });
  });

  test("that is not wanted any more is not sent again", async () => {
    const { receiver, callbacks, start, settled } = await desk(() => 410);
    callbacks.start();
    const run = await start();
    expect(await settled(run.id)).toMatchObject({ callback: { status: "dead", attempts: 1, error: "410" } });
    expect(receiver.received).toHaveLength(1);
  });

  test("of an erased session is not sent", async () => {
    const { receiver, callbacks, runtime, start } = await desk();
    const session = await runtime.sessions.create({ agent: "triage" });
    const run = await start({ session_id: session.id });
    await expect.poll(async () => (await runtime.runs.get(run.id)).status, { timeout: 10_000 }).toBe("completed");
    await runtime.sessions.delete(session.id);
    callbacks.start();
    await expect.poll(async () => (await runtime.runs.list()).items[0]?.callback?.status, { timeout: 10_000 }).toBe("dead");
    expect(receiver.received).toEqual([]);
    await expect(runtime.runs.get(run.id)).rejects.toMatchObject({ code: "run.expired" });
  });

  test("of a run in a given session leaves the session alone", async () => {
    const { callbacks, runtime, start, settled } = await desk();
    callbacks.start();
    const session = await runtime.sessions.create({ agent: "triage" });
    const run = await start({ session_id: session.id });
    expect(await settled(run.id)).toMatchObject({ ephemeral: false, callback: { status: "delivered" } });
    expect((await session.turns()).items).toHaveLength(1);
  });

  test("that nobody delivers in a week is given up", async () => {
    let passed = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + passed };
    const store = await openStore(":memory:", { clock });
    const runtime = await createRuntime({ store, agents: [createTriage({ openTicket: () => {} })], pollMs: 20, clock, callbacks: true });
    onTestFinished(async () => {
      await runtime.close({ drainMs: 500 });
      await store.close();
    });
    const given = { callback_url: "https://desk.example.com/", keep_seconds: 30 * 86_400 };
    const run = await runtime.runs.start("triage", mail, given);
    await expect.poll(async () => (await runtime.runs.get(run.id)).status, { timeout: 10_000 }).toBe("completed");
    const session = await runtime.sessions.create({ agent: "triage" });
    const kept = await runtime.runs.start("triage", mail, { ...given, session_id: session.id });
    await expect.poll(async () => (await runtime.runs.get(kept.id)).status, { timeout: 10_000 }).toBe("completed");
    const addresses = async () => (await store.list({ of: "records", kind: "routine.run_callback" })).items.length;
    expect(await addresses()).toBe(2);
    passed = 7 * 86_400_000;
    await expect.poll(async () => (await runtime.runs.get(run.id)).erasure?.sessions, { timeout: 10_000 }).toBe(1);
    for (const { id } of [run, kept])
      await expect
        .poll(async () => (await runtime.runs.get(id)).callback, { timeout: 10_000 })
        .toEqual({ status: "dead", attempts: 0, error: "timeout" });
    expect(await addresses()).toBe(0);
  });

  test("that nobody delivered before the result was removed is over, and its address is gone", async () => {
    let passed = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + passed };
    const store = await openStore(":memory:", { clock });
    const runtime = await createRuntime({ store, agents: [createTriage({ openTicket: () => {} })], pollMs: 20, clock, callbacks: true });
    onTestFinished(async () => {
      await runtime.close({ drainMs: 500 });
      await store.close();
    });
    const session = await runtime.sessions.create({ agent: "triage" });
    const { id } = await runtime.runs.start("triage", mail, { keep_seconds: 3_600, session_id: session.id });
    await expect
      .poll(async () => (await store.list({ of: "records", kind: "routine.run" })).items[0]?.data["settled"], { timeout: 10_000 })
      .toBe(true);
    await runtime.runs.resend(id, { callback_url: "https://desk.example.com/" });
    const count = async (kind: string): Promise<number> => (await store.list({ of: "records", kind })).items.length;
    expect([await count("routine.run_callback"), await count("routine.run_call")]).toEqual([1, 1]);
    passed = 3_700_000;
    await expect.poll(() => count("routine.run"), { timeout: 10_000 }).toBe(0);
    expect(await count("routine.run_callback")).toBe(0);
    const context = { clock, ids: createIds(), logger: silentLogger, store };
    expect(await takeCallbacks(context, { leaseMs: 60_000 }).next()).toEqual({ done: true, value: undefined });
    expect(await count("routine.run_call")).toBe(0);
  });

  test("K3: to a host that the routine does not allow starts nothing", async () => {
    const { runtime, store, start } = await desk();
    await expect(start({ callback_url: "https://evil.example/" })).rejects.toMatchObject({ code: "outbound.refused" });
    await expect(start({ callback_url: "https://desk.example.com.evil.example/" })).rejects.toMatchObject({ code: "outbound.refused" });
    await expect(start({ callback_url: "ftp://desk.example.com/" })).rejects.toMatchObject({ code: "input.invalid" });
    expect((await runtime.runs.list()).items).toEqual([]);
    expect((await runtime.sessions.list()).items).toEqual([]);
    expect((await store.list({ of: "records", kind: "routine.run_callback" })).items).toEqual([]);
  });

  test("K3: over HTTP is refused to a private address, to a foreign host, and by a service that sends none", async () => {
    const { runtime, store } = await desk();
    const agents = [createTriage({ openTicket: () => {} })];
    const body = (callback_url: string) => ({ routine: "triage", input: mail, callback_url });
    const mute = await startServer({ store, agents });
    expect((await mute.request("POST", "/v1/runs", body("https://desk.example.com/"))).body).toMatchObject({ status: 422, code: "outbound.refused" });
    const callbacks = createCallbacks({ runtime, secrets: [secret] });
    const { request } = await startServer({ store, agents, callbacks, runtime: { callbacks: true } });
    for (const url of ["http://127.0.0.1/", "https://evil.example/"])
      expect((await request("POST", "/v1/runs", body(url))).body).toMatchObject({ status: 422, code: "outbound.refused" });
    expect((await runtime.runs.list()).items).toEqual([]);
    expect((await request("POST", "/v1/runs", body("https://desk.example.com/"))).body).toMatchObject({
      callback: { status: "pending", attempts: 0 },
    });
  });

  test("K3: of a runtime whose callbacks nobody sends starts nothing", async () => {
    const { store } = await desk();
    const runtime = await createRuntime({ store, agents: [createTriage({ openTicket: () => {} })], work: false });
    onTestFinished(() => runtime.close());
    const start = runtime.runs.start("triage", mail, { callback_url: "https://desk.example.com/" });
    await expect(start).rejects.toMatchObject({ code: "outbound.refused" });
    expect((await runtime.runs.list()).items).toEqual([]);
    expect((await runtime.sessions.list()).items).toEqual([]);
  });

  test("needs a secret that signs it", () => {
    const runtime = { store: {} as never };
    expect(() => createCallbacks({ runtime, secrets: [] })).toThrow(expect.objectContaining({ code: "input.invalid" }));
    expect(() => createCallbacks({ runtime, secrets: ["whsec_short"] })).toThrow(expect.objectContaining({ code: "input.invalid" }));
  });
});
