import { describe, expect, it, onTestFinished } from "vitest";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import type { JsonObject } from "../../packages/throughline/src/kernel/json.ts";
import type { Logger } from "../../packages/throughline/src/kernel/log.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { fixedClock } from "../../packages/throughline/src/testing/test-clock.ts";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { raw } from "../setup/raw.ts";
import { startServer } from "../setup/server.ts";
import { hangMs } from "../setup/limits.ts";

const get = (path: string, host: string, ...headers: readonly string[]): string =>
  [`GET ${path} HTTP/1.1`, `Host: ${host}`, "Connection: close", ...headers, "", ""].join("\r\n");

/** A logger that keeps what it is told. */
function keeping(): { readonly logger: Logger; readonly lines: { readonly message: string; readonly fields: JsonObject }[] } {
  const lines: { message: string; fields: JsonObject }[] = [];
  const keep = (message: string, fields: JsonObject = {}) => void lines.push({ message, fields });
  return { lines, logger: { debug: keep, info: keep, warn: keep, error: keep } };
}

describe("the name of the host", () => {
  const statusOf = async (url: string, host: string, path = "/version"): Promise<string> => {
    const answer = await raw(url, get(path, host));
    return `${answer.slice(9, 12)}${/"code":"([^"]*)"/.exec(answer)?.[1] ?? ""}`;
  };

  it("is one of this machine's, or one that is listed, where only this machine can reach the service", async () => {
    const { url, store } = await startServer();
    const { port } = new URL(url);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, "LOCALHOST", "app.localhost", `[::1]:${port}`])
      expect(await statusOf(url, host), host).toBe("200");
    for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1.evil.example", "localhost.evil.example", "169.254.169.254"])
      expect(await statusOf(url, host), host).toBe("403host.forbidden");
    for (const host of ["", "a b", "x@127.0.0.1", "127.0.0.1/x"]) expect(await statusOf(url, host), host).toMatch(/^40[03]/);
    expect(await statusOf(url, "10.0.0.7:8420", "/livez")).toBe("200");

    await createKey(store, { name: "x", scopes: ["admin"] });
    const named = await startServer({ store, hosts: ["API.example.com"] });
    expect(await statusOf(named.url, "api.example.com")).toBe("200");
    expect(await statusOf(named.url, "api.example.com:443")).toBe("200");
    expect(await statusOf(named.url, "other.example.com")).toBe("403host.forbidden");
  });

  it("is any, where all can reach the service, unless names are listed", async () => {
    const store = await openStore(":memory:");
    onTestFinished(() => store.close());
    await createKey(store, { name: "x", scopes: ["admin"] });
    const open = await startServer({ store, host: "0.0.0.0" });
    const url = open.url.replace("0.0.0.0", "127.0.0.1");
    expect(await statusOf(url, "whatever.example")).toBe("200");
    const named = await startServer({ store, host: "0.0.0.0", hosts: ["api.example.com"] });
    const namedUrl = named.url.replace("0.0.0.0", "127.0.0.1");
    expect([await statusOf(namedUrl, "api.example.com"), await statusOf(namedUrl, "whatever.example")]).toEqual(["200", "403host.forbidden"]);
  });
});

describe("pages of other origins", () => {
  const origin = "https://app.example.com";
  const preflight = { origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization, idempotency-key" };

  it("may call the service if they are listed", async () => {
    const { request } = await startServer({ origins: [origin] });
    const asked = await request("OPTIONS", "/v1/sessions", undefined, preflight);
    expect(asked.status).toBe(204);
    expect(asked.headers.get("access-control-allow-origin")).toBe(origin);
    expect(asked.headers.get("access-control-allow-methods")).toContain("PATCH");
    for (const name of ["Last-Event-ID", "If-Match", "Idempotency-Key", "Authorization", "Content-Type"])
      expect(asked.headers.get("access-control-allow-headers")).toContain(name);
    const answer = await request("GET", "/v1/sessions", undefined, { origin });
    expect([answer.status, answer.headers.get("access-control-allow-origin"), answer.headers.get("vary")]).toEqual([200, origin, "Origin"]);
    for (const name of ["ETag", "Location", "X-Request-Id", "Retry-After"])
      expect(answer.headers.get("access-control-expose-headers")).toContain(name);
    const refused = await request("GET", "/v1/sessions/x", undefined, { origin });
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([404, origin]);
  });

  it("are told nothing if they are not", async () => {
    const { request } = await startServer({ origins: [origin] });
    for (const other of ["https://evil.example", "https://app.example.com.evil.example", "null"]) {
      const asked = await request("OPTIONS", "/v1/sessions", undefined, { ...preflight, origin: other });
      expect([asked.status, asked.headers.get("access-control-allow-origin"), asked.headers.get("vary")]).toEqual([405, null, "Origin"]);
    }
    const { request: closed } = await startServer();
    const asked = await closed("OPTIONS", "/v1/sessions", undefined, preflight);
    expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([405, null]);
  });
});

it("gives every answer an id and headers that keep browsers from guessing", async () => {
  const { request } = await startServer();
  for (const [method, path] of [
    ["GET", "/livez"],
    ["GET", "/nothing"],
    ["DELETE", "/livez"],
    ["POST", "/v1/customers"],
  ] as const) {
    const { headers } = await request(method, path, undefined, { "x-request-id": "mine:1.a_b-c" });
    expect(headers.get("x-request-id")).toBe("mine:1.a_b-c");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
  }
  const { headers, body } = await request("GET", "/nothing", undefined, { "x-request-id": "a b<script>" });
  expect(headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
  expect(body.request_id).toBe(headers.get("x-request-id"));
});

it("tells the log of a request what it was, and nothing that is in it", async () => {
  const { logger, lines } = keeping();
  const { request, store } = await startServer({ logger });
  const { key, info } = await createKey(store, { name: "backend", scopes: ["admin"] });
  const headers = { authorization: `Bearer ${key}`, "x-request-id": "r-1", "idempotency-key": "canary-key" };
  await request("POST", "/v1/customers", { id: "canary@example.com", name: "canary" }, headers);
  await request("GET", "/v1/customers/canary%40example.com", undefined, headers);
  await request("GET", "/v1/sessions?customer_id=canary&stream_token=canary", undefined, headers);
  await request("GET", "/canary", undefined, headers);
  const told = lines
    .filter(({ message }) => message === "request")
    .map(({ fields: { ms, ...fields } }) => (expect(typeof ms).toBe("number"), fields));
  const common = { request_id: "r-1", principal: `key:${info.id}` };
  expect(told).toEqual([
    { ...common, method: "POST", route: "/v1/customers", status: 201 },
    { ...common, method: "GET", route: "/v1/customers/{customer_id}", status: 200 },
    { ...common, method: "GET", route: "/v1/sessions", status: 422 },
    { request_id: "r-1", method: "GET", route: "none", status: 404 },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/canary|tl_live/);
});

it("takes a message's trace from where its sender's is told", async () => {
  const { request } = await startServer();
  const { body: session } = await request("POST", "/v1/sessions", { agent: "a1" });
  const traceOf = async (traceparent: string): Promise<string> =>
    (await request("POST", `/v1/sessions/${session.id}/events`, { kind: "message", source: "customer", text: "hi" }, { traceparent })).body.trace_id;
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  expect(await traceOf(`00-${trace}-00f067aa0ba902b7-01`)).toBe(trace);
  for (const wrong of [
    `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
    `ff-${trace}-00f067aa0ba902b7-01`,
    `00-${trace.toUpperCase()}-00f067aa0ba902b7-01`,
    "x",
  ])
    expect(await traceOf(wrong)).toMatch(/^(?!4bf92f)[0-9a-f]{32}$/);
});

describe("when it is about to stop", () => {
  it("takes nothing new, and says that it lives and is not ready", async () => {
    const server = await startServer();
    const held = server.request("GET", "/v1/sessions");
    const closing = server.server.close({ drainMs: 1_000 });
    await held.catch(() => {});
    const ask = async (path: string) => {
      const response = await server.server.fetch(new Request(`http://localhost${path}`));
      return [response.status, response.headers.get("retry-after"), ((await response.json()) as { code?: string }).code];
    };
    expect(await ask("/livez")).toEqual([200, null, undefined]);
    expect(await ask("/readyz")).toEqual([503, "1", "service.draining"]);
    expect(await ask("/v1/sessions")).toEqual([503, "1", "service.draining"]);
    await closing;
  });
});

it("is not ready while the database does not answer", async () => {
  const clock = fixedClock(systemClock.now());
  const store = await openStore(":memory:");
  onTestFinished(() => store.close());
  let open: () => ReturnType<typeof store.open> = () => Promise.reject(new ThroughlineError("store.unreachable"));
  const { request } = await startServer({ store: { ...forwarding(store), open: () => open() }, clock });
  const failed = await request("GET", "/readyz");
  expect([failed.status, failed.body.code, failed.headers.get("retry-after")]).toEqual([503, "store.unreachable", "1"]);

  open = () => new Promise(() => {});
  clock.advance(500);
  const silent = request("GET", "/readyz");
  const late = setInterval(() => clock.advance(500), 20);
  expect((await silent).body.code).toBe("store.unreachable");
  clearInterval(late);
  open = async () => undefined;
  clock.advance(500);
  expect((await request("GET", "/readyz")).status).toBe(200);
});

describe("what is no request", () => {
  const broken: Readonly<Record<string, string>> = {
    "no HTTP": "hello\r\n\r\n",
    "a method that there is not": "FETCH / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "no host": "GET / HTTP/1.0\r\n\r\n",
    "a header that is none": "GET / HTTP/1.1\r\nHost: localhost\r\n: x\r\n\r\n",
    "two lengths": "POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
    "a length and chunks": "POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a chunk of no size": "POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    "an address that is none": "GET http://%zz/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    "a backslash in the address": "GET /v1\\sessions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    "an expectation that nobody meets": "POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nExpect: more\r\n\r\n",
    "a zero byte": "GET /\0 HTTP/1.1\r\nHost: localhost\r\n\r\n",
  };

  it("is answered with an error and no more", async () => {
    const { url } = await startServer({ limits: { headersMs: 300, requestMs: 600 } });
    for (const [what, text] of Object.entries(broken)) {
      const answer = await raw(url, text);
      expect(answer, what).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer, what).toContain(`"code":"request.malformed"`);
      expect(answer, what).not.toMatch(/node_modules|at \w+ \(|Error:/);
    }
    const long = await raw(url, `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(20_000)}\r\n\r\n`);
    expect(long).toMatch(/^HTTP\/1\.1 413 /);
    expect(long).toContain(`"code":"request.too_large"`);
    const tunnel = await raw(url, "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n");
    expect(tunnel).toMatch(/^HTTP\/1\.1 405 [^]*"code":"request.method_not_allowed"/);
  });

  it("is not answered in the middle of another answer", async () => {
    const { url, request } = await startServer();
    const { body: session } = await request("POST", "/v1/sessions", { agent: "a1" });
    const stream = [`GET /v1/sessions/${session.id}/events HTTP/1.1`, "Host: localhost", "Accept: text/event-stream", "", ""].join("\r\n");
    const answer = await raw(url, [stream, "hello\r\n\r\n"], { ms: hangMs });
    expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*text\/event-stream/);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it("is cut if it comes too slowly", async () => {
    const { url } = await startServer({ limits: { headersMs: 200, requestMs: 400 } });
    const answers = await Promise.all([
      raw(url, "GET / HTTP/1.1\r\nHost: loc", { ms: hangMs }),
      raw(url, "", { ms: hangMs }),
      raw(url, `POST /v1/customers HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"na`, { ms: hangMs }),
    ]);
    expect(answers[0]).toMatch(/^HTTP\/1\.1 408 [^]*"code":"request.timeout"/);
    expect(answers[2]).toMatch(/^HTTP\/1\.1 408 [^]*"code":"request.timeout"/);
  });
});
