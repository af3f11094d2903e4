/** The stream of one turn over HTTP. */
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { livePart, streamAccepted, turnStreamFrame, type WireLivePart } from "../../packages/server/src/protocol/wire-turn-stream.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { scripted } from "../../packages/throughline/src/model/scripted.ts";
import { defineAgent } from "../../packages/throughline/src/runtime/agent/define-agent.ts";
import { loop } from "../../packages/throughline/src/runtime/loop/loop.ts";
import { stage } from "../../packages/throughline/src/extension/stage.ts";
import { defineState } from "../../packages/throughline/src/state/define.ts";
import { input, reduced } from "../../packages/throughline/src/state/field.ts";
import { defineTool } from "../../packages/throughline/src/tools/define-tool.ts";
import { openReader, parseFrame, type EventReader, type Frame } from "../setup/event-reader.ts";
import { startServer, type TestServer } from "../setup/server.ts";

const state = defineState({ message: input(z.string()), mood: reduced(z.string(), { show: "public" }), secret: reduced(z.string()) });

/** Reports its progress, and lets it be shown. */
async function lookUp(_: unknown, { progress }: { readonly progress: (progress: string) => void }): Promise<string> {
  progress("canary-progress");
  await delay(100);
  return "canary-value";
}

/** Looks something up, says so, and answers; it pays only if a person agrees. */
function agentOf(wait: () => Promise<void> = async () => {}) {
  const look = defineTool({
    name: "look",
    description: "Looks.",
    effects: "idempotent",
    parameters: z.object({ q: z.string() }),
    execute: lookUp,
  });
  const pay = defineTool({ name: "pay", description: "Pays.", effects: "once", approval: true, parameters: z.object({}), execute: () => "paid" });
  const model = scripted(({ messages }) => {
    const asked = messages.findLast(({ role }) => role === "user")?.text ?? "";
    let pieces = 0;
    if (messages.at(-1)?.role === "tool") return { text: ["It is ", "warm."], wait: async () => (pieces++ > 0 ? wait() : undefined) };
    if (asked === "pay") return { calls: [{ call_id: "p", name: "pay", arguments: {} }] };
    return { text: "canary-thought", calls: [{ call_id: "l", name: "look", arguments: { q: "canary-query" } }] };
  });
  const feel = stage("canary-stage", { state, writes: ["mood", "secret"] }, () => ({ mood: "calm", secret: "canary-secret" }));
  return defineAgent({ name: "a1", version: 1, state, stages: [feel], reply: loop({ model, tools: [look, pay] }) });
}

interface Streamed {
  readonly frames: readonly Frame[];
  readonly parts: readonly WireLivePart[];
  readonly accepted: z.output<typeof streamAccepted>;
}

/** Reads a stream to its end. Every frame has the shape that is described. */
async function read(response: Response): Promise<Streamed> {
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const frames = (await response.text()).split("\n\n").filter(Boolean).map(parseFrame);
  const named = frames.filter(({ event }) => event !== undefined);
  for (const { id, event, text } of named)
    turnStreamFrame.parse({ event, ...(id === undefined ? {} : { id: Number(id) }), data: JSON.parse(text ?? "") });
  const [first, ...rest] = named;
  expect(first?.event).toBe("accepted");
  const parts = rest.map(({ id, text }) => {
    const part = livePart.parse(JSON.parse(text ?? ""));
    expect(JSON.parse(text ?? "")).toEqual(part);
    expect(id).toBe(String(part.offset));
    return part;
  });
  return { frames, parts, accepted: streamAccepted.parse(JSON.parse(first?.text ?? "")) };
}

const post = ({ url }: TestServer, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${url}${path}`, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) });

/** Waits until a frame has come. */
async function has({ frames, over }: EventReader, test: (frame: Frame) => boolean): Promise<void> {
  let isOver = false;
  void over.then(() => (isOver = true));
  for (let tries = 0; !frames.some(test); tries += 1) {
    if (isOver || tries > 1000) throw new Error(`The stream has only ${JSON.stringify(frames.map(({ event }) => event))}.`);
    await delay(5);
  }
}
const hasText = ({ event, text }: Frame): boolean => event === "text.delta" && text?.includes("It is") === true;

const isOfLog = ({ type }: WireLivePart): boolean => type !== "text.delta" && type !== "tool.progress";
const typesOf = (parts: readonly WireLivePart[]): readonly string[] => parts.map(({ type }) => type);

test("a message is posted and its turn streamed, from the beginning or from any part on", async () => {
  const server = await startServer({ agents: [agentOf()] });
  const { body: session } = await server.request("POST", "/v1/sessions", { agent: "a1" });
  const of = `/v1/sessions/${session.id}`;
  const { parts, accepted } = await read(await post(server, `${of}/stream`, { text: "hi" }, { "idempotency-key": "m-1" }));
  expect(accepted).toEqual({ offset: 1, turn_id: expect.any(String) });
  const end = parts.at(-1);
  expect(end).toMatchObject({
    type: "end",
    result: { status: "completed", reply: "It is warm.", offset: 1, output: { mood: "calm" }, diagnostics: expect.any(Object) },
  });
  expect(parts).toContainEqual(expect.objectContaining({ type: "tool.started", name: "look", arguments: { q: "canary-query" } }));
  expect(parts).toContainEqual(expect.objectContaining({ type: "tool.progress", progress: "canary-progress" }));
  expect(parts).toContainEqual(expect.objectContaining({ type: "tool.result", name: "look", result: { type: "ok", value: "canary-value" } }));
  expect(parts).toContainEqual(expect.objectContaining({ type: "state", patch: [{ op: "add", path: "/mood", value: "calm" }] }));

  const again = await read(await post(server, `${of}/stream`, { text: "hi" }, { "idempotency-key": "m-1" }));
  expect(again.accepted.offset).toBe(1);
  expect(typesOf(again.parts.filter(isOfLog))).toEqual(typesOf(parts.filter(isOfLog)));
  const whole = await read(await fetch(`${server.url}${of}/events/1/stream`));
  for (const { offset } of whole.parts) {
    const rest = await read(await fetch(`${server.url}${of}/events/1/stream?after=${offset}`));
    const ofTurn = await read(await fetch(`${server.url}${of}/turns/${accepted.turn_id}/stream`, { headers: { "last-event-id": String(offset) } }));
    const expected = whole.parts.filter((part) => part.type === "end" || (part.type === "text.delta" ? part.offset >= offset : part.offset > offset));
    expect(rest.parts).toEqual(expected);
    expect(ofTurn.parts[0]).toEqual({ type: "draft.reset", offset, reason: "reconnected" });
    // A turn that is followed by its id has no message of its own.
    expect(ofTurn.parts.slice(1, -1)).toEqual(expected.slice(0, -1));
  }
});

test("a customer is shown what events show: messages to them, what the agent does, and public state", async () => {
  const server = await startServer({ agents: [agentOf()] });
  const { key } = await createKey(server.store, { name: "all", scopes: ["admin"] });
  const admin = { authorization: `Bearer ${key}` };
  await server.request("POST", "/v1/customers", { id: "ada" }, admin);
  const { body: session } = await server.request("POST", "/v1/sessions", { agent: "a1", customer_id: "ada" }, admin);
  const { body: token } = await server.request("POST", "/v1/tokens", { customer_id: "ada" }, admin);
  const ada = { authorization: `Bearer ${token.token}` };
  const of = `/v1/sessions/${session.id}`;
  const streamed = await read(await post(server, `${of}/stream`, { text: "hi" }, ada));
  const { body: page } = await server.request("GET", `${of}/events`, undefined, ada);
  const events = page.items.filter(({ turn_id, source }: { turn_id?: string; source: string }) => turn_id !== undefined && source === "ai_agent");
  const shown = streamed.parts.filter(({ type }) => !["text.delta", "draft.reset", "end"].includes(type));
  expect(shown.map(({ offset, type }) => [offset, type])).toEqual(events.map(({ offset, kind }: { offset: number; kind: string }) => [offset, kind]));
  expect(streamed.parts.at(-1)).toEqual({
    type: "end",
    offset: expect.any(Number),
    result: { offset: 1, turn_id: expect.any(String), status: "completed", reply: "It is warm.", output: { mood: "calm" } },
  });
  // What leads to the reply is shown as a draft at most, and taken back.
  const final = streamed.parts.filter((part) => part.type !== "text.delta" || !part.text.includes("canary-thought"));
  expect(JSON.stringify(final)).not.toContain("canary");
  expect(final.filter(({ type }) => type.startsWith("tool"))).toEqual([]);

  const asked = await read(await post(server, `${of}/stream`, { text: "pay" }, ada));
  expect(asked.parts.at(-1)).toMatchObject({ type: "end", result: { status: "completed" } });
  expect(JSON.stringify(asked.parts)).not.toMatch(/pending|approval|pay"/);
  const forKey = await read(await fetch(`${server.url}${of}/events/${asked.accepted.offset}/stream`, { headers: admin }));
  expect(forKey.parts.at(-1)).toMatchObject({ type: "end", result: { status: "paused", pending: [{ name: "pay", arguments: {} }] } });

  for (const body of [
    { text: "hi", input: { message: "x" } },
    { text: "hi", metadata: { a: 1 } },
  ])
    expect((await post(server, `${of}/stream`, body, ada)).status).toBe(403);
  const { body: other } = await server.request("POST", "/v1/sessions", { agent: "a1" }, admin);
  expect((await post(server, `/v1/sessions/${other.id}/stream`, { text: "hi" }, ada)).status).toBe(404);
});

test("a reader without state:read is shown the public fields of the outcome", async () => {
  const server = await startServer({ agents: [agentOf()] });
  const { key } = await createKey(server.store, { name: "chat", scopes: ["sessions:read", "sessions:write"] });
  const { id } = await server.runtime.sessions.create({ agent: "a1" });
  const { parts } = await read(await post(server, `/v1/sessions/${id}/stream`, { text: "hi" }, { authorization: `Bearer ${key}` }));
  expect(parts.at(-1)).toMatchObject({ result: { output: { mood: "calm" }, diagnostics: expect.any(Object) } });
  expect(JSON.stringify(parts)).not.toContain("canary-secret");
});

test("leaving a stream leaves the turn running; heartbeats keep a quiet one open; a stopping service says so and takes back what was shown", async () => {
  const gate = Promise.withResolvers<void>();
  onTestFinished(() => gate.resolve());
  const server = await startServer({ agents: [agentOf(() => gate.promise)], limits: { heartbeatMs: 30 } });
  const { id } = await server.runtime.sessions.create({ agent: "a1" });
  const left = new AbortController();
  const response = await fetch(`${server.url}/v1/sessions/${id}/stream`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"text":"hi"}',
    signal: left.signal,
  });
  await response.body?.getReader().read();
  left.abort();
  const reader = await openReader(server.url, `/v1/sessions/${id}/events/1/stream`);
  await has(reader, hasText);
  await has(reader, ({ comment }) => comment?.startsWith("next_offset=") === true);
  const closing = server.server.close();
  gate.resolve();
  await reader.over;
  const [reset, bye] = reader.frames.slice(-2).map(({ event, text }) => ({ event, data: JSON.parse(text ?? "null") }));
  expect(reset).toMatchObject({ event: "draft.reset", data: { reason: "reconnected" } });
  expect(bye).toMatchObject({ event: "bye", data: { reason: "shutdown", positions: { [id]: reset?.data.offset + 1 } } });
  await closing;
});

test("a turn that another one takes over is followed, and an erased session ends its streams", async () => {
  const gate = Promise.withResolvers<void>();
  onTestFinished(() => gate.resolve());
  const agent = { ...agentOf(() => gate.promise), onNewMessage: "supersede" as const };
  const server = await startServer({ agents: [agent] });
  const session = await server.runtime.sessions.create({ agent: "a1" });
  const of = `/v1/sessions/${session.id}`;
  await server.request("POST", `${of}/events`, { kind: "message", text: "one" });
  const reader = await openReader(server.url, `${of}/events/1/stream`);
  await has(reader, hasText);
  gate.resolve();
  await server.request("POST", `${of}/events`, { kind: "message", text: "two" });
  await reader.over;
  const end = reader.frames.at(-1);
  expect(JSON.parse(end?.text ?? "")).toMatchObject({ type: "end", result: { offset: 1, status: "completed", reply: "It is warm." } });

  const never = Promise.withResolvers<void>();
  onTestFinished(() => never.resolve());
  const waiting = await startServer({ agents: [agentOf(() => never.promise)] });
  const { id } = await waiting.runtime.sessions.create({ agent: "a1" });
  await waiting.request("POST", `/v1/sessions/${id}/events`, { kind: "message", text: "one" });
  const erased = await openReader(waiting.url, `/v1/sessions/${id}/events/1/stream`);
  await has(erased, ({ event }) => event === "text.delta");
  await waiting.request("DELETE", `/v1/sessions/${id}`);
  await erased.over;
  expect(erased.frames.at(-1)).toMatchObject({ event: "gone" });
});
