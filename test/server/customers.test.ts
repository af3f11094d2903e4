import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emptyPostgresDatabase } from "../setup/database.ts";
import { databases, openServer, type TestServer } from "../setup/server.ts";

interface Case {
  readonly id: string;
  readonly what: string;
  readonly run: (request: TestServer["request"], server: TestServer) => Promise<void>;
}

const at = (id: string): string => `/v1/customers/${encodeURIComponent(id)}`;
const problem = (status: number, code: string) => ({ status, body: { status, code } });

const cases: readonly Case[] = [
  {
    id: "A1",
    what: "a customer is created with a generated id, and nothing else",
    run: async (request) => {
      const { status, headers, body } = await request("POST", "/v1/customers", { name: "Ada" });
      expect(status).toBe(201);
      expect(body).toEqual({
        ...{ id: expect.stringMatching(/^cus_[0-9a-z]{26}$/), name: "Ada", variables: {}, metadata: {} },
        ...{ created_at: expect.any(Number), version: expect.any(Number) },
      });
      expect([headers.get("location"), headers.get("etag")]).toEqual([at(body.id), `"${body.version}"`]);
      expect((await request("POST", "/v1/customers")).body).toMatchObject({ name: null });
    },
  },
  {
    id: "customers-2",
    what: "a customer has the id, variables and metadata that it is given",
    run: async (request) => {
      const given = { id: "ada@example.com/1", name: "Ada", variables: { tier: "gold", n: 0 }, metadata: { ticket: "T-1" } };
      expect(await request("POST", "/v1/customers", given)).toMatchObject({ status: 201, body: given });
      expect((await request("GET", at(given.id))).body).toMatchObject(given);
    },
  },
  {
    id: "A3",
    what: "an id that is taken is refused, and the first customer stays",
    run: async (request) => {
      await request("POST", "/v1/customers", { id: "crm-7", name: "Ada" });
      expect(await request("POST", "/v1/customers", { id: "crm-7", name: "Bob" })).toMatchObject(problem(409, "customer.exists"));
      expect((await request("GET", at("crm-7"))).body.name).toBe("Ada");
    },
  },
  {
    id: "A3",
    what: "the same request again makes no second customer, another one under its key is refused",
    run: async (request) => {
      const post = (body: unknown) => request("POST", "/v1/customers", body, { "idempotency-key": "make-1" });
      const [first, second] = [await post({ name: "Once" }), await post({ name: "Once" })];
      expect(second).toMatchObject({ status: 201, body: first.body });
      expect(await post({ name: "Twice" })).toMatchObject(problem(422, "request.key_reused"));
    },
  },
  {
    id: "customers-4",
    what: "what cannot be a customer is refused, and nothing is stored",
    run: async (request, { store }) => {
      const before = (await store.list({ of: "customers", limit: 1 })).total;
      const bad: readonly unknown[] = [
        ...[{ id: "" }, { id: " " }, { id: "x".repeat(201) }, { id: 7 }, { id: null }],
        ...[{ name: "x".repeat(201) }, { name: 7 }, { tags: [] }, { variables: [] }, { variables: { "": 1 } }, { metadata: "x" }, [], "x", 7, null],
      ];
      for (const body of bad)
        expect(await request("POST", "/v1/customers", JSON.stringify(body)), JSON.stringify(body)).toMatchObject({ status: 422 });
      expect(await request("POST", "/v1/customers", "{")).toMatchObject(problem(400, "request.malformed"));
      expect((await store.list({ of: "customers", limit: 1 })).total).toBe(before);
    },
  },
  {
    id: "A5",
    what: "an unknown customer is not found, by any request",
    run: async (request) => {
      const requests: readonly (readonly [string, string, unknown?])[] = [
        ...[["GET", ""] as const, ["PATCH", "", {}] as const, ["DELETE", ""] as const, ["POST", "/exports"] as const, ["GET", "/usage"] as const],
        ...[["GET", "/variables"] as const, ["PATCH", "/variables", { a: 1 }] as const, ["PUT", "/variables/a", { value: 1 }] as const],
        ...[["GET", "/variables/a"] as const, ["DELETE", "/variables/a"] as const],
      ];
      for (const [method, path, body] of requests)
        expect(await request(method, `${at("nobody")}${path}`, body), `${method} ${path}`).toMatchObject(problem(404, "customer.not_found"));
    },
  },
  {
    id: "A6",
    what: "nobody is a guest",
    run: async (request) => expect(await request("GET", at("guest"))).toMatchObject(problem(404, "customer.not_found")),
  },
  {
    id: "A10",
    what: "a patch of metadata keeps what it does not name",
    run: async (request) => {
      await request("POST", "/v1/customers", { id: "a10", metadata: { b: "2" } });
      const { body } = await request("PATCH", at("a10"), { metadata: { a: "1" } });
      expect(body.metadata).toEqual({ a: "1", b: "2" });
    },
  },
  {
    id: "A11",
    what: "taking away what is not there changes nothing",
    run: async (request) => {
      await request("POST", "/v1/customers", { id: "a11", metadata: { b: "2" } });
      const patched = await request("PATCH", at("a11"), { metadata: { missing: null } });
      expect(patched).toMatchObject({ status: 200, body: { metadata: { b: "2" } } });
    },
  },
  {
    id: "customers-12",
    what: "one patch sets and takes away, in metadata and variables; what is empty is a value, what is left out stays",
    run: async (request) => {
      await request("POST", "/v1/customers", { id: "a12", name: "Ada", metadata: { a: 1, b: 2 }, variables: { x: 1, deep: { one: 1, two: 2 } } });
      const patch = { metadata: { a: null, c: 0, d: "", e: {}, f: false }, variables: { x: null, y: "", deep: { one: null, three: 3 } } };
      const { body } = await request("PATCH", at("a12"), patch);
      expect(body).toMatchObject({ name: "Ada", metadata: { b: 2, c: 0, d: "", e: {}, f: false }, variables: { y: "", deep: { two: 2, three: 3 } } });
      expect(Object.keys(body.variables)).toEqual(["deep", "y"]);
      expect((await request("PATCH", at("a12"), { name: "" })).body.name).toBe("");
      expect((await request("PATCH", at("a12"), { name: null })).body.name).toBeNull();
      expect((await request("PATCH", at("a12"), {})).body).toMatchObject({ name: null, metadata: { b: 2 } });
    },
  },
  {
    id: "customers-12",
    what: "a patch is all or nothing",
    run: async (request) => {
      await request("POST", "/v1/customers", { id: "a12b", name: "Ada" });
      const wrong = { name: "Bob", metadata: { ok: 1 }, variables: { ["x".repeat(201)]: 1 } };
      expect(await request("PATCH", at("a12b"), wrong)).toMatchObject(problem(422, "variables.invalid"));
      expect(await request("PATCH", at("a12b"), { name: "Bob", metadata: { step_outputs: {} } })).toMatchObject(problem(422, "metadata.reserved"));
      expect((await request("GET", at("a12b"))).body).toMatchObject({ name: "Ada", metadata: {}, variables: {} });
    },
  },
  {
    id: "customers-12",
    what: "If-Match lets a change through only on the version that it names",
    run: async (request) => {
      const { body, headers } = await request("POST", "/v1/customers", { id: "a12c" });
      const etag = headers.get("etag") ?? "";
      const patched = await request("PATCH", at("a12c"), { name: "Ada" }, { "if-match": etag });
      expect([patched.status, patched.headers.get("etag")]).toEqual([200, `"${patched.body.version}"`]);
      expect(patched.body.version).toBeGreaterThan(body.version);
      const stale = await request("PATCH", at("a12c"), { name: "Bob" }, { "if-match": etag });
      expect(stale).toMatchObject(problem(412, "request.precondition_failed"));
      expect(stale.headers.get("etag")).toBe(patched.headers.get("etag"));
      for (const header of ["1", `W/"1"`, `"a"`, `"1", "2"`])
        expect(await request("PATCH", at("a12c"), {}, { "if-match": header }), header).toMatchObject(problem(400, "request.precondition_invalid"));
      expect((await request("PATCH", at("a12c"), { name: "Eve" }, { "if-match": "*" })).status).toBe(200);
    },
  },
  {
    id: "customers-13",
    what: "a customer who is erased is gone with all sessions, and the id can be used again",
    run: async (request) => {
      await request("POST", "/v1/customers", { id: "a13" });
      const { body: session } = await request("POST", "/v1/sessions", { agent: "a1", customer_id: "a13" });
      const { body: job } = await request("DELETE", at("a13"));
      await expect.poll(async () => (await request("GET", `/v1/jobs/${job.id}`)).body.status).toBe("done");
      expect(await request("GET", `/v1/sessions/${session.id}`)).toMatchObject(problem(404, "session.not_found"));
      expect(await request("POST", "/v1/customers", { id: "a13" })).toMatchObject({ status: 201, body: { variables: {} } });
    },
  },
  {
    id: "L",
    what: "what all sessions of a customer have spent is told, and one who said nothing has spent nothing",
    run: async (request) => {
      await request("POST", "/v1/customers", { id: "spender" });
      const none = { turns: 0, steps: 0, attempts: 0, tokens: {}, active_ms: 0, cost: 0, models: {} };
      expect(await request("GET", `${at("spender")}/usage`)).toMatchObject({ status: 200, body: none });
    },
  },
];

describe.each(databases)("customers on %s", (database) => {
  let server: Awaited<ReturnType<typeof openServer>>;
  beforeAll(async () => {
    server = await openServer({ location: database === "SQLite" ? ":memory:" : await emptyPostgresDatabase() });
  });
  afterAll(() => server.close());

  it("nobody is listed where nobody is", async () => {
    expect((await server.request("GET", "/v1/customers")).body).toEqual({ items: [], next_cursor: null, total: 0 });
  });
  it("A8: customers are listed in pages, oldest first, to the end", async () => {
    const names = ["one", "two", "three", "four", "five"];
    for (const name of names) await server.request("POST", "/v1/customers", { id: name });
    const first = (await server.request("GET", "/v1/customers?limit=3")).body;
    expect([first.items.map(({ id }: { id: string }) => id), first.total]).toEqual([names.slice(0, 3), 5]);
    const second = (await server.request("GET", `/v1/customers?limit=3&cursor=${first.next_cursor}`)).body;
    expect([second.items.map(({ id }: { id: string }) => id), second.next_cursor]).toEqual([names.slice(3), null]);
    expect(await server.request("GET", "/v1/customers?cursor=garbage")).toMatchObject(problem(400, "cursor.invalid"));
    for (const query of ["limit=0", "limit=101", "limit=x", "limit=1.5", "limit=-1", "limit=1&limit=2", "sort=asc"])
      expect(await server.request("GET", `/v1/customers?${query}`), query).toMatchObject(problem(422, "request.invalid"));
  });
  it.each(cases)("$id: $what", ({ run }) => run(server.request, server));
});
