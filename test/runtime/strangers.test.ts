/** Code that is not ours: what models, stages and callers can do wrong ends in a clear error, and never in a log or a session that nobody can use. */
import { describe, expect, it } from "vitest";
import {
  ThroughlineError,
  defineAgent,
  loop,
  stage,
  withControl,
  type Agent,
  type Control,
  type JsonObject,
  type Model,
  type ModelPart,
  type Session,
  type Tracer,
} from "../../packages/throughline/src/index.ts";
import type { NamedChange } from "../../packages/throughline/src/agent.ts";
import type { NewCustomer } from "../../packages/throughline/src/session.ts";
import { code, collect, echo, echoState, outline, started } from "./harness.ts";

const usage = { input: 1, output: 1, cache_write: 0, cache_read: 0, reasoning: 0 };
const finish = { type: "finish", reason: "stop", usage };
const text = { type: "text_delta", text: "hi" };

const yielding = (...parts: readonly unknown[]): Model => ({
  name: "strange",
  async *stream() {
    for (const part of parts) yield part as ModelPart;
  },
});

const throwing = (error: unknown): Model => ({
  name: "strange",
  stream: () => {
    throw error;
  },
});

const asking = (model: Model): ReturnType<typeof defineAgent> => defineAgent({ name: "a1", version: 1, state: echoState, reply: loop({ model }) });

const staged = (run: () => unknown): ReturnType<typeof defineAgent> =>
  defineAgent({
    name: "a1",
    version: 1,
    state: echoState,
    stages: [stage("odd", { state: echoState, writes: ["count"] }, run as () => undefined)],
    reply: loop({ model: echo() }),
  });

/** Errors that, if this turn met them itself, would say that it is another's or has to be tried again. */
const misleading = ["session.not_found", "session.conflict", "aborted", "turn.fenced", "session.manual", "store.busy", "agent.not_found"] as const;

describe("a model that is not as it should be", () => {
  it.each([
    ["nothing at all", [null]],
    ["a number", [5]],
    ["a part of an unknown type", [text, { type: "thought", text: "hm" }, finish]],
    ["a text that is none", [{ type: "text_delta", text: 5 }, finish]],
    ["a text that is not there", [{ type: "text_delta" }, finish]],
    ["an end without a usage", [text, { type: "finish", reason: "stop" }]],
    ["an end without a reason", [text, { type: "finish", usage }]],
    ["tokens that are no number", [text, { ...finish, usage: { ...usage, input: Number.NaN } }]],
    ["a call without a name", [text, { type: "tool_call", call: {} }, finish]],
    ["a call of a tool, when there are none", [{ type: "tool_call", call: { call_id: "1", name: "look", arguments: {} } }, finish]],
    ["no end", [text]],
  ])("%s fails the turn with a word on it, and nothing of it is stored", async (_what, parts) => {
    const { sessions } = await started({ agents: [asking(yielding(...parts))] });
    const session = await sessions.create({ agent: "a1" });
    const result = await session.send("hello");
    expect(result).toMatchObject({ status: "failed", error: { code: "model.invalid_response" } });
    expect(result.reply).toMatch(/^Sorry/);
    expect(outline(await collect(session, { kinds: ["turn"] }))).toEqual(["turn:started", "turn:ended"]);
  });

  it("what comes after the end is not looked at", async () => {
    const { sessions } = await started({ agents: [asking(yielding(text, finish, { type: "text_delta", text: " more" }, null))] });
    expect(await (await sessions.create({ agent: "a1" })).send("hello")).toMatchObject({ status: "completed", reply: "hi" });
  });

  it.each(misleading)("one that throws %s fails its turn, which is not tried for ever", async (given) => {
    const { sessions } = await started({ agents: [asking(throwing(new ThroughlineError(given)))] });
    const session = await sessions.create({ agent: "a1" });
    expect(await session.send("hello")).toMatchObject({ status: "failed", error: { code: "model.failed" } });
    expect(await session.pending()).toEqual({ turns: [], waiting: [], calls: [] });
  });
});

describe("a stage that is not as it should be", () => {
  it.each(misleading)("one that throws %s fails its turn, which is not tried for ever", async (given) => {
    const throws = (): never => {
      throw new ThroughlineError(given);
    };
    const { sessions } = await started({ agents: [staged(throws)] });
    const session = await sessions.create({ agent: "a1" });
    expect(await session.send("hello")).toMatchObject({ status: "failed", error: { code: "stage.failed", details: { stage: "odd" } } });
    expect(await session.pending()).toEqual({ turns: [], waiting: [], calls: [] });
  });

  it("details that are no JSON are left out of what is stored", async () => {
    const throws = (): never => {
      throw new ThroughlineError("timeout", "Too slow.", { details: { size: 10n } as unknown as JsonObject });
    };
    const { sessions } = await started({ agents: [staged(throws)] });
    const result = await (await sessions.create({ agent: "a1" })).send("hello");
    expect(result.error).toMatchObject({ code: "timeout", message: "Too slow." });
    expect(result.error).not.toHaveProperty("details");
  });

  it.each([
    ["no object", undefined],
    ["a reply that is no text", { reply: 5 }],
    ["no reply", { reply: null }],
    ["a blank reply", { reply: "  " }],
    ["a mode that there is not", { mode: "paused" }],
    ["something else", { answer: "yes" }],
    ["what is no JSON", { reply: "yes", size: 10n }],
  ])("%s cannot be asked of the turn: it fails before anything is said", async (_what, control) => {
    const { sessions } = await started({ agents: [staged(() => withControl(control as Control))] });
    const session = await sessions.create({ agent: "a1" });
    expect(await session.send("hello")).toMatchObject({ status: "failed", error: { code: "input.invalid" } });
    expect(outline(await collect(session)).filter((line) => line === "status:typing")).toEqual([]);
  });

  it("a control of undefined parts asks for nothing", async () => {
    const { sessions } = await started({ agents: [staged(() => withControl({ reply: undefined, mode: undefined } as unknown as Control))] });
    expect(await (await sessions.create({ agent: "a1" })).send("hello")).toMatchObject({ status: "completed", reply: "re:hello" });
  });
});

describe.each(["memory", "sqlite"] as const)("%s: a caller who is not as they should be", (kind) => {
  /** What is no object of JSON, and must not get into a log that could then not be read. */
  const odd: readonly unknown[] = [null, 5, "tier", [], { size: 10n }, { when: new Date(0) }];

  it.each([
    ["postOperator", (session: Session, metadata: JsonObject) => session.postOperator("hello", { metadata })],
    ["postCustom", (session: Session, metadata: JsonObject) => session.postCustom({}, { metadata })],
    ["post", (session: Session, metadata: JsonObject) => session.post("hello", { metadata })],
    ["setMetadata", (session: Session, metadata: JsonObject) => session.setMetadata({ set: metadata })],
    ["setMetadata itself", (session: Session, change: JsonObject) => session.setMetadata(change)],
  ])("%s refuses metadata that is none, and the log stays readable", async (_name, give) => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    for (const metadata of odd) expect(await code(give(session, metadata as JsonObject))).toMatch(/^(input|json|variables)\.invalid$/);
    expect(outline(await collect(session))).toEqual(["session:created"]);
  });

  it("customers are neither made nor changed by what is no object", async () => {
    const { customers } = await started({ kind });
    await customers.create({ id: "ada" });
    for (const given of odd) {
      expect(await code(customers.create({ metadata: given as JsonObject }))).toBe("variables.invalid");
      expect(await code(customers.create({ variables: given as JsonObject }))).toBe("variables.invalid");
      expect(await code(customers.setVariables("ada", { set: given as JsonObject }))).toBe("variables.invalid");
      expect(await code(customers.setVariables("ada", { unset: { given } as unknown as string[] }))).toBe("variables.invalid");
    }
    expect(await code(customers.setVariables("ada", { tier: "gold" } as NamedChange))).toBe("variables.invalid");
    expect(await code(customers.create(null as unknown as NewCustomer))).toBe("input.invalid");
    expect((await customers.list()).total).toBe(1);
  });

  it("a customer that is no text does not open somebody else's session", async () => {
    const { sessions } = await started({ kind });
    await sessions.open({ agent: "a1", key: "shared" });
    for (const customer of [null, Number.NaN, 5, {}] as unknown as string[])
      expect(await code(sessions.open({ agent: "a1", customer, key: "shared" }))).toBe("input.invalid");
  });

  it("lists and filters that are none are refused", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    for (const labels of ["vip", 5, null, [5]] as unknown as string[][]) {
      expect(await code(sessions.list({ labels }))).toBe("input.invalid");
      expect(await code(session.setLabels({ add: labels }))).toBe("session.invalid");
    }
    expect(await code(sessions.list({ agent: {} as string }))).toBe("input.invalid");
    expect(await code(sessions.list({ externalId: 7 as unknown as string }))).toBe("input.invalid");
    for (const filter of [
      { minOffset: Number.NaN },
      { minOffset: -1 },
      { maxOffset: Number.NaN },
      { maxOffset: 1.5 },
      { minOffset: Number.POSITIVE_INFINITY },
    ])
      expect(await code(collect(session, filter))).toBe("input.invalid");
    for (const kinds of ["message", null, ["bogus"]] as unknown as ["message"][])
      expect(await code(collect(session, { kinds }))).toBe("input.invalid");
    expect((await session.info()).labels).toEqual([]);
  });

  it("names and reasons on record are texts", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    for (const name of [5, "", {}, "x".repeat(201)] as unknown as string[]) {
      expect(await code(session.postOperator("hello", { name }))).toBe("input.invalid");
      expect(await code(session.edit({ count: 1 }, { operator: name }))).toBe("input.invalid");
    }
    expect(await code(session.stop({} as string))).toBe("input.invalid");
    expect(await code(session.postOperator("x".repeat(100_001)))).toBe("input.invalid");
    expect(outline(await collect(session))).toEqual(["session:created"]);
  });

  it("a text that is an object is refused with what to write instead", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    const given = { text: "hi", idempotencyKey: "k-1" } as never;
    for (const refused of [session.post(given), session.send(given)])
      await expect(refused).rejects.toMatchObject({
        code: "input.invalid",
        hint: expect.stringContaining("post(text, { idempotencyKey })") as string,
      });
    expect(outline(await collect(session))).toEqual(["session:created"]);
  });

  it("what is said has one text, and messages are not edited", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    expect(await code(session.post("hi", { input: { message: "something else" } }))).toBe("input.invalid");
    expect(await code(session.edit({ messages: { role: "user", text: "hi" } }))).toBe("state.undeclared_write");
    expect(outline(await collect(session))).toEqual(["session:created"]);
  });

  it("C26: what is too large is refused, and nothing is stored", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    const [large, huge] = ["x".repeat(65_536), "x".repeat(1024 * 1024)];
    expect(await code(session.postCustom(huge))).toBe("input.invalid");
    expect(await code(session.post("hi", { start: { any: huge } }))).toBe("input.invalid");
    expect(await code(session.post("hi", { metadata: { large } }))).toBe("variables.invalid");
    expect(await code(session.postCustom(1, { metadata: { large } }))).toBe("variables.invalid");
    expect(outline(await collect(session))).toEqual(["session:created"]);
  });

  it("a stream whose signal has aborted gives nothing", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    expect(await Array.fromAsync(session.live({ signal: AbortSignal.abort() }))).toEqual([]);
  });
});

describe("parts of the runtime that are not as they should be", () => {
  const fails = (): never => {
    throw new Error("no disk");
  };

  it("a logger or a tracer that throws does not touch the turn", async () => {
    const logger = { debug: fails, info: fails, warn: fails, error: fails };
    for (const tracer of [{ span: fails }, { span: async () => Promise.reject(new Error("late")) }] as unknown as Tracer[]) {
      const { sessions } = await started({ agents: [staged(() => undefined)], logger, tracer });
      expect(await (await sessions.create({ agent: "a1" })).send("hello")).toMatchObject({ status: "completed", reply: "re:hello" });
    }
    const { sessions } = await started({ agents: [asking(throwing(new Error("down")))], logger });
    expect(await (await sessions.create({ agent: "a1" })).send("hello")).toMatchObject({ status: "failed", error: { code: "model.failed" } });
  });

  it("a tracer sees the work once, with its failure, and the failure is told once", async () => {
    const told: string[] = [];
    const tracer: Tracer = {
      span: async (name, _attributes, work) => {
        try {
          return await work();
        } catch (error) {
          told.push(`${name}: ${String(error)}`);
          throw error;
        }
      },
    };
    const { sessions } = await started({ agents: [staged(fails)], tracer });
    await (await sessions.create({ agent: "a1" })).send("hello");
    expect(told).toEqual([expect.stringMatching(/^stage odd: /)]);
  });

  it.each([
    ["an apology that is no text", { apology: 5 }],
    ["a blank apology", { apology: " " }],
    ["sections that are no list", { sections: "persona" }],
    ["a section that is none", { sections: [null] }],
    ["no room for a message", { waitingLimit: 0 }],
    ["a limit that is no number", { waitingLimit: Number.NaN }],
    ["a silence that is no number", { episodeSilenceMs: Number.NaN }],
    ["a version that no database holds", { version: 2 ** 31 }],
  ])("an agent with %s is refused when it is defined", (_what, options) => {
    const define = (): unknown => defineAgent({ name: "a1", version: 1, state: echoState, reply: loop({ model: echo() }), ...(options as object) });
    expect(define).toThrow(expect.objectContaining({ code: "agent.invalid" }) as Error);
  });

  it("an agent that was not defined is refused", async () => {
    for (const agent of [null, { name: "a1" }] as unknown as Agent[]) expect(await code(started({ agents: [agent] }))).toBe("agent.invalid");
  });

  it("what a stage and a caller are given cannot be changed", async () => {
    const changed: string[] = [];
    const attempt = (name: string, change: () => void): void => {
      try {
        change();
        changed.push(name);
      } catch {
        // Frozen, as it should be.
      }
    };
    const meddle = stage("meddle", { state: echoState, writes: [] }, ({ context }) => {
      const open = context as unknown as { variables: { values: { tier: string } }; messages: { text: string }[]; customer: { id: string } };
      attempt("variables", () => (open.variables.values.tier = "gold"));
      attempt("messages", () => (open.messages[0] = { text: "other" }));
      attempt("a message", () => Object.assign(open.messages[0] ?? {}, { text: "other" }));
      attempt("the customer", () => (open.customer.id = "eve"));
    });
    const agent = defineAgent({ name: "a1", version: 1, state: echoState, stages: [meddle], reply: loop({ model: echo() }) });
    const { sessions, customers } = await started({ agents: [agent] });
    await customers.create({ id: "ada", variables: { tier: "free" }, metadata: { crm: "x" } });
    const session = await sessions.open({ agent: "a1", customer: "ada", labels: ["new"], metadata: { crm: "x" } });
    await session.send("hello");
    const [info, customer] = [await session.info(), await customers.get("ada")];
    attempt("labels", () => (info.labels as string[]).push("vip"));
    attempt("metadata", () => Object.assign(info.metadata.values, { crm: "y" }));
    attempt("the customer's variables", () => Object.assign(customer.variables.values, { tier: "gold" }));
    attempt("the customer's metadata", () => Object.assign(customer.metadata.values, { crm: "y" }));
    expect(changed).toEqual([]);
  });
});
