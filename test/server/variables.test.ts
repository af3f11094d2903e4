import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emptyPostgresDatabase } from "../setup/database.ts";
import { databases, openServer } from "../setup/server.ts";

const problem = (status: number, code: string) => ({ status, body: { status, code } });

describe.each(databases)("variables on %s", (database) => {
  let server: Awaited<ReturnType<typeof openServer>>;
  let places: Readonly<Record<string, string>> = {};
  beforeAll(async () => {
    server = await openServer({ location: database === "SQLite" ? ":memory:" : await emptyPostgresDatabase() });
    await server.request("POST", "/v1/customers", { id: "crm/7" });
    const { body } = await server.request("POST", "/v1/sessions", { agent: "a1" });
    places = { customer: "/v1/customers/crm%2F7", session: `/v1/sessions/${body.id}`, agent: "/v1/agents/a1" };
  });
  afterAll(() => server.close());
  const send = (scope: string, method: string, path = "", body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
    server.request(method, `${places[scope]}/variables${path}`, body, headers);

  describe.each(["customer", "session", "agent"])("in the scope %s", (scope) => {
    it("I3: are merged by a patch, name by name and member by member", async () => {
      const empty = await send(scope, "GET");
      expect(empty).toMatchObject({ status: 200, body: { values: {}, checked: {}, stale: [], version: 0 } });
      await send(scope, "PATCH", "", { a: { one: 1, two: 2 }, gone: 1 });
      const { status, headers, body } = await send(scope, "PATCH", "", { b: "", a: { two: null, three: 3 }, gone: null });
      expect([status, body.values, headers.get("etag")]).toEqual([200, { a: { one: 1, three: 3 }, b: "" }, `"${body.version}"`]);
      expect(Object.keys(body.checked).toSorted()).toEqual(["a", "b"]);
      expect((await send(scope, "PATCH", "", {})).body).toEqual(body);
      expect((await send(scope, "GET")).body).toEqual(body);
    });

    it("I21: have one value each, and none before it is set and after it was taken away", async () => {
      expect(await send(scope, "GET", "/tier")).toMatchObject(problem(404, "variable.not_found"));
      for (const value of ["gold", 0, "", false, [], {}, null, { deep: [null] }]) {
        const put = await send(scope, "PUT", "/tier", { value });
        expect([put.status, put.body.value, put.headers.get("etag")]).toEqual([200, value, `"${put.body.version}"`]);
        expect((await send(scope, "GET", "/tier")).body).toEqual({ ...put.body, name: "tier", stale: false });
      }
      expect((await send(scope, "DELETE", "/tier")).status).toBe(204);
      const { headers } = await send(scope, "DELETE", "/tier");
      expect(await send(scope, "GET", "/tier")).toMatchObject(problem(404, "variable.not_found"));
      expect((await send(scope, "GET")).body.version).toBe(Number(headers.get("etag")?.slice(1, -1)));
    });

    it.each(["a/b", "a%2Fb", "100%", "ü €", "?x=1&y#z", "..a", "x".repeat(200), "constructor", "hasOwnProperty"])(
      "are found by the name %s",
      async (name) => {
        const path = `/${encodeURIComponent(name)}`;
        expect(await send(scope, "GET", path)).toMatchObject(problem(404, "variable.not_found"));
        expect(await send(scope, "PUT", path, { value: name })).toMatchObject({ status: 200, body: { name, value: name } });
        expect((await send(scope, "GET", path)).body).toMatchObject({ name, value: name });
        expect((await send(scope, "GET")).body.values[name]).toBe(name);
        expect((await send(scope, "DELETE", path)).status).toBe(204);
      },
    );

    it("are changed with If-Match only at the version that it names", async () => {
      const { headers } = await send(scope, "PUT", "/match", { value: 1 });
      const etag = headers.get("etag") ?? "";
      const after = (await send(scope, "PUT", "/match", { value: 2 }, { "if-match": etag })).headers.get("etag");
      for (const [method, path, body] of [
        ["PUT", "/match", { value: 3 }] as const,
        ["PATCH", "", { match: 3 }] as const,
        ["DELETE", "/match"] as const,
      ]) {
        const stale = await send(scope, method, path, body, { "if-match": etag });
        expect([stale.status, stale.headers.get("etag")], method).toEqual([412, after]);
      }
      expect((await send(scope, "GET", "/match")).body.value).toBe(2);
      expect((await send(scope, "DELETE", "/match", undefined, { "if-match": after ?? "" })).status).toBe(204);
    });

    it("are changed by many at once, and nothing is lost", async () => {
      const names = Array.from({ length: 12 }, (_, index) => `many-${index}`);
      await Promise.all(names.map((name) => send(scope, "PUT", `/${name}`, { value: name })));
      expect((await send(scope, "GET")).body.values).toMatchObject(Object.fromEntries(names.map((name) => [name, name])));
    });

    it("I20: are refused if they cannot be kept, and then none is", async () => {
      const before = (await send(scope, "GET")).body;
      const long = "x".repeat(201);
      const bad: readonly (readonly [string, string, unknown, number])[] = [
        ...[["PUT", "/x", {}, 422] as const, ["PUT", "/x", { value: 1, also: 2 }, 422] as const, ["PUT", "/x", undefined, 400] as const],
        ...[["PUT", "/x", `{"value": NaN}`, 400] as const, ["PUT", `/${long}`, { value: 1 }, 422] as const],
        ...[["PUT", "/x", { value: "x".repeat(65_537) }, 422] as const, ["PUT", "/x", { value: "x".repeat(1_100_000) }, 413] as const],
        ...[["PATCH", "", { ok: 1, [long]: 1 }, 422] as const, ["PATCH", "", { ok: 1, "": 1 }, 422] as const, ["PATCH", "", [], 422] as const],
        ...[
          ["PATCH", "", `{"__proto__": {"x": 1}, "ok": 1}`, 422] as const,
          ["PATCH", "", `{"ok": {"_\\u005fproto__": 1}}`, 422] as const,
          ["PUT", "/__proto__", { value: 1 }, 422] as const,
        ],
      ];
      for (const [method, path, body, status] of bad)
        expect((await send(scope, method, path, body)).status, `${method} ${path.slice(0, 20)} ${JSON.stringify(body)?.slice(0, 40)}`).toBe(status);
      expect((await send(scope, "GET")).body).toEqual(before);
    });
  });

  it("I6: of a session count before its customer's, and those before its agent's; each scope shows its own", async () => {
    const { request } = server;
    await request("POST", "/v1/customers", { id: "scoped" });
    const { body: session } = await request("POST", "/v1/sessions", { agent: "a1", customer_id: "scoped" });
    const values = { agent: "agent", customer: "customer", session: "session" };
    await request("PUT", "/v1/agents/a1/variables/who", { value: values.agent });
    await request("PUT", "/v1/customers/scoped/variables/who", { value: values.customer });
    await request("PUT", `/v1/sessions/${session.id}/variables/who`, { value: values.session });
    const known = await (await server.runtime.sessions.get(session.id)).variables();
    expect(known.find(({ name }) => name === "who")).toMatchObject({ value: "session", scope: "session" });
    expect((await request("GET", "/v1/customers/scoped")).body.variables).toEqual({ who: "customer" });
    expect((await request("GET", "/v1/agents/a1/variables/who")).body.value).toBe("agent");
  });

  it("of strangers are their own", async () => {
    const { request } = server;
    const [one, two] = [(await request("POST", "/v1/sessions", { agent: "a1" })).body, (await request("POST", "/v1/sessions", { agent: "a1" })).body];
    await request("PUT", `/v1/sessions/${one.id}/variables/secret`, { value: 1 });
    expect((await request("GET", `/v1/sessions/${two.id}/variables`)).body.values).toEqual({});
  });

  it("of nobody are not found", async () => {
    const { request } = server;
    expect(await request("GET", "/v1/sessions/ses_x/variables")).toMatchObject(problem(404, "session.not_found"));
    expect(await request("PATCH", `/v1/sessions/ses_${"0".repeat(26)}/variables`, { a: 1 })).toMatchObject(problem(404, "session.not_found"));
    expect(await request("PUT", "/v1/agents/nobody/variables/a", { value: 1 })).toMatchObject(problem(404, "agent.not_found"));
  });
});
