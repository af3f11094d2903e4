/** `session.stream(message)` and `session.follow(of)` of the client: the live parts of one turn, and its result. */
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type ClientSession, type ClientTurnStream, createClient, RequestError, type WireLivePart } from "../../packages/client/src/client.ts";
import { scripted } from "../../packages/throughline/src/model/scripted.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import { defineAgent } from "../../packages/throughline/src/runtime/agent/define-agent.ts";
import { loop } from "../../packages/throughline/src/runtime/loop/loop.ts";
import { defineState } from "../../packages/throughline/src/state/define.ts";
import { input } from "../../packages/throughline/src/state/field.ts";
import { newSqliteFile } from "../setup/database.ts";
import { openServer, startServer, type TestServer } from "../setup/server.ts";
import { hostileProxy } from "./hostile-proxy.ts";
import { createChooser } from "../../packages/throughline/src/testing/test-clock.ts";

/** An agent that writes the first word and waits for the gate. */
function gated() {
  const gate = Promise.withResolvers<void>();
  onTestFinished(() => gate.resolve());
  const model = scripted(() => {
    let pieces = 0;
    return { text: ["one ", "two ", "three"], wait: async () => (pieces++ > 0 ? gate.promise : undefined) };
  });
  const state = defineState({ message: input(z.string()) });
  return { gate, agent: defineAgent({ name: "a1", version: 1, state, reply: loop({ model }) }) };
}

interface World {
  readonly server: TestServer;
  readonly session: ClientSession;
  readonly open: () => void;
}

async function world(): Promise<World> {
  const { gate, agent } = gated();
  const server = await startServer({ agents: [agent] });
  return { server, session: await sessionAt(server.url), open: () => gate.resolve() };
}

const sessionAt = async (baseUrl: string): Promise<ClientSession> =>
  createClient({ baseUrl, retries: 1, backoffMs: 5, stallMs: 2_000 }).sessions.open({ agent: "a1", customer_id: "ada", key: "k" });

const wordsOf = (part: WireLivePart): string =>
  part.type === "text.delta" || part.type === "message"
    ? `${part.type} ${part.text}`
    : part.type === "status"
      ? `status ${part.status}`
      : part.type === "end"
        ? `end ${part.result.status}`
        : part.type;

const codeOf = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "none",
    (error: unknown) => (RequestError.is(error) ? error.code : String(error)),
  );

/** Reads up to the first piece of text. */
async function firstPiece(stream: ClientTurnStream): Promise<WireLivePart | undefined> {
  for await (const part of stream) if (part.type === "text.delta") return part;
  return undefined;
}

test("a message is posted and its turn streamed; the outcome comes last, and also by itself", async () => {
  const { session, open } = await world();
  const stream = session.stream("hi", { idempotencyKey: "m-1" });
  expect("then" in stream).toBe(false);
  expect(await stream.accepted).toMatchObject({ offset: 1, turn_id: expect.stringContaining("trn_") as string });
  const words: string[] = [];
  for await (const part of stream) {
    words.push(wordsOf(part));
    if (part.type === "text.delta") open();
  }
  expect(words.filter((word) => word.startsWith("text.delta")).join("")).toMatch(/^text\.delta one (text\.delta )?two (text\.delta )?three$/);
  expect(words.filter((word) => !word.startsWith("text.delta") && !word.startsWith("status"))).toEqual(["message one two three", "end completed"]);
  expect(await stream.result).toMatchObject({ status: "completed", reply: "one two three", offset: 1 });
  expect(() => stream[Symbol.asyncIterator]()).toThrow("one reader");
  expect(await session.stream("hi", { idempotencyKey: "m-1" }).result).toMatchObject({ offset: 1, reply: "one two three" });
  expect(await codeOf(session.stream("other", { idempotencyKey: "m-1" }).accepted)).toBe("session.idempotency_mismatch");
});

test("a stream without a reader has its outcome, and a late reader loses no part of the log", async () => {
  const { session, open } = await world();
  const stream = session.stream("hi");
  open();
  await stream.result;
  const parts = await Array.fromAsync(stream);
  const after = parts[1]?.offset ?? 0;
  expect(parts.map(wordsOf).slice(-1)).toEqual(["end completed"]);
  const rest = await Array.fromAsync(session.follow(1, { after }));
  expect(rest.filter(({ type }) => type !== "text.delta")).toEqual(parts.filter(({ type, offset }) => type !== "text.delta" && offset > after));
  const { turn_id = "" } = await stream.accepted;
  expect((await Array.fromAsync(session.follow(turn_id))).map(wordsOf).at(-1)).toBe("end completed");
});

test("leaving the loop ends the reading and not the turn; the outcome can still be had", async () => {
  const { session, open } = await world();
  const stream = session.stream("hi");
  expect(await firstPiece(stream)).toMatchObject({ text: "one " });
  open();
  expect(await stream.result).toMatchObject({ reply: "one two three" });
  // A message whose stream is left at once is posted all the same.
  const left = session.stream("again");
  await left[Symbol.asyncIterator]().return?.();
  expect((await left.accepted).offset).toBeGreaterThan(1);
});

test("aborting ends the reading and the wait for the outcome", async () => {
  const { session, open } = await world();
  const abort = new AbortController();
  const stream = session.stream("hi", { signal: abort.signal });
  const types: string[] = [];
  for await (const part of stream) {
    types.push(part.type);
    if (part.type === "text.delta") abort.abort();
  }
  expect(types).not.toContain("end");
  expect(await codeOf(stream.result)).toBe("aborted");
  open();
  expect(await session.follow(1).result).toMatchObject({ status: "completed" });
});

test("what is not accepted, or not there, is an error of the stream", async () => {
  const { session } = await world();
  const refused = session.stream({ text: "hi", input: { nothing: 1 } });
  expect(await codeOf(refused.accepted)).toBe("state.unknown_field");
  expect(await codeOf(refused.result)).toBe("state.unknown_field");
  expect(await codeOf(Array.fromAsync(refused))).toBe("state.unknown_field");
  expect(await codeOf(session.follow(99).accepted)).toBe("log.offset_invalid");
  expect(await codeOf(session.follow("trn_none").result)).toBe("turn.not_found");
  const nowhere = createClient({ baseUrl: "http://127.0.0.1:9", retries: 1, backoffMs: 1 }).sessions.get(session.id);
  expect(await codeOf(nowhere.stream("hi").accepted)).toBe("connection.failed");
});

test("a service that stops and starts again is read on, and text that was left incomplete is taken back", async () => {
  const { gate, agent } = gated();
  const location = newSqliteFile();
  const first = await openServer({ agents: [agent], location });
  const { port } = new URL(first.url);
  const session = await sessionAt(first.url);
  const connections: string[] = [];
  const stream = session.stream("hi", { onConnection: (connection) => connections.push(connection) });
  const words: string[] = [];
  let second: Promise<unknown> | undefined;
  for await (const part of stream) {
    words.push(part.type === "draft.reset" ? `reset ${part.reason}` : wordsOf(part));
    if (part.type !== "text.delta" || second !== undefined) continue;
    second = (async () => {
      await first.server.close();
      await first.runtime.close({ drainMs: 0 });
      await first.store.close();
      gate.resolve();
      await startServer({ agents: [agent], store: await openStore(location), port: Number(port) });
    })();
  }
  await second;
  expect(words).toContain("reset reconnected");
  expect(words.at(-1)).toBe("end completed");
  expect(words).toContain("message one two three");
  expect(connections.slice(0, 3)).toEqual(["open", "lost", "open"]);
});

test("connections that break, stay silent or are refused change nothing of what is read", async () => {
  const { server, open } = await world();
  open();
  const proxy = await hostileProxy(server.url, createChooser(7));
  onTestFinished(() => proxy.close());
  const session = createClient({ baseUrl: proxy.url, retries: 20, backoffMs: 5, stallMs: 300, timeoutMs: 300 }).sessions.get(
    (await sessionAt(server.url)).id,
  );
  for (let count = 0; count < 8; count += 1) {
    const stream = session.stream(`message ${count}`);
    let shown = "";
    const messages: string[] = [];
    for await (const part of stream) {
      if (part.type === "text.delta") shown += part.text;
      if (part.type === "message") messages.push(part.text === shown ? shown : `${part.text} is not ${shown}`);
      if (part.type === "message" || part.type === "draft.reset") shown = "";
    }
    expect(messages).toEqual(["one two three"]);
    expect(await stream.result).toMatchObject({ status: "completed", reply: "one two three" });
  }
  const { items } = await (await sessionAt(server.url)).page({ kinds: ["message"], source: "customer" });
  expect(items).toHaveLength(8);
  expect(proxy.harm.cut + proxy.harm.lost + proxy.harm.silent + proxy.harm.refused).toBeGreaterThan(0);
});

test("parts that nobody takes are bounded: a late reader goes on in a connection of its own, and misses none", async () => {
  const count = 1_500;
  const asked: string[] = [];
  const part = (offset: number): object =>
    offset <= count ? { type: "status", status: "typing", offset } : { type: "end", offset, result: { offset: 1, status: "completed", output: {} } };
  const answer = async (address: string): Promise<Response> => {
    const { pathname, searchParams } = new URL(address);
    asked.push(`${pathname.split("/").slice(4).join("/")} ${searchParams.get("after") ?? ""}`.trim());
    const after = Number(searchParams.get("after") ?? 1);
    const parts = Array.from({ length: count + 1 - after }, (_, index) => part(after + 1 + index));
    const frames = [`event: accepted\ndata: {"offset":1}\n\n`, ...parts.map((one) => `event: part\ndata: ${JSON.stringify(one)}\n\n`)];
    return new Response(frames.join(""), { headers: { "content-type": "text/event-stream" } });
  };
  const session = createClient({ baseUrl: "http://service", fetch: answer }).sessions.get("ses_1");
  const stream = session.stream("hi");
  expect(await stream.result).toMatchObject({ status: "completed" });
  const offsets = (await Array.fromAsync(stream)).map(({ offset }) => offset);
  expect(offsets).toEqual(Array.from({ length: count }, (_, index) => index + 2));
  expect(asked).toEqual(["stream", "events/1/stream 1001"]);
});
