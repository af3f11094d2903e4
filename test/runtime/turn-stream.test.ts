/** `session.stream(text)` and `session.follow(of)`: the live parts of one turn, and its result. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineState,
  defineTool,
  hook,
  input,
  loop,
  openStore,
  reduced,
  scripted,
  stage,
  ThroughlineError,
  type Agent,
  type LivePart,
  type Runtime,
  type Session,
  type Store,
  type TurnResult,
  type TurnStream,
} from "../../packages/throughline/src/index.ts";
import type { Json } from "../../packages/throughline/src/kernel/json.ts";
import type { Extension } from "../../packages/throughline/src/extension/port.ts";
import { newPostgresDatabase, newSqliteFile, noPostgres } from "../setup/database.ts";
import { code, echoAgent, echoState, gate, runtimeOver, until } from "./harness.ts";

async function sessionOf(agent: Agent, location = ":memory:"): Promise<{ runtime: Runtime; session: Session; store: Store }> {
  const { runtime, store } = await runtimeOver(location, agent);
  return { runtime, store, session: await runtime.sessions.create({ agent: "a1" }) };
}

/** A part as a word. */
function word(part: LivePart): string {
  switch (part.type) {
    case "status":
      return `status ${part.status}`;
    case "text.delta":
      return `+${part.text}`;
    case "draft.reset":
      return `reset ${part.reason}`;
    case "message":
      return part.calls.length === 0 ? `message ${part.text}` : `message ${part.text}[${part.calls.map(({ name }) => name).join()}]`;
    case "tool.started":
      return `started ${part.name}`;
    case "tool.progress":
      return `progress ${JSON.stringify(part.progress)}`;
    case "tool.result":
      return `result ${part.name} ${part.result.type}`;
    case "approval.requested":
      return `approval ${part.calls.map(({ name }) => name).join()}`;
    case "state":
      return `state ${part.patch.map(({ path }) => path).join()}`;
    case "end":
      return `end ${part.result.status}`;
  }
}

/** Takes parts until the end, or until one of them fits, without the statuses. */
async function words(stream: AsyncIterable<LivePart>, last: (part: LivePart) => boolean = () => false): Promise<readonly string[]> {
  const seen: string[] = [];
  for await (const part of stream) {
    if (part.type !== "status") seen.push(word(part));
    if (last(part)) break;
  }
  return seen;
}

/** A model whose second piece comes when the gate opens. */
function halted(): { readonly model: ReturnType<typeof scripted>; readonly open: () => void } {
  const more = gate();
  let pieces = 0;
  const wait = async (): Promise<void> => {
    pieces += 1;
    if (pieces === 2) await more.opened;
  };
  return { model: scripted(() => ({ text: ["one ", "two"], wait })), open: () => more.open() };
}

const isDelta = ({ type }: LivePart): boolean => type === "text.delta";

const lookUp = defineTool({
  ...{ name: "look_up", description: "l", parameters: z.object({ of: z.string() }), effects: "none" },
  execute: ({ of }) => `${of}: 21`,
});
const refund = defineTool({
  ...{ name: "refund", description: "r", parameters: z.object({}), effects: "once", approval: true },
  execute: () => "paid",
});

/** Calls a tool first, and answers in pieces then. */
const calling = (name: string, args: Readonly<Record<string, string>> = {}): Agent =>
  defineAgent({
    ...{ name: "a1", version: 1, state: echoState },
    reply: loop({
      model: scripted(({ messages }) =>
        messages.at(-1)?.role === "user" ? { text: ["Let me ", "see."], calls: [{ call_id: "1", name, arguments: args }] } : { text: ["It ", "is."] },
      ),
      tools: [lookUp, refund],
    }),
  });

test("a turn is streamed in one order: text, calls, results, the reply, the outcome", async () => {
  const { session } = await sessionOf(calling("look_up", { of: "Rome" }));
  const stream = session.stream("hi");
  const parts = await Array.fromAsync(stream);
  expect(parts.filter(({ type }) => type !== "status").map(word)).toEqual([
    ...["+Let me ", "+see.", "message Let me see.[look_up]", "started look_up", "result look_up ok"],
    ...["+It ", "+is.", "message It is.", "end completed"],
  ]);
  expect(parts.filter(({ type }) => type === "status").map(word)).toEqual([
    "status acknowledged",
    "status processing",
    "status typing",
    "status ready",
  ]);
  const offsets = parts.map(({ offset }) => offset);
  expect(offsets).toEqual(offsets.toSorted((left, right) => left - right));
  const { offset, turn_id } = await stream.accepted;
  const result = await stream.result;
  expect(result).toMatchObject({ offset, turn_id, status: "completed", reply: "It is." });
  expect(parts.at(-1)).toMatchObject({ type: "end", result });
  expect(await session.outcome(offset)).toEqual(result);
  // Each part of the log is at the offset of its event.
  for (const part of parts) {
    if (part.type === "message") expect((await session.event(part.offset)).kind).toBe("message");
    if (part.type === "tool.result") expect((await session.event(part.offset)).kind).toBe("tool");
  }
});

test("the message is accepted, and the result known, without a reader; a late reader has all but drafts", async () => {
  const { session } = await sessionOf(echoAgent());
  const stream = session.stream("hi", { idempotencyKey: "m-1" });
  expect("then" in stream).toBe(false);
  expect((await stream.result).reply).toBe("re:hi");
  expect(await words(stream)).toEqual(["+re:hi", "message re:hi", "end completed"]);
  // The same key is the same message.
  const again = session.stream("hi", { idempotencyKey: "m-1" });
  expect(await words(again)).toEqual(["+re:hi", "message re:hi", "end completed"]);
  expect(await again.accepted).toEqual(await stream.accepted);
});

test("a stream has one reader", async () => {
  const { session } = await sessionOf(echoAgent());
  const stream = session.stream("hi");
  await words(stream);
  expect(() => stream[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: "input.invalid" }) as Error);
});

test("leaving the loop leaves the turn running", async () => {
  const { model, open } = halted();
  const { session } = await sessionOf(echoAgent({ model }));
  const stream = session.stream("hi");
  expect(await words(stream, isDelta)).toEqual(["+one "]);
  open();
  expect(await stream.result).toMatchObject({ status: "completed", reply: "one two" });
});

test("an aborted signal ends the reading and the wait for the result, not the turn", async () => {
  const { model, open } = halted();
  const { session } = await sessionOf(echoAgent({ model }));
  const left = new AbortController();
  const stream = session.stream("hi", { signal: left.signal });
  const seen: string[] = [];
  for await (const part of stream) {
    if (part.type !== "status") seen.push(word(part));
    if (isDelta(part)) left.abort(new Error("enough"));
  }
  expect(seen).toEqual(["+one "]);
  await expect(stream.result).rejects.toThrow("enough");
  open();
  const { offset } = await stream.accepted;
  expect(await session.outcome(offset)).toMatchObject({ status: "completed" });
  expect(await words(session.follow(offset))).toEqual(["+one two", "message one two", "end completed"]);
});

test("stop() ends the turn, and the stream with it", async () => {
  const { model, open } = halted();
  const { session } = await sessionOf(echoAgent({ model }));
  const stream = session.stream("hi");
  const seen: string[] = [];
  for await (const part of stream) {
    if (part.type !== "status") seen.push(word(part));
    if (isDelta(part)) await session.stop("enough");
  }
  expect(seen).toEqual(["+one ", "reset stopped", "end stopped"]);
  expect(await stream.result).toMatchObject({ status: "stopped" });
  open();
});

test("a turn is followed by the offset in its result, whether it was followed by message or by id", async () => {
  const { session } = await sessionOf(echoAgent());
  const { accepted, result } = session.stream("hi");
  await result;
  for (const of of [(await accepted).offset, (await accepted).turn_id ?? ""]) {
    const { offset } = await session.follow(of).result;
    expect(await words(session.follow(offset))).toEqual(["+re:hi", "message re:hi", "end completed"]);
    expect(await session.outcome(offset)).toMatchObject({ status: "completed", reply: "re:hi" });
  }
});

test("what is wrong with the call rejects all three: the parts, accepted and result", async () => {
  const { runtime, session } = await sessionOf(echoAgent());
  const stream = session.stream("hi", { input: { nothing: 1 } });
  expect(await code(words(stream))).toBe(await code(stream.result));
  expect(await code(stream.accepted)).toBe(await code(stream.result));
  // Nobody waits for any of them, and no rejection is unhandled.
  session.stream("hi", { input: { nothing: 1 } });
  session.follow(99);
  expect(await code(words(session.follow(99)))).toBe("log.offset_invalid");
  expect(() => session.follow(0, { after: -1 })).toThrow(expect.objectContaining({ code: "input.invalid" }) as Error);
  await runtime.close({ drainMs: 0 });
  expect(await code(session.stream("hi").result)).not.toBe("no ThroughlineError: undefined");
});

test("two readers get the same parts of the log", async () => {
  const { session } = await sessionOf(calling("look_up", { of: "Rome" }));
  const stream = session.stream("hi");
  const { offset, turn_id } = await stream.accepted;
  const read = async (parts: TurnStream): Promise<readonly LivePart[]> =>
    (await Array.fromAsync(parts)).filter(({ type }) => type === "message" || type === "tool.result" || type === "end");
  const [first, second, third] = await Promise.all([read(stream), read(session.follow(offset)), read(session.follow(turn_id ?? ""))]);
  expect(second).toEqual(first);
  expect(third?.slice(0, -1)).toEqual(first.slice(0, -1));
});

test("a reader continues after any part", async () => {
  const { session } = await sessionOf(calling("look_up", { of: "Rome" }));
  const stream = session.stream("hi");
  const parts = await Array.fromAsync(stream);
  const { offset } = await stream.accepted;
  const logged = (some: readonly LivePart[]): readonly LivePart[] =>
    some.filter(({ type }) => type === "message" || type === "tool.result" || type === "status" || type === "end");
  for (const [index, { offset: after }] of parts.entries()) {
    const rest = await Array.fromAsync(session.follow(offset, { after }));
    expect(logged(rest).at(-1)).toEqual(parts.at(-1));
    const have = logged(parts.slice(0, index + 1)).filter(({ type }) => type !== "end");
    expect([...have, ...logged(rest)]).toEqual(logged(parts));
    expect(rest.every((part) => part.offset >= after)).toBe(true);
  }
});

test("a paused turn ends the stream, which continues after the decision", async () => {
  const { session } = await sessionOf(calling("refund"));
  const stream = session.stream("hi");
  const parts = await Array.fromAsync(stream);
  expect(parts.filter(({ type }) => type !== "status").map(word)).toEqual([
    ...["+Let me ", "+see.", "message Let me see.[refund]", "approval refund", "end paused"],
  ]);
  const { pending = [] } = await stream.result;
  const asked = parts.find((part) => part.type === "approval.requested");
  expect(asked?.calls).toEqual(pending);
  const [call] = pending;
  if (call === undefined) throw new Error("no call");
  await session.decide({ call_id: call.call_id, arguments_hash: call.arguments_hash, decision: "approve" });
  const { offset } = await stream.accepted;
  expect(await words(session.follow(offset, { after: parts.at(-1)?.offset ?? 0 }))).toEqual([
    ...["started refund", "result refund ok", "+It ", "+is.", "message It is.", "end completed"],
  ]);
});

test("a message that waits for an operator ends the stream at once", async () => {
  const { session } = await sessionOf(echoAgent());
  await session.setMode("manual");
  const stream = session.stream("hi");
  expect(await words(stream)).toEqual(["end waiting"]);
  expect((await stream.accepted).turn_id).toBeUndefined();
});

test("an operator who takes over voids the text, and the message waits", async () => {
  const { model, open } = halted();
  const { session } = await sessionOf(echoAgent({ model }));
  const seen: string[] = [];
  for await (const part of session.stream("hi")) {
    if (part.type !== "status") seen.push(word(part));
    if (isDelta(part)) await session.setMode("manual");
  }
  expect(seen).toEqual(["+one ", "reset manual", expect.stringMatching(/^end (?:waiting|stopped)$/)]);
  open();
});

test("a message that is taken back ends the stream", async () => {
  const { model, open } = halted();
  const { session } = await sessionOf(echoAgent({ model }));
  const stream = session.stream("hi");
  const seen: string[] = [];
  for await (const part of stream) {
    if (part.type !== "status") seen.push(word(part));
    if (isDelta(part)) await session.withdraw({ from: (await stream.accepted).offset });
  }
  expect(seen).toEqual(["+one ", "reset fence", "end withdrawn"]);
  open();
});

test("the parts of a superseded turn are followed by those of the turn that answers the message", async () => {
  let turns = 0;
  const more = gate();
  const model = scripted(({ messages }) => {
    turns += 1;
    const said = messages.findLast(({ role }) => role === "user")?.text ?? "";
    return { text: [`re:${said}`], wait: async () => (turns === 1 ? more.opened : undefined) };
  });
  const agent = defineAgent({ name: "a1", version: 1, state: echoState, reply: loop({ model }), onNewMessage: "supersede" });
  const { session } = await sessionOf(agent);
  const first = session.stream("one");
  const { turn_id } = await first.accepted;
  await until(() => turns === 1);
  const second = session.stream("two");
  const [of, next] = await Promise.all([words(first), words(second)]);
  expect(next).toEqual(["+re:two", "message re:two", "end completed"]);
  expect(of).toEqual(next);
  const result = await first.result;
  expect(result.turn_id).toBe((await second.accepted).turn_id);
  expect(result.turn_id).not.toBe(turn_id);
  more.open();
});

test("a committed text that differs from the draft comes after a reset", async () => {
  const model = scripted(() => ({ text: ["my card is ", "4111"] }));
  const masking = hook("mask", { afterModel: ({ answer }) => ({ answer: { text: answer.text.replace("4111", "****") } }) });
  const agent = defineAgent({ name: "a1", version: 1, state: echoState, reply: loop({ model, hooks: [masking] }) });
  const { session } = await sessionOf(agent);
  expect(await words(session.stream("hi"))).toEqual([
    ...["+my card is ", "+4111", "reset replaced", "+my card is ****", "message my card is ****", "end completed"],
  ]);
});

test("a failed reply is void, and the apology follows", async () => {
  const model = scripted(() => ({ text: ["one ", "two"] }));
  const failing = {
    ...model,
    async *stream(...given: Parameters<typeof model.stream>) {
      for await (const part of model.stream(...given)) {
        if (part.type === "finish") throw new Error("cut");
        yield part;
      }
    },
  };
  const { session } = await sessionOf(echoAgent({ model: failing }));
  const stream = session.stream("hi");
  const seen = await words(stream);
  const { reply } = await stream.result;
  expect(seen).toEqual(["+one ", "+two", "reset failed", `+${reply}`, `message ${reply}`, "end failed"]);
});

test("only changes of public fields are parts", async () => {
  const state = defineState({ message: input(z.string()), mood: reduced(z.string(), { show: "public" }), secret: reduced(z.string()) });
  const set = stage("set", { state, writes: ["mood", "secret"] }, () => ({ mood: "glad", secret: "shh" }));
  const agent = defineAgent({ name: "a1", version: 1, state, stages: [set], reply: loop({ model: scripted(() => "Hello.") }) });
  const { session } = await sessionOf(agent);
  const parts = await Array.fromAsync(session.stream("hi"));
  expect(parts.flatMap((part) => (part.type === "state" ? part.patch : []))).toEqual([expect.objectContaining({ path: "/mood", value: "glad" })]);
  expect(JSON.stringify(parts)).not.toContain("shh");
});

test("a store that fails ends the parts with its error", async () => {
  const store = await openStore(":memory:");
  let failing = false;
  const broken: Store = { ...store, read: (request) => (failing ? Promise.reject(new Error("disk")) : store.read(request)) };
  const { model, open } = halted();
  const { runtime } = await runtimeOver(broken, echoAgent({ model }));
  const session = await runtime.sessions.create({ agent: "a1" });
  const stream = session.stream("hi");
  const reading = words(stream, (part) => {
    if (isDelta(part)) {
      failing = true;
      open();
    }
    return false;
  });
  expect(await code(reading)).toContain("disk");
});

const dying = (location: string, session: string): string => `
  import { createRuntime, openStore, scripted, defineAgent, defineState, input, loop } from ${JSON.stringify(new URL("../../packages/throughline/src/index.ts", import.meta.url).href)};
  const text = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
  let pieces = 0;
  const model = scripted(() => ({ text: ["half ", "of it"], wait: async () => { pieces += 1; if (pieces === 2) await new Promise(() => {}); } }));
  const agent = defineAgent({ name: "a1", version: 1, state: defineState({ message: input(text) }), reply: loop({ model }) });
  const runtime = await createRuntime({ store: await openStore(${JSON.stringify(location)}), agents: [agent], leaseMs: 500, heartbeatMs: 100 });
  const session = await runtime.sessions.get(${JSON.stringify(session)});
  for await (const part of session.stream("hi")) if (part.type === "text.delta") console.log(JSON.stringify(part));`;

describe("a process that is killed in the middle of a stream", () => {
  test("is followed in another process from the offset that it had", async () => {
    const location = newSqliteFile();
    const { model, open } = halted();
    open();
    const { runtime } = await runtimeOver(location, echoAgent(), false);
    const session = await runtime.sessions.create({ agent: "a1" });
    const child = spawn(process.execPath, ["--input-type=module", "--eval", dying(location, session.id)], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const { offset: after, text } = JSON.parse(line.toString()) as Extract<LivePart, { type: "text.delta" }>;
    expect(text).toBe("half ");
    child.kill("SIGKILL");
    await once(child, "exit");
    const next = await runtimeOver(location, echoAgent({ model }));
    const again = await next.runtime.sessions.get(session.id);
    const message = (await Array.fromAsync(again.events({ kinds: ["message"], follow: false })))[0];
    const parts = await Array.fromAsync(again.follow(message?.offset ?? -1, { after }));
    expect(parts.filter(({ type }) => type !== "status").map(word)).toEqual(["+one ", "+two", "message one two", "end completed"]);
  });

  test.skipIf(noPostgres !== undefined)("voids what another process was shown of it", async () => {
    const url = await newPostgresDatabase();
    const { model, open } = halted();
    open();
    const { runtime } = await runtimeOver(url, echoAgent(), false);
    const session = await runtime.sessions.create({ agent: "a1" });
    const child = spawn(process.execPath, ["--input-type=module", "--eval", dying(url, session.id)], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    const message = (await Array.fromAsync(session.events({ kinds: ["message"], follow: false })))[0];
    const seen: string[] = [];
    for await (const part of session.follow(message?.offset ?? -1)) {
      if (part.type !== "status") seen.push(word(part));
      if (seen.length !== 1) continue;
      expect(seen).toEqual(["+half "]);
      child.kill("SIGKILL");
      await once(child, "exit");
      await runtimeOver(url, echoAgent({ model }));
    }
    // The new attempt may have ended before this process heard of it.
    expect(seen.slice(0, 2)).toEqual(["+half ", expect.stringMatching(/^reset (?:fence|replaced)$/)]);
    expect(seen.slice(-2)).toEqual(["message one two", "end completed"]);
  });
});

/** Calls a tool that reports what it is given to report. */
const reporting = (effects: "none" | "once", execute: (report: (progress: Json) => void) => Promise<string>): Agent =>
  defineAgent({
    ...{ name: "a1", version: 1, state: echoState },
    reply: loop({
      model: scripted(({ messages }) =>
        messages.at(-1)?.role === "user" ? { calls: [{ call_id: "1", name: "import", arguments: {} }] } : { text: "Done." },
      ),
      tools: [
        defineTool({
          ...{ name: "import", description: "i", parameters: z.object({}), effects },
          execute: (_, { progress }) => execute(progress),
        }),
      ],
    }),
  });
const isProgress = ({ type }: LivePart): boolean => type === "tool.progress";

describe("a tool that reports progress", () => {
  test.each(["none", "once"] as const)("is shown between its start and its result, and not stored: effects %s", async (effects) => {
    const shown = gate();
    let late: (progress: Json) => void = () => {};
    const agent = reporting(effects, async (report) => {
      late = report;
      const given = { done: 1 };
      report(given);
      given.done = 99;
      await shown.opened;
      return "all";
    });
    const { session, store } = await sessionOf(agent);
    const live = new AbortController();
    const items = (async () => {
      const types: string[] = [];
      for await (const item of session.live({ signal: live.signal })) types.push("type" in item ? item.type : item.kind);
      return types;
    })();
    const stream = session.stream("hi");
    const seen: string[] = [];
    for await (const part of stream) {
      if (part.type !== "status") seen.push(word(part));
      if (isProgress(part)) shown.open();
      if (part.type === "tool.result") late("too late");
    }
    expect(seen).toEqual([
      "message [import]",
      "started import",
      'progress {"done":1}',
      "result import ok",
      "+Done.",
      "message Done.",
      "end completed",
    ]);
    live.abort();
    expect(await items).not.toContain("tool.progress");
    const { events } = (await store.read({ session_id: session.id, min_offset: 0 })) ?? { events: [] };
    expect(JSON.stringify(events)).not.toContain("done");
  });

  test("reports as often as it likes: readers get the newest, ten times a second at most, and a long one more than a draft holds", async () => {
    const large = "x".repeat(60_000);
    const agent = reporting("once", async (report) => {
      for (let count = 0; count < 1000; count += 1) report(count);
      for (let count = 0; count < 8; count += 1) {
        report(`${count} ${large}`);
        await new Promise((resolve) => setTimeout(resolve, 120));
      }
      report("last");
      await new Promise((resolve) => setTimeout(resolve, 150));
      return "all";
    });
    const { session } = await sessionOf(agent);
    const parts = (await Array.fromAsync(session.stream("hi"))).flatMap((part) => (part.type === "tool.progress" ? [part.progress] : []));
    expect(parts.slice(0, 2)).toEqual([0, expect.stringMatching(/^\d x/)]);
    expect(parts.at(-1)).toBe("last");
    expect(parts.length).toBeLessThan(12);
  });

  test.each([
    ["undefined", undefined, "It is not JSON."],
    ["not finite", Number.NaN, "It is not JSON."],
    ["a getter that throws", Object.defineProperty({}, "a", { enumerable: true, get: () => expect.fail("read") }), "It is not JSON."],
    ["too long", "x".repeat(65_536), "It has 65538 characters, 65536 at most."],
  ])("what is not JSON or too long is dropped with one warning, and the call goes on: %s", async (_, wrong, why) => {
    const agent = reporting("once", async (report) => {
      report(wrong as Json);
      report(wrong as Json);
      return "all";
    });
    const warnings: unknown[] = [];
    const logger = { debug() {}, info() {}, error() {}, warn: (message: string, fields?: object) => void warnings.push({ message, ...fields }) };
    const store = await openStore(":memory:");
    const runtime = await createRuntime({ store, agents: [agent], logger });
    onTestFinished(async () => {
      await runtime.close({ drainMs: 0 });
      await store.close();
    });
    const session = await runtime.sessions.create({ agent: "a1" });
    const parts = await Array.fromAsync(session.stream("hi"));
    expect(parts.filter(isProgress)).toEqual([]);
    expect(parts.map(word)).toContain("result import ok");
    expect(warnings).toEqual([expect.objectContaining({ message: "progress not shown", tool: "import", why })]);
  });

  test.skipIf(noPostgres !== undefined)("is shown in another process on PostgreSQL", async () => {
    const url = await newPostgresDatabase();
    const shown = gate();
    const agent = reporting("once", async (report) => {
      report({ done: 1 });
      await shown.opened;
      return "all";
    });
    const { session } = await sessionOf(agent, url);
    const { offset } = await session.post("hi");
    const elsewhere = await runtimeOver(url, agent, false);
    const reader = await elsewhere.runtime.sessions.get(session.id);
    const seen = await words(reader.follow(offset), (part) => (isProgress(part) && shown.open(), false));
    expect(seen).toContain('progress {"done":1}');
    expect(seen.at(-1)).toBe("end completed");
  });
});

test("the types of the parts and of the result", () => {
  expectTypeOf<TurnStream["result"]>().toEqualTypeOf<Promise<TurnResult>>();
  expectTypeOf<Extract<LivePart, { type: "end" }>["result"]>().toEqualTypeOf<TurnResult>();
});

describe("an agent that replies without a store", () => {
  const withoutStore: Extension["withoutStore"] = async ({ saved, text }) => `I heard "${text}" (${saved}).`;
  const urgent: Extension = { name: "down", accept: () => ({ urgent: true, answerMs: 1_000, beside: async () => undefined }), withoutStore };
  const guarded = (model = scripted(() => "Hello.")): Agent =>
    defineAgent({ name: "a1", version: 1, state: echoState, reply: loop({ model }), extensions: [urgent] });

  test("shows the reply to a message that is not stored, and no message", async () => {
    const store = await openStore(":memory:");
    let gone = false;
    const failing: Store = { ...store, commit: (commit) => (gone ? Promise.reject(new ThroughlineError("store.corrupt")) : store.commit(commit)) };
    const { runtime } = await runtimeOver(failing, guarded());
    const session = await runtime.sessions.create({ agent: "a1" });
    gone = true;
    const stream = session.stream("Hi");
    expect(await words(stream)).toEqual(['+I heard "Hi" (false).', "end failed"]);
    expect(await stream.result).toMatchObject({ saved: false, reply: 'I heard "Hi" (false).' });
    expect(await code(stream.accepted)).toBe("store.corrupt");
    gone = false;
  });

  test("voids what it showed if the store fails after it has accepted", async () => {
    const store = await openStore(":memory:");
    let gone = false;
    const gate: Store = {
      ...store,
      commit: (commit) => (gone ? Promise.reject(new ThroughlineError("store.corrupt")) : store.commit(commit)),
      read: (request) => (gone ? Promise.reject(new ThroughlineError("store.corrupt")) : store.read(request)),
    };
    const { model, open } = halted();
    const { runtime } = await runtimeOver(gate, guarded(model));
    const session = await runtime.sessions.create({ agent: "a1" });
    const seen: string[] = [];
    for await (const part of session.stream("Hi")) {
      if (part.type !== "status") seen.push(word(part));
      if (!isDelta(part) || gone) continue;
      gone = true;
      open();
    }
    expect(seen).toEqual(["+one ", ...seen.slice(1, -3), expect.stringMatching(/^reset (?:failed|fence)$/), '+I heard "Hi" (true).', "end failed"]);
    gone = false;
  });
});
