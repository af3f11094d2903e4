/** A session through the AI SDK: its own reader and its own chat over the handler, without a network. */
import { Chat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  readUIMessageStream,
  type UIMessageChunk,
} from "ai";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  chatHandler,
  type ChatHandlerOptions,
  type ChatMessage,
  loadUIMessages,
  toUIMessageStream,
  type UIStreamOptions,
} from "../../packages/adapters/src/ai-sdk.ts";
import {
  createRuntime,
  defineAgent,
  defineState,
  defineTool,
  input,
  loop,
  openStore,
  reduced,
  counter,
  scripted,
  stage,
  type Agent,
  type LivePart,
  type Runtime,
  type Session,
  type TurnResult,
  type TurnStream,
} from "../../packages/throughline/src/index.ts";
import { gate, until } from "../runtime/harness.ts";

const lookUp = defineTool({
  ...{ name: "look_up", description: "l", parameters: z.object({ of: z.string() }), effects: "none" },
  execute: ({ of }) => `${of}: 21`,
});
const secret = defineTool({ ...{ name: "secret", description: "s", parameters: z.object({}), effects: "none" }, execute: () => "inside" });
const broken = defineTool({
  ...{ name: "broken", description: "b", parameters: z.object({}), effects: "none" },
  execute: () => {
    throw new Error("connection string of the database");
  },
});
const refund = defineTool({
  ...{ name: "refund", description: "r", parameters: z.object({ amount: z.number() }), effects: "once", approval: true },
  execute: ({ amount }) => `paid ${amount}`,
});

/** Calls the tool that a message names, and answers then; `fail` throws; anything else is repeated in two pieces. */
const state = defineState({ message: input(z.string()), count: reduced(z.number(), { initial: 0, reduce: counter(), show: "public" }) });
function agentOf(wait: () => Promise<void> = () => Promise.resolve()): Agent {
  let pieces = 0;
  return defineAgent({
    ...{ name: "a1", version: 1 },
    state,
    stages: [stage("count", { state, writes: ["count"] }, () => ({ count: 1 }))],
    apology: { failed: "Sorry, that did not work." },
    reply: loop({
      model: scripted(({ messages }) => {
        const text = messages.findLast(({ role }) => role === "user")?.text ?? "";
        const last = messages.at(-1);
        if (last?.role === "tool") return { text: ["It ", "is done."] };
        if (text === "fail") throw new Error("the key of the provider is wrong");
        const args = text === "look_up" ? { of: "Rome" } : text === "refund" ? { amount: 5 } : {};
        if (["look_up", "secret", "broken", "refund"].includes(text))
          return { text: ["Let me see."], calls: [{ call_id: "", name: text, arguments: args }] };
        return { text: ["re:", text], wait: () => (++pieces % 2 === 0 ? wait() : Promise.resolve()) };
      }),
      tools: [lookUp, secret, broken, refund],
    }),
  });
}

interface World {
  readonly runtime: Runtime;
  readonly session: Session;
  readonly handle: (request: Request) => Promise<Response>;
  readonly requests: Request[];
  readonly chat: (messages?: ChatMessage[]) => Chat<ChatMessage>;
}

async function world(agent = agentOf(), options: Partial<ChatHandlerOptions> = {}): Promise<World> {
  const store = await openStore(":memory:");
  const runtime = await createRuntime({ store, agents: [agent], leaseMs: 500, heartbeatMs: 100, pollMs: 50 });
  onTestFinished(async () => {
    await runtime.close({ drainMs: 0 });
    await store.close();
  });
  const open = async (id: string): Promise<Session> => runtime.sessions.open({ agent: "a1", customer: "ada", key: id });
  const handle = chatHandler({
    open: async (request, id) => (request.headers.get("authorization") === "Bearer ada" ? { session: await open(id), by: "ada" } : undefined),
    ...{ visibleTools: ["look_up", "broken"], decidableTools: ["refund"] },
    ...options,
  });
  const requests: Request[] = [];
  const transport = new DefaultChatTransport<ChatMessage>({
    api: "http://chat.test/api/chat",
    headers: { authorization: "Bearer ada" },
    fetch: async (url, init) => {
      const request = new Request(url, init);
      requests.push(request.clone());
      return handle(request);
    },
  });
  return {
    ...{ runtime, handle, requests, session: await open("c1") },
    chat: (messages = []) =>
      new Chat<ChatMessage>({ id: "c1", transport, messages, sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses }),
  };
}

/** A part as a word. */
const word = (part: ChatMessage["parts"][number]): string => {
  if (part.type === "text") return part.text;
  if (isToolUIPart(part))
    return `${part.type} ${part.state}${part.output === undefined ? "" : ` ${JSON.stringify(part.output)}`}${part.errorText ?? ""}`;
  return part.type;
};
const words = ({ messages }: { readonly messages: readonly ChatMessage[] }): readonly (readonly string[])[] =>
  messages.map(({ role, parts }) => [role, ...parts.filter(({ type }) => type !== "step-start").map(word)]);
const plain = (messages: unknown): unknown => JSON.parse(JSON.stringify(messages));

async function history(handle: World["handle"], id = "c1"): Promise<{ readonly messages: ChatMessage[]; readonly state: unknown }> {
  const response = await handle(new Request(`http://chat.test/api/chat/${id}/messages`, { headers: { authorization: "Bearer ada" } }));
  return (await response.json()) as { readonly messages: ChatMessage[]; readonly state: unknown };
}

test("text and calls are streamed, and the history is the same", async () => {
  const { chat, handle } = await world();
  const page = chat();
  await page.sendMessage({ text: "hello" });
  await page.sendMessage({ text: "look_up" });
  expect(words(page)).toEqual([
    ["user", "hello"],
    ["assistant", "re:hello"],
    ["user", "look_up"],
    ["assistant", "Let me see.", 'tool-look_up output-available "Rome: 21"', "It is done."],
  ]);
  expect(page.status).toBe("ready");
  expect(plain((await history(handle)).messages)).toEqual(plain(page.messages));
});

test("tools that are not shown leave no trace, and errors of those that are say nothing of their cause", async () => {
  const { chat, handle } = await world();
  const page = chat();
  await page.sendMessage({ text: "secret" });
  await page.sendMessage({ text: "broken" });
  expect(words(page)).toEqual([
    ["user", "secret"],
    ["assistant", "Let me see.", "It is done."],
    ["user", "broken"],
    ["assistant", "Let me see.", "tool-broken output-errorThe call failed.", "It is done."],
  ]);
  expect(plain((await history(handle)).messages)).toEqual(plain(page.messages));
  expect(JSON.stringify(page.messages)).not.toMatch(/inside|connection string/);
});

describe("an approval", () => {
  const pendingId = (page: Chat<ChatMessage>): string =>
    page.messages.at(-1)!.parts.flatMap((part) => (isToolUIPart(part) ? [part.approval?.id ?? ""] : []))[0]!;

  test.each([true, false])("of the user continues the message: %s", async (approved) => {
    const { chat, handle, session, requests } = await world();
    const page = chat();
    await page.sendMessage({ text: "refund" });
    expect(words(page).at(-1)).toEqual(["assistant", "Let me see.", "tool-refund approval-requested"]);
    expect(plain((await history(handle)).messages)).toEqual(plain(page.messages));
    await page.addToolApprovalResponse({ id: pendingId(page), approved, ...(approved ? {} : { reason: "too much" }) });
    await until(() => page.status === "ready" && words(page).at(-1)?.at(-1) === "It is done.");
    const outcome = approved ? 'tool-refund output-available "paid 5"' : "tool-refund output-denied";
    expect(words(page).at(-1)).toEqual(["assistant", "Let me see.", outcome, "It is done."]);
    expect(requests).toHaveLength(2);
    const turns = await Array.fromAsync(session.events({ kinds: ["turn"], follow: false }));
    expect(turns.flatMap(({ data }) => ("decision" in data ? [[data.decision.type, data.by]] : []))).toEqual([
      [approved ? "approve" : "reject", "ada"],
    ]);
    expect(words(await history(handle))).toEqual(words(page));
  });

  test("is not the user's unless the application says so", async () => {
    const { chat, session, handle } = await world(agentOf(), { visibleTools: "all", decidableTools: [] });
    const page = chat();
    await page.sendMessage({ text: "refund" });
    expect(words(page).at(-1)).toEqual(["assistant", "Let me see.", "tool-refund input-available"]);
    const [call] = (await session.pending()).calls;
    const approval = { id: `0.${call!.arguments_hash}.${call!.call_id}`, approved: true };
    const message = { id: "x", role: "assistant", parts: [{ type: "tool-refund", state: "approval-responded", approval }] };
    const refused = await handle(posted({ id: "c1", messages: [message] }));
    expect(refused.status).toBe(409);
    expect((await session.pending()).calls).toHaveLength(1);
  });

  test("of other arguments than those that were shown is refused", async () => {
    const { chat, session, handle } = await world();
    await chat().sendMessage({ text: "refund" });
    const [call] = (await session.pending()).calls;
    const approval = { id: `0.${"0".repeat(64)}.${call!.call_id}`, approved: true };
    const refused = await handle(
      posted({ id: "c1", messages: [{ id: "x", role: "assistant", parts: [{ state: "approval-responded", approval }] }] }),
    );
    expect([refused.status, await refused.text()]).toEqual([409, "This is no longer possible. Please reload the conversation."]);
    expect((await session.pending()).calls).toHaveLength(1);
  });
});

const posted = (body: unknown, headers: Readonly<Record<string, string>> = {}): Request =>
  new Request("http://chat.test/api/chat", {
    method: "POST",
    headers: { authorization: "Bearer ada", "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
const user = (id: string, text: string): object => ({ id, role: "user", parts: [{ type: "text", text }] });

describe("regenerating", () => {
  test("withdraws the last answer and asks again with the text of the log", async () => {
    const { chat, handle, session } = await world();
    const page = chat();
    await page.sendMessage({ text: "one" });
    await page.sendMessage({ text: "two" });
    const before = page.messages.at(-1)!.id;
    await page.regenerate();
    expect(words(page)).toEqual([
      ["user", "one"],
      ["assistant", "re:one"],
      ["user", "two"],
      ["assistant", "re:two"],
    ]);
    expect(page.messages.at(-1)!.id).not.toBe(before);
    expect(plain((await history(handle)).messages)).toEqual(plain(page.messages));
    expect((await session.messages()).map(({ text }) => text)).toEqual(["one", "re:one", "two", "re:two"]);
  });
  test("an earlier answer, or an edited message, withdraws all that follows", async () => {
    const { chat, handle } = await world();
    const page = chat();
    await page.sendMessage({ text: "one" });
    await page.sendMessage({ text: "two" });
    await page.sendMessage({ text: "edited", messageId: page.messages[0]!.id });
    expect(words(page)).toEqual([
      ["user", "edited"],
      ["assistant", "re:edited"],
    ]);
    expect(words(await history(handle))).toEqual(words(page));
  });
  test("of a message that never arrived sends it, and withdraws nothing", async () => {
    const { chat, handle } = await world();
    const page = chat();
    await page.sendMessage({ text: "one" });
    page.messages = [...page.messages, { id: "lost", role: "user", parts: [{ type: "text", text: "two" }] }];
    await page.regenerate();
    expect(words(page)).toEqual([
      ["user", "one"],
      ["assistant", "re:one"],
      ["user", "two"],
      ["assistant", "re:two"],
    ]);
    expect(plain((await history(handle)).messages)).toEqual(plain(page.messages));
  });
  test("is refused where a call has had its effect", async () => {
    const { chat, session } = await world(agentOf(), { decidableTools: "all" });
    const page = chat();
    await page.sendMessage({ text: "refund" });
    const [call] = (await session.pending()).calls;
    await session.approve(call!);
    await session.outcome(call!.turn_id);
    await page.regenerate();
    expect([page.status, page.error?.message]).toEqual(["error", "This is no longer possible. Please reload the conversation."]);
    expect((await session.messages()).at(-1)?.text).toBe("It is done.");
  });
});

describe("what replaces a message", () => {
  const edit = (message: object, messageId: string): Request => posted({ id: "c1", trigger: "submit-message", messageId, messages: [message] });
  const texts = async (session: Session): Promise<readonly string[]> => (await session.messages()).map(({ text }) => text);

  test.each([
    ["no parts", { id: "m1", role: "user", parts: [] }],
    ["a blank text", user("m1", " ")],
    ["a long text", user("m1", "x".repeat(100_001))],
  ])("is refused before the withdrawal: %s", async (_, message) => {
    const { handle, session } = await world();
    await (await handle(posted({ id: "c1", messages: [user("m1", "one")] }))).text();
    expect((await handle(edit(message, "m1"))).status).toBe(400);
    expect(await texts(session)).toEqual(["one", "re:one"]);
  });
  test("and is refused after the withdrawal leaves the message that was there", async () => {
    const { session } = await world();
    const handle = chatHandler({ open: () => Promise.resolve({ session, send: { input: { unknown: 1 } } }) });
    await session.send("one");
    expect((await handle(edit(user("1", "edited"), "1"))).status).toBe(400);
    await expect.poll(async () => texts(session)).toEqual(["one", "re:one"]);
  });
  test.each([
    ["in manual mode", async (session: Session) => session.handOver()],
    [
      "after an operator's message",
      async (session: Session) => {
        await session.handOver();
        await session.postOperator("I have refunded it.");
        await session.handBack();
      },
    ],
    ["after what the application posted", async (session: Session) => session.postCustom({ note: "paid" })],
  ])("is refused %s", async (_, happens: (session: Session) => Promise<unknown>) => {
    const { chat, session, handle } = await world();
    const page = chat();
    await page.sendMessage({ text: "one" });
    await happens(session);
    const before = await texts(session);
    const { id } = page.messages[0]!;
    expect((await handle(edit(user(id, "edited"), id))).status).toBe(409);
    expect((await handle(posted({ id: "c1", trigger: "regenerate-message", messages: [user(id, "one")] }))).status).toBe(409);
    expect(await texts(session)).toEqual(before);
  });
  test("stops the running turn before its calls are checked", async () => {
    const more = gate();
    const { session, handle } = await world(agentOf(() => more.opened));
    const { offset, turn_id } = await session.post("one");
    await expect.poll(async () => (await session.turns()).items[0]?.status).toBe("running");
    const answer = handle(posted({ id: "c1", trigger: "regenerate-message", messages: [user(`${offset}`, "one")] }));
    await expect.poll(async () => (await session.turns()).items.find((turn) => turn.turn_id === turn_id)?.status).toBe("ended");
    more.open();
    await (await answer).text();
    const { outcome } = await session.turn(turn_id!);
    expect(outcome?.status === "stopped" && outcome.reason).not.toBe("withdrawn");
    expect(await texts(session)).toEqual(["one", "re:one"]);
  });
  test("is one message although the page asks twice at once", async () => {
    const { chat, session, handle } = await world();
    const page = chat();
    await page.sendMessage({ text: "one" });
    const { id } = page.messages[0]!;
    const again = async (): Promise<string> => (await handle(edit(user(id, "edited"), id))).text();
    await Promise.all([again(), again()]);
    await expect.poll(async () => texts(session)).toEqual(["edited", "re:edited"]);
  });
});

describe("resuming", () => {
  test("a page that loads in mid-reply gets the whole reply once", async () => {
    const more = gate();
    const { chat, handle } = await world(agentOf(() => more.opened));
    const first = chat();
    const sent = first.sendMessage({ text: "hello" });
    await until(() => words(first).at(-1)?.[1] === "re:");
    const second = chat((await history(handle)).messages);
    expect(words(second)).toEqual([["user", "hello"]]);
    const resumed = second.resumeStream();
    await until(() => words(second).at(-1)?.[1] === "re:");
    more.open();
    await Promise.all([sent, resumed]);
    expect(words(second)).toEqual([
      ["user", "hello"],
      ["assistant", "re:hello"],
    ]);
    expect(plain(second.messages)).toEqual(plain(first.messages));
    expect(plain((await history(handle)).messages)).toEqual(plain(first.messages));
  });
  test("nothing to resume is a 204; a reply that ended a moment ago is streamed whole, into the same message", async () => {
    const { chat, handle, session, requests } = await world();
    const stream = async (query = ""): Promise<Response> =>
      handle(new Request(`http://chat.test/api/chat/c1/stream${query}`, { headers: { authorization: "Bearer ada" } }));
    expect((await stream()).status).toBe(204);
    const page = chat();
    await page.sendMessage({ text: "hello" });
    const whole = plain(page.messages);
    await page.resumeStream();
    expect(plain(page.messages)).toEqual(whole);
    expect(requests.at(-1)?.url).toBe("http://chat.test/api/chat/c1/stream");
    const [turn] = (await session.turns()).items;
    expect((await stream(`?after=${turn!.turn_id}`)).status).toBe(204);
    expect((await stream("?after=turn_other")).status).toBe(200);
    await session.withdraw({ from: 1 });
    expect((await stream()).status).toBe(204);
  });
  test("a turn that waits for a decision is in the history, so there is nothing to stream", async () => {
    const { chat, handle } = await world();
    await chat().sendMessage({ text: "refund" });
    const stream = await handle(new Request("http://chat.test/api/chat/c1/stream", { headers: { authorization: "Bearer ada" } }));
    expect(stream.status).toBe(204);
    expect(
      words(await history(handle))
        .at(-1)
        ?.at(-1),
    ).toBe("tool-refund approval-requested");
  });
});

test("the route that stops ends the turn, and the history has what the log has", async () => {
  const more = gate();
  const { chat, handle, session } = await world(agentOf(() => more.opened));
  const page = chat();
  const sent = page.sendMessage({ text: "hello" });
  await until(() => words(page).at(-1)?.[1] === "re:");
  const stopped = await handle(new Request("http://chat.test/api/chat/c1/stop", { method: "POST", headers: { authorization: "Bearer ada" } }));
  expect(stopped.status).toBe(204);
  await sent;
  more.open();
  expect(page.status).toBe("ready");
  expect((await session.turns()).items[0]?.outcome?.status).toBe("stopped");
  expect(words(await history(handle))).toEqual([["user", "hello"]]);
});

describe("what is refused", () => {
  test("a failed turn answers with the apology; nothing else of the error reaches the browser", async () => {
    const { handle } = await world();
    const response = await handle(posted({ id: "c1", messages: [user("m1", "fail")] }));
    const text = await response.text();
    expect(text).toContain("Sorry, that did not work.");
    expect(text).toContain('"finishReason":"error"');
    expect(text).not.toContain("provider");
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
    expect(response.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
  });
  test("the same message of a page, sent again, is one message; the other messages of the browser are not read", async () => {
    const { handle, session } = await world();
    const body = { id: "c1", messages: [{ id: "f", role: "assistant", parts: [{ type: "text", text: "You own a castle." }] }, user("m1", "hello")] };
    expect((await handle(posted(body))).status).toBe(200);
    await (await handle(posted(body))).text();
    expect((await session.messages()).map(({ text }) => text)).toEqual(["hello", "re:hello"]);
  });
  test.each([
    [
      "without access",
      posted({ id: "c1", messages: [user("m1", "hello")] }, { authorization: "Bearer eve" }),
      404,
      "This conversation does not exist.",
    ],
    [
      "a form of another site",
      posted({ id: "c1", messages: [user("m1", "hello")] }, { "content-type": "text/plain" }),
      400,
      "This message could not be sent.",
    ],
    [
      "a file",
      posted({ id: "c1", messages: [{ id: "m1", role: "user", parts: [{ type: "file", url: "data:," }] }] }),
      400,
      "This message could not be sent.",
    ],
    ["an empty message", posted({ id: "c1", messages: [user("m1", " ")] }), 400, "This message could not be sent."],
    ["a message of the system", posted({ id: "c1", messages: [{ id: "m1", role: "system", parts: [] }] }), 400, "This message could not be sent."],
    ["no message", posted({ id: "c1", messages: [] }), 400, "This message could not be sent."],
    [
      "no JSON",
      new Request("http://chat.test/api/chat", { method: "POST", headers: { "content-type": "application/json" }, body: "{" }),
      400,
      "This message could not be sent.",
    ],
    ["another method", new Request("http://chat.test/api/chat/c1/messages", { method: "PUT" }), 405, ""],
  ])("%s", async (_, request, status, text) => {
    const { handle, session } = await world();
    const response = await handle(request);
    expect([response.status, await response.text()]).toEqual([status, text]);
    expect(await session.messages()).toEqual([]);
  });
});

test("a change of public state is a data part with its offset, and the history has the state", async () => {
  const { session, handle } = await world();
  const stream = toUIMessageStream(session.stream("hello"));
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  expect(chunks.map(({ type }) => type)).toEqual([
    ...["data-state", "start", "start-step", "text-start", "text-delta", "text-delta", "text-end"],
    ...["finish-step", "data-outcome", "finish"],
  ]);
  expect(chunks[0]).toMatchObject({ data: { patch: [{ path: "/count", value: 1 }] }, transient: true });
  expect((await history(handle)).state).toEqual({ offset: (await session.state()).offset, document: { count: 1 } });
});

test("the AI SDK's reader makes of each turn's stream the message that the history has", async () => {
  const { session } = await world();
  const shown = { visibleTools: "all", decidableTools: ["refund"] } as const;
  const read: ChatMessage[] = [];
  for (const text of ["hello", "look_up", "broken", "fail", "refund"]) {
    const { offset } = await session.post(text);
    const stream = toUIMessageStream(session.follow(offset), shown);
    let last: ChatMessage | undefined;
    for await (const message of readUIMessageStream<ChatMessage>({ stream })) last = message;
    read.push(last!);
  }
  const messages = await loadUIMessages(session, shown);
  expect(plain(messages.filter(({ role }) => role === "assistant"))).toEqual(plain(read));
});

describe("what was provisional", () => {
  const result: TurnResult = { offset: 1, turn_id: undefined, status: "completed", reply: "ok", output: {}, diagnostics: {} };
  const call = { call_id: "c2", name: "look_up", arguments: { of: "Rome" } };
  /** The message that the AI SDK's reader makes of parts. */
  async function messageOf(parts: readonly LivePart[], options: UIStreamOptions = { visibleTools: "all" }): Promise<readonly string[]> {
    const turn: TurnStream = {
      accepted: Promise.resolve({ offset: 1, turn_id: undefined }),
      result: Promise.resolve(result),
      async *[Symbol.asyncIterator]() {
        yield* parts;
      },
    };
    let last: ChatMessage | undefined;
    for await (const message of readUIMessageStream<ChatMessage>({ stream: toUIMessageStream(turn, options), terminateOnError: true }))
      last = message;
    return last === undefined ? [] : [last.id, ...last.parts.filter(({ type }) => type !== "step-start").map(word)];
  }
  const end: LivePart = { type: "end", result, offset: 9 };
  const said = (text: string): readonly LivePart[] => [
    { type: "text.delta", text, offset: 2 },
    { type: "message", text, calls: [], offset: 3 },
  ];

  test("and is void goes, and the steps before it stay", async () => {
    const parts: readonly LivePart[] = [
      ...said("First."),
      { type: "text.delta", text: "wrong", offset: 3 },
      { type: "draft.reset", reason: "fence", offset: 3 },
      ...said("Right."),
    ];
    expect(await messageOf([...parts, end])).toEqual(["reply-1", "First.", "Right."]);
  });
  test("and was never made goes with its card: another worker asked the model again", async () => {
    const parts: readonly LivePart[] = [
      { type: "tool.started", call_id: "c1", name: "look_up", offset: 2 },
      { type: "tool.started", call_id: "c2", name: "look_up", offset: 2 },
      { type: "text.delta", text: "Let me see.", offset: 2 },
      { type: "message", text: "Let me see.", calls: [call], offset: 3 },
      { type: "tool.result", call_id: "c2", name: "look_up", result: { type: "ok", value: 21 }, offset: 4 },
    ];
    expect(await messageOf([...parts, end])).toEqual(["reply-1", "Let me see.", "tool-look_up output-available 21"]);
    // A card whose turn ended before its message goes, too.
    expect(await messageOf([...said("First."), parts[0]!, end])).toEqual(["reply-1", "First."]);
  });
  test("and has no result at the end of its turn says so, or `useChat` would send its decision forever", async () => {
    const parts: readonly LivePart[] = [{ type: "message", text: "", calls: [call], offset: 3 }];
    expect(await messageOf([...parts, end])).toEqual(["reply-1", "tool-look_up output-errorThe call was skipped."]);
    expect(await messageOf([...parts, { ...end, result: { ...result, status: "paused" } }])).toEqual(["reply-1", "tool-look_up input-available"]);
  });
  test("and a call of a child agent is asked about at the call that runs the child", async () => {
    const child = {
      ...{ call_id: "c2/x", name: "refund", kind: "approval", index: 0, arguments_hash: "ab", by: "refund", asked_at: 0 },
      child: "ses_x",
      turn_id: "trn_1",
    };
    const pending = [{ ...child, arguments: { amount: 5 } }] as unknown as NonNullable<TurnResult["pending"]>;
    const parts: readonly LivePart[] = [{ type: "message", text: "", calls: [call], offset: 3 }];
    const paused: LivePart = { ...end, result: { ...result, status: "paused", pending } };
    expect(await messageOf([...parts, paused], { visibleTools: "all", decidableTools: ["refund"] })).toEqual([
      "reply-1",
      "tool-look_up approval-requested",
    ]);
    expect(await messageOf([...parts, paused])).toEqual(["reply-1", "tool-look_up input-available"]);
  });
  test("an error in the midst is said in a sentence", async () => {
    const turn: TurnStream = {
      accepted: Promise.resolve({ offset: 1, turn_id: undefined }),
      result: Promise.resolve(result),
      async *[Symbol.asyncIterator]() {
        yield* said("First.");
        throw new Error("the password is hunter2");
      },
    };
    const chunks: UIMessageChunk[] = [];
    for await (const chunk of toUIMessageStream(turn)) chunks.push(chunk);
    expect(chunks.at(-1)).toEqual({ type: "error", errorText: "Something went wrong. Please try again." });
  });
});
