/** What a runtime's own extensions take part in, and the point `store`: everything that is stored passes it, and nothing else changes. */
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineState,
  defineTool,
  exportSession,
  importBundle,
  input,
  loop,
  openStore,
  reduced,
  scripted,
  stage,
  ThroughlineError,
  type AgentOptions,
  type RuntimeOptions,
} from "../../packages/throughline/src/index.ts";
import { defineExtension, type Extension, type StoredPlace } from "../../packages/throughline/src/extension.ts";
import type { AssessmentRecord, AssessmentSpool } from "../../packages/throughline/src/safety/assessment.ts";
import { unknownOutcome } from "../../packages/throughline/src/kernel/error.ts";
import { rewriteBy, storeThrough } from "../../packages/throughline/src/extension/stored.ts";
import { createIds } from "../../packages/throughline/src/kernel/id.ts";
import type { Commit, Store } from "../../packages/throughline/src/store/port.ts";
import { startServer } from "../setup/server.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { collect, emptyStore, started } from "./harness.ts";

const State = defineState({
  message: input(z.string()),
  notes: reduced(z.array(z.string()), { initial: [] }),
  tree: reduced(z.record(z.string(), z.unknown()), { initial: {} }),
});

const agentWith = (more: Partial<AgentOptions<typeof State>> = {}) =>
  defineAgent({ name: "a1", version: 1, state: State, reply: loop({ model: scripted(() => "Hello secret.") }), ...more });

/** Takes a word out of texts, and a number out of numbers. */
const hush = (name = "hush", more: Partial<Extension> = {}): Extension => ({
  name,
  store: (value) => (typeof value === "string" ? value.replaceAll("secret", "…") : value === 7 ? 0 : value),
  ...more,
});

describe("the extensions of a runtime", () => {
  const told: string[] = [];
  const around = (name: string, more: Partial<Extension> = {}): Extension => ({
    name,
    ...more,
    answer: async (_turn, { draft, next }) => (told.push(name), next(draft)),
  });

  it("take part in the turns of every agent, before its own, with guards before all", async () => {
    told.length = 0;
    const runtime = await started({
      agents: [agentWith({ extensions: [around("own"), around("own guard", { guards: true })] }), agentWith({ name: "a2" })],
      extensions: [around("telemetry"), { extension: () => around("rates", { guards: true }) }],
    });
    for (const agent of ["a1", "a2"]) await (await runtime.sessions.create({ agent })).send("Hi");
    expect(told).toEqual(["rates", "own guard", "telemetry", "own", "rates", "telemetry"]);
  });

  it("are refused where a name comes twice, in the runtime or in an agent", async () => {
    await expect(started({ extensions: [around("one"), around("one")] })).rejects.toThrow(/"one" twice/);
    await expect(started({ agents: [agentWith({ extensions: [around("one")] })], extensions: [around("one")] })).rejects.toThrow(/"one" twice/);
    await expect(started({ extensions: around("one") as never })).rejects.toMatchObject({ code: "input.invalid", details: { path: "extensions" } });
  });

  it("check every agent, and are prepared once", async () => {
    const seen: string[] = [];
    const extension: Extension = { name: "checks", check: ({ name }) => void seen.push(name), prepare: () => void seen.push("prepared") };
    await started({ agents: [agentWith(), agentWith({ name: "a2" })], extensions: [extension] });
    expect(seen).toEqual(["a1", "a2", "prepared"]);
  });
});

describe("store", () => {
  it("changes nothing where no extension has it: the runtime's store is the one that it was given", async () => {
    const store = await emptyStore("memory");
    const runtime = await createRuntime({ store, agents: [agentWith()], extensions: [{ name: "other" }], work: false });
    expect(runtime.store).toBe(store);
    await runtime.close();
  });

  it("runs in the order of the list, those that guard last, also where an agent declares it", async () => {
    const append = (name: string, more: Partial<Extension> = {}): Extension => ({
      name,
      store: (value, { of }) => (of === "variable" && typeof value === "string" && !value.includes(name) ? `${value} ${name}` : value),
      ...more,
    });
    const runtime = await started({
      agents: [agentWith({ extensions: [append("own")] })],
      extensions: [append("guard", { guards: true }), append("first")],
    });
    await runtime.customers.create({ id: "ada", variables: { said: "x" } });
    expect(JSON.stringify((await runtime.customers.get("ada")).variables)).toContain('"x first own guard"');
  });

  it("names the field in patches and in whole states alike, so that no checkpoint has what was taken out of a field", async () => {
    const commits: Commit[] = [];
    const store = await emptyStore("sqlite");
    const listening: Store = { ...forwarding(store), commit: (commit) => (commits.push(commit), store.commit(commit)) };
    const byField: Extension = {
      name: "by-field",
      store: (value, { of, name }) => (of === "state" && (name === "notes" || name === "tree") && typeof value === "string" ? "…" : value),
    };
    const noted = stage("noted", { state: State, writes: ["notes", "tree"] }, () => ({ notes: ["raw".repeat(5_000)], tree: { deep: ["raw"] } }));
    const runtime = await started({ store: listening, agents: [agentWith({ stages: [noted] })], extensions: [byField] });
    const session = await runtime.sessions.create({ agent: "a1" });
    for (let turn = 0; turn < 12; turn++) await session.send("Hi");
    await session.fork({ at: (await store.load({ session_id: session.id }))?.session.head ?? 0 });
    expect(commits.some(({ session: change }) => change?.checkpoint !== undefined)).toBe(true);
    const written = JSON.stringify(commits);
    expect([written.includes("…"), written.includes('"raw')]).toEqual([true, false]);
  });

  it("names the field in a patch of the whole state, in a cut, and where a name has a slash", async () => {
    const places: string[] = [];
    const watch: Extension = { name: "watch", store: (value, { of, name }) => (places.push(`${of} ${name} ${value}`), value) };
    const store = await emptyStore("memory");
    const rewrite = rewriteBy([watch])!;
    const through = storeThrough({ ...forwarding(store), commit: async () => ({ outcome: "refused", reason: "session_missing" }) }, rewrite, {
      ids: createIds(),
    });
    const patch = [
      { op: "replace", path: "", value: { whole: "1" } },
      { op: "add", path: "/a~1b/-", value: "2" },
      { op: "add", path: "/list", value: ["3"] },
    ];
    await through.commit({
      commit_id: "c",
      at: 1,
      session: {
        session_id: createIds().next("session"),
        events: [{ kind: "state", data: { patch } }],
        checkpoint: { held: "4" },
        cut: { at: 1, state: { kept: "5" } },
      },
    } as unknown as Commit);
    expect(places).toEqual(["state whole 1", "state a/b 2", "state list 3", "state held 4", "state kept 5"]);
  });

  it("runs all extensions that differ, also where two agents have ones of one name, and each once", async () => {
    const hides = (word: string): Extension => ({
      name: "hides",
      store: (value) => (typeof value === "string" ? value.replaceAll(word, "…") : value),
    });
    let calls = 0;
    const counts: Extension = { name: "counts", store: (value, { of }) => ((calls += of === "variable" && value === "x" ? 1 : 0), value) };
    const runtime = await started({
      agents: [agentWith({ extensions: [hides("one"), counts] }), agentWith({ name: "a2", extensions: [hides("two"), counts] })],
      extensions: [{ extension: () => ({ ...counts, name: "settings" }) }],
    });
    await runtime.customers.create({ id: "ada", variables: { said: "one two" } });
    expect(JSON.stringify((await runtime.customers.get("ada")).variables)).toContain('"… …"');
    await runtime.customers.create({ id: "bob", variables: { said: "x" } });
    expect(calls).toBe(2);
  });

  it("answers whoever waits with what is stored", async () => {
    const runtime = await started({ agents: [agentWith()], extensions: [hush()] });
    const session = await runtime.sessions.create({ agent: "a1" });
    const first = await session.send("Hi", { idempotencyKey: "k" });
    expect(first.reply).toBe("Hello ….");
    expect(await session.send("Hi", { idempotencyKey: "k" })).toEqual(first);
  });

  it("is given the place of each text and number, and no id, kind or name", async () => {
    const places = new Map<string, StoredPlace>();
    const watch: Extension = { name: "watch", store: (value, place) => (place.of === "draft" ? 0 : places.set(String(value), place), value) };
    const noted = stage("noted", { state: State, writes: ["notes", "tree"] }, () => ({
      notes: ["a note"],
      tree: { member: { deep: ["in a tree"] } },
    }));
    const runtime = await started({ agents: [agentWith({ stages: [noted] })], extensions: [watch] });
    const session = await runtime.sessions.open({
      agent: "a1",
      customer: "ada",
      title: "a title",
      metadata: { external_id: "e-1", more: "a member" },
    });
    await session.setVariables({ set: { mine: "a value" } });
    await session.send("a message", { idempotencyKey: "a key" });
    await session.handOver({ reason: "a reason" });
    expect(Object.fromEntries([...places].map(([value, { of, name }]) => [value, `${of} ${name}`.trim()]))).toMatchObject({
      ...{ "a message": "event message", "Hello secret.": "event message", "a note": "state notes", "in a tree": "state tree" },
      ...{ "a title": "header title", "a member": "metadata more", "a value": "variable mine", "a reason": "header reason" },
    });
    for (const never of [session.id, "e-1", "a key", "ada", "a1", "message", "member", "/notes", "completed", "user", "text", "noted"])
      expect(places.has(never), never).toBe(false);
  });

  it("leaves a state that folds to the same, whichever way it is read", async () => {
    const noted = stage("noted", { state: State, writes: ["notes", "tree"] }, ({ state }) => ({
      notes: [`secret ${state.notes.length}`],
      tree: { ...state.tree, [`secret ${state.notes.length}`]: { number: 7, text: "a secret" } },
    }));
    const store = await emptyStore("sqlite");
    const runtime = await started({ store, agents: [agentWith({ stages: [noted] })], extensions: [hush()] });
    const session = await runtime.sessions.create({ agent: "a1" });
    for (let turn = 0; turn < 30; turn++) await session.send(`secret ${turn}`);
    const { document } = await session.state();
    expect(document["notes"]).toEqual(Array.from({ length: 30 }, (_, index) => `… ${index}`));
    expect(document["tree"]).toMatchObject({ "secret 3": { number: 0, text: "a …" } });
    const loaded = await store.load({ session_id: session.id });
    const fork = await session.fork({ at: loaded?.session.head ?? 0 });
    expect((await fork.state()).document).toEqual(document);
    for (const { offset } of await session.history({ limit: 30 })) {
      const { document: then } = await session.state({ at: offset });
      expect(then["notes"]).toEqual((document["notes"] as readonly string[]).slice(0, (then["notes"] as readonly string[]).length));
    }
  });

  it("stores nothing where it throws, or gives something of another type: the sender is told, and a turn fails in words that can be stored", async () => {
    let broken = false;
    const odd: Extension = {
      name: "odd",
      store: (value) => {
        if (broken && value === "throw") throw new Error("no");
        return value === "type" ? 7 : value;
      },
    };
    const runtime = await started({
      agents: [
        agentWith({ apology: "Sorry.", reply: loop({ model: scripted(({ messages }) => (messages.at(-1)?.text === "late" ? "type" : "ok")) }) }),
      ],
      extensions: [odd],
    });
    const session = await runtime.sessions.create({ agent: "a1" });
    broken = true;
    for (const text of ["throw", "type"])
      await expect(session.post(text)).rejects.toMatchObject({ code: "extension.failed", details: { extension: "odd", point: "store" } });
    expect(await session.messages()).toEqual([]);
    expect(await session.send("late")).toMatchObject({ status: "failed", reply: "Sorry.", error: { code: "extension.failed" } });
    expect((await session.messages()).map(({ text }) => text)).toEqual(["late", "Sorry."]);
    expect(await session.send("fine")).toMatchObject({ reply: "ok" });
  });

  it("lets a call wait for approval with the arguments that are stored, and asks once", async () => {
    const seen: unknown[] = [];
    const pay = defineTool({
      ...{ name: "pay", description: "Pays.", parameters: z.object({ to: z.string() }), effects: "once", approval: true },
      execute: ({ to }) => (seen.push(to), "paid"),
    });
    const model = scripted(({ messages }) =>
      messages.at(-1)?.role === "tool" ? "Done." : { text: "", calls: [{ call_id: "c1", name: "pay", arguments: { to: "secret" } }] },
    );
    const runtime = await started({ agents: [agentWith({ reply: loop({ model, tools: [pay] }) })], extensions: [hush()] });
    const session = await runtime.sessions.create({ agent: "a1" });
    const { turn_id } = await session.post("Pay");
    await expect.poll(async () => (await session.pending()).calls.length).toBe(1);
    const [call] = (await session.pending()).calls;
    expect(call?.arguments).toEqual({ to: "…" });
    await session.decide({ call_id: call!.call_id, arguments_hash: call!.arguments_hash, decision: "approve" });
    expect(await session.outcome(turn_id!)).toMatchObject({ status: "completed", reply: "Done." });
    expect(seen).toEqual(["…"]);
  });

  it("applies to records, also to JSON in their texts, and to what waits outside of the store", async () => {
    const waiting: AssessmentRecord[] = [];
    const spool: AssessmentSpool = { append: async (record) => void waiting.push(record), drain: async () => 0 };
    const kept: unknown[] = [];
    const keeps: Extension = {
      name: "keeps",
      prepare: (context) => void kept.push(context.safetySpool?.append({ agent: "secret" } as AssessmentRecord)),
      answer: async ({ journal, claim }, { draft, next }) => {
        journal.keep({
          kind: "note",
          key: claim.turn.turn_id,
          data: { text: "a secret", json: '{"deep":["secret",7]}', broken: "{secret", when: 7 },
        });
        return next(draft);
      },
    };
    const runtime = await started({ agents: [agentWith({ extensions: [keeps] })], extensions: [hush()], safetySpool: spool });
    await (await runtime.sessions.create({ agent: "a1" })).send("Hi");
    expect((await runtime.store.list({ of: "records", kind: "note" })).items.map(({ data }) => data)).toEqual([
      { text: "a …", json: '{"deep":["…",0]}', broken: "{…", when: 0 },
    ]);
    expect(waiting).toEqual([{ agent: "…" }]);
  });

  it("applies to the answers that a service keeps", async () => {
    const { runtime, store, request } = await startServer({ runtime: { extensions: [hush()] } });
    const session = await runtime.sessions.create({ agent: "a1" });
    const body = { kind: "message", source: "customer", text: "a secret" };
    const headers = { "idempotency-key": "k-1" };
    expect((await request("POST", `/v1/sessions/${session.id}/events`, body, headers)).status).toBeLessThan(300);
    expect((await request("POST", `/v1/sessions/${session.id}/events`, body, headers)).headers.get("idempotent-replayed")).toBe("true");
    const changed = await request("POST", `/v1/sessions/${session.id}/events`, { ...body, text: "another" }, headers);
    expect(changed.status).toBe(422);
    expect(JSON.stringify(await store.list({ of: "records", kind: "response" }))).not.toContain("secret");
    expect(JSON.stringify(await collect(session))).not.toContain("secret");
  });

  it("keys the hash of what came with an idempotency key, in a session that is erased with its secret", async () => {
    const store = await emptyStore("memory");
    const hashes: string[] = [];
    const listening: RuntimeOptions["store"] = {
      ...store,
      commit: (commit) => {
        if (commit.session?.idempotency !== undefined) hashes.push(commit.session.idempotency.body_hash);
        return store.commit(commit);
      },
    };
    const runtime = await started({ store: listening, agents: [agentWith()], extensions: [hush()] });
    const plain = await started({ agents: [agentWith()], store: listening });
    const [one, two] = [await runtime.sessions.create({ agent: "a1" }), await runtime.sessions.create({ agent: "a1" })];
    for (const session of [one, two]) await session.send("secret", { idempotencyKey: "k" });
    await (await plain.sessions.create({ agent: "a1" })).send("secret", { idempotencyKey: "k" });
    expect(new Set(hashes).size).toBe(3);
    expect((await store.list({ of: "records", kind: "store_secret" })).items).toHaveLength(2);
    await runtime.sessions.delete(one.id);
    expect((await store.list({ of: "records", kind: "store_secret" })).items.map(({ key }) => key)).toEqual([two.id]);
    // What had nothing to do has nothing to do again, and a key from before the extension is known.
    await two.setTitle("T");
    const nothing = await two.setTitle("T", { idempotencyKey: "n" });
    await two.setTitle("U");
    expect(await two.setTitle("T", { idempotencyKey: "n" })).toEqual(nothing);
    expect((await two.info()).title).toBe("U");
    const before = await plain.sessions.create({ agent: "a1" });
    const { offset } = await before.send("secret", { idempotencyKey: "k" });
    expect((await (await runtime.sessions.get(before.id)).send("secret", { idempotencyKey: "k" })).offset).toBe(offset);
    await expect((await runtime.sessions.get(before.id)).send("other", { idempotencyKey: "k" })).rejects.toMatchObject({
      code: "session.idempotency_mismatch",
    });
  });

  it("takes a message although the store failed once as it was asked for the session's secret", async () => {
    const store = await emptyStore("memory");
    let failing = false;
    const failsOnce: Store = {
      ...forwarding(store),
      list: async (query) => {
        if (failing && query.of === "records" && query.kind === "store_secret") {
          failing = false;
          throw new ThroughlineError("store.unreachable");
        }
        return store.list(query);
      },
    };
    const runtime = await started({ store: failsOnce, agents: [agentWith()], extensions: [hush()] });
    const session = await runtime.sessions.create({ agent: "a1" });
    failing = true;
    expect(await session.send("a secret", { idempotencyKey: "k" })).toMatchObject({ reply: "Hello …." });
    expect(failing).toBe(false);
  });

  it("knows that a message was not stored where the secret's own commit has an unknown outcome", async () => {
    const store = await emptyStore("memory");
    const plain = await started({ store, agents: [agentWith()] });
    const { id } = await plain.sessions.create({ agent: "a1" });
    const breaks: Store = {
      ...forwarding(store),
      commit: async (commit) => {
        if (commit.records?.some(({ kind }) => kind === "store_secret") === true)
          throw new ThroughlineError("store.unreachable", undefined, { details: unknownOutcome });
        return store.commit(commit);
      },
    };
    const runtime = await started({ store: breaks, agents: [agentWith()], extensions: [hush()] });
    const sending = (await runtime.sessions.get(id)).send("Hi", { idempotencyKey: "k" });
    const error: unknown = await sending.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "store.unreachable" });
    expect((error as ThroughlineError).details).not.toHaveProperty("outcome");
  });

  it("uses no secret of a session that was erased, when the session is imported again", async () => {
    const store = await emptyStore("memory");
    const wrapped = await createRuntime({ store, agents: [agentWith()], extensions: [hush()] });
    const session = await wrapped.sessions.create({ agent: "a1" });
    await session.send("one", { idempotencyKey: "k-1" });
    const bundle = await Array.fromAsync(exportSession(store, session.id));
    await wrapped.sessions.delete(session.id);
    await importBundle(wrapped.store, bundle, { keepIds: true });
    const { offset } = await (await wrapped.sessions.get(session.id)).send("two", { idempotencyKey: "k-2" });
    await wrapped.close();
    const second = await started({ store, agents: [agentWith()], extensions: [hush()] });
    expect((await (await second.sessions.get(session.id)).send("two", { idempotencyKey: "k-2" })).offset).toBe(offset);
  });

  it("keeps the secret encrypted in an encrypted database", async () => {
    const folder = await mkdtemp(join(tmpdir(), "throughline-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const location = join(folder, "test.db");
    for (const encrypted of [true, false]) {
      await rm(location, { force: true });
      const store = await openStore(location, encrypted ? { encryption: { keys: [{ id: "one", key: randomBytes(32) }] } } : {});
      const runtime = await createRuntime({ store, agents: [agentWith()], extensions: [hush()] });
      await (await runtime.sessions.create({ agent: "a1" })).send("Hi", { idempotencyKey: "k" });
      const [record] = (await store.list({ of: "records", kind: "store_secret" })).items;
      await runtime.close();
      await store.close();
      expect((await readFile(location)).includes(z.string().parse(record?.data["secret"]))).toBe(!encrypted);
    }
  });

  it("keys a hash once where the store of a runtime is given to another", async () => {
    const store = await emptyStore("memory");
    const extensions = [hush()];
    const once = await createRuntime({ store, agents: [agentWith()], extensions });
    const twice = await createRuntime({ store: once.store, agents: [agentWith()], extensions });
    const session = await twice.sessions.create({ agent: "a1" });
    const { offset } = await session.send("secret", { idempotencyKey: "k" });
    expect((await (await once.sessions.get(session.id)).send("secret", { idempotencyKey: "k" })).offset).toBe(offset);
    expect((await session.send("secret", { idempotencyKey: "k" })).offset).toBe(offset);
    await twice.close();
    await once.close();
  });

  it("is a point that the compiler knows, and a typo is refused", () => {
    expect(() => defineExtension({ name: "x", stores: () => "" } as never)).toThrow(ThroughlineError);
    // @ts-expect-error it gives back a text or a number
    defineExtension({ name: "x", store: () => undefined });
  });
});
