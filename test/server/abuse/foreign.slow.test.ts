/** What is somebody else's, requests that are sent again, and texts that nobody expects. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openStore } from "../../../packages/throughline/src/open-store.ts";
import type { Operation } from "../../../packages/server/src/protocol/operation.ts";
import { operations, type OperationId } from "../../../packages/server/src/protocol/operations.ts";
import { errorsOf } from "../../../packages/server/src/server/openapi.ts";
import { createKey } from "../../../packages/server/src/server/auth/api-keys.ts";
import { emptyPostgresDatabase } from "../../setup/database.ts";
import { createWebhooks } from "../../../packages/server/src/server/webhooks/webhooks.ts";
import { openReader } from "../../setup/event-reader.ts";
import { sampleAgents, makeFixture, samplesOf, type Fixture } from "../../setup/sample-requests.ts";
import { startReceiver } from "../../setup/webhook-receiver.ts";
import { databases, openServer, send, startServer, type Answered, type TestServer } from "../../setup/server.ts";

const ids = Object.keys(operations) as readonly OperationId[];
const isRead = (id: OperationId): boolean => (operations[id] as Operation).reads === true;
const methodOf = (id: OperationId): Operation["method"] => operations[id].method;
type Ask = TestServer["request"];
const as =
  (url: string, credential: string): Ask =>
  (method, path, body, headers) =>
    send(url, method, path, body, { authorization: `Bearer ${credential}`, ...headers });

describe("a customer's token", () => {
  let server: TestServer & { readonly close: () => Promise<void> };
  let admin: Ask;
  let ada: Fixture;
  let eve: Fixture;
  let all: string;
  let one: string;

  beforeAll(async () => {
    const store = await openStore(":memory:");
    const { key } = await createKey(store, { name: "all", scopes: ["admin"] });
    server = await openServer({ store, agents: sampleAgents });
    admin = as(server.url, key);
    ada = await makeFixture(admin, "canary-ada");
    eve = await makeFixture(admin, "eve");
    await admin("PATCH", `/v1/sessions/${ada.session}`, {
      title: "canary-title",
      metadata: { external_id: "canary-id" },
      labels: { add: ["canary-label"] },
    });
    const tokenOf = async (given: object): Promise<string> => (await admin("POST", "/v1/tokens", { customer_id: eve.customer, ...given })).body.token;
    [all, one] = [await tokenOf({}), await tokenOf({ session_id: eve.session })];
  });
  afterAll(() => server.close());

  it("opens nothing of another customer, by any operation", async () => {
    const samples = samplesOf(ada, "x");
    for (const token of [all, one])
      for (const id of ids.filter((given) => (operations[given] as Operation).scope !== "open")) {
        const operation: Operation = operations[id];
        const { path, body } = samples[id];
        const answer = await as(server.url, token)(methodOf(id), path, body);
        const isOwn = id === "listSessions" && token === all;
        expect(answer.status, id).toBe(isOwn ? 200 : operation.customers === true && id !== "openSession" && id !== "listSessions" ? 404 : 403);
        expect(answer.text, id).not.toContain("canary");
      }
  });

  it("opens nothing by ids, cursors and positions of another one", async () => {
    const eves = as(server.url, all);
    const bound = as(server.url, one);
    const of = `/v1/sessions/${eve.session}`;
    const { body: page } = await admin("GET", `/v1/sessions?customer_id=${encodeURIComponent(ada.customer)}&limit=1`);
    const { body: streams } = await eves("POST", "/v1/stream-tokens", { sessions: [eve.session] });
    const refused: readonly (readonly [number, Promise<Answered>])[] = [
      [404, eves("GET", `${of}/events/evt_${ada.session.slice(4)}_1`)],
      [403, eves("GET", `/v1/sessions?external_id=canary-id`)],
      [403, eves("GET", `/v1/sessions?q=canary`)],
      [403, eves("GET", `/v1/sessions?labels=canary-label`)],
      [403, eves("GET", `${of}/state?view=internal`)],
      [403, eves("GET", `${of}/events?withdrawn=true`)],
      [404, eves("GET", `/v1/stream?sessions=${eve.session},${ada.session}`)],
      [404, eves("GET", `/v1/stream?sessions=${ada.session}`, undefined, { "last-event-id": `${eve.session}:1` })],
      [422, eves("GET", `${of}/events?format=sse`, undefined, { "last-event-id": `${ada.session}:1` })],
      [404, eves("POST", "/v1/stream-tokens", { sessions: [eve.session, ada.session] })],
      [403, eves("POST", "/v1/sessions/open", { agent: "clerk", customer_id: ada.customer })],
      [403, eves("POST", `${of}/events`, { kind: "message", source: "human_agent", text: "hi", participant: { display_name: "Ada" } })],
      [403, eves("POST", `${of}/events`, { kind: "message", text: "hi", metadata: { a: 1 } })],
      [404, bound("GET", `/v1/sessions/${eve.pending.session}/events`)],
      [403, bound("POST", "/v1/sessions/open", { agent: "clerk" })],
      [404, send(server.url, "GET", `/v1/sessions/${ada.session}/events?stream_token=${streams.token}`)],
      [404, send(server.url, "GET", `/v1/sessions/${eve.pending.session}/events?stream_token=${streams.token}`)],
      [422, send(server.url, "GET", `${of}?stream_token=${streams.token}`)],
      [401, send(server.url, "GET", of, undefined, { authorization: `Bearer ${streams.token}` })],
      [401, send(server.url, "GET", `${of}/events?stream_token=${all}`)],
    ];
    for (const [index, [status, answer]] of refused.entries()) {
      const { status: seen, text } = await answer;
      expect(seen === 401 || (status === 422 && seen !== 200) ? status : seen, `${index}: ${text}`).toBe(status);
      expect(text).not.toContain("canary");
    }
    // A cursor says where, and not whose.
    const listed = await eves("GET", `/v1/sessions?limit=5&cursor=${encodeURIComponent(page.next_cursor)}`);
    expect(listed.text).not.toContain("canary");
    expect(listed.text).not.toContain(ada.session);
    const reader = await openReader(server.url, `/v1/stream?sessions=${eve.session}`, {
      headers: { authorization: `Bearer ${all}`, "last-event-id": `${ada.session}:0,${eve.session}:0` },
    });
    await expect.poll(() => reader.frames.length).toBeGreaterThan(3);
    expect(JSON.stringify(reader.frames)).not.toMatch(new RegExp(`canary|${ada.session}`));
  });

  it("does not get another one's answers with their keys", async () => {
    const headers = { "idempotency-key": "shared" };
    const theirs = await admin("POST", `/v1/sessions/${eve.session}/events`, { kind: "custom", source: "customer_ui", data: "canary" }, headers);
    const own = await as(server.url, all)(
      "POST",
      `/v1/sessions/${eve.session}/events`,
      { kind: "custom", source: "customer_ui", data: "mine" },
      headers,
    );
    expect([theirs.status, own.status, own.headers.get("idempotent-replayed")]).toEqual([201, 201, null]);
    expect(own.body.offset).toBeGreaterThan(theirs.body.offset);
    expect(own.text).not.toContain("canary");
  });
});

/** A text comes as a draft or from the log, so the offset that it follows may be another. */
const withoutPlaces = (text: string): string => text.replace(/id: \d+\n(event: text\.delta\n.*),"offset":\d+\}/gu, "$1}");

/** What of the answer to a request that is sent again may be another. */
const settled = (answer: Answered): unknown => [
  answer.status,
  answer.body ?? withoutPlaces(answer.text),
  answer.headers.get("location"),
  answer.headers.get("etag"),
];

it("gives every change that is sent again with its key its first answer, and refuses another one under that key", async () => {
  const { url, count } = await startReceiver();
  const store = await openStore(":memory:");
  const webhooks = createWebhooks({ store, agents: sampleAgents, targets: [{ name: "crm", url, kinds: ["session"] }], allowHosts: ["127.0.0.1"] });
  const { request: bare, close } = await openServer({ agents: sampleAgents, store: webhooks.store, webhooks, runtime: { callbacks: true } });
  // One of the changes creates a key, which ends access without one.
  const { key } = await createKey(store, { name: "all", scopes: ["admin"] });
  const request: TestServer["request"] = (method, path, body, headers) => bare(method, path, body, { authorization: `Bearer ${key}`, ...headers });
  const made = await makeFixture(request, "ada");
  await count(1);
  const letter = `crm/${made.session}/000000000000`;
  const dead = { target: "crm", endpoint: "crm", url, host: "x", session_id: made.session, offset: 0, attempts: 1, error: "500", at: 0 };
  await store.commit({ commit_id: "dead", at: 0, records: [{ kind: "webhook_dead", key: letter, data: dead, session_id: made.session as never }] });
  const fixture = { ...made, letter };
  // What is removed is answered anew, so that no answer outlives whom it is about.
  const removing: ReadonlySet<OperationId> = new Set(["deleteSession", "deleteSessions", "eraseCustomer"]);
  const anew: ReadonlySet<OperationId> = new Set(["createToken", "createStreamToken", "rotateWebhookSecret", "createKey"]);
  const changes = ids.filter((id) => methodOf(id) !== "GET" && !isRead(id) && !removing.has(id));
  // Only the last turn can be done again.
  for (const id of changes.toSorted((left, right) => Number(right === "retryTurn") - Number(left === "retryTurn"))) {
    // Sessions that are with people are assigned, and those that nobody knows are identified.
    const own = async (given: object): Promise<string> => (await request("POST", "/v1/sessions", { agent: "clerk", ...given })).body.id;
    const session = id === "identifySession" ? await own({}) : fixture.session;
    const { path, body } = samplesOf({ ...fixture, session }, "again")[id];
    if (["assignSession", "unassignSession", "handBack"].includes(id)) await request("POST", `/v1/sessions/${session}/handover`);
    const headers = { "idempotency-key": `again-${id}` };
    const first = await request(methodOf(id), path, body, headers);
    const second = await request(methodOf(id), path, body, headers);
    // Tokens are not kept, and what was forgotten earlier in this test may be quoted by the answers of changes of a memory.
    if (anew.has(id)) expect([id, second.status]).toEqual([id, first.status]);
    else if (second.body?.code === "request.answer_removed") expect(errorsOf(operations[id])).toContain("request.answer_removed");
    else expect([id, settled(second)]).toEqual([id, settled(first)]);
    expect(first.status, `${id} ${first.text}`).toBeLessThan(300);
    if (body === undefined || first.status >= 300 || operations[id].path.includes("open")) continue;
    // The answer of a stream is not kept: the key is that of the message.
    const other = await request(methodOf(id), path, samplesOf({ ...fixture, session }, "other")[id].body ?? {}, headers);
    if (JSON.stringify(samplesOf(fixture, "other")[id].body) !== JSON.stringify(samplesOf(fixture, "again")[id].body))
      expect([id, other.body.code]).toEqual([id, id === "streamMessage" ? "session.idempotency_mismatch" : "request.key_reused"]);
  }
  await close();
});

const strange: readonly string[] = [
  ...["\u0000", "a\u0000b", "\ud800", "a\udfffb", "\u202e\u2066", "💣‍💥", "１２", "ﷺ".repeat(20), "a\r\nSet-Cookie: x=y", "'; DROP TABLE sessions; --"],
  ...["%00%2e%2e/", "${jndi:ldap://x}", "constructor", "__proto_", "\\u0000", "\u2028", "<script>", "\u0007\u001b[2J", "İ", "e\u0301"],
];

describe.each(databases)("texts that nobody expects, on %s", (database) => {
  it("are taken as they are or refused, wherever there is a text, and read as they were written", async () => {
    const { request } = await startServer({ location: database === "SQLite" ? ":memory:" : await emptyPostgresDatabase(), agents: sampleAgents });
    const seen = new Set<number>();
    const event = z.object({ data: z.object({ value: z.unknown() }) });
    // The first ones are those that a database may refuse.
    for (const [index, text] of strange.slice(0, database === "SQLite" ? strange.length : 8).entries()) {
      const ask = async (method: string, path: string, body?: unknown): Promise<Answered> => {
        const answer = await request(method, path, body);
        expect(answer.status, `${method} ${path} ${JSON.stringify(body)}: ${answer.text}`).toBeLessThan(500);
        seen.add(answer.status);
        return answer;
      };
      const id = `${text}${index}`;
      const inPath = encodeURIComponent(id.toWellFormed());
      const created = await ask("POST", "/v1/customers", { id, name: text, variables: { [id]: text }, metadata: { [id]: { [text]: text } } });
      await ask("GET", `/v1/customers/${inPath}`);
      await ask("PUT", `/v1/customers/${inPath}/variables/${inPath}`, { value: { [text]: [text] } });
      await ask("GET", `/v1/customers/${inPath}/variables/${inPath}`);
      const fact = await ask("POST", `/v1/customers/${inPath}/memory/facts`, { quote: id, object: text, subject: { type: "Person", id } });
      await ask("POST", `/v1/customers/${inPath}/memory/rules`, { text: id });
      await ask("GET", `/v1/customers/${inPath}/memory/find?q=${inPath}`);
      await ask("GET", `/v1/customers/${inPath}/memory/entries/${inPath}`);
      await ask("GET", `/v1/customers/${inPath}/memory/export?format=markdown`);
      if (fact.status === 201) {
        const entry = z.object({ entry_id: z.string() }).parse(fact.body).entry_id;
        await ask("POST", `/v1/customers/${inPath}/memory/entries/${entry}/correct`, { object: `${id}2`, quote: text });
        await ask("DELETE", `/v1/customers/${inPath}/memory/entries/${entry}`);
      }
      await ask("PATCH", "/v1/agents/clerk/variables", { [id]: text });
      await ask("DELETE", `/v1/agents/clerk/variables/${inPath}`);
      const given = { agent: "clerk", title: text, labels: [id], metadata: { external_id: id, [id]: text } };
      const { body: session } = await ask("POST", "/v1/sessions", given);
      await ask("POST", "/v1/sessions", { ...given, customer_id: id });
      await ask("POST", "/v1/sessions/open", { agent: "clerk", key: id, customer_id: id });
      await ask("POST", "/v1/sessions", { agent: id });
      for (const query of [
        `labels=${inPath}`,
        `external_id=${inPath}`,
        `q=${inPath}`,
        `agent=${inPath}`,
        `customer_id=${inPath}`,
        `operator=${inPath}`,
        `cursor=${inPath}`,
      ])
        await ask("GET", `/v1/sessions?${query}`);
      if (session?.id === undefined) continue;
      const of = `/v1/sessions/${session.id}`;
      const posted = await ask("POST", `${of}/events`, { kind: "custom", data: { [text]: [text] }, metadata: { [id]: text } });
      if (posted.status === 201)
        expect(event.parse((await ask("GET", `${of}/events/${posted.body.offset}`)).body).data.value).toEqual({ [text]: [text] });
      await ask("POST", `${of}/events`, { kind: "message", text: id });
      await ask("POST", `${of}/events`, { kind: "message", source: "human_agent", text: id, participant: { display_name: id } });
      await ask("POST", `${of}/events`, { kind: "status", status: "typing", data: { [text]: text } });
      await ask("PATCH", `${of}/state`, { delta: { note: text }, operator: id });
      await ask("PATCH", of, { title: text, labels: { add: [text] }, consumers: { [id]: 1 }, metadata: { [id]: null } });
      await ask("POST", `${of}/handover`, { reason: id, operator: id });
      await ask("POST", `${of}/handover/assign`, { operator: `${id}2`, from: id });
      await ask("POST", `${of}/handover/back`, { summary: id });
      await ask("GET", `/v1/handovers?queue=mine&operator=${inPath}`);
      await ask("POST", `${of}/identify`, { customer_id: `${id}3` });
      await ask("GET", `${of}/events/${inPath}`);
      await ask("GET", `${of}/turns/${inPath}`);
      await ask("GET", `/v1/jobs/${inPath}`);
      await ask("GET", `/errors/${inPath}`);
      await ask("DELETE", `/v1/sessions?customer_id=${inPath}&agent=${inPath}`);
      if (created.status === 201) await ask("POST", "/v1/tokens", { customer_id: id });
    }
    expect([...seen]).toContain(201);
  });
});
