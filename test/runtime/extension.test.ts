/** The extension port: each point by itself, with extensions of our own. The safety gate and memory use nothing else. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineState,
  defineTool,
  exportSession,
  importBundle,
  input,
  loaded,
  loop,
  reduced,
  scripted,
  Session,
  stage,
  ThroughlineError,
  turn,
  type AgentOptions,
  type Logger,
  type Model,
} from "../../packages/throughline/src/index.ts";
import {
  defineExtension,
  extensionPoints,
  type Extension,
  type ExtensionContext,
  type ExtensionTurn,
  type FinishBeside,
  type PlacedStage,
} from "../../packages/throughline/src/extension.ts";
import { root } from "../../scripts/root.ts";
import { mortalStore } from "../../packages/throughline/src/testing/mortal-store.ts";
import { isData, isStorableRecord, refusedRecord } from "../../packages/throughline/src/runtime/turn/journal.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { code, collect, emptyStore, gate, started } from "./harness.ts";

const State = defineState({
  message: input(z.string()),
  notes: reduced(z.array(z.string()), { initial: [] }),
  stages: reduced(z.array(z.string()), { initial: [] }),
});

const agentWith = (extensions: NonNullable<AgentOptions<typeof State>["extensions"]>, more: Partial<AgentOptions<typeof State>> = {}) =>
  defineAgent({ name: "a1", version: 1, state: State, extensions, reply: loop({ model: scripted(() => "Hello.") }), ...more });

const opened = async (extensions: NonNullable<AgentOptions<typeof State>["extensions"]>, more: Partial<AgentOptions<typeof State>> = {}) => {
  const runtime = await started({ agents: [agentWith(extensions, more)] });
  return { runtime, session: await runtime.sessions.create({ agent: "a1" }) };
};

const down: Pick<Extension, "accept" | "withoutStore"> = {
  accept: () => ({ urgent: true, answerMs: 1_000, beside: async () => undefined }),
  withoutStore: async ({ saved, text }) => `I heard "${text}" (${saved}).`,
};

const reporting = (about = "extension"): { readonly logger: Logger; readonly logged: unknown[] } => {
  const logged: unknown[] = [];
  return { logged, logger: { debug() {}, info() {}, warn() {}, error: (message, fields) => void logged.push([message, fields?.[about]]) } };
};

describe("declaring an extension", () => {
  it.each([
    ["something that is none", [{ nothing: true } as never], /declares an invalid extension: .*nothing/],
    ["two of one name", [{ name: "one" }, { name: "one" }], /declares the extension "one" twice/],
  ])("refuses %s", (_what, extensions, message) => {
    expect(() => agentWith(extensions)).toThrow(message);
  });

  it("refuses a member that no extension has, and freezes what it takes", () => {
    expect(() => agentWith([{ name: "one", finsh: () => {} } as never])).toThrow(/Extension "one" has "finsh"; an extension has name, .*finished/);
    expect(() => defineExtension({} as never)).toThrow(/with a name/);
    expect(Object.isFrozen(defineExtension({ name: "one" }))).toBe(true);
  });

  it("lets it check the definition", () => {
    const seen: unknown[] = [];
    const picky: Extension = {
      name: "picky",
      check: ({ name, state, stages }) => {
        seen.push([name, Object.keys(state.fields), stages]);
        throw new ThroughlineError("agent.invalid", "No.");
      },
    };
    const first = stage("first", { state: State, writes: [] }, () => undefined);
    expect(() => agentWith([picky], { stages: [first] })).toThrow("No.");
    expect(seen).toEqual([["a1", ["message", "notes", "stages", "messages"], ["first"]]]);
  });

  it("takes settings that make one, and puts those with the last word first", () => {
    const made: Extension = { name: "made" };
    const agent = agentWith([{ name: "plain" }, { extension: () => made }, { name: "guard", guards: true }]);
    expect(agent.extensions.map(({ name }) => name)).toEqual(["guard", "plain", "made"]);
  });
});

describe("answer", () => {
  const around = (name: string, order: string[], more: Partial<Extension> = {}): Extension => ({
    name,
    ...more,
    answer: async (turn, { draft, next }) => {
      order.push(`${name} before`);
      const answer = await next(draft);
      order.push(`${name} after`);
      return "paused" in answer ? answer : { ...answer, text: `${answer.text} (${name})` };
    },
  });

  it("wraps stages and reply, the one with the last word outermost", async () => {
    const order: string[] = [];
    const noted = stage("noted", { state: State, writes: ["stages"] }, () => (order.push("stage"), { stages: ["ran"] }));
    const { session } = await opened([around("plain", order), around("guard", order, { guards: true })], { stages: [noted] });
    expect((await session.send("Hi")).reply).toBe("Hello. (plain) (guard)");
    expect(order).toEqual(["guard before", "plain before", "stage", "plain after", "guard after"]);
  });

  it("may answer by itself, with what it writes in the same commit as the reply, and ask the model alone", async () => {
    const alone: Extension = {
      name: "alone",
      answer: async (turn) => {
        turn.told.interrupted = true;
        turn.ask({ mode: "manual" });
        turn.journal.apply(
          { type: "stage", name: "alone" },
          { notes: ["seen"] },
          { writes: ["notes"], stage: { name: "alone", ms: 1, control: {} } },
        );
        turn.journal.keep({ kind: "note", key: turn.claim.turn.turn_id, data: { text: "kept" } });
        await turn.runAlways({ recall: false });
        const { text } = await turn.askModel({ name: "more", text: "Be brief." }, { step: 1, signal: turn.signal });
        return { text: `Alone: ${text}`, final: true, outcome: { status: "completed" }, steps: 1, tokens: 0, calls: {} };
      },
    };
    const asked: unknown[] = [];
    const model = scripted((request) => (asked.push(request.sections.at(-1)), "Hello."));
    const ran: unknown[] = [];
    const always = stage("always", { state: State, writes: [], runs: "always" }, ({ context }) => void ran.push(context.interrupted));
    const never = stage("never", { state: State, writes: [] }, () => void ran.push("never"));
    const { runtime, session } = await opened([alone], { stages: [always, never], reply: loop({ model }) });
    expect(await session.send("Hi")).toMatchObject({ reply: "Alone: Hello.", status: "completed" });
    expect(asked).toEqual([{ name: "more", text: "Be brief." }]);
    expect(ran).toEqual([true]);
    expect((await session.state()).document).toMatchObject({ notes: ["seen"] });
    expect((await session.info()).mode).toBe("manual");
    expect((await runtime.store.list({ of: "records", kind: "note" })).items.map(({ data }) => data)).toEqual([{ text: "kept" }]);
  });

  it("sees what the customer's page has reported since the last reply", async () => {
    const seen: (readonly string[])[] = [];
    const watch: Extension = {
      name: "watch",
      answer: async ({ reported }, { draft, next }) => (seen.push(reported.map(({ text }) => text)), next(draft)),
    };
    const { session } = await opened([watch]);
    const page = (note: string) => session.postCustom({ note }, { source: "customer_ui" });
    await page("one");
    await session.postCustom({ note: "of the service" }, { source: "system" });
    await session.send("Hi");
    await page("two");
    await page("three");
    await session.send("Hi again");
    await session.send("Anything else?");
    expect(seen).toEqual([["note\none"], ["note\ntwo", "note\nthree"], []]);
  });

  it("counts what the customer's page has reported before an apology as unanswered", async () => {
    const seen: (readonly string[])[] = [];
    const watch: Extension = {
      name: "watch",
      answer: async ({ reported }, { draft, next }) => (seen.push(reported.map(({ text }) => text)), next(draft)),
    };
    const { session } = await opened([watch], { reply: loop({ model: scripted([{ error: new Error("down") }, "Hello."]) }) });
    for (const note of ["one", "two"]) {
      await session.postCustom({ note }, { source: "customer_ui" });
      await session.send("Hi");
    }
    expect(seen).toEqual([["note\none"], ["note\none", "note\ntwo"]]);
  });

  it("passes on that the turn waits for a decision", async () => {
    const pay = defineTool({ name: "pay", description: "Pays.", effects: "once", approval: true, execute: () => "paid" });
    const model = scripted(({ messages }) =>
      messages.at(-1)?.role === "tool" ? "Done." : { text: "", calls: [{ call_id: "c1", name: "pay", arguments: {} }] },
    );
    const { session } = await opened([around("plain", [])], { reply: loop({ model, tools: [pay] }) });
    expect(await session.send("Pay")).toMatchObject({ status: "paused" });
  });

  it("commits what was added before, and leaves what is added meanwhile to the next commit, also if the state has changed", async () => {
    const below = await emptyStore("memory");
    const outcomes: string[] = [];
    const during: { run?: () => Promise<void> } = {};
    const store: typeof below = {
      ...forwarding(below),
      commit: async (commit) => {
        if (commit.session?.depends?.epoch === undefined) return below.commit(commit);
        const { run } = during;
        delete during.run;
        await run?.();
        const result = await below.commit(commit);
        outcomes.push(result.outcome === "refused" ? result.reason : result.outcome);
        return result;
      },
    };
    const other = await started({ store: below, agents: [agentWith([])], work: false });
    const { id } = await other.sessions.create({ agent: "a1" });
    const session = await other.sessions.get(id);
    const seen: unknown[] = [];
    const adds: Extension = {
      name: "adds",
      answer: async ({ journal }, { draft, next }) => {
        const add = (note: string): void => journal.apply({ type: "stage", name: "adds" }, { notes: [note] }, { writes: ["notes"] });
        during.run = async () => {
          add("meanwhile");
          await session.edit({ notes: ["by hand"] });
        };
        add("first");
        await journal.flush();
        seen.push(journal.state["notes"], journal.size, (await session.state()).document["notes"]);
        await journal.flush();
        add("last");
        await journal.flush();
        return next(draft);
      },
    };
    const working = await started({ store, agents: [agentWith([adds])] });
    expect(await (await working.sessions.get(id)).send("Hi")).toMatchObject({ status: "completed", reply: "Hello." });
    expect(seen).toEqual([["by hand", "first", "meanwhile"], 1, ["by hand", "first"]]);
    expect((await session.state()).document["notes"]).toEqual(["by hand", "first", "meanwhile", "last"]);
    // Only the edit was in the way: each commit knows where the state is that the one before has written.
    expect([outcomes[0], new Set(outcomes.slice(1))]).toEqual(["stale_base", new Set(["committed"])]);
  });

  it("sets fields for the turn alone, also if the state has changed, and without a commit of their own", async () => {
    const Held = defineState({
      message: input(z.string()),
      count: reduced(z.number()),
      note: turn(z.string(), { show: "output" }),
      held: loaded(z.string()),
    });
    const below = await emptyStore("memory");
    let commits = 0;
    const during: { edit?: () => Promise<unknown> } = {};
    const store: typeof below = {
      ...forwarding(below),
      commit: async (commit) => {
        commits += 1;
        const { edit } = during;
        delete during.edit;
        await edit?.();
        return below.commit(commit);
      },
    };
    const seen: unknown[] = [];
    const holds: Extension = {
      name: "holds",
      answer: async ({ journal }, { draft, next }) => {
        await journal.flush();
        commits = 0;
        journal.load({ held: "for now" });
        await journal.flush();
        seen.push(commits);
        const session = await sessions.get(id);
        during.edit = () => session.edit({ count: 7 });
        journal.apply({ type: "stage", name: "holds" }, { count: 8, note: "noted" }, { writes: ["count", "note"] });
        await journal.flush();
        seen.push(journal.state);
        return next(draft);
      },
    };
    const agent = defineAgent({ name: "a1", version: 1, state: Held, extensions: [holds], reply: loop({ model: scripted(() => "Hello.") }) });
    const { sessions } = await started({ store, agents: [agent] });
    const { id } = await sessions.create({ agent: "a1" });
    const session = await sessions.get(id);
    expect(await session.send("Hi")).toMatchObject({ status: "completed", output: { note: "noted" } });
    expect(seen).toMatchObject([0, { held: "for now", count: 8, note: "noted" }]);
    expect((await session.state()).document).toEqual({ count: 8 });
    const entries = (await collect(session, { kinds: ["turn"] })).map(({ data }) => data);
    expect(entries).toContainEqual({ type: "fields", patch: [{ op: "add", path: "/note", value: "noted" }] });
  });

  it.each([
    [3, "completed"],
    [4, "session.conflict"],
  ])("applies its changes again when the state has changed, up to three times in a row: %i times", async (times, result) => {
    const below = await emptyStore("memory");
    let edits = 0;
    const store: typeof below = {
      ...forwarding(below),
      commit: async (commit) => {
        if (commit.session?.depends?.base !== undefined && edits++ < times) await session.edit({ notes: [`${edits}`] });
        return below.commit(commit);
      },
    };
    const other = await started({ store: below, agents: [agentWith([])], work: false });
    const session = await other.sessions.create({ agent: "a1" });
    const noted = stage("noted", { state: State, writes: ["notes"] }, () => ({ notes: ["kept"] }));
    const working = await started({ store, agents: [agentWith([], { stages: [noted] })] });
    const sent = (await working.sessions.get(session.id)).send("Hi");
    expect(
      await sent.then(
        ({ status }) => status,
        (error: unknown) => ThroughlineError.is(error) && error.code,
      ),
    ).toBe(result);
    if (result === "completed") expect((await session.state()).document["notes"]).toEqual(["1", "2", "3", "kept"]);
  });

  it("is asked again by whoever takes the turn over, and finds what it had written", async () => {
    const store = await emptyStore("memory");
    const mortal = mortalStore(store);
    const seen: unknown[] = [];
    const reached = gate();
    const twice = (dies: boolean): Extension => ({
      name: "twice",
      answer: async (turn: ExtensionTurn, { draft, next }) => {
        seen.push([turn.journaled.has("twice"), turn.journal.state]);
        if (!turn.journaled.has("twice"))
          turn.journal.apply(
            { type: "stage", name: "twice" },
            { notes: ["once"] },
            { writes: ["notes"], stage: { name: "twice", ms: 1, control: {} } },
          );
        await turn.journal.flush();
        if (dies) {
          mortal.die();
          reached.open();
          return new Promise(() => {});
        }
        return next(draft);
      },
    });
    const dying = await createRuntime({ store: mortal.store, agents: [agentWith([twice(true)])], leaseMs: 100, heartbeatMs: 20 });
    const { id } = await dying.sessions.create({ agent: "a1" });
    await (await dying.sessions.get(id)).post("Hi");
    await reached.opened;
    const runtime = await started({ store, agents: [agentWith([twice(false)])], leaseMs: 100, heartbeatMs: 20, pollMs: 5 });
    const session = await runtime.sessions.get(id);
    await expect.poll(async () => (await session.messages()).at(-1)?.text).toBe("Hello.");
    expect(seen).toMatchObject([
      [false, { notes: [] }],
      [true, { notes: ["once"] }],
    ]);
    expect((await session.state()).document).toMatchObject({ notes: ["once"] });
  });

  it("fails its turn with the apology where it throws, and the message stays", async () => {
    const broken: Extension = { name: "broken", answer: () => Promise.reject(new Error("broken")) };
    const { session } = await opened([broken], { apology: "Sorry." });
    expect(await session.send("Hi")).toMatchObject({
      ...{ status: "failed", reply: "Sorry." },
      error: { code: "extension.failed", details: { extension: "broken" } },
    });
    expect((await session.messages()).map(({ text }) => text)).toEqual(["Hi", "Sorry."]);
  });
});

describe("accept", () => {
  it("puts an urgent message in front, and what it adds into the commit of the message", async () => {
    const given: unknown[] = [];
    const watch: Extension = {
      name: "watch",
      accept: ({ text, kind }) => ({
        urgent: text === "Help",
        answerMs: 0,
        beside: async ({ answered, trace_id }) => {
          given.push([kind, answered]);
          return answered ? undefined : { assessed: { audit_id: "a", level: 1 }, records: [{ kind: "watch", key: trace_id, data: { text } }] };
        },
      }),
    };
    const { runtime, session } = await opened([watch]);
    await session.send("Hi");
    await session.postCustom({ note: "page" }, { source: "customer_ui" });
    await session.setMode("manual");
    await session.post("Help");
    expect(given).toEqual([
      ["message", true],
      ["custom", false],
      ["message", false],
    ]);
    expect((await collect(session, { kinds: ["assessment"] })).map(({ data }) => data)).toEqual([
      { audit_id: "a", level: 1 },
      { audit_id: "a", level: 1 },
    ]);
    expect((await runtime.store.list({ of: "records", kind: "watch" })).items).toHaveLength(2);
  });

  it("takes an urgent message beyond the number that may wait", async () => {
    const watch: Extension = { name: "watch", accept: ({ text }) => ({ urgent: text === "Help", answerMs: 0, beside: async () => undefined }) };
    const runtime = await started({ agents: [agentWith([watch], { waitingLimit: 1 })], work: false });
    const session = await runtime.sessions.create({ agent: "a1" });
    await session.post("one");
    expect(await code(session.post("two"))).toBe("session.too_many_waiting");
    await session.post("Help");
    expect((await session.pending()).waiting).toHaveLength(2);
  });

  it("of several the most urgent counts, and the gravest is noted", async () => {
    const says = (name: string, urgent: boolean, level: number): Extension => ({
      name,
      accept: () => ({
        urgent,
        answerMs: 0,
        beside: async ({ trace_id }) => ({ assessed: { audit_id: name, level }, records: [{ kind: "says", key: `${trace_id}/${name}`, data: {} }] }),
      }),
    });
    const { runtime, session } = await opened([says("low", false, 1), says("high", true, 3)]);
    await session.setMode("manual");
    await session.post("Hi");
    expect((await collect(session, { kinds: ["assessment"] })).map(({ data }) => data)).toEqual([{ audit_id: "high", level: 3 }]);
    expect((await runtime.store.list({ of: "records", kind: "says" })).items).toHaveLength(2);
  });
});

describe("withoutStore", () => {
  it("answers where the store is gone", async () => {
    const store = await emptyStore("memory");
    let gone = false;
    const failing = {
      ...store,
      commit: async (...given: Parameters<typeof store.commit>) =>
        gone ? Promise.reject(new ThroughlineError("store.corrupt")) : store.commit(...given),
    };
    const runtime = await started({ store: failing, agents: [agentWith([{ name: "down", ...down }])] });
    const session = await runtime.sessions.create({ agent: "a1" });
    gone = true;
    expect(await session.send("Hi")).toMatchObject({ status: "failed", saved: false, reply: 'I heard "Hi" (false).' });
    const error = await session.post("Hi").catch((reason: unknown) => reason);
    expect(ThroughlineError.is(error) && error.details).toMatchObject({ saved: false, reply: 'I heard "Hi" (false).' });
    gone = false;
  });
});

describe("other points", () => {
  /** The outcome of a message whose turn cannot start, because the stored state does not fit the definition. */
  const outcomeOfUnreadable = async (extensions: readonly Extension[], logger?: Logger, lost = 0) => {
    const { runtime, session } = await opened([]);
    await session.send("Hi");
    await session.edit({ notes: ["x"] });
    await runtime.close();
    const newer = defineAgent({
      ...{ name: "a1", version: 1, state: defineState({ message: input(z.string()), notes: reduced(z.number(), { initial: 0 }) }) },
      ...{ extensions, apology: "Sorry.", reply: loop({ model: scripted(() => "Hello.") }) },
    });
    const desk = await started({ store: runtime.store, agents: [newer], work: false });
    const { offset } = await (await desk.sessions.get(session.id)).post("Now?");
    for (let claims = 0; claims < lost; claims++) {
      await runtime.store.claim({ kind: "session", session_id: session.id, worker: "elsewhere/1/x", lease_ms: 1 });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const again = await started({ store: runtime.store, agents: [newer], ...(logger === undefined ? {} : { logger }) });
    return { outcome: await (await again.sessions.get(session.id)).outcome(offset), store: again.store };
  };

  it("insteadOfApology speaks for a turn that could not begin", async () => {
    const spoken: unknown[] = [];
    const instead: Extension = {
      name: "instead",
      insteadOfApology: async ({ text }) => (spoken.push(text), { text: "Later.", records: [{ kind: "instead", key: "one", data: { text } }] }),
    };
    const { outcome, store } = await outcomeOfUnreadable([{ name: "silent", insteadOfApology: async () => undefined }, instead]);
    expect(outcome).toMatchObject({ status: "failed", reply: "Later." });
    expect(spoken).toEqual(["Now?"]);
    expect((await store.list({ of: "records", kind: "instead" })).items).toMatchObject([{ data: { text: "Now?" } }]);
  });

  it.each<[string, readonly Extension[], string]>([
    ["the next one speaks", [{ name: "next", insteadOfApology: async () => ({ text: "Later." }) }], "Later."],
    ["the turn ends with the apology", [], "Sorry."],
  ])("insteadOfApology that throws is logged, and %s", async (_what, others, reply) => {
    const { logged, logger } = reporting();
    const broken: Extension = { name: "broken", insteadOfApology: () => Promise.reject(new Error("no")) };
    const { outcome } = await outcomeOfUnreadable([{ name: "silent" }, broken, ...others], logger);
    expect(outcome).toMatchObject({ status: "failed", reply });
    expect(logged).toEqual([
      ["turn failed", undefined],
      ["an extension failed for a turn that could not start", "broken"],
    ]);
  });

  it("insteadOfApology whose store fails leaves the turn for another attempt, until the last one ends it", async () => {
    const claims: number[] = [];
    const broken: Extension = {
      name: "broken",
      insteadOfApology: ({ claim }) => (claims.push(claim.turn.attempts), Promise.reject(new ThroughlineError("store.unreachable"))),
    };
    expect(await outcomeOfUnreadable([broken], undefined, 1)).toMatchObject({ outcome: { status: "failed", reply: "Sorry." } });
    expect(claims).toEqual([2, 3]);
  });

  it("accept inspects each input once", async () => {
    const inspected: string[] = [];
    const counts: Extension = { ...down, name: "counts", accept: ({ text, kind }) => (inspected.push(`${kind} ${text}`), undefined) };
    const { session } = await opened([counts]);
    await session.send("one");
    await session.post("two");
    await session.postCustom("three", { source: "customer_ui" });
    expect(inspected).toEqual(["message one", "message two", "custom three"]);
  });

  it("finished hears of each turn that has ended, and keeps nobody from anything where it throws", async () => {
    const heard: string[] = [];
    const logged: unknown[] = [];
    const logger: Logger = { debug() {}, info() {}, warn() {}, error: (message, fields) => void logged.push([message, fields?.["extension"]]) };
    const broken: Extension = {
      name: "broken",
      finished: () => {
        throw new Error("no");
      },
    };
    const runtime = await started({
      agents: [agentWith([broken, { name: "hears", finished: ({ claim }) => void heard.push(claim.turn.turn_id) }])],
      logger,
    });
    const session = await runtime.sessions.create({ agent: "a1" });
    const { turn_id, status } = await session.send("Hi");
    expect(status).toBe("completed");
    await expect.poll(() => heard).toEqual([turn_id]);
    expect(logged).toEqual([["an extension failed after a turn", "broken"]]);
  });

  it("withdrawn decides what stays of the state", async () => {
    const stays: Extension = { name: "stays", withdrawn: ({ before, now }) => ({ ...before, notes: now["notes"] ?? [] }) };
    const noted = stage("noted", { state: State, writes: ["notes", "stages"] }, () => ({ notes: ["kept"], stages: ["gone"] }));
    const { session } = await opened([stays], { stages: [noted] });
    const { offset } = await session.send("Hi");
    await session.withdraw({ from: offset });
    expect((await session.state()).document).toMatchObject({ notes: ["kept"] });
    expect((await session.state()).document["stages"] ?? []).toEqual([]);
  });

  it("erased, prepare and background are of a process, once for each name", async () => {
    const calls: string[] = [];
    const made = (): Extension => ({
      name: "beside",
      prepare: () => void calls.push("prepare"),
      erased: (_context, owner) => void calls.push(`erased ${owner.startsWith("own") || owner.length > 0}`),
      background: (_context, { work }) => ({
        start: () => void calls.push(`start ${work}`),
        look: async () => {},
        close: async () => void calls.push("close"),
      }),
    });
    const runtime = await started({ agents: [agentWith([made()]), agentWith([made()], { name: "a2" })] });
    await runtime.sessions.open({ agent: "a1", customer: "ada" });
    await runtime.customers.delete("ada");
    await runtime.close();
    expect(calls).toEqual(["prepare", "start true", "erased true", "close"]);
  });
});

describe("api", () => {
  const shelves = new WeakMap<ExtensionContext, string[]>();
  const shelfOf = (context: ExtensionContext): string[] => {
    const shelf = shelves.get(context) ?? [];
    shelves.set(context, shelf);
    return shelf;
  };
  const shelf = defineExtension({
    name: "shelf",
    finished: ({ runtime, claim }) => void shelfOf(runtime).push(claim.session_id),
    api: (context) => ({
      runtime: { all: () => [...shelfOf(context)] },
      session: (id) => ({ mine: async () => shelfOf(context).filter((one) => one === id).length, agents: [...context.agents.keys()] }),
      customer: (id) => ({ name: () => `shelf of ${id}` }),
    }),
  });

  it("adds to the runtime, its sessions and its customers, typed by the extension", async () => {
    const { runtime, session } = await opened([shelf]);
    const other = await runtime.sessions.create({ agent: "a1" });
    await session.send("Hi");
    await expect.poll(() => runtime.extension(shelf).all()).toEqual([session.id]);
    expect(await session.extension(shelf).mine()).toBe(1);
    expect(await other.extension(shelf).mine()).toBe(0);
    expect(await (await session.fork()).extension(shelf).mine()).toBe(0);
    expect(runtime.customers.extension(shelf, "ada").name()).toBe("shelf of ada");
    expect(() => runtime.customers.extension(shelf, " ")).toThrow(/A customer's id/);
  });

  it("is made once in a runtime, and is there where no agent declares the extension", async () => {
    const { runtime, session } = await opened([]);
    expect(session.extension(shelf).agents).toEqual(["a1"]);
    expect(runtime.extension(shelf)).toBe(runtime.extension(shelf));
    const { runtime: second } = await opened([]);
    expect(second.extension(shelf)).not.toBe(runtime.extension(shelf));
  });

  it("is refused, by the compiler too, where the extension adds nothing", async () => {
    const { runtime, session } = await opened([]);
    const silent = defineExtension({ name: "silent" });
    // @ts-expect-error it adds nothing to a session
    expect(() => session.extension(silent)).toThrow(/has the point "api"/);
    const half = defineExtension({ name: "half", api: () => ({ runtime: {} }) });
    // @ts-expect-error it adds something to the runtime alone
    expect(() => runtime.customers.extension(half, "ada")).toThrow();
  });

  it("gives forks the members of their session's class", async () => {
    const { session } = await opened([]);
    const fork = await session.fork();
    expect(fork).toBeInstanceOf(Session);
    expect(await fork.feedback("positive")).toMatchObject({ label: "positive" });
  });
});

describe("observe", () => {
  const watched = (name: string, seen: string[]): Extension => ({
    name,
    observe: async (work, next) => {
      const what = "name" in work ? `${work.kind} ${work.name}` : work.kind;
      seen.push(`${name} ${what}`);
      const { outcome, result, finish_reason, error } = await next();
      seen.push(`${name} ${what} ${outcome?.status ?? result?.type ?? finish_reason ?? (error === undefined ? "ended" : "failed")}`);
    },
  });

  const looks = { name: "look", description: "Looks.", effects: "none", parameters: z.object({}) } as const;
  const tool = defineTool({ ...looks, execute: () => "seen" });
  const more = {
    stages: [stage("triage", { state: State, writes: [] }, () => ({}))],
    reply: loop({ model: scripted([{ calls: [{ call_id: "1", name: "look", arguments: {} }] }, "Hello."]), tools: [tool] }),
  };

  it("surrounds the pieces of a turn in their order, the first extension outermost", async () => {
    const seen: string[] = [];
    const { session } = await opened([watched("a", seen), watched("b", seen)], more);
    await session.send("Hi");
    expect(seen.filter((one) => one.startsWith("a "))).toEqual([
      ...["a turn", "a answer", "a stage triage", "a stage triage ended", "a model", "a model tool_calls"],
      ...["a tool look", "a tool look ok", "a model", "a model stop", "a answer completed", "a turn completed"],
    ]);
    expect(seen.slice(0, 2)).toEqual(["a turn", "b turn"]);
    expect(seen.slice(-2)).toEqual(["b turn completed", "a turn completed"]);
  });

  it("changes nothing, whatever an observer does", async () => {
    const observers: readonly NonNullable<Extension["observe"]>[] = [
      () => Promise.reject(new Error("broken")),
      () => Promise.resolve("no call of next"),
      async (_work, next) => [await next(), await next()],
      async (_work, next) => {
        await next();
        throw new Error("late");
      },
      () => {
        throw new Error("at once");
      },
    ];
    for (const observe of observers) {
      let calls = 0;
      const counted = defineTool({ ...looks, execute: () => `seen ${(calls += 1)}` });
      const model = scripted([{ calls: [{ call_id: "1", name: "look", arguments: {} }] }, "Hello."]);
      const { session } = await opened([{ name: "watching", observe }], { reply: loop({ model, tools: [counted] }) });
      expect(await session.send("Hi")).toMatchObject({ status: "completed", reply: "Hello." });
      expect(calls).toBe(1);
    }
  });

  it("learns why a piece failed, and logs its own failure by the observer's name", async () => {
    const ends: unknown[] = [];
    const logged: unknown[] = [];
    const logger: Logger = { ...reporting().logger, warn: (message, fields) => void logged.push([message, fields?.["extension"], fields?.["work"]]) };
    const failing = stage("triage", { state: State, writes: [] }, () => {
      throw new Error("no");
    });
    const observe: NonNullable<Extension["observe"]> = async (work, next) => {
      const end = await next();
      if (work.kind === "stage") ends.push(end.error);
      if (work.kind === "turn") throw new Error("mine");
    };
    const runtime = await started({ agents: [agentWith([{ name: "watching", observe }], { stages: [failing] })], logger });
    await (await runtime.sessions.create({ agent: "a1" })).send("Hi");
    expect(ends).toMatchObject([{ code: "stage.failed" }]);
    expect(logged).toEqual([["an extension failed to observe", "watching", "turn"]]);
  });

  it("adds headers to what models and tools send", async () => {
    const got: unknown[] = [];
    const sending = defineTool({ ...looks, execute: (_args, { traceHeaders }) => (got.push({ ...traceHeaders }), "sent") });
    const model: Model = {
      name: "m",
      async *stream({ messages }, { headers }) {
        got.push(headers);
        const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 };
        if (messages.at(-1)?.role !== "tool") {
          yield { type: "tool_call", call: { call_id: "1", name: "look", arguments: {} } };
          yield { type: "finish", reason: "tool_calls", usage };
        } else {
          yield { type: "text_delta", text: "Hello." };
          yield { type: "finish", reason: "stop", usage };
        }
      },
    };
    const marking: Extension = {
      name: "marking",
      observe: (work, next) => {
        if (work.kind === "model" || work.kind === "tool") work.headers["x-mark"] = work.kind;
        return next();
      },
    };
    await (await opened([marking], { reply: loop({ model, tools: [sending] }) })).session.send("Hi");
    await (await opened([], { reply: loop({ model, tools: [sending] }) })).session.send("Hi");
    expect(got).toEqual([{ "x-mark": "model" }, { "x-mark": "tool" }, { "x-mark": "model" }, undefined, {}, undefined]);
  });
});

describe("the table of docs/reference/extensions.md", () => {
  it("has every point with its kind", () => {
    const page = readFileSync(join(root, "docs/reference/extensions.md"), "utf8");
    const rows = [...page.matchAll(/^\| `(\w+)` \| (first|collect|sequence|wrap|one) \|/gm)].map(([, name, kind]) => [name, kind]);
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(Object.entries(extensionPoints).filter(([, kind]) => kind !== "value")));
  });
});

/** The entries of a customer that an extension of ours keeps, as they stand. */
const notesOf = async (runtime: Awaited<ReturnType<typeof started>>, customer: string): Promise<readonly unknown[]> => {
  const { owner_id } = await runtime.customers.get(customer);
  const last = new Map((await runtime.store.entries({ owner_id, kinds: ["note"] })).map((row) => [row.entry_id, row.data]));
  return [...last.values()].filter((data) => data !== null);
};

/** An extension that keeps what was said as entries of the owner. */
const noting: Extension = {
  name: "noting",
  finish: async ({ answered, claim }) => ({
    entries: answered.map(({ offset, text }) => ({ entry_id: `${claim.session_id}/${offset}`, kind: "note", data: { offset, text } })),
  }),
};

describe("history", () => {
  const without = (name: string, word: string, order: string[]): Extension => ({
    name,
    history: async ({ answers }, next) => {
      const shown = await next();
      order.push(name);
      return { ...shown, messages: shown.messages.filter(({ offset, text }) => answers.includes(offset) || !text.includes(word)) };
    },
  });

  it("wraps what a turn is shown, in stages and for the model, and stays out of the log", async () => {
    const order: string[] = [];
    const seen: string[][] = [];
    const model = scripted(({ messages }) => (seen.push(messages.map(({ text }) => text)), "Hello."));
    const guard: Extension = { ...without("guard", "card", order), guards: true };
    const { session } = await opened([without("plain", "code", order), guard], { reply: loop({ model }) });
    await session.send("My card is 4111.");
    await session.send("The code is 12.");
    order.length = 0;
    await session.send("What do you know?");
    expect(seen.at(-1)).toEqual(["Hello.", "Hello.", "What do you know?"]);
    expect(order).toEqual(["plain", "guard"]);
    expect((await session.messages()).map(({ text }) => text)).toContain("My card is 4111.");
  });

  it("comes after what the owner has had forgotten, also of agents without a memory", async () => {
    const shown: string[][] = [];
    const looks: Extension = {
      name: "looks",
      history: async (_beginning, next) => {
        const { messages, ...rest } = await next();
        shown.push(messages.map(({ text }) => text));
        return { messages, ...rest };
      },
    };
    const { runtime, session } = await opened([looks, { ...noting, finish: async () => ({ entries: [] }) }]);
    const { offset } = await session.send("Forget this.");
    const { owner_id } = await session.info().then(async () => (await runtime.store.open({ session_id: session.id }))!);
    const mask = { type: "mask", session_id: session.id, offsets: [offset], recorded_at: 1 };
    const owner = { owner_id, depends: { version: (await runtime.store.open({ session_id: session.id }))!.owner_version } };
    await runtime.store.commit({
      ...{ commit_id: "cmt_mask", at: 1 },
      owner: { ...owner, entries: [{ entry_id: `mask:${session.id}`, kind: "mask", data: mask }] },
    });
    await session.send("Hi");
    expect(shown.at(-1)).toEqual(["Hello.", "Hi"]);
  });

  it("reads in the way that the outermost extension asks for, unless one within it asks for another", async () => {
    const seen: unknown[] = [];
    const reads = (name: string, readMs?: number): Extension => ({
      name,
      history: async (_beginning, next) => {
        const shown = await next(readMs === undefined ? undefined : { readMs });
        seen.push([name, shown.readMs]);
        return shown;
      },
    });
    const { session } = await opened([reads("outer", 7), reads("inner")]);
    await session.send("Hi");
    expect(seen).toEqual([
      ["inner", 7],
      ["outer", 7],
    ]);
  });

  it.each([
    ["is shown anew, without them, if words are forgotten while the turn runs", true, 2],
    ["stays if the owner changes in another way while the turn runs", false, 1],
  ])("%s", async (_what, forgets, runs) => {
    const asked: string[][] = [];
    const model = scripted(({ messages }) => (asked.push(messages.map(({ text }) => text)), "Hello."));
    let ran = 0;
    const changes = stage("changes", { state: State, writes: [] }, async ({ context }) => {
      if (context.messages.at(-1)?.text !== "Hi" || ran++ > 0) return;
      const row = await runtime.store.open({ session_id: context.session_id });
      if (row === undefined) return;
      const { owner_id, owner_version: version } = row;
      const mask = { type: "mask", session_id: context.session_id, offsets: [1], recorded_at: 1 };
      await runtime.store.commit({
        ...{ commit_id: "cmt_mask", at: 1 },
        owner: { owner_id, depends: { version }, entries: [{ entry_id: "one", kind: forgets ? "mask" : "note", data: forgets ? mask : {} }] },
      });
    });
    const { runtime, session } = await opened([], { stages: [changes], reply: loop({ model }) });
    await session.send("Forget this.");
    expect(await session.send("Hi")).toMatchObject({ status: "completed", reply: "Hello." });
    expect(ran).toBe(runs);
    expect(asked.at(-1)).toEqual([...(forgets ? [] : ["Forget this."]), "Hello.", "Hi"]);
  });

  it("fails its turn with the apology where it throws, and the message stays", async () => {
    const { session } = await opened([{ name: "broken", history: () => Promise.reject(new Error("broken")) }], { apology: "Sorry." });
    expect(await session.send("Hi")).toMatchObject({ status: "failed", reply: "Sorry.", error: { code: "extension.failed" } });
    expect((await session.messages()).map(({ text }) => text)).toEqual(["Hi", "Sorry."]);
  });
});

describe("stages", () => {
  const own = stage("own", { state: State, writes: ["stages"] }, () => ({ stages: ["own"] }));
  const placed = (name: string, more: Partial<PlacedStage> = {}): PlacedStage => ({
    name,
    run: async ({ journal, journaled, diagnostics }) => {
      if (journaled.has(name)) return;
      diagnostics[`${name}_seen`] = 1;
      journal.apply({ type: "stage", name }, { stages: [name] }, { writes: ["stages"], stage: { name, ms: 1, control: {} } });
    },
    ...more,
  });

  it("run at their places among the agent's, with their numbers at the end of the turn", async () => {
    const order: string[] = [];
    const ahead = (): (() => void) => (order.push("ahead"), () => void order.push("over"));
    const model = scripted(() => (order.push("model"), "Hello."));
    const { session } = await opened([{ name: "adds", stages: [placed("after", { ahead }), placed("first", { before: "own" })] }], {
      ...{ stages: [own], reply: loop({ model }) },
    });
    await session.send("Hi");
    expect((await session.state()).document).toMatchObject({ stages: ["first", "own", "after"] });
    const entries = (await collect(session, { kinds: ["turn"] })).map(({ data }) => data as { type: string; name?: string; diagnostics?: unknown });
    expect(entries.flatMap(({ type, name }) => (type === "stage" ? [name] : []))).toEqual(["first", "own", "after"]);
    expect(entries.at(-1)?.diagnostics).toMatchObject({ first_seen: 1, after_seen: 1 });
    expect(order).toEqual(["ahead", "over", "model"]);
  });

  it("are refused under the name of one of the agent's, and at a place that there is not", () => {
    expect(() => agentWith([{ name: "adds", stages: [placed("own")] }], { stages: [own] })).toThrow(/stage "own", which the extension "adds" adds/);
    expect(() => agentWith([{ name: "adds", stages: [placed("x", { before: "other" })] }], { stages: [own] })).toThrow(/before the stage "other"/);
  });

  it("fail their turn with the name of the extension", async () => {
    const { session } = await opened([{ name: "adds", stages: [placed("x", { run: () => Promise.reject(new Error("no")) })] }]);
    expect(await session.send("Hi")).toMatchObject({ status: "failed", error: { code: "extension.failed", details: { extension: "adds" } } });
  });
});

describe("hands", () => {
  it("gives stages and tools something under the extension's name, and never in the place of the runtime's own", async () => {
    const seen: unknown[] = [];
    const handing: Extension = { name: "till", hands: (turn, { step_id }) => ({ of: turn.claim.session_id, asked: step_id !== undefined }) };
    const shadow: Extension = { name: "signal", hands: () => ({}) };
    const look = stage(
      "look",
      { state: State, writes: [] },
      (given) => void seen.push((given as { till?: unknown }).till, given.signal instanceof AbortSignal),
    );
    const tool = defineTool({
      ...{ name: "look_up", description: "Looks.", parameters: { type: "object", properties: {}, additionalProperties: false } as const },
      effects: "none",
      execute: (_, context) => (seen.push((context as { till?: unknown }).till), "ok"),
    });
    const model = scripted(({ messages }) =>
      messages.at(-1)?.role === "tool" ? "Hello." : { calls: [{ call_id: "c1", name: "look_up", arguments: {} }] },
    );
    const { session } = await opened([handing, shadow], { stages: [look], reply: loop({ model, tools: [tool] }) });
    await session.send("Hi");
    expect(seen).toEqual([{ of: session.id, asked: false }, true, { of: session.id, asked: true }]);
  });
});

describe("finish", () => {
  it("is part of the commit that ends the turn: entries of the owner, and records", async () => {
    const counted: Extension = { name: "counted", finish: async ({ claim }) => ({ records: [{ kind: "end", key: claim.turn.turn_id, data: {} }] }) };
    const runtime = await started({ agents: [agentWith([noting, counted])] });
    const session = await runtime.sessions.open({ agent: "a1", customer: "ada" });
    const { offset } = await session.send("Hi");
    expect(await notesOf(runtime, "ada")).toEqual([{ offset, text: "Hi" }]);
    expect((await runtime.store.list({ of: "records", kind: "end" })).items).toHaveLength(1);
  });

  it("is asked again when the owner has changed meanwhile, and what it said before did not happen", async () => {
    const versions: number[] = [];
    const late: Extension = {
      name: "late",
      finish: async (_turn, { owner: { version } }) => {
        if (versions.push(version) === 1) await runtime.customers.setVariables("ada", { set: { plan: "pro" } });
        return { entries: [{ entry_id: `try/${versions.length}`, kind: "note", data: { version } }] };
      },
    };
    const runtime = await started({ agents: [agentWith([late])] });
    const session = await runtime.sessions.open({ agent: "a1", customer: "ada" });
    expect(await session.send("Hi")).toMatchObject({ status: "completed" });
    expect(versions).toHaveLength(2);
    expect(versions[1]).toBeGreaterThan(versions[0]!);
    expect(await notesOf(runtime, "ada")).toEqual([{ version: versions[1] }]);
    expect((await session.messages()).map(({ text }) => text)).toEqual(["Hi", "Hello."]);
  });

  it("is left out where it fails, which is logged, and the reply is given", async () => {
    const logged: unknown[] = [];
    const logger: Logger = { debug() {}, info() {}, warn() {}, error: (message, fields) => void logged.push([message, fields?.["extension"]]) };
    const runtime = await started({ agents: [agentWith([{ name: "broken", finish: () => Promise.reject(new Error("no")) }, noting])], logger });
    const session = await runtime.sessions.open({ agent: "a1", customer: "ada" });
    expect(await session.send("Hi")).toMatchObject({ status: "completed", reply: "Hello." });
    expect(await notesOf(runtime, "ada")).toHaveLength(1);
    expect(logged).toEqual([["an extension failed at the end of a turn", "broken"]]);
  });

  const counting = () => {
    const counts = { asked: 0, finished: 0 };
    return { counts, reply: loop({ model: scripted(() => ((counts.asked += 1), "Hello.")) }) };
  };
  const leftOut = (name: string) => ["an extension failed at the end of a turn", name];

  it.each(["session.not_found", "session.conflict", "agent.not_found", "turn.fenced", "aborted"] as const)(
    "is left out where it throws %s, which is not about its turn",
    async (code) => {
      const { logged, logger } = reporting();
      const { counts, reply } = counting();
      const broken: Extension = { name: "broken", finish: () => Promise.reject(new ThroughlineError(code)) };
      const runtime = await started({ agents: [agentWith([broken, noting], { reply })], logger });
      const session = await runtime.sessions.open({ agent: "a1", customer: "ada" });
      expect(await session.send("Hi")).toMatchObject({ status: "completed", reply: "Hello." });
      expect(await notesOf(runtime, "ada")).toHaveLength(1);
      expect(logged).toEqual([leftOut("broken")]);
      expect(counts.asked).toBe(1);
    },
  );

  it("is asked again where its record has changed", async () => {
    const { counts, reply } = counting();
    const late: Extension = {
      name: "late",
      finish: async () => ({ records: [{ kind: "end", key: "one", depends: { version: counts.finished++ === 0 ? 7 : 0 }, data: {} }] }),
    };
    const { runtime, session } = await opened([late], { reply });
    expect(await session.send("Hi")).toMatchObject({ status: "completed", reply: "Hello." });
    expect(counts).toEqual({ asked: 1, finished: 2 });
    expect((await runtime.store.list({ of: "records", kind: "end" })).items).toHaveLength(1);
  });

  it.each([
    ["whose record is never at that version", { depends: { version: 7 } }],
    ["whose record belongs to a session that is not there", { session_id: "ses_gone" as never }],
    ["whose record belongs to an owner who is not there", { owner_id: "own_gone" as never }],
  ])("is left out after three refusals, if it is one %s", async (_what, more) => {
    const { logged, logger } = reporting();
    const { counts, reply } = counting();
    const stale: Extension = {
      name: "stale",
      finish: async () => ((counts.finished += 1), { records: [{ kind: "end", key: "one", data: {}, ...more }] }),
    };
    const fine: Extension = {
      name: "fine",
      finish: async ({ claim: { session_id } }) => ({ records: [{ kind: "end", key: "fine", data: {}, session_id }] }),
    };
    const broken: Extension = { name: "broken", finish: () => Promise.reject(new Error("no")) };
    const runtime = await started({ agents: [agentWith([fine, stale, noting, broken], { reply })], logger });
    const session = await runtime.sessions.open({ agent: "a1", customer: "ada" });
    expect(await session.send("Hi")).toMatchObject({ status: "completed", reply: "Hello." });
    expect(await notesOf(runtime, "ada")).toHaveLength(1);
    expect((await runtime.store.list({ of: "records", kind: "end" })).items).toMatchObject([{ key: "fine" }]);
    expect(logged.filter((line) => JSON.stringify(line) !== JSON.stringify(leftOut("broken")))).toEqual([leftOut("stale")]);
    expect(counts).toEqual({ asked: 1, finished: 3 });
  });

  it("is asked again where the log has grown past the head that it depends on", async () => {
    const { counts, reply } = counting();
    const late: Extension = { name: "late", finish: async () => (counts.finished++ === 0 ? { head: 0 } : {}) };
    const { session } = await opened([{ name: "fine", finish: async () => ({}) }, late], { reply });
    expect(await session.send("Hi")).toMatchObject({ status: "completed", reply: "Hello." });
    expect(counts).toEqual({ asked: 1, finished: 2 });
  });

  it("is asked again as often as the log grows while it works", async () => {
    const { logged, logger } = reporting();
    const { counts, reply } = counting();
    const late: Extension = {
      name: "late",
      finish: async ({ runtime: { store }, claim: { session_id } }) => {
        const head = (await store.open({ session_id }))?.head ?? -1;
        if (counts.finished++ < 5) await session.postCustom({ note: "page" });
        return { head };
      },
    };
    const runtime = await started({ agents: [agentWith([late], { reply })], logger });
    const session = await runtime.sessions.create({ agent: "a1" });
    expect(await session.send("Hi")).toMatchObject({ status: "completed", reply: "Hello." });
    expect([counts, logged]).toEqual([{ asked: 1, finished: 6 }, []]);
  });

  it("is asked at most 64 times for an owner who changes each time; then the turn is given back", async () => {
    let tries = 0;
    const late: Extension = {
      name: "late",
      finish: async () => {
        await runtime.customers.setVariables("ada", { set: { tries: (tries += 1) } });
        return { entries: [{ entry_id: "one", kind: "note", data: {} }] };
      },
    };
    const runtime = await started({ agents: [agentWith([late])] });
    const session = await runtime.sessions.open({ agent: "a1", customer: "ada" });
    expect(await code(session.send("Hi"))).toBe("session.conflict");
    expect(tries).toBe(64);
  });

  it("is asked again for the customer whom the session was given meanwhile", async () => {
    let tries = 0;
    const late: Extension = {
      name: "late",
      finish: async () => {
        if (tries++ === 0) await session.identify({ customer: "ada" });
        return { entries: [{ entry_id: "one", kind: "note", data: {} }] };
      },
    };
    const runtime = await started({ agents: [agentWith([late])] });
    const session = await runtime.sessions.create({ agent: "a1" });
    expect(await session.send("Hi")).toMatchObject({ status: "completed" });
    expect(await notesOf(runtime, "ada")).toEqual([{}]);
  });

  it("is asked once if it writes nothing to the owner who has changed meanwhile, and may return nothing at all", async () => {
    const { logged, logger } = reporting();
    let tries = 0;
    const plain: Extension = {
      name: "plain",
      finish: async () => {
        tries += 1;
        await runtime.customers.setVariables("ada", { set: { tries } });
        return { records: [{ kind: "end", key: "one", data: {} }] };
      },
    };
    const runtime = await started({ agents: [agentWith([plain, { name: "silent", finish: async () => undefined }])], logger });
    const session = await runtime.sessions.open({ agent: "a1", customer: "ada" });
    expect(await session.send("Hi")).toMatchObject({ status: "completed" });
    expect(logged).toEqual([]);
    expect((await runtime.store.list({ of: "records", kind: "end" })).items).toHaveLength(1);
  });

  it.each([
    ["that the log has passed", 0, 4],
    ["that the log has not reached", 9_999, 3],
  ])("is left out after three refusals of a head %s", async (_what, head, finished) => {
    const { logged, logger } = reporting();
    const { counts, reply } = counting();
    const stale: Extension = { name: "stale", finish: async () => ((counts.finished += 1), { head }) };
    const runtime = await started({ agents: [agentWith([stale, noting], { reply })], logger });
    const session = await runtime.sessions.open({ agent: "a1", customer: "ada" });
    expect(await session.send("Hi")).toMatchObject({ status: "completed", reply: "Hello." });
    expect(await notesOf(runtime, "ada")).toHaveLength(1);
    expect(logged).toEqual([leftOut("stale")]);
    expect(counts).toEqual({ asked: 1, finished });
  });

  it.each<[string, FinishBeside, string]>([
    ["a record without a key", { records: [{ kind: "end", key: "", data: {} }] }, "extension.failed"],
    ["a record whose key is too long", { records: [{ kind: "end", key: "x".repeat(201), data: {} }] }, "extension.failed"],
    ["a record whose kind is too long", { records: [{ kind: "x".repeat(41), key: "one", data: {} }] }, "extension.failed"],
    ["a record whose kind no store holds", { records: [{ kind: "a\u0000b", key: "one", data: {} }] }, "extension.failed"],
    ["an entry without an id", { entries: [{ entry_id: "", kind: "note", data: {} }] }, "extension.failed"],
    ["an entry whose data is no object", { entries: [{ entry_id: "one", kind: "note", data: [] as never }] }, "extension.failed"],
    ["a record that JSON cannot hold", { records: [{ kind: "end", key: "one", data: { count: 1n as never } }] }, "extension.failed"],
    ["an entry without a kind", { entries: [{ entry_id: "one", kind: "", data: {} }] }, "extension.failed"],
    [
      "one wrong entry among others",
      {
        entries: [
          { entry_id: "one", kind: "note", data: {} },
          { entry_id: "two", kind: "note", data: 7 as never },
        ],
      },
      "extension.failed",
    ],
    [
      "one wrong record among others",
      {
        records: [
          { kind: "end", key: "one", data: {} },
          { kind: "end", key: "", data: {} },
        ],
      },
      "extension.failed",
    ],
    ["a head that is half an offset", { head: 0.5 }, "extension.failed"],
    ["a head before the log", { head: -1 }, "extension.failed"],
    ["records that are no list", { records: {} as never }, "internal"],
  ])("is left out for %s, which is logged, and the reply is given", async (_what, part, expected) => {
    const { logged, logger } = reporting("code");
    const runtime = await started({ agents: [agentWith([{ name: "wrong", finish: async () => part }, noting])], logger });
    const session = await runtime.sessions.open({ agent: "a1", customer: "ada" });
    expect(await session.send("Hi")).toMatchObject({ status: "completed", reply: "Hello." });
    expect(await notesOf(runtime, "ada")).toHaveLength(1);
    expect(logged).toEqual([leftOut(expected)]);
  });

  it("wins over what was kept before under the same key, and the later extension over the earlier", async () => {
    const record = (by: string) => ({ kind: "end", key: "one", data: { by } });
    const keeps: Extension = { name: "keeps", answer: async ({ journal }, { draft, next }) => (journal.keep(record("kept")), next(draft)) };
    const ends = (by: string): Extension => ({ name: by, finish: async () => ({ records: [record("before"), record(by)] }) });
    const { runtime, session } = await opened([keeps, ends("first"), ends("second")]);
    expect(await session.send("Hi")).toMatchObject({ status: "completed", reply: "Hello." });
    expect((await runtime.store.list({ of: "records", kind: "end" })).items).toMatchObject([{ data: { by: "second" } }]);
  });

  it("is asked again by whoever takes the turn over, and writes once", async () => {
    const store = await emptyStore("memory");
    const mortal = mortalStore(store);
    const reached = gate();
    const dies: Extension = {
      name: "noting",
      finish: () => {
        mortal.die();
        reached.open();
        return new Promise(() => {});
      },
    };
    const dying = await createRuntime({ store: mortal.store, agents: [agentWith([dies])], leaseMs: 100, heartbeatMs: 20 });
    const { id } = await dying.sessions.open({ agent: "a1", customer: "ada" });
    await (await dying.sessions.get(id)).post("Hi");
    await reached.opened;
    const runtime = await started({ store, agents: [agentWith([noting])], leaseMs: 100, heartbeatMs: 20, pollMs: 5 });
    const session = await runtime.sessions.get(id);
    await expect.poll(async () => (await session.messages()).at(-1)?.text).toBe("Hello.");
    expect(await notesOf(runtime, "ada")).toMatchObject([{ text: "Hi" }]);
  });
});

describe("a record that a store accepts", () => {
  const record = { kind: "k".repeat(40), key: "x".repeat(200), data: {} };
  it.each<[string, object]>([
    ["has a kind of 40 characters, and a key of 200", {}],
    ["has no data, because it is removed", { data: null }],
    ["ends, depends on a version, and belongs to somebody", { expires_at: 0, keep_ms: 1, depends: { version: 0 }, owner_id: "o", session_id: "s" }],
  ])("%s", (_what, more) => expect(isStorableRecord({ ...record, ...more })).toBe(true));

  it.each<[string, object]>([
    ["a kind", { kind: undefined }],
    ["a kind of 41 characters", { kind: "k".repeat(41) }],
    ["a kind that is a list", { kind: ["k"] }],
    ["a key", { key: "" }],
    ["a key of 201 characters", { key: "x".repeat(201) }],
    ["data", { data: undefined }],
    ["data that is a list", { data: [] }],
    ["data that JSON leaves out", { data: { toJSON: () => undefined } }],
    ["a whole version", { depends: { version: 0.5 } }],
    ["an end", { expires_at: -1 }],
    ["a time to be kept", { keep_ms: Number.NaN }],
    ["an owner", { owner_id: "" }],
    ["a session", { session_id: 7 }],
  ])("is none where this is missing or wrong: %s", (_what, more) => expect(isStorableRecord({ ...record, ...more })).toBe(false));

  it("is an object", () => {
    for (const other of [undefined, null, "record", [record]]) expect(isStorableRecord(other as never)).toBe(false);
    expect([isData(null), isData({}), isData("text")]).toEqual([true, true, false]);
    expect([undefined, null, "text", new Error("other")].map(refusedRecord)).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe("an error of an extension that looks like a lost turn", () => {
  const lookup = async ({ runtime }: ExtensionTurn): Promise<never> => {
    throw new ThroughlineError("session.not_found", `Looked for another session with ${runtime.worker}.`);
  };

  it.each<[string, Extension]>([
    ["answer", { name: "looks", answer: (turn) => lookup(turn) }],
    ["answer, after the reply", { name: "looks", answer: async (turn, { draft, next }) => (await next(draft), lookup(turn)) }],
    ["history", { name: "looks", history: () => Promise.reject(new ThroughlineError("agent.not_found")) }],
    ["a stage", { name: "looks", stages: [{ name: "look", run: (turn) => lookup(turn) }] }],
    [
      "a text that is undefined",
      { name: "looks", answer: async (_turn, { draft, next }) => Object.assign({ ...(await next(draft)) }, { text: undefined as never }) },
    ],
  ])("fails its turn with the apology: %s", async (_where, extension) => {
    let asked = 0;
    const { session } = await opened([extension], { reply: loop({ model: scripted(() => ((asked += 1), "Hello.")) }) });
    const result = await session.send("Hi");
    expect(result).toMatchObject({ status: "failed", error: { code: "extension.failed", details: { extension: "looks" } } });
    expect(asked).toBeLessThanOrEqual(1);
    expect((await session.pending()).turns).toEqual([]);
  });

  it.each([
    ["without a key", { kind: "end", key: "", data: {} }],
    ["of a kind that is too long", { kind: "k".repeat(41), key: "one", data: {} }],
    ["whose data JSON cannot hold", { kind: "end", key: "one", data: { count: 1n as never } }],
    ["at a version that is none", { kind: "end", key: "one", data: {}, depends: { version: -1 } }],
    ["that is none", undefined as never],
  ])("logs a record %s that it keeps, and keeps the reply", async (_what, record) => {
    const { logged, logger } = reporting();
    const keeps: Extension = { name: "keeps", answer: async ({ journal }, { draft, next }) => (journal.keep(record), next(draft)) };
    const runtime = await started({ agents: [agentWith([keeps])], logger });
    const session = await runtime.sessions.create({ agent: "a1" });
    expect(await session.send("Hi")).toMatchObject({ status: "completed", reply: "Hello." });
    expect(logged).toEqual([["an invalid record was not stored", undefined]]);
  });

  it("fails the turn where a record that it keeps is never at that version", async () => {
    let asked = 0;
    const keeps: Extension = {
      name: "keeps",
      answer: async ({ journal }, { draft, next }) => (journal.keep({ kind: "end", key: "one", depends: { version: 7 }, data: {} }), next(draft)),
    };
    const { session } = await opened([keeps], { reply: loop({ model: scripted(() => ((asked += 1), "Hello.")) }) });
    expect(await session.send("Hi")).toMatchObject({ status: "failed", error: { code: "extension.failed", details: { kind: "end" } } });
    expect(asked).toBeLessThanOrEqual(1);
  });

  it.each<[string, (fails: () => never) => Extension]>([
    ["answer", (fails) => ({ name: "other", answer: async (_turn, { draft, next }) => (await next(draft), fails()) })],
    ["finish", (fails) => ({ name: "other", finish: async () => fails() })],
  ])("of a store leaves the turn for another try, and the third ends it: %s", async (_where, made) => {
    let asked = 0;
    const fails = (): never => {
      throw new ThroughlineError("store.unreachable", "That of the extension.");
    };
    const { session } = await opened([made(fails)], { reply: loop({ model: scripted(() => ((asked += 1), "Hello.")) }) });
    const { offset } = await session.post("Hi");
    await expect.poll(async () => (await session.pending()).turns, { interval: 100 }).toEqual([]);
    expect(await session.outcome(offset)).toMatchObject({ status: "failed", error: { code: "turn.poisoned" } });
    expect(asked).toBe(2);
  });

  it("of its own store leaves the turn for another try that does not count", async () => {
    const store = await emptyStore("memory");
    let failures = 0;
    const attempts: number[] = [];
    const flaky: typeof store = {
      ...store,
      commit: (commit) =>
        commit.records?.some(({ kind }) => kind === "page") === true && failures++ < 1
          ? Promise.reject(new ThroughlineError("store.full"))
          : store.commit(commit),
    };
    const writes: Extension = {
      name: "writes",
      answer: async ({ journal, claim }, { draft, next }) => {
        attempts.push(claim.turn.attempts);
        journal.keep({ kind: "page", key: "one", data: {} });
        await journal.flush();
        return next(draft);
      },
    };
    const runtime = await started({ store: flaky, agents: [agentWith([writes])] });
    const session = await runtime.sessions.create({ agent: "a1" });
    await session.post("Hi");
    await expect.poll(async () => (await session.messages()).at(-1)?.text).toBe("Hello.");
    expect(attempts).toEqual([1, 1]);
  });
});

describe("what is kept of an owner", () => {
  const taking: Extension = {
    ...noting,
    retracted: async ({ context, session: { owner_id, session_id }, from }) =>
      (await context.store.entries({ owner_id, kinds: ["note"] }))
        .filter(({ data }) => Number(data?.["offset"]) >= from)
        .map(({ data }) => ({ entry_id: `${session_id}/${Number(data?.["offset"])}`, kind: "note", data: null })),
    identified: async ({ context, from, to }) =>
      (await context.store.entries({ owner_id: from, kinds: ["note"] })).map(({ entry_id, data }) => ({
        ...{ entry_id, kind: "note" },
        data: { ...data, known: to !== undefined },
      })),
  };

  it("goes with a withdrawal, by retracted", async () => {
    const runtime = await started({ agents: [agentWith([taking])] });
    const session = await runtime.sessions.open({ agent: "a1", customer: "ada" });
    await session.send("Stays.");
    const { offset } = await session.send("Goes.");
    await session.withdraw({ from: offset });
    expect(await notesOf(runtime, "ada")).toMatchObject([{ text: "Stays." }]);
  });

  it("becomes the customer's, by identified, if it is carried", async () => {
    const { runtime, session } = await opened([taking]);
    await session.send("Hi");
    await session.identify({ customer: "ada", carry: true });
    expect(await notesOf(runtime, "ada")).toMatchObject([{ text: "Hi", known: false }]);
  });

  it("is looked after when a session is imported, by imported", async () => {
    const { runtime, session } = await opened([taking]);
    const { offset } = await session.send("Hi");
    const lines = await Array.fromAsync(exportSession(runtime.store, session.id));
    const store = await emptyStore("memory");
    const given: unknown[] = [];
    const importing: Extension = {
      name: "noting",
      imported: async ({ session_id, agent, events, entries }) => {
        given.push([agent, events.length > 0, entries.filter(({ kind }) => kind === "note").map(({ data }) => data)]);
        return { records: [{ kind: "note_import", key: session_id, data: {} }] };
      },
    };
    await importBundle(store, lines, { extensions: [importing] });
    expect(given).toEqual([["a1", true, [{ offset, text: "Hi" }]]]);
    expect((await store.list({ of: "records", kind: "note_import" })).items).toHaveLength(1);
  });
});
