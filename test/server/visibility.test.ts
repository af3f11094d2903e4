import { expect, it } from "vitest";
import type { Scope } from "../../packages/server/src/protocol/wire-auth.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { startServer, type TestServer } from "../setup/server.ts";

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** A service with a customer's sessions, and ways to ask as one with a token, and as one with a key. */
async function inhabited() {
  const server = await startServer();
  const { key } = await createKey(server.store, { name: "backend", scopes: ["admin"] });
  const admin = (method: string, path: string, body?: unknown) => server.request(method, path, body, bearer(key));
  for (const id of ["ada", "bob"]) await admin("POST", "/v1/customers", { id });
  const make = async (customer_id: string) =>
    (await admin("POST", "/v1/sessions", { agent: "a1", customer_id, title: `Of ${customer_id}`, labels: ["inner"], metadata: { secret: "canary" } }))
      .body;
  const [adas, bobs, second] = [await make("ada"), await make("bob"), await make("ada")];
  const asCustomer = async (customer_id: string, session_id?: string) => {
    const { body } = await admin("POST", "/v1/tokens", { customer_id, ...(session_id === undefined ? {} : { session_id }) });
    return (method: string, path: string, given?: unknown) => server.request(method, path, given, bearer(body.token));
  };
  return { server, admin, adas, bobs, second, asCustomer };
}

const withKey = async ({ store, request }: TestServer, ...scopes: readonly Scope[]) => {
  const { key } = await createKey(store, { name: "narrow", scopes });
  return (method: string, path: string, body?: unknown) => request(method, path, body, bearer(key));
};

it("a customer is shown what is public of their own sessions", async () => {
  const { adas, second, asCustomer } = await inhabited();
  const ada = await asCustomer("ada");
  const shown = ["agent", "created_at", "episode", "head", "id", "mode", "title", "updated_at", "version"];
  const { status, body } = await ada("GET", `/v1/sessions/${adas.id}`);
  expect([status, Object.keys(body).toSorted()]).toEqual([200, shown]);
  const listed = (await ada("GET", "/v1/sessions?agent=a1&mode=auto&order=desc")).body;
  expect(listed.items.map(({ id }: { id: string }) => id)).toEqual([second.id, adas.id]);
  expect(JSON.stringify(listed)).not.toMatch(/canary|inner|customer_id|definition/);
  expect(listed.total).toBe(2);
});

it("what is another customer's is not there", async () => {
  const { bobs, asCustomer } = await inhabited();
  const ada = await asCustomer("ada");
  const [theirs, nobodys] = [await ada("GET", `/v1/sessions/${bobs.id}`), await ada("GET", `/v1/sessions/ses_${"0".repeat(26)}`)];
  for (const { status, body } of [theirs, nobodys]) expect([status, body.code, body.title]).toEqual([404, "session.not_found", "No such session."]);
  expect((await ada("GET", "/v1/sessions?customer_id=bob")).body).toEqual({ items: [], next_cursor: null, total: 0 });
  expect((await ada("GET", "/v1/sessions?customer_id=ada")).body.total).toBe(2);
});

it("a token for one session reaches that one alone", async () => {
  const { adas, second, asCustomer } = await inhabited();
  const ada = await asCustomer("ada", adas.id);
  expect((await ada("GET", `/v1/sessions/${adas.id}`)).status).toBe(200);
  expect((await ada("GET", `/v1/sessions/${second.id}`)).status).toBe(404);
  expect((await ada("GET", "/v1/sessions")).status).toBe(403);
  expect((await ada("POST", "/v1/sessions/open", { agent: "a1" })).status).toBe(403);
});

it("a customer opens sessions of their own, and says nothing that is the integration's", async () => {
  const { asCustomer, admin } = await inhabited();
  const ada = await asCustomer("ada");
  const opened = await ada("POST", "/v1/sessions/open", { agent: "a1", key: "web" });
  expect([opened.status, "customer_id" in opened.body]).toEqual([201, false]);
  expect((await admin("GET", `/v1/sessions/${opened.body.id}`)).body.customer_id).toBe("ada");
  expect((await ada("POST", "/v1/sessions/open", { agent: "a1", key: "web", customer_id: "ada" })).status).toBe(200);
  for (const more of [{ customer_id: "bob" }, { metadata: {} }, { labels: [] }])
    expect((await ada("POST", "/v1/sessions/open", { agent: "a1", key: "web", ...more })).body.code, JSON.stringify(more)).toBe("auth.forbidden");
});

it("a customer may not do what is the integration's", async () => {
  const { adas, asCustomer } = await inhabited();
  const ada = await asCustomer("ada");
  const session = `/v1/sessions/${adas.id}`;
  const requests: readonly (readonly [string, string, unknown?])[] = [
    ...[["GET", "/v1/customers"] as const, ["GET", "/v1/customers/ada"] as const, ["PATCH", "/v1/customers/ada", {}] as const],
    ...[["DELETE", "/v1/customers/ada"] as const, ["POST", "/v1/customers/ada/exports"] as const, ["GET", "/v1/customers/ada/variables"] as const],
    ...[["POST", "/v1/sessions", { agent: "a1" }] as const, ["PATCH", session, { title: "x" }] as const, ["DELETE", session] as const],
    ...[
      ["POST", `${session}/fork`] as const,
      ["POST", `${session}/identify`, { customer_id: "bob" }] as const,
      ["POST", `${session}/end-episode`] as const,
    ],
    ...[["GET", `${session}/usage`] as const, ["GET", `${session}/variables`] as const, ["PUT", `${session}/variables/a`, { value: 1 }] as const],
    ...[["GET", "/v1/agents"] as const, ["GET", `/v1/jobs/job_${"0".repeat(32)}`] as const, ["DELETE", "/v1/sessions?customer_id=ada"] as const],
  ];
  for (const [method, path, body] of requests)
    expect(await ada(method, path, body), `${method} ${path}`).toMatchObject({ status: 403, body: { code: "auth.forbidden" } });
  for (const query of ["q=x", "labels=inner", "external_id=x", "handover=waiting", "operator=bea"])
    expect((await ada("GET", `/v1/sessions?${query}`)).status, query).toBe(403);
});

it("a key reads metadata, and writes it, hands over and deletes, only with the scope for it", async () => {
  const { server, adas } = await inhabited();
  const key = await withKey(server, "sessions:read", "sessions:write", "customers:read", "customers:write");
  const session = `/v1/sessions/${adas.id}`;
  expect("metadata" in (await key("GET", session)).body).toBe(false);
  expect("metadata" in (await key("GET", "/v1/customers/ada")).body).toBe(false);
  const needs = async (method: string, path: string, body?: unknown) => {
    const { status, body: answer } = await key(method, path, body);
    return status === 403 ? answer.details.scope : status;
  };
  expect(await needs("PATCH", session, { metadata: {} })).toBe("metadata:write");
  expect(await needs("PATCH", session, { mode: "manual" })).toBe("handover");
  expect(await needs("POST", "/v1/sessions", { agent: "a1", metadata: {} })).toBe("metadata:write");
  expect(await needs("POST", "/v1/sessions/open", { agent: "a1", key: "x", metadata: {} })).toBe("metadata:write");
  expect(await needs("PATCH", "/v1/customers/ada", { metadata: {} })).toBe("metadata:write");
  expect(await needs("PUT", "/v1/agents/a1/variables/x", { value: 1 })).toBe("admin");
  expect(await needs("DELETE", session)).toBe("erase");
  expect(await needs("DELETE", "/v1/customers/ada")).toBe("erase");
  expect(await needs("POST", "/v1/customers/ada/exports")).toBe("export");
  expect(await needs("GET", `${session}/usage`)).toBe("usage:read");
  expect(await needs("PATCH", session, { title: "allowed" })).toBe(200);
  expect((await (await withKey(server, "sessions:read", "metadata:read"))("GET", session)).body.metadata).toEqual({ secret: "canary" });
});
