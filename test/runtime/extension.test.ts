/** The extension port: each point by itself, with extensions of our own. The safety gate uses nothing else. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineState,
  input,
  loop,
  reduced,
  scripted,
  Session,
  stage,
  ThroughlineError,
  type AgentOptions,
  type Logger,
} from "../../src/index.ts";
import { defineExtension, extensionPoints, type Extension, type ExtensionContext, type ExtensionTurn } from "../../src/extension.ts";
import { root } from "../../scripts/root.ts";
import { mortalStore } from "../chaos/mortal-store.ts";
import { collect, emptyStore, gate, started } from "./harness.ts";

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

describe("declaring an extension", () => {
  it.each([
    ["something that is none", [{ nothing: true } as never], /declares an extension that is none: .*nothing/],
    ["two of one name", [{ name: "one" }, { name: "one" }], /declares the extension "one" twice/],
  ])("refuses %s", (_what, extensions, message) => {
    expect(() => agentWith(extensions)).toThrow(message);
  });

  it("refuses a member that no extension has, and freezes what it takes", () => {
    expect(() => agentWith([{ name: "one", finish: () => {} } as never])).toThrow(/Extension "one" has "finish"; an extension has name, .*finished/);
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
  it("insteadOfApology speaks for a turn that could not begin", async () => {
    const spoken: unknown[] = [];
    const instead: Extension = { name: "instead", insteadOfApology: async ({ text }) => (spoken.push(text), { text: "Later." }) };
    const { runtime, session } = await opened([{ name: "silent", insteadOfApology: async () => undefined }, instead]);
    await session.send("Hi");
    await runtime.close();
    const newer = defineAgent({
      ...{ name: "a1", version: 1, state: defineState({ message: input(z.string()), notes: reduced(z.number(), { initial: 0 }) }) },
      ...{ extensions: [instead], reply: loop({ model: scripted(() => "Hello.") }) },
    });
    await session.edit({ notes: ["x"] }).catch(() => {});
    const again = await started({ store: runtime.store, agents: [newer] });
    expect(await (await again.sessions.get(session.id)).send("Now?")).toMatchObject({ status: "failed", reply: "Later." });
    expect(spoken).toEqual(["Now?"]);
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

describe("the table of docs/extensions.md", () => {
  it("has every point with its kind", () => {
    const page = readFileSync(join(root, "docs/extensions.md"), "utf8");
    const rows = [...page.matchAll(/^\| `(\w+)` \| (first|collect|sequence|wrap|one) \|/gm)].map(([, name, kind]) => [name, kind]);
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(Object.entries(extensionPoints).filter(([, kind]) => kind !== "value")));
  });
});
