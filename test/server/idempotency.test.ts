import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import { processId } from "../../packages/throughline/src/kernel/process.ts";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import type { RecordRow, Store } from "../../packages/throughline/src/store/port.ts";
import { fixedClock } from "../../packages/throughline/src/testing/test-clock.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { databases, newLocation, startServer, type Answered } from "../setup/server.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";

const key = (name: string) => ({ "idempotency-key": name });
const responses = async (store: Store): Promise<readonly RecordRow[]> => (await store.list({ of: "records", kind: "response" })).items;
const isReplay = ({ headers }: Answered): boolean => headers.get("idempotent-replayed") === "true";

describe.each(databases)("on %s", (database) => {
  it("answers a request that is sent again as the first time, in any process", async () => {
    const location = await newLocation(database);
    const one = await startServer({ location });
    const two = await startServer({ location });
    const send = (server: typeof one) => server.request("POST", "/v1/sessions", { agent: "a1", title: "one" }, key("s-1"));

    const first = await send(one);
    expect([first.status, isReplay(first)]).toEqual([201, false]);
    for (const server of [one, two]) {
      const again = await send(server);
      expect([again.status, again.text, isReplay(again)]).toEqual([201, first.text, true]);
      for (const name of ["etag", "location", "content-type"]) expect(again.headers.get(name), name).toBe(first.headers.get(name));
    }
    expect((await one.request("GET", "/v1/sessions")).body.items).toHaveLength(1);
  });

  it("does once what many ask for at the same time, in two processes", async () => {
    const location = await newLocation(database);
    const servers = [await startServer({ location }), await startServer({ location })];
    const sent = Array.from({ length: 6 }, () => servers.map(({ request }) => request("POST", "/v1/sessions", { agent: "a1" }, key("s-1"))));

    const answers = await Promise.all(sent.flat());
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    for (const answer of answers.filter(({ status }) => status === 409))
      expect([answer.body.code, answer.headers.get("retry-after")]).toEqual(["request.in_progress", "1"]);
    const made = answers.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
    expect(made.filter((answer) => !isReplay(answer))).toHaveLength(1);
    expect((await servers[0]?.request("GET", "/v1/sessions"))?.body.items).toHaveLength(1);
  });

  it("lets a process take up what another has left, and has it done once", async () => {
    const clock = fixedClock(systemClock.now());
    const location = await newLocation(database);
    const { store, request } = await startServer({ location, clock });
    const { body: session } = await request("POST", "/v1/sessions", { agent: "a1" });
    const path = `/v1/sessions/${session.id}/events`;
    const post = () => request("POST", path, { kind: "custom", data: { n: 1 } }, key("e-1"));
    const first = await post();
    // As a process leaves it that dies after the effect and before it has kept the answer; it is on another machine, so that nobody knows.
    const [record] = await responses(store);
    const { kind, key: name, data } = record as RecordRow;
    const left = { state: "open", request: data["request"] as string, holder: "elsewhere/1/x", until: clock.now() + 30_000 };
    await store.commit({ commit_id: "left", at: clock.now(), records: [{ kind, key: name, data: left }] });

    expect((await post()).body.code).toBe("request.in_progress");
    clock.advance(30_000);
    const again = await post();
    expect([again.status, again.body.offset, again.body.id]).toEqual([201, first.body.offset, first.body.id]);
    expect((await request("GET", path)).body.items.filter(({ kind: of }: { kind: string }) => of === "custom")).toHaveLength(1);
  });
});

it("takes up at once what a process of this machine has left that is gone", async () => {
  const { store, request } = await startServer();
  const send = () => request("POST", "/v1/sessions", { agent: "a1" }, key("s-1"));
  const first = await send();
  const [record] = await responses(store);
  const { kind, key: name, data } = record as RecordRow;
  const { hostname } = await import("node:os");
  const left = {
    state: "open",
    request: data["request"] as string,
    holder: `${hostname()}/${processId(4_194_305)}/x`,
    until: systemClock.now() + 30_000,
  };
  await store.commit({ commit_id: "left", at: systemClock.now(), records: [{ kind, key: name, data: left }] });
  expect((await send()).body.id).toBe(first.body.id);
});

it("does once what is sent again after its answer was lost, also where something came in between", async () => {
  const { store, request } = await startServer();
  const { body: session } = await request("POST", "/v1/sessions", { agent: "a1" });
  const path = `/v1/sessions/${session.id}`;
  const note = (n: number) => request("POST", `${path}/events`, { kind: "custom", data: n });
  const offset: number = (await note(1)).body.offset;
  const withdraw = () => request("DELETE", `${path}/events?min_offset=${offset}`, undefined, key("w-1"));
  expect((await withdraw()).status).toBe(204);
  const [record] = await responses(store);
  const { kind, key: name } = record as RecordRow;
  await store.commit({ commit_id: "lost", at: systemClock.now(), records: [{ kind, key: name, data: null }] });
  await note(2);

  expect((await withdraw()).status).toBe(204);
  const { body } = await request("GET", `${path}/events?kinds=custom`);
  expect(body.items.map(({ data }: { data: { value: number } }) => data.value)).toEqual([2]);
});

it("refuses a key that was used for anything else", async () => {
  const { request } = await startServer();
  await request("POST", "/v1/customers", { id: "c1", name: "Ada" }, key("k-1"));
  const same = await request("POST", "/v1/customers", `{ "name": "Ada",  "id": "c1" }`, key("k-1"));
  expect([same.status, isReplay(same)]).toEqual([201, true]);
  const others = [
    await request("POST", "/v1/customers", { id: "c1", name: "Bob" }, key("k-1")),
    await request("POST", "/v1/sessions", { agent: "a1" }, key("k-1")),
    await request("PATCH", "/v1/customers/c1", { name: "Ada" }, key("k-1")),
  ];
  expect(others.map(({ status, body }) => [status, body.code])).toEqual(others.map(() => [422, "request.key_reused"]));
});

it("tells requests apart by the version that they rest on", async () => {
  const { request } = await startServer();
  await request("POST", "/v1/customers", { id: "c1" });
  const patch = (version: number) => request("PATCH", "/v1/customers/c1", { name: "Ada" }, { ...key("k-1"), "if-match": `"${version}"` });
  expect((await patch(1)).status).toBe(200);
  expect((await patch(1)).status).toBe(200);
  expect((await patch(2)).body.code).toBe("request.key_reused");
});

it("does not mix up the keys of two callers, customers among them", async () => {
  const { request, store } = await startServer();
  for (const id of ["ada", "bob"]) await request("POST", "/v1/customers", { id });
  const tokens = await Promise.all(["ada", "bob"].map(async (customer_id) => (await request("POST", "/v1/tokens", { customer_id })).body.token));
  const keys = await Promise.all(["one", "two"].map(async (name) => (await createKey(store, { name, scopes: ["admin"] })).key));
  const opened = await Promise.all(
    [...tokens, ...keys].map((token) =>
      request("POST", "/v1/sessions/open", { agent: "a1", key: `of ${token.slice(-8)}` }, { ...key("same"), authorization: `Bearer ${token}` }),
    ),
  );
  expect(opened.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(new Set(opened.map(({ body }) => body.id)).size).toBe(4);
});

it("shows a token for one session no answer about another", async () => {
  const { request } = await startServer();
  await request("POST", "/v1/customers", { id: "ada" });
  const [one, two] = [
    (await request("POST", "/v1/sessions", { agent: "a1", customer_id: "ada" })).body.id,
    (await request("POST", "/v1/sessions", { agent: "a1", customer_id: "ada" })).body.id,
  ];
  const post = async (grant: object) => {
    const { token } = (await request("POST", "/v1/tokens", { customer_id: "ada", ...grant })).body;
    const message = { kind: "message", source: "customer", text: "hi" };
    return request("POST", `/v1/sessions/${one}/events`, message, { ...key("m-1"), authorization: `Bearer ${token}` });
  };
  expect((await post({})).status).toBe(201);
  expect((await post({ session_id: two })).body.code).toBe("session.not_found");
});

it.each(["", "with space", "x".repeat(201), "ä"])("refuses the key %j, which is none", async (text) => {
  const { request } = await startServer();
  const given = text === "ä" ? Buffer.from(text).toString("latin1") : text;
  expect((await request("POST", "/v1/customers", {}, key(given))).body.code).toBe("request.malformed");
});

it("keeps what was decided against a request, and nothing of one that was wrong or may pass", async () => {
  const { request, store } = await startServer();
  await request("POST", "/v1/customers", { id: "c1" });
  const taken = await request("POST", "/v1/customers", { id: "c1" }, key("k-1"));
  const again = await request("POST", "/v1/customers", { id: "c1" }, key("k-1"));
  expect([taken.body.code, again.status, again.text, isReplay(again)]).toEqual(["customer.exists", 409, taken.text, true]);
  expect(again.headers.get("content-type")).toBe("application/problem+json");

  expect((await request("POST", "/v1/customers", { id: 7 }, key("k-2"))).status).toBe(422);
  expect((await request("POST", "/v1/customers", { id: "c2" }, key("k-2"))).status).toBe(201);
  expect(await responses(store)).toHaveLength(2);
});

it("asks anew after the database was away, and has the effect once", async () => {
  const store = await openStore(":memory:");
  onTestFinished(() => store.close());
  let isAway = false;
  const shaky: Store = {
    ...forwarding(store),
    commit: async (commit) => {
      const result = await store.commit(commit);
      // What was written and not acknowledged is the worst that can happen.
      if (isAway && commit.session !== undefined) throw new ThroughlineError("store.failed");
      return result;
    },
  };
  const { request } = await startServer({ store: shaky });
  const { body: session } = await request("POST", "/v1/sessions", { agent: "a1" });
  const post = () => request("POST", `/v1/sessions/${session.id}/events`, { kind: "custom", data: 1 }, key("e-1"));
  isAway = true;
  const lost = await post();
  expect([lost.status, lost.headers.get("retry-after")]).toEqual([503, "1"]);
  isAway = false;
  expect((await post()).status).toBe(201);
  const { body } = await request("GET", `/v1/sessions/${session.id}/events?kinds=custom`);
  expect(body.items).toHaveLength(1);
});

it.each(["the same process at once", "another process soon"])(
  "does not keep a request for itself that it could not answer: %s takes it up",
  async (who) => {
    const store = await openStore(":memory:");
    onTestFinished(() => store.close());
    let isFull = false;
    const full: Store = {
      ...forwarding(store),
      commit: async (commit) => {
        const isLease = commit.session === undefined && commit.records?.[0]?.data?.["state"] === "open";
        if (isFull && !isLease) throw new ThroughlineError("store.full");
        return store.commit(commit);
      },
    };
    const [one, two] = [await startServer({ store: full }), await startServer({ store })];
    const { body: session } = await one.request("POST", "/v1/sessions", { agent: "a1" });
    const post = (server: typeof one) => server.request("POST", `/v1/sessions/${session.id}/events`, { kind: "custom", data: 1 }, key("f-1"));
    isFull = true;
    expect((await post(one)).body.code).toBe("store.full");
    isFull = false;
    if (who === "the same process at once") expect((await post(one)).status).toBe(201);
    else await expect.poll(async () => (await post(two)).status).toBe(201);
  },
);

it("erases an answer with whom it is about", async () => {
  const { request, store } = await startServer();
  await request("POST", "/v1/customers", { id: "c1", name: "canary" }, key("k-1"));
  const { body: session } = await request("POST", "/v1/sessions", { agent: "a1", customer_id: "c1" }, key("k-2"));
  await request("POST", `/v1/sessions/${session.id}/events`, { kind: "custom", data: "canary" }, key("k-3"));
  await request("POST", "/v1/customers", { id: "c1" }, key("k-4"));
  await request("POST", "/v1/tokens", { customer_id: "c1" }, key("k-5"));
  const { body: other } = await request("POST", "/v1/sessions", { agent: "a1" }, key("k-6"));
  expect(await responses(store)).toHaveLength(6);
  await store.erase({ session_id: other.id });
  expect(await responses(store)).toHaveLength(5);
  const [customer] = (await store.list({ of: "customers", customer_id: "c1" })).items;
  await store.erase({ owner_id: customer?.owner_id as never });
  expect(await responses(store)).toEqual([]);
});

it.each(["customer", "session"])("keeps neither the answer nor its claim on the key if the %s is erased meanwhile", async (whom) => {
  const store = await openStore(":memory:");
  onTestFinished(() => store.close());
  let erasures = 0;
  const erasing: Store = {
    ...forwarding(store),
    commit: async (commit) => {
      const [record] = commit.records ?? [];
      // Whom the answer is about was there when it was looked up, and is erased before the answer is kept.
      if (record?.data?.["state"] === "answered") {
        erasures += 1;
        if (record.session_id !== undefined) await store.erase({ session_id: record.session_id });
        if (record.owner_id !== undefined) await store.erase({ owner_id: record.owner_id });
      }
      return store.commit(commit);
    },
  };
  const { request } = await startServer({ store: erasing });
  const [path, body] = whom === "customer" ? ["/v1/customers", { id: "c1", name: "canary" }] : ["/v1/sessions", { agent: "a1", title: "canary" }];
  const made = await request("POST", path, body, key("k-1"));
  expect([made.status, erasures]).toEqual([201, 1]);
  expect(await responses(store)).toEqual([]);
  // So the key is free at once, in every process.
  const again = await (await startServer({ store })).request("POST", path, body, key("k-1"));
  expect([again.status, isReplay(again)]).toEqual([201, false]);
});

it("keeps no large answer, and gives it again all the same", async () => {
  const { request, store } = await startServer({ limits: { bodyBytes: 4_000_000 } });
  const body = { id: "c1", variables: Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`v${index}`, "x".repeat(60_000)])) };
  const first = await request("POST", "/v1/customers", body, key("k-1"));
  const again = await request("POST", "/v1/customers", body, key("k-1"));
  expect([first.status, again.status, again.text === first.text, isReplay(again)]).toEqual([201, 201, true, true]);
  expect(JSON.stringify(await responses(store)).length).toBeLessThan(2_000);
});

it("gives no token a second time, nor keeps one: a request for a token is answered anew", async () => {
  const { request, store } = await startServer();
  const ask = () => request("POST", "/v1/tokens", { customer_id: "c1" }, key("t-1"));
  const asWith = (token: string) => request("GET", "/v1/sessions", undefined, { authorization: `Bearer ${token}` });
  const first = await ask();
  await request("DELETE", "/v1/customers/c1/tokens");
  await expect.poll(async () => (await asWith(first.body.token)).status).toBe(401);

  const again = await ask();
  expect([again.status, isReplay(again), again.body.token === first.body.token]).toEqual([201, false, false]);
  expect((await asWith(again.body.token)).status).toBe(200);
  expect((await request("POST", "/v1/tokens", { customer_id: "c2" }, key("t-1"))).body.code).toBe("request.key_reused");

  const { body: session } = await request("POST", "/v1/sessions", { agent: "a1", customer_id: "c1" });
  const open = () => request("POST", "/v1/stream-tokens", { sessions: [session.id] }, key("t-2"));
  const [one, two] = [await open(), await open()];
  expect([one.status, two.status, isReplay(two), one.body.token === two.body.token]).toEqual([201, 201, false, false]);
  const kept = JSON.stringify(await responses(store));
  for (const { token } of [first.body, again.body, one.body, two.body]) expect(kept).not.toContain(token);
});

it("gives no token again that an earlier version has kept", async () => {
  const { request, store } = await startServer();
  const ask = () => request("POST", "/v1/tokens", { customer_id: "c1" }, key("t-1"));
  await ask();
  const [record] = await responses(store);
  const { kind, key: name, data } = record as RecordRow;
  const body = JSON.stringify({ token: "kept", expires_at: 1, customer_version: "v" });
  await store.commit({ commit_id: "kept", at: systemClock.now(), records: [{ kind, key: name, data: { ...data, body } }] });
  expect((await ask()).body.token).not.toBe("kept");
});

it("forgets an answer after a day", async () => {
  const { request, store } = await startServer();
  await request("POST", "/v1/customers", { id: "c1" }, key("k-1"));
  const [record] = await responses(store);
  expect((record as RecordRow).expires_at).toBeGreaterThan(systemClock.now() + 86_000_000);
  expect((record as RecordRow).expires_at).toBeLessThanOrEqual(systemClock.now() + 86_400_000);
});
