import { describe, expect, test } from "vitest";
import { createClient, RequestError, type ClientOptions, type ThroughlineClient } from "../../packages/client/src/client.ts";
import { routes } from "../../packages/client/src/wire.ts";
import { operations } from "../../packages/server/src/protocol/operations.ts";
import { json, problem, scriptedFetch, type Sent, type Step } from "./scripted-fetch.ts";

const customer = { id: "ada", name: null, variables: {}, created_at: 1, version: 1 };

function clientOf(
  steps: readonly Step[],
  options: Partial<ClientOptions> = {},
): { readonly client: ThroughlineClient; readonly sent: readonly Sent[] } {
  const { fetch, sent } = scriptedFetch(...steps);
  return { client: createClient({ baseUrl: "http://service.test/base/", fetch, backoffMs: 1, timeoutMs: 200, ...options }), sent };
}
const failing = (promise: Promise<unknown>): Promise<RequestError> =>
  promise.then(
    () => expect.unreachable("it did not fail"),
    (error: unknown) => {
      expect(error).toBeInstanceOf(RequestError);
      return error as RequestError;
    },
  );

describe("what may pass is tried again, under the same key", () => {
  test.each<readonly [string, Step]>([
    ["the connection fails", new TypeError("fetch failed")],
    ["no answer comes", "hang"],
    ["the body never ends", "hung body"],
    ["the body is cut", "cut body"],
    ["the answer is no JSON", new Response("<html>", { status: 200 })],
    ["503", problem(503, "store.unreachable", {}, { "retry-after": "0" })],
    ["500", problem(500, "internal")],
    ["502 of a proxy", new Response("Bad gateway", { status: 502 })],
    ["429", problem(429, "limit.rate")],
    ["408", problem(408, "request.malformed")],
    ["425", new Response("", { status: 425 })],
    ["409 that is being answered", problem(409, "request.in_progress", { retry_after: 0 })],
  ])("%s", async (_title, step) => {
    const { client, sent } = clientOf([step, step, json(customer, 201)]);
    expect(await client.customers.create({ id: "ada" })).toEqual(customer);
    expect(sent).toHaveLength(3);
    const keys = sent.map(({ headers }) => headers.get("idempotency-key"));
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(keys).size).toBe(1);
    expect(new Set(sent.map(({ body }) => body))).toEqual(new Set(['{"id":"ada"}']));
  });
  test("and after so many tries the last error is the answer", async () => {
    const { client, sent } = clientOf([problem(503, "store.unreachable")], { retries: 2 });
    expect(await failing(client.customers.get("ada"))).toMatchObject({
      code: "store.unreachable",
      status: 503,
      hint: "What to do.",
      request_id: "r1",
    });
    expect(sent).toHaveLength(3);
  });
  test("as late as the service asks for, and not if it asks for more than a minute", async () => {
    const { client } = clientOf([problem(429, "limit.rate", {}, { "retry-after": "0.15" }), json(customer)]);
    const begun = performance.now();
    await client.customers.get("ada");
    expect(performance.now() - begun).toBeGreaterThan(140);
    const { client: patient, sent } = clientOf([problem(429, "limit.rate", {}, { "retry-after": "61" })]);
    expect((await failing(patient.customers.get("ada"))).retryAfterMs).toBe(61_000);
    expect(sent).toHaveLength(1);
  });
});

describe("what will not pass is an error at once", () => {
  test.each([400, 401, 403, 404, 409, 410, 412, 413, 415, 422])("%i", async (status) => {
    const errors = [{ pointer: "/name", message: "too long" }];
    const { client, sent } = clientOf([problem(status, "request.invalid", { errors, details: { a: 1 } })]);
    const error = await failing(client.customers.create({}));
    expect(error).toMatchObject({ name: "RequestError", message: "What was seen.", code: "request.invalid", status, errors, details: { a: 1 } });
    expect(RequestError.is(error, "request.invalid")).toBe(true);
    expect(RequestError.is(error, "session.not_found")).toBe(false);
    expect(sent).toHaveLength(1);
  });
  test("a refusal by somebody in between", async () => {
    const { client, sent } = clientOf([new Response("<h1>Too large</h1>", { status: 413 })]);
    expect(await failing(client.customers.create({}))).toMatchObject({ code: "connection.failed", status: 413 });
    expect(sent).toHaveLength(1);
  });
  test("what a caller gives up, before, during and between tries", async () => {
    const { client, sent } = clientOf(["hang"], { timeoutMs: 60_000 });
    expect((await failing(client.customers.get("ada", { signal: AbortSignal.abort() }))).code).toBe("aborted");
    expect(sent).toHaveLength(0);
    expect((await failing(client.customers.get("ada", { signal: AbortSignal.timeout(20) }))).code).toBe("aborted");
    const { client: waiting } = clientOf([problem(503, "store.unreachable")], { backoffMs: 60_000 });
    expect((await failing(waiting.customers.get("ada", { signal: AbortSignal.timeout(20) }))).code).toBe("aborted");
  });
});

test("an import waits longer than other requests", async () => {
  const { client } = clientOf(["hang"], { timeoutMs: 1, retries: 0 });
  const leaving = new AbortController();
  const importing = failing(client.sessions.import("lines", { signal: leaving.signal }));
  expect((await failing(client.customers.get("ada"))).code).toBe("timeout");
  leaving.abort();
  expect((await importing).code).toBe("aborted");
});

describe("a request says", () => {
  test("who sends it, what it changes, and on which version that rests", async () => {
    const { client, sent } = clientOf([json(customer)], { key: "tl_live_1" });
    await client.customers.update("a/b c", { name: null }, { ifVersion: 3, idempotencyKey: "mine" });
    expect(sent[0]).toMatchObject({ method: "PATCH", url: "http://service.test/base/v1/customers/a%2Fb%20c", body: '{"name":null}' });
    expect(Object.fromEntries(sent[0]!.headers)).toEqual({
      accept: "application/json",
      authorization: "Bearer tl_live_1",
      "content-type": "application/json",
      "idempotency-key": "mine",
      "if-match": '"3"',
    });
  });
  test("what it looks for: lists with commas, nothing that is left out", async () => {
    const { client, sent } = clientOf([json({ items: [], next_offset: 0, head: 0 })]);
    await client.sessions.get("ses_1").page({ kinds: ["message", "status"], min_offset: 0, withdrawn: false, source: undefined });
    expect(sent[0]!.url).toBe("http://service.test/base/v1/sessions/ses_1/events?kinds=message%2Cstatus&min_offset=0&withdrawn=false");
    expect(sent[0]!.headers.has("idempotency-key")).toBe(false);
  });
  test.each(["", ".", ".."])("nothing, where an id is %j: another request would come of it", async (id) => {
    const { client, sent } = clientOf([json(customer)]);
    expect((await failing(client.customers.erase(id))).code).toBe("request.invalid");
    expect(sent).toHaveLength(0);
  });
  test("where each operation of the service is", () => {
    const declared = Object.entries(operations).map(([id, { method, path }]) => [id, `${method} ${path}`]);
    expect(routes).toEqual(Object.fromEntries(declared));
  });
});

describe("a token", () => {
  test("is asked for once, and anew when it does not hold any more", async () => {
    let asked = 0;
    const refusing = (sent: Sent): Response => (sent.headers.get("authorization") === "Bearer t1" ? problem(401, "auth.invalid") : json(customer));
    const { client, sent } = clientOf([refusing], { token: async () => `t${++asked}` });
    await Promise.all([client.customers.get("a"), client.customers.get("b"), client.customers.get("c")]);
    await client.customers.get("d");
    expect(asked).toBe(2);
    expect(sent.filter(({ headers }) => headers.get("authorization") === "Bearer t2")).toHaveLength(4);
  });
  test("that is refused twice is an error, and so is one that cannot be got", async () => {
    const { client, sent } = clientOf([problem(401, "auth.invalid")], { token: () => "t" });
    expect(await failing(client.customers.get("a"))).toMatchObject({ code: "auth.invalid", status: 401 });
    expect(sent).toHaveLength(2);
    let asked = 0;
    const unlucky = clientOf([json(customer)], {
      token: () => {
        if (++asked === 1) throw new Error("no token today");
        return "t";
      },
    });
    await expect(unlucky.client.customers.get("a")).rejects.toThrow("no token today");
    expect(await unlucky.client.customers.get("a")).toEqual(customer);
  });
});

describe("removing", () => {
  test("is done if what was to go is gone after a try that nobody answered", async () => {
    const missing = problem(404, "session.not_found");
    const { client } = clientOf([new TypeError("fetch failed"), missing]);
    await expect(client.sessions.get("ses_1").delete()).resolves.toBeUndefined();
    const { client: sure } = clientOf([missing]);
    expect((await failing(sure.sessions.get("ses_1").delete())).code).toBe("session.not_found");
    const { client: refused } = clientOf([problem(429, "limit.rate"), missing]);
    expect((await failing(refused.sessions.get("ses_1").delete())).code).toBe("session.not_found");
  });
});
