/** A database that fails behind the service: who wrote a message to an agent with a gate is answered all the same. */
import { describe, expect, test } from "vitest";
import { createClient } from "../../packages/client/src/client.ts";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import type { AssessmentRecord, AssessmentSpool } from "../../packages/throughline/src/safety.ts";
import { openMemoryStore } from "../../packages/throughline/src/store/in-memory/in-memory-store.ts";
import type { Agent } from "../../packages/throughline/src/runtime/agent/agent.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { gated } from "../runtime/safety/harness.ts";
import { echo, startServer } from "../setup/server.ts";

const imminent = "I took all my pills an hour ago, goodbye everyone";
const calm = "The rain has stopped at last";
const message = (text: string) => ({ kind: "message", source: "customer", text });

/** How a database fails: altogether, or only for the message itself. */
type Failing = "everything" | "messages";

function fails(store: Store, failing: () => Failing | undefined): Store {
  const refuse = (): never => {
    throw new ThroughlineError("store.unreachable", "10.0.0.7 does not answer.");
  };
  const away = async <Result>(work: () => Promise<Result>): Promise<Result> => (failing() === "everything" ? refuse() : work());
  return {
    ...store,
    open: (selector) => away(() => store.open(selector)),
    load: (request) => away(() => store.load(request)),
    read: (request) => away(() => store.read(request)),
    list: (query) => away(() => store.list(query)),
    claim: (request) => away(() => store.claim(request)),
    commit: (commit) => away(async () => (failing() === "messages" && commit.session?.queue !== undefined ? refuse() : store.commit(commit))),
  };
}

/** A service whose database can be told to fail, a session of it, and what waits in its spool. */
async function service(agent: Agent = gated().agent) {
  const kept: AssessmentRecord[] = [];
  const spool: AssessmentSpool = {
    append: async (record) => void kept.push(record),
    drain: async () => kept.length,
    waiting: async () => kept.length,
  };
  let failing: Failing | undefined;
  const store = fails(openMemoryStore(), () => failing);
  const { request, runtime, url } = await startServer({ store, agents: [agent], runtime: { safetySpool: spool, pollMs: 60_000 } });
  const session = await runtime.sessions.create({ agent: agent.name });
  // It has been in use: it knows who may send what.
  await request("GET", `/v1/sessions/${session.id}`);
  const post = (text: string, headers?: Readonly<Record<string, string>>) =>
    request("POST", `/v1/sessions/${session.id}/events`, message(text), headers);
  return { session, post, kept, url, request, fail: (how: Failing | undefined) => (failing = how) };
}

describe.each(["everything", "messages"] as const)("with a database that fails for %s", (how) => {
  test.each([{}, { "idempotency-key": "k-1" }])("somebody in danger is told at once where help is, with the headers %j", async (headers) => {
    const { post, kept, fail } = await service();
    fail(how);
    const { status, body, text } = await post(imminent, headers);
    expect({ status, code: body.code, saved: body.saved }).toEqual({ status: 503, code: "store.unreachable", saved: false });
    expect(body.reply).toMatch(/emergency/iu);
    expect(text).not.toContain("10.0.0.7");
    expect(kept).toMatchObject([{ level: 3, action: "static_reply" }]);
    expect(JSON.stringify(kept)).not.toContain("pills");
  });

  test("a calm message says that it was not kept, and can be sent again", async () => {
    const { post, kept, fail, session } = await service();
    fail(how);
    const refused = await post(calm, { "idempotency-key": "k-2" });
    expect(refused.body).toMatchObject({ code: "store.unreachable", saved: false, retry_after: 1 });
    expect(refused.body.reply).not.toBe("");
    expect(kept).toMatchObject([{ level: 0 }]);
    fail(undefined);
    expect((await post(calm, { "idempotency-key": "k-2" })).status).toBe(201);
    expect((await session.messages()).filter(({ role }) => role === "user")).toHaveLength(1);
  });

  test("the client gives what is said at once, without another try", async () => {
    const { session, url, fail } = await service();
    let tries = 0;
    const client = createClient({ baseUrl: url, fetch: (input, init) => ((tries += 1), fetch(input, init)) });
    fail(how);
    await expect(client.sessions.get(session.id).send(imminent)).rejects.toMatchObject({ status: 503, reply: expect.stringMatching(/emergency/iu) });
    expect(tries).toBe(1);
    const stream = client.sessions.get(session.id).stream(imminent);
    await expect(stream.accepted).rejects.toMatchObject({ status: 503, saved: false, reply: expect.stringMatching(/emergency/iu) });
    await expect(Array.fromAsync(stream)).rejects.toMatchObject({ status: 503 });
    expect(tries).toBe(2);
  });

  test("an agent without a gate has nothing to say", async () => {
    const { post, kept, fail } = await service(echo);
    fail(how);
    const { status, body } = await post(imminent);
    expect({ status, saved: body.saved, reply: body.reply, retry_after: body.retry_after }).toEqual({
      status: 503,
      saved: undefined,
      reply: undefined,
      retry_after: 1,
    });
    expect(kept).toEqual([]);
  });
});

test("what is wrong with a request itself, or is no message of a customer, is answered as ever", async () => {
  const { request, session, kept, fail } = await service();
  const missing = await request("POST", "/v1/sessions/ses_00000000000000000000000000/events", message(imminent));
  expect([missing.status, missing.body.reply]).toEqual([404, undefined]);
  fail("everything");
  const operator = await request("POST", `/v1/sessions/${session.id}/events`, {
    ...message(imminent),
    source: "human_agent",
    participant: { display_name: "Ben" },
  });
  expect([operator.status, operator.body.reply]).toEqual([503, undefined]);
  expect((await request("GET", `/v1/sessions/${session.id}`)).body.reply).toBeUndefined();
  expect(kept).toEqual([]);
});

test("in this process `post` throws with what to say, and keeps the assessment once", async () => {
  const { session, kept, fail } = await service();
  fail("messages");
  await expect(session.post(imminent)).rejects.toMatchObject({
    code: "store.unreachable",
    details: { saved: false, reply: expect.stringMatching(/emergency/iu) },
  });
  expect(kept).toHaveLength(1);
  await expect(session.post("")).rejects.toMatchObject({ code: "input.invalid" });
});

test("somebody in danger whose token the database cannot confirm is told where help is, and reads nothing", async () => {
  const inner = openMemoryStore();
  let failing: Failing | undefined;
  const tokenSecrets = ["a secret of the tests, long enough for HS256"];
  const agents = [gated().agent];
  const issuing = await startServer({ store: inner, agents, tokenSecrets });
  const { token } = (await issuing.request("POST", "/v1/tokens", { customer_id: "ada" })).body;
  const session = await issuing.runtime.sessions.open({ agent: "companion", customer: "ada" });
  // Another process, which has never read this customer.
  const { request } = await startServer({ store: fails(inner, () => failing), agents, tokenSecrets, runtime: { pollMs: 60_000 } });
  const headers = { authorization: `Bearer ${token}` };
  const path = `/v1/sessions/${session.id}`;
  failing = "everything";
  const { status, body } = await request("POST", `${path}/events`, message(imminent), headers);
  expect({ status, code: body.code, saved: body.saved }).toEqual({ status: 503, code: "store.unreachable", saved: false });
  expect(body.reply).toMatch(/emergency/iu);
  expect((await request("GET", path, undefined, headers)).body).toMatchObject({ code: "store.unreachable" });
  failing = undefined;
  expect((await request("GET", path, undefined, headers)).status).toBe(200);
});
