/** The client's surface, against a service on a real port. */
import { describe, expect, onTestFinished, test } from "vitest";
import {
  createClient,
  eventText,
  type ClientOptions,
  type ClientSession,
  type Streamed,
  type ThroughlineClient,
} from "../../packages/client/src/client.ts";
import { recentMessages } from "../../packages/throughline/src/context/section.ts";
import { rules } from "../../packages/throughline/src/model/scripted.ts";
import { stage } from "../../packages/throughline/src/extension/stage.ts";
import { defineAgent } from "../../packages/throughline/src/runtime/agent/define-agent.ts";
import { hook } from "../../packages/throughline/src/runtime/hooks/hook.ts";
import { loop } from "../../packages/throughline/src/runtime/loop/loop.ts";
import { defineState } from "../../packages/throughline/src/state/define.ts";
import { input } from "../../packages/throughline/src/state/field.ts";
import { z } from "zod";
import { databases, newLocation, startServer, type TestServer, type TestServerOptions } from "../setup/server.ts";

/** An agent whose turns wait until the gate is opened, or break. */
function gatedAgent(onNewMessage: "queue" | "supersede") {
  const gate = Promise.withResolvers<Record<never, never>>();
  const begun = Promise.withResolvers<void>();
  const state = defineState({ message: input(z.string()) });
  const waiting = stage("wait", { state, writes: [] }, ({ signal }) => {
    begun.resolve();
    const left = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }));
    return Promise.race([gate.promise, left]);
  });
  gate.promise.catch(() => {});
  const model = rules([({ text }) => `re:${text}`]);
  return {
    gate,
    begun: begun.promise,
    agent: defineAgent({ name: "a1", version: 1, state, stages: [waiting], reply: loop({ model }), sections: [recentMessages], onNewMessage }),
  };
}

interface World {
  readonly server: TestServer;
  readonly client: ThroughlineClient;
  readonly session: ClientSession;
}

async function world(options: TestServerOptions = {}, settings: Partial<ClientOptions> = {}): Promise<World> {
  const server = await startServer(options);
  const client = createClient({ baseUrl: server.url, retries: 1, backoffMs: 5, timeoutMs: 10_000, ...settings });
  return { server, client, session: await client.sessions.open({ agent: "a1", customer_id: "ada", key: "k" }) };
}

/** Reads until enough has come. */
async function take<Item>(items: AsyncIterable<Item>, enough: (item: Item) => boolean): Promise<readonly Item[]> {
  const taken: Item[] = [];
  for await (const item of items) {
    taken.push(item);
    if (enough(item)) break;
  }
  return taken;
}

const isReply = (item: Streamed): boolean => "kind" in item && item.kind === "message" && item.source === "ai_agent";

describe.each(databases)("a session, on %s", (database) => {
  test("is opened once, talked to, set up, handed over and back, forked and deleted", async () => {
    const { client, session } = await world({ location: await newLocation(database) });
    expect((await client.sessions.open({ agent: "a1", customer_id: "ada", key: "k" })).id).toBe(session.id);
    expect(await session.send("hello")).toMatchObject({ status: "completed", text: "re:hello", offset: 1 });

    expect((await session.setVariables({ tier: "gold", old: 1 })).values).toEqual({ tier: "gold", old: 1 });
    expect((await session.setVariables({ old: null })).values).toEqual({ tier: "gold" });
    await session.variables.set("a/b", null);
    expect(await session.variables.get("a/b")).toMatchObject({ name: "a/b", value: null });
    await session.variables.unset("a/b");
    await expect(session.variables.get("a/b")).rejects.toMatchObject({ code: "variable.not_found", status: 404 });
    expect((await session.updateMetadata({ external_id: "x1" })).metadata).toEqual({ external_id: "x1" });
    expect((await client.sessions.list({ external_id: "x1" })).items.map(({ id }) => id)).toEqual([session.id]);
    expect((await session.setTitle("A talk")).title).toBe("A talk");
    const { version } = await session.info();
    await expect(session.update({ title: "B" }, { ifVersion: version - 1 })).rejects.toMatchObject({
      code: "request.precondition_failed",
      status: 412,
    });

    await session.handOver({ reason: "help" });
    expect((await client.handovers.list({ queue: "waiting" })).items.map(({ session_id }) => session_id)).toEqual([session.id]);
    expect(await session.send("anybody?")).toMatchObject({ status: "waiting", text: undefined });
    await session.assign({ operator: "grace" });
    expect(await session.postOperator("I am here", { name: "Grace" })).toMatchObject({
      source: "human_agent",
      data: { participant: { display_name: "Grace" } },
    });
    expect(await session.postOperator("as the agent", { onBehalfOfAgent: true })).toMatchObject({ source: "human_agent_on_behalf_of_ai_agent" });
    expect(await session.handBack()).toMatchObject({ mode: "auto", handover: { status: "resolved" } });
    expect(await session.setMode("manual")).toMatchObject({ mode: "manual" });
    expect(await session.setMode("auto")).toMatchObject({ mode: "auto" });

    const fork = await session.fork({ at: 1, title: "what if" });
    expect(await fork.info()).toMatchObject({ title: "what if", origin: { session_id: session.id, at: 1 } });
    await fork.delete();
    await expect(fork.info()).rejects.toMatchObject({ code: "session.not_found", status: 404 });
    const posted = await session.postCustom({ seen: "pricing" }, { source: "customer_ui" });
    expect(await session.event(posted.offset)).toEqual(posted);
    expect(await session.event(posted.id)).toEqual(posted);
  });

  test("is followed from an offset, with drafts and without, until the reader leaves", async () => {
    const { client, session } = await world({ location: await newLocation(database) });
    await session.send("one");
    const live = take(session.live({ minOffset: 3 }), (item) => isReply(item) && eventText(item as never) === "re:two");
    const other = await client.sessions.create({ agent: "a1" });
    const both = take(client.live([session.id, other.id]), (item) => isReply(item) && item.session_id === other.id);
    const { event } = await session.send("two");
    await other.send("three");
    const items = await live;
    const events = items.filter((item) => "kind" in item);
    expect(events[0]!.offset).toBe(3);
    expect(events.at(-1)).toEqual(event);
    expect(events.map(({ offset }) => offset)).toEqual(events.map(({ offset }) => offset).toSorted((left, right) => left - right));
    expect((await both).flatMap((item) => ("kind" in item && item.kind === "message" ? [eventText(item)] : [])).toSorted()).toEqual(
      ["one", "re:one", "re:three", "re:two", "three", "two"].toSorted(),
    );
    expect((await take(session.events({ kinds: ["message"], source: "customer" }), (one) => eventText(one) === "two")).map(eventText)).toEqual([
      "one",
      "two",
    ]);
    const left = new AbortController();
    const reading = take(session.events({ signal: left.signal, minOffset: 10_000 }), () => true);
    setTimeout(() => left.abort(), 50);
    expect(await reading).toEqual([]);
  });
});

describe("what becomes of a message", () => {
  test.each<readonly [string, (session: ClientSession, offset: number) => Promise<unknown>, string]>([
    ["is taken back", (session, offset) => session.withdraw(offset), "withdrawn"],
    ["a person takes over", (session) => session.handOver(), "waiting"],
    ["is stopped", async (session) => session.stopTurn((await session.turns()).items[0]!.turn_id), "stopped"],
  ])("whose turn %s", async (_title, act, status) => {
    const { agent, begun } = gatedAgent("queue");
    const { session } = await world({ agents: [agent] });
    const posted = await session.post("hello");
    const reply = session.replyTo(posted);
    await begun;
    await act(session, posted.offset);
    expect(await reply).toEqual({ offset: posted.offset, status, text: undefined, event: undefined });
  });
  test("whose turn fails", async () => {
    const { agent, gate } = gatedAgent("queue");
    const { session } = await world({ agents: [agent] });
    gate.reject(new Error("broken"));
    const reply = await session.send("hello");
    expect(reply.status).toBe("failed");
    expect(reply.text).toBe(eventText(reply.event!));
  });
  test("that is answered together with the next one", async () => {
    const { agent, gate, begun } = gatedAgent("supersede");
    const { session } = await world({ agents: [agent] });
    const first = session.send("one");
    await begun;
    const second = session.send("two");
    await take(session.events(), (event) => event.kind === "status" && event.data.status === "cancelled");
    gate.resolve({});
    expect((await first).event).toEqual((await second).event);
    expect(await first).toMatchObject({ offset: 1, status: "completed", text: "re:two" });
  });
  test("that nobody waits for any longer", async () => {
    const { session } = await world({ agents: [gatedAgent("queue").agent] });
    await expect(session.send("hello", { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({ code: "aborted" });
  });
});

test("a customer's token is enough to talk, and to read what there is to see", async () => {
  const { server, client, session } = await world();
  let asked = 0;
  const token = async (): Promise<string> => {
    asked++;
    return asked === 1 ? "no.good.token" : (await client.call("createToken", { body: { customer_id: "ada" } })).token;
  };
  const own = createClient({ baseUrl: server.url, token, retries: 1, backoffMs: 5 });
  const same = await own.sessions.open({ agent: "a1", key: "k" });
  expect([same.id, asked]).toEqual([session.id, 2]);
  const { event, ...reply } = await same.send("hello");
  expect(reply).toEqual({ offset: 1, status: "completed", text: "re:hello" });
  const seen = await take(same.live(), isReply);
  expect(seen.at(-1)).toEqual(event);
  expect(seen.filter((item) => "kind" in item && item.kind === "turn")).toEqual([]);
  // What `useSession` reads: events that a customer does not see are left out.
  const kinds = ["message", "tool", "status", "state", "session"] as const;
  expect((await same.page({ kinds })).items.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["message", "status"]));
  expect((await same.state()).state).toEqual({});
  await expect(same.handOver()).rejects.toMatchObject({ code: "auth.forbidden", status: 403 });
  const other = await client.sessions.open({ agent: "a1", customer_id: "bo" });
  await expect(own.sessions.get(other.id).info()).rejects.toMatchObject({ code: "session.not_found" });
});

describe("a stream", () => {
  test("of a session that is not there is an error, and of one that is deleted ends with one", async () => {
    const { client, session } = await world();
    await expect(take(client.sessions.get("ses_01h00000000000000000000000").events(), () => true)).rejects.toMatchObject({ status: 404 });
    const reading = take(session.events({ onConnection: () => void session.delete() }), () => false);
    await expect(reading).rejects.toMatchObject({ code: "session.not_found" });
  });
  test.each(["held back", "not understood"] as const)("that is %s on its way is replaced by long polls", async (how) => {
    let streams = 0;
    const fetching = async (url: string, init: RequestInit): Promise<Response> => {
      const isStream = new Headers(init.headers).get("accept") === "text/event-stream";
      if (!isStream) return fetch(url, init);
      streams++;
      if (how === "not understood") return fetch(url, { ...init, headers: { accept: "application/json" } });
      return new Response(new ReadableStream({}), { headers: { "content-type": "text/event-stream" } });
    };
    const { session } = await world({}, { fetch: fetching, stallMs: 40 });
    expect(await session.send("hello")).toMatchObject({ text: "re:hello" });
    expect(streams).toBe(how === "held back" ? 2 : 1);
    const live = take(session.events(), (event) => eventText(event) === "re:again");
    await session.send("again");
    const shown = (await session.page()).items.map(({ offset }) => offset);
    expect((await live).map(({ offset }) => offset)).toEqual(shown.slice(0, -1));
  });
  test("tells when the connection is lost and when it stands again", async () => {
    const { server, session } = await world({ limits: { heartbeatMs: 20 } });
    const told: string[] = [];
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    let cut = (): void => {};
    const fetching = async (url: string, init: RequestInit): Promise<Response> => {
      const controller = new AbortController();
      cut = () => controller.abort();
      return fetch(url, { ...init, signal: AbortSignal.any([controller.signal, init.signal as AbortSignal]) });
    };
    const reader = createClient({ baseUrl: server.url, fetch: fetching, backoffMs: 5 }).sessions.get(session.id);
    const reading = take(
      reader.events({ signal: leaving.signal, onConnection: (state) => told.push(state) }),
      (event) => eventText(event) === "re:two",
    );
    await session.send("one");
    await expect.poll(() => told).toEqual(["open"]);
    cut();
    await expect.poll(() => told).toEqual(["open", "lost", "open"]);
    await session.send("two");
    expect((await reading).map(({ offset }) => offset)).toEqual(
      [...new Set((await session.page({})).items.map(({ offset }) => offset))].slice(0, -1),
    );
  });
});

describe("customers, agents and jobs", () => {
  test("are reached by the same client", async () => {
    const { client, session } = await world();
    await session.send("hello");
    expect(await client.customers.create({ id: "bo", name: "Bo" })).toMatchObject({ id: "bo", name: "Bo" });
    expect((await client.customers.setVariables("bo", { tier: "gold" })).values).toEqual({ tier: "gold" });
    expect(await client.customers.updateMetadata("bo", { crm: 7 })).toMatchObject({ metadata: { crm: 7 }, variables: { tier: "gold" } });
    for (let index = 0; index < 4; index++) await client.customers.create({ id: `c${index}` });
    const ids: string[] = [];
    for await (const { id } of client.customers.all({ limit: 2 })) ids.push(id);
    expect(ids.toSorted()).toEqual(["ada", "bo", "c0", "c1", "c2", "c3"]);
    expect((await client.agents.list()).map(({ name }) => name)).toEqual(["a1"]);
    expect(await client.agents.get("a1")).toMatchObject({ version: 1 });

    const exported = await client.customers.export("ada");
    expect((await client.jobs.done(exported.id, { everyMs: 20 })).status).toBe("done");
    const lines: string[] = [];
    for await (const line of client.jobs.result(exported.id)) lines.push(line);
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.every((line) => typeof JSON.parse(line) === "object")).toBe(true);
    const erased = await client.customers.erase("ada");
    expect((await client.jobs.done(erased.id, { everyMs: 20 })).receipt).toMatchObject({ sessions: 1 });
    await expect(client.customers.get("ada")).rejects.toMatchObject({ code: "customer.not_found" });
    expect(await client.sessions.deleteAll({ customer_id: "bo" })).toEqual({ deleted: 0 });
  });
});

test("the reply is the agent's own, also where a hook adds a message after it", async () => {
  const state = defineState({ message: input(z.string()) });
  const goodbye = hook("goodbye", {
    state,
    writes: ["messages"],
    afterExecution: () => ({ delta: { messages: { role: "assistant" as const, text: "Goodbye." } } }),
  });
  const reply = loop({ model: rules([({ text }) => `re:${text}`]), hooks: [goodbye] });
  const { session } = await world({ agents: [defineAgent({ name: "a1", version: 1, state, reply, sections: [recentMessages] })] });
  expect(await session.send("hi")).toMatchObject({ status: "completed", text: "re:hi" });
});
