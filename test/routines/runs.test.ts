/** Runs of autonomous routines: from one commit to the receipt. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  defineAgent,
  defineState,
  input,
  loop,
  openStore,
  scripted,
  ThroughlineError,
  type Model,
  type Store,
} from "../../packages/throughline/src/index.ts";
import { defineRoutine, routineFields, routines } from "../../packages/throughline/src/routines.ts";
import { argumentsHash } from "../../packages/throughline/src/session/pending-calls.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { fixedClock } from "../../packages/throughline/src/testing.ts";
import { started } from "../runtime/harness.ts";
import { emptyPostgresDatabase, newSqliteFile } from "../setup/database.ts";
import { databases } from "../setup/server.ts";

const State = defineState({ message: input(z.string()), ...routineFields() });

const triage = defineRoutine({
  ...{ id: "triage", title: "Triage", state: State, autonomous: { timeout_seconds: 60 } },
  input: z.object({ text: z.string() }),
  output: z.object({ category: z.string() }),
  nodes: {
    classify: { think: { instructions: "Classify.", output: z.object({ category: z.enum(["spam", "sales"]) }) }, next: "emit" },
    emit: { emit_output: { output: ({ outputs }) => ({ category: outputs.classify?.category }) } },
  },
});
const patient = defineRoutine({
  ...{ id: "patient", title: "Patient", state: State, autonomous: true },
  output: z.object({ ok: z.boolean() }),
  nodes: { hold: { wait: { event: "parcel" }, next: "emit" }, emit: { emit_output: { output: () => ({ ok: true }) } } },
});
const talk = defineRoutine({ id: "talk", title: "Talk", state: State, nodes: { ask: { chat: { instructions: "Ask." }, next: "end" } } });

/** A model that calls the one offered tool with these arguments, in order. */
const calling = (...given: readonly object[]): Model => {
  const left = [...given];
  return scripted(({ tools: [only] }) => {
    const next = only === undefined ? undefined : left.shift();
    return next === undefined || only === undefined ? "nothing" : { calls: [{ call_id: "1", name: only.name, arguments: next as never }] };
  });
};

interface Opening {
  readonly location?: string;
  readonly work?: boolean;
  readonly pollMs?: number;
  readonly on?: (store: Store) => Store;
}

async function opened(model: Model, { location = ":memory:", work = true, pollMs = 20, on = (store) => store }: Opening = {}) {
  const clock = fixedClock();
  const store = on(await openStore(location, { clock }));
  const extension = routines({ routines: [triage, patient, talk] });
  const agent = defineAgent({ name: "desk", state: State, extensions: [extension], reply: loop({ model }) });
  const runtime = await started({ agents: [agent], pollMs, clock, store, work });
  /** Polls with the clock that the workers poll by. */
  const poll = <Value>(read: () => Promise<Value>) =>
    expect.poll(
      () => {
        clock.advance(30);
        return read();
      },
      { timeout: 10_000, interval: 10 },
    );
  const statusOf = async (id: string) => (await runtime.runs.get(id)).status;
  const settled = async (id: string) => {
    await poll(() => statusOf(id)).toMatch(/completed|failed|cancelled/u);
    return runtime.runs.get(id);
  };
  return { runtime, store, clock, extension, settled, poll, statusOf };
}

describe("a run", () => {
  it("K1: completes with a validated output, and deletes its session with a receipt", async () => {
    const { runtime, store, settled, poll } = await opened(calling({ category: "other" }, { category: "sales" }));
    const run = await runtime.runs.start(triage, { text: "Buy now" });
    expect(run).toMatchObject({ status: "queued", ephemeral: true, routine: "triage" });
    expect(await settled(run.id)).toMatchObject({ status: "completed", output: { category: "sales" } });
    await poll(async () => (await runtime.runs.result(run.id)).erasure?.sessions).toBe(1);
    expect(await runtime.runs.result(run.id)).toMatchObject({ output: { category: "sales" } });
    expect(await store.open({ session_id: run.session_id })).toBeUndefined();
    expect((await runtime.runs.list({ status: "completed" })).items.map(({ id }) => id)).toEqual([run.id]);
  });

  it("K6: keeps the history of a given session, to which later runs append", async () => {
    const { runtime, settled } = await opened(calling({ category: "sales" }, { category: "spam" }));
    const session = await runtime.sessions.create({ agent: "desk" });
    const one = await runtime.runs.start(triage, { text: "a" }, { session_id: session.id });
    expect(await settled(one.id)).toMatchObject({ output: { category: "sales" }, ephemeral: false });
    const two = await runtime.runs.start(triage, { text: "b" }, { session_id: session.id });
    expect(await settled(two.id)).toMatchObject({ output: { category: "spam" } });
    expect((await session.turns()).items).toHaveLength(2);
  });

  it("begins at once, without a poll of the worker", async () => {
    const { runtime } = await opened(calling({ category: "sales" }), { pollMs: 86_400_000 });
    const run = await runtime.runs.start(triage, { text: "a" });
    // The clock stands still.
    await expect.poll(async () => (await runtime.runs.get(run.id)).status, { timeout: 10_000 }).toBe("completed");
  });

  it("fails with the code of its routine", async () => {
    const { runtime, settled } = await opened(calling({ category: 1 }, { category: 2 }, { category: 3 }));
    const run = await runtime.runs.start(triage, { text: "a" });
    expect(await settled(run.id)).toMatchObject({ status: "failed", error: { code: "output_validation_failed" } });
  });

  it("fails when its turn ends in the middle of the routine", async () => {
    const broken = scripted(() => {
      throw new Error("down");
    });
    const { runtime, settled } = await opened(broken);
    const run = await runtime.runs.start(triage, { text: "a" });
    const ended = await settled(run.id);
    expect(ended.status).toBe("failed");
    expect(ended.error?.code).not.toBe("timeout");
  });

  it("K16: fails with timeout while it waits, and a later event does not complete it", async () => {
    const { runtime, clock, extension, settled, poll } = await opened(calling());
    const session = await runtime.sessions.create({ agent: "desk" });
    const run = await runtime.runs.start(patient, undefined, { session_id: session.id, timeout_seconds: 30 });
    await poll(async () => (await runtime.runs.get(run.id)).status).toBe("waiting");
    clock.advance(31_000);
    expect(await settled(run.id)).toMatchObject({ status: "failed", error: { code: "timeout" } });
    await session.extension(extension).event("parcel");
    await poll(async () => (await session.turns()).items.filter(({ status }) => status === "queued" || status === "running").length).toBe(0);
    expect(await runtime.runs.get(run.id)).toMatchObject({ status: "failed", error: { code: "timeout" } });
    expect((await session.extension(extension).position()).frames).toEqual([]);
  });

  it("K16: a write of the turn after the timeout is refused", async () => {
    const released = Promise.withResolvers<void>();
    let asked = 0;
    const answers = calling({ category: "sales" });
    // It does not heed that the turn was stopped, as a model that answers too late.
    const slow: Model = {
      ...answers,
      async *stream(request, options) {
        asked += 1;
        await released.promise;
        yield* answers.stream(request, { ...options, signal: new AbortController().signal });
      },
    };
    const { runtime, clock, settled, poll } = await opened(slow);
    const session = await runtime.sessions.create({ agent: "desk" });
    const run = await runtime.runs.start(triage, { text: "a" }, { session_id: session.id });
    await poll(async () => asked).toBe(1);
    clock.advance(61_000);
    expect(await settled(run.id)).toMatchObject({ status: "failed", error: { code: "timeout" } });
    released.resolve();
    await poll(async () => (await session.turns()).items.filter(({ status }) => status === "queued" || status === "running").length).toBe(0);
    expect(await runtime.runs.get(run.id)).toMatchObject({ status: "failed", error: { code: "timeout" } });
  });

  it("completes when the event comes, and one run's cancellation leaves the other", async () => {
    const { runtime, extension, settled, poll } = await opened(calling());
    const session = await runtime.sessions.create({ agent: "desk" });
    const one = await runtime.runs.start(patient, undefined, { session_id: session.id });
    const two = await runtime.runs.start(patient, undefined, { session_id: session.id });
    for (const { id } of [one, two]) await poll(async () => (await runtime.runs.get(id)).status).toBe("waiting");
    await expect(runtime.runs.result(one.id)).rejects.toMatchObject({ code: "run.not_done" });
    expect(await runtime.runs.cancel(one.id)).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
    expect(await runtime.runs.cancel(one.id)).toMatchObject({ status: "cancelled" });
    await session.extension(extension).event("parcel");
    expect(await settled(two.id)).toMatchObject({ status: "completed", output: { ok: true } });
  });

  it("fails one that would be too deep in its session, and leaves the others", async () => {
    const { runtime, settled, poll, statusOf } = await opened(calling());
    const session = await runtime.sessions.create({ agent: "desk" });
    const ids: string[] = [];
    for (let index = 0; index < 17; index++) ids.push((await runtime.runs.start(patient, undefined, { session_id: session.id })).id);
    for (const id of ids.slice(0, 16)) await poll(() => statusOf(id)).toBe("waiting");
    expect(await settled(ids[16] ?? "")).toMatchObject({ status: "failed", error: { code: "too_deep" } });
    expect((await session.turns()).items.filter(({ outcome }) => outcome?.status !== "completed")).toEqual([]);
  });

  it("is listed by routine, status and session in full pages, without gaps", async () => {
    const { runtime, store } = await opened(calling(), { work: false });
    const [one, two] = [await runtime.sessions.create({ agent: "desk" }), await runtime.sessions.create({ agent: "desk" })];
    const started: { readonly id: string; readonly session: string; readonly routine: string }[] = [];
    for (let index = 0; index < 120; index++) {
      const session_id = index % 40 === 7 ? one.id : two.id;
      const run = await (index % 3 === 0
        ? runtime.runs.start(patient, undefined, { session_id })
        : runtime.runs.start(triage, { text: "a" }, { session_id, idempotencyKey: String(index) }));
      started.push({ id: run.id, session: session_id, routine: run.routine });
    }
    await runtime.runs.cancel(started[0]?.id ?? "");
    const pagesOf = async (filter: Parameters<typeof runtime.runs.list>[0]) => {
      const pages: string[][] = [];
      for (let cursor: string | undefined; ;) {
        const page = await runtime.runs.list({ ...filter, ...(cursor === undefined ? {} : { cursor }) });
        pages.push(page.items.map(({ id }) => id));
        if (page.next_cursor === null) return pages;
        cursor = page.next_cursor;
      }
    };
    const ids = (which: (run: (typeof started)[number]) => boolean) =>
      started
        .filter(which)
        .map(({ id }) => id)
        .toSorted();
    const rare = await pagesOf({ session_id: one.id, limit: 2 });
    expect(rare[0]).toHaveLength(2);
    expect(rare.flat()).toEqual(ids(({ session }) => session === one.id));
    const triages = await pagesOf({ routine: "triage", status: "queued", limit: 30 });
    expect(triages.slice(0, 2).map(({ length }) => length)).toEqual([30, 30]);
    expect(triages.flat()).toEqual(ids(({ routine }) => routine === "triage"));
    expect(await pagesOf({ status: "cancelled" })).toEqual([[started[0]?.id]]);
    expect((await pagesOf({ limit: 50 })).map(({ length }) => length)).toEqual([50, 50, 20]);
    await expect(runtime.runs.list({ status: "queued", limit: 0 })).rejects.toMatchObject({ code: "input.invalid" });
    expect((await store.list({ of: "records", kind: "routine.run" })).total).toBe(120);
  });

  it.each(databases)("is listed without reading runs whose results are removed, which keep their receipts: %s", async (database) => {
    const location = database === "SQLite" ? newSqliteFile() : await emptyPostgresDatabase();
    let rows = 0;
    let isBlind = false;
    const on = (store: Store): Store => ({
      ...forwarding(store),
      commit: (commit) => {
        isBlind = false;
        return store.commit(commit);
      },
      list: async (query) => {
        const page = await store.list(query);
        if (isBlind && query.of === "records" && query.key !== undefined) return { ...page, items: [] };
        if (query.of === "records" && query.kind === "routine.run" && query.key === undefined) rows += page.items.length;
        return page;
      },
    });
    const { runtime, clock, poll } = await opened(calling(), { location, on });
    const start = (idempotencyKey: string) => runtime.runs.start(patient, undefined, { idempotencyKey, timeout_seconds: 0.05, keep_seconds: 0.05 });
    const gone = await Promise.all(Array.from({ length: 4 }, (_, index) => start(`gone ${index}`)));
    const codeOf = (id: string) =>
      runtime.runs.get(id).then(
        () => "kept",
        (error: unknown) => ThroughlineError.from(error).code,
      );
    await poll(async () => new Set(await Promise.all(gone.map(({ id }) => codeOf(id))))).toEqual(new Set(["run.expired"]));
    await poll(async () => (await runtime.runs.list()).items).toEqual([]);
    const kept = await runtime.runs.start(patient, undefined, { idempotencyKey: "kept" });
    rows = 0;
    expect((await runtime.runs.list()).items.map(({ id }) => id)).toEqual([kept.id]);
    expect((await runtime.runs.list({ status: "cancelled" })).items).toEqual([]);
    expect(rows).toBe(2);
    // The receipt stays, and no key starts a second run.
    await expect(runtime.runs.get(gone[0]?.id ?? "")).rejects.toMatchObject({ code: "run.expired", details: { erasure: { sessions: 1 } } });
    const again = { id: gone[0]?.id, status: "failed", created_at: gone[0]?.created_at };
    expect(await start("gone 0")).toMatchObject(again);
    // This call has looked for the run before another process started it.
    isBlind = true;
    expect(await start("gone 0")).toMatchObject(again);
    expect((await runtime.runs.list()).items).toHaveLength(1);
    clock.advance(40 * 86_400_000);
    await expect(runtime.runs.get(gone[0]?.id ?? "")).rejects.toMatchObject({ code: "run.not_found" });
  });

  it("starts once per key, and refuses another call with it", async () => {
    const { runtime } = await opened(calling(), { work: false });
    const [one, two] = await Promise.all([1, 2].map(() => runtime.runs.start(triage, { text: "a" }, { idempotencyKey: "k" })));
    expect(two?.id).toBe(one?.id);
    expect((await runtime.runs.list()).items).toHaveLength(1);
    expect((await runtime.sessions.list()).items).toHaveLength(1);
    await expect(runtime.runs.start(triage, { text: "b" }, { idempotencyKey: "k" })).rejects.toMatchObject({ code: "session.idempotency_mismatch" });
  });

  it("checks everything before anything runs", async () => {
    const { runtime } = await opened(calling(), { work: false });
    await expect(runtime.runs.start("triage", { text: 1 })).rejects.toMatchObject({ code: "input.invalid" });
    await expect(runtime.runs.start("talk")).rejects.toMatchObject({ code: "input.invalid", details: { path: "routine" } });
    await expect(runtime.runs.start("other")).rejects.toMatchObject({ code: "routine.not_found" });
    await expect(runtime.runs.start("triage", { text: "a" }, { timeout_seconds: 0 })).rejects.toMatchObject({ code: "input.invalid" });
    await expect(runtime.runs.get("run_1")).rejects.toMatchObject({ code: "run.not_found" });
    expect((await runtime.runs.list()).items).toEqual([]);
    expect((await runtime.sessions.list()).items).toEqual([]);
  });

  it("K: is refused in a session that people have, which does not hide one that is there", async () => {
    const { runtime, settled } = await opened(calling({ category: "sales" }));
    const session = await runtime.sessions.create({ agent: "desk" });
    await session.setMode("manual");
    const start = (idempotencyKey: string) => runtime.runs.start(triage, { text: "a" }, { session_id: session.id, idempotencyKey });
    await expect(start("k")).rejects.toMatchObject({ code: "session.manual" });
    expect((await runtime.runs.list()).items).toEqual([]);
    await session.setMode("auto");
    const run = await start("k");
    expect(await settled(run.id)).toMatchObject({ status: "completed" });
    await session.setMode("manual");
    expect(await start("k")).toMatchObject({ id: run.id });
  });

  it("K: is found again by its key without its session and its routine", async () => {
    const { runtime, store, clock, settled } = await opened(calling({ category: "sales" }));
    const session = await runtime.sessions.create({ agent: "desk" });
    const options = { session_id: session.id, idempotencyKey: "k" };
    const run = await runtime.runs.start(triage, { text: "a" }, options);
    await settled(run.id);
    const bare = defineAgent({ name: "desk", state: State, reply: loop({ model: calling() }) });
    const later = await started({ agents: [bare], clock, store, work: false });
    expect(await later.runs.start("triage", { text: "a" }, options)).toMatchObject({ id: run.id });
    await runtime.sessions.delete(session.id);
    expect(await runtime.runs.start(triage, { text: "a" }, options)).toMatchObject({ id: run.id, status: "completed" });
    await expect(runtime.runs.start(triage, { text: "a" }, { ...options, idempotencyKey: "other" })).rejects.toMatchObject({
      code: "session.not_found",
    });
  });

  it("has whole milliseconds as its times", async () => {
    const { runtime, settled } = await opened(calling({ category: "sales" }));
    const run = await runtime.runs.start(triage, { text: "a" }, { timeout_seconds: 5.00033, keep_seconds: 7.00033 });
    expect(run.deadline).toBe(run.created_at + 5001);
    const { finished_at = 0, expires_at } = await settled(run.id);
    expect(expires_at).toBe(finished_at + 7001);
  });

  it("K1: keeps its receipt if its process dies before it has noted it", async () => {
    let noted = 0;
    const { runtime, store, poll } = await opened(calling({ category: "sales" }), {
      on: (store) => ({
        ...forwarding(store),
        commit: (commit) => {
          const isNote = commit.records?.some(({ kind, data }) => kind === "routine.run" && data?.["settled"] === true) === true;
          if (isNote && ++noted === 1) throw new Error("dead");
          return store.commit(commit);
        },
      }),
    });
    const run = await runtime.runs.start(triage, { text: "Buy now" });
    await poll(async () => (await runtime.runs.get(run.id)).erasure?.sessions).toBe(1);
    expect(noted).toBe(2);
    expect((await store.list({ of: "erasures" })).total).toBe(1);
  });

  it("is gone with its receipt after its time", async () => {
    const { runtime, store, clock, settled, poll } = await opened(calling({ category: "sales" }));
    const run = await runtime.runs.start(triage, { text: "a" });
    await settled(run.id);
    await poll(async () => (await runtime.runs.get(run.id)).erasure !== undefined).toBe(true);
    clock.advance(86_400_001);
    await expect(runtime.runs.get(run.id)).rejects.toMatchObject({
      code: "run.expired",
      details: { run_id: run.id, status: "completed", erasure: { sessions: 1 } },
    });
    await poll(async () => (await store.list({ of: "records", kind: "routine.run_output" })).items.length).toBe(0);
  });

  it("K: keeps no hash of its input that outlives its session or its result", async () => {
    const { runtime, store, clock, settled, poll } = await opened(calling({ category: "sales" }, { category: "sales" }));
    const session = await runtime.sessions.create({ agent: "desk" });
    const options = [{ session_id: session.id, idempotencyKey: "given" }, { idempotencyKey: "own" }];
    const [given, own] = [
      await runtime.runs.start(triage, { text: "yes" }, options[0]),
      await runtime.runs.start(triage, { text: "yes" }, options[1]),
    ];
    const hashes = async () => (await store.list({ of: "records", kind: "routine.run_start" })).items.map(({ key }) => key);
    const again = (index: number, text: string) => runtime.runs.start(triage, { text }, options[index]);
    for (const { id } of [given, own]) await settled(id);
    await poll(async () => (await runtime.runs.get(own.id)).erasure?.sessions).toBe(1);
    for (const index of [0, 1]) await expect(again(index, "no")).rejects.toMatchObject({ code: "session.idempotency_mismatch" });
    await runtime.sessions.delete(session.id);
    expect(await hashes()).toEqual([own.id]);
    expect(await again(0, "no")).toMatchObject({ id: given.id });
    clock.advance(86_400_001);
    await poll(hashes).toEqual([]);
    const left = JSON.stringify((await store.list({ of: "records", kind: "routine.run" })).items);
    for (const known of [{}, { session_id: session.id }])
      expect(left).not.toContain(argumentsHash({ routine: "triage", input: { text: "yes" }, options: known }));
  });

  it("loses its output with the customer", async () => {
    const { runtime, settled } = await opened(calling({ category: "sales" }));
    const session = await runtime.sessions.create({ agent: "desk" });
    const run = await runtime.runs.start(triage, { text: "a" }, { session_id: session.id });
    await settled(run.id);
    await runtime.sessions.delete(session.id);
    await expect(runtime.runs.get(run.id)).rejects.toMatchObject({ code: "run.expired" });
  });
});
