import { SignJWT, UnsecuredJWT, generateKeyPair } from "jose";
import { beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import { createKey, revokeKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { rotateTokenKeys } from "../../packages/server/src/server/auth/access-tokens.ts";
import { fixedClock, type FixedClock } from "../../packages/throughline/src/testing/test-clock.ts";
import { openReader } from "../setup/event-reader.ts";
import { databases, newLocation, startServer, type TestServer } from "../setup/server.ts";

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const secret = "a secret of the tests, long enough for HS256";

let clock: FixedClock;
beforeEach(() => {
  clock = fixedClock(systemClock.now());
});

/** A service with a key, and Ada and Bob with a session each. */
async function withCustomers(options: Parameters<typeof startServer>[0] = {}) {
  const server = await startServer({ clock, ...options });
  const { key, info } = await createKey(server.store, { name: "backend", scopes: ["admin"] });
  const as = (token: string) => (method: string, path: string, body?: unknown) => server.request(method, path, body, bearer(token));
  const admin = as(key);
  for (const id of ["ada", "bob"]) await admin("POST", "/v1/customers", { id, metadata: { secret: "canary" } });
  const sessionOf = async (customer_id: string): Promise<string> => (await admin("POST", "/v1/sessions", { agent: "a1", customer_id })).body.id;
  const ada = [await sessionOf("ada"), await sessionOf("ada")] as const;
  const bob = await sessionOf("bob");
  const tokenFor = async (body: object): Promise<string> => (await admin("POST", "/v1/tokens", body)).body.token;
  return { ...server, as, admin, ada, bob, tokenFor, key_id: info.id };
}

it("lets a customer reach what is theirs, and hides that there is anything else", async () => {
  const { as, ada, bob, tokenFor } = await withCustomers();
  const asAda = as(await tokenFor({ customer_id: "ada" }));

  expect((await asAda("GET", `/v1/sessions/${ada[0]}`)).status).toBe(200);
  expect((await asAda("GET", "/v1/sessions")).body.items.map(({ id }: { id: string }) => id).toSorted()).toEqual([...ada].toSorted());
  expect((await asAda("GET", `/v1/sessions/${bob}`)).body.code).toBe("session.not_found");
  expect((await asAda("POST", `/v1/sessions/${bob}/events`, { kind: "message", source: "customer", text: "hi" })).status).toBe(404);
  const other = await asAda("GET", "/v1/customers/bob");
  expect([other.status, other.body.code]).toEqual([403, "auth.forbidden"]);
  expect(other.text).not.toContain("canary");
  for (const [method, path] of [
    ["GET", "/v1/customers"],
    ["GET", "/v1/audit"],
    ["GET", "/v1/handovers"],
    ["DELETE", `/v1/sessions/${ada[0]}`],
    ["POST", "/v1/tokens"],
  ] as const)
    expect((await asAda(method, path)).status, path).toBe(403);
});

it("keeps a token for one session to that session", async () => {
  const { as, ada, tokenFor } = await withCustomers();
  const asAda = as(await tokenFor({ customer_id: "ada", session_id: ada[0] }));
  expect((await asAda("GET", `/v1/sessions/${ada[0]}`)).status).toBe(200);
  expect((await asAda("GET", `/v1/sessions/${ada[1]}`)).status).toBe(404);
  expect((await asAda("POST", "/v1/stream-tokens", { sessions: ada })).status).toBe(404);
});

it("gives no token for a session that is not the customer's, nor for a wrong request", async () => {
  const { admin, bob } = await withCustomers();
  const ask = async (body: object) => {
    const { status, body: answer } = await admin("POST", "/v1/tokens", body);
    return [status, answer.code];
  };
  expect(await ask({ customer_id: "ada", session_id: bob })).toEqual([404, "session.not_found"]);
  expect(await ask({ customer_id: "ada", ttl_seconds: 86_401 })).toEqual([422, "request.invalid"]);
  expect(await ask({ customer_id: "ada", ttl_seconds: 0 })).toEqual([422, "request.invalid"]);
  expect(await ask({})).toEqual([422, "request.invalid"]);
});

it("takes a token until it runs out", async () => {
  const { as, ada, admin } = await withCustomers();
  const { body } = await admin("POST", "/v1/tokens", { customer_id: "ada", ttl_seconds: 60 });
  const get = () => as(body.token)("GET", `/v1/sessions/${ada[0]}`);
  expect(body.expires_at).toBe((Math.floor(clock.now() / 1000) + 60) * 1000);
  clock.advance(body.expires_at - clock.now() - 1);
  expect((await get()).status).toBe(200);
  clock.advance(1);
  expect((await get()).body.code).toBe("auth.invalid");
});

describe("a forged token", () => {
  const now = () => Math.floor(clock.now() / 1000);
  let versions: Readonly<Record<"ada" | "bob", string>>;
  const good = () => ({ sub: "ada", ver: versions.ada, iss: "throughline", aud: "throughline:customer", iat: now(), exp: now() + 600 });
  const sign = (claims: object, { alg = "HS256", key = secret, header = {} }: { alg?: string; key?: string; header?: object } = {}) =>
    new SignJWT({ ...claims }).setProtectedHeader({ alg, ...header }).sign(Buffer.from(key), { crit: { x: true } });

  const forged: Readonly<Record<string, () => Promise<string> | string>> = {
    "of another secret": () => sign(good(), { key: `${secret}!` }),
    "of a key that there is not": () => sign(good(), { header: { kid: "unknown" } }),
    "without a signature": () => new UnsecuredJWT(good()).encode(),
    "of another algorithm": () => sign(good(), { alg: "HS512" }),
    "signed by a key pair": async () => {
      const { privateKey } = await generateKeyPair("EdDSA");
      return new SignJWT(good()).setProtectedHeader({ alg: "EdDSA" }).sign(privateKey);
    },
    "without the customer's version": () => sign({ ...good(), ver: undefined }),
    "with the version of another customer": () => sign({ ...good(), ver: versions.bob }),
    "issued by a key that there is not": () => sign({ ...good(), by: "0123456789abcdef" }),
    "for another audience": () => sign({ ...good(), aud: "throughline:stream" }),
    "for nobody": () => sign({ ...good(), aud: undefined }),
    "by another issuer": () => sign({ ...good(), iss: "someone" }),
    "that has run out": () => sign({ ...good(), iat: now() - 20, exp: now() - 10 }),
    "that never runs out": () => sign({ ...good(), exp: undefined }),
    "that is good for too long": () => sign({ ...good(), exp: now() + 90_000 }),
    "that says not since when": () => sign({ ...good(), iat: undefined }),
    "of the future": () => sign({ ...good(), nbf: now() + 60 }),
    "of no customer": () => sign({ ...good(), sub: undefined }),
    "for what is no session": () => sign({ ...good(), session: "../ses" }),
    "with an altered claim": async () => {
      const [header, , signature] = (await sign({ ...good(), sub: "bob" })).split(".");
      return [header, Buffer.from(JSON.stringify(good())).toString("base64url"), signature].join(".");
    },
    "with an unknown critical header": () => sign(good(), { header: { crit: ["x"], x: 1 } }),
    "that is no token": () => "a.b.c",
    "that is empty": () => "..",
  };

  it("is refused, whatever is wrong with it, and a good one of the same secret is not", async () => {
    const { as, ada, admin } = await withCustomers({ tokenSecrets: [secret] });
    const versionOf = async (customer_id: string): Promise<string> => (await admin("POST", "/v1/tokens", { customer_id })).body.customer_version;
    versions = { ada: await versionOf("ada"), bob: await versionOf("bob") };
    const path = `/v1/sessions/${ada[0]}`;
    expect((await as(await sign(good()))("GET", path)).status).toBe(200);
    for (const [what, make] of Object.entries(forged)) {
      const { status, body } = await as(await make())("GET", path);
      expect([status, body.code], what).toEqual([401, "auth.invalid"]);
    }
  });
});

it("signs with the first of several secrets and takes the others too", async () => {
  const location = await newLocation("SQLite");
  const former = await withCustomers({ location, tokenSecrets: [secret] });
  const token = await former.tokenFor({ customer_id: "ada" });
  const path = `/v1/sessions/${former.ada[0]}`;
  const next = await startServer({ location, clock, tokenSecrets: [`${secret} 2`, secret] });
  const last = await startServer({ location, clock, tokenSecrets: [`${secret} 2`] });
  expect((await next.request("GET", path, undefined, bearer(token))).status).toBe(200);
  expect((await last.request("GET", path, undefined, bearer(token))).status).toBe(401);
  await expect(startServer({ tokenSecrets: ["short"] })).rejects.toMatchObject({ code: "input.invalid" });
});

describe.each(databases)("on %s", (database) => {
  it("shares one key for tokens between processes, and replaces it without a token being refused", async () => {
    const location = await newLocation(database);
    const one = await withCustomers({ location });
    const two = await startServer({ location, clock });
    const path = `/v1/sessions/${one.ada[0]}`;
    const tokens: string[] = [await one.tokenFor({ customer_id: "ada", ttl_seconds: 86_400 })];
    const statuses = () => Promise.all(tokens.map(async (token) => (await two.request("GET", path, undefined, bearer(token))).status));
    expect(await statuses()).toEqual([200]);

    await rotateTokenKeys(one.store, { clock });
    for (const ms of [0, 1_000, 4_000, 10_000]) {
      clock.advance(ms);
      tokens.push(await one.tokenFor({ customer_id: "ada", ttl_seconds: 86_400 }));
      expect(await statuses()).toEqual(tokens.map(() => 200));
    }
    const kids = new Set(tokens.map((token) => JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid));
    expect(kids.size).toBe(2);

    await rotateTokenKeys(one.store, { clock, atOnce: true });
    clock.advance(5_000);
    expect(await statuses()).toEqual(tokens.map(() => 401));
  });
});

describe("a token for a stream", () => {
  /** The first bytes of a stream, or the refusal. */
  const open = async ({ url }: Pick<TestServer, "url">, path: string) => {
    const stop = new AbortController();
    const response = await fetch(`${url}${path}`, { signal: stop.signal, headers: { accept: "text/event-stream" } });
    const code = response.ok ? undefined : ((await response.json()) as { code: string }).code;
    stop.abort();
    return [response.status, code];
  };
  const streamToken = async (admin: Awaited<ReturnType<typeof withCustomers>>["admin"], sessions: readonly string[]): Promise<string> =>
    (await admin("POST", "/v1/stream-tokens", { sessions })).body.token;

  it("opens streams of its sessions for a minute, and nothing else", async () => {
    const service = await withCustomers();
    const { ada, bob, admin, request } = service;
    const token = await streamToken(admin, [ada[0]]);
    const events = (id: string) => `/v1/sessions/${id}/events?stream_token=${token}`;

    expect(await open(service, events(ada[0]))).toEqual([200, undefined]);
    expect(await open(service, `/v1/stream?sessions=${ada[0]}&stream_token=${token}`)).toEqual([200, undefined]);
    expect(await open(service, events(bob))).toEqual([404, "session.not_found"]);
    expect(await open(service, `/v1/sessions/${ada[0]}?stream_token=${token}`)).toEqual([401, "auth.required"]);
    expect((await request("POST", events(ada[0]), { kind: "message", source: "customer", text: "hi" })).body.code).toBe("auth.required");
    expect((await request("GET", `/v1/sessions/${ada[0]}/events`, undefined, bearer(token))).body.code).toBe("auth.invalid");
    clock.advance(60_000);
    expect(await open(service, events(ada[0]))).toEqual([401, "auth.invalid"]);
  });

  it("still counts for coming back when it has expired, for a day and while who asked for it may read", async () => {
    const service = await withCustomers();
    const asAda = service.as(await service.tokenFor({ customer_id: "ada", ttl_seconds: 86_400 }));
    const byKey = await streamToken(service.admin, [service.ada[0]]);
    clock.advance(1_000);
    const byAda = await streamToken(asAda, [service.ada[0]]);
    const back = async (token: string, headers: Readonly<Record<string, string>> = { "last-event-id": "0" }) => {
      const path = `/v1/sessions/${service.ada[0]}/events?stream_token=${token}`;
      const stream = await openReader(service.url, path, { headers });
      stream.cut();
      return stream.status;
    };
    clock.advance(60_000);
    expect([await back(byKey), await back(byAda)]).toEqual([200, 200]);
    expect([await back(byKey, {}), await back(byKey, { "last-event-id": "" })]).toEqual([401, 401]);
    expect(await back(`${byKey}x`)).toBe(401);
    const several = await openReader(service.url, `/v1/stream?sessions=${service.ada[0]}&stream_token=${byKey}`, {
      headers: { "last-event-id": `${service.ada[0]}:1` },
    });
    expect(several.status).toBe(200);
    several.cut();
    clock.advance(86_400_000 - 61_001 - 1_000);
    expect([await back(byKey), await back(byAda)]).toEqual([200, 200]);
    clock.advance(1_001);
    expect([await back(byKey), await back(byAda)]).toEqual([401, 401]);
  });

  it("counts for coming back no longer than the customer's own token, nor after a revocation or an erasure", async () => {
    const service = await withCustomers();
    const back = async (token: string) => {
      const path = `/v1/sessions/${service.ada[0]}/events?stream_token=${token}`;
      const stream = await openReader(service.url, path, { headers: { "last-event-id": "0" } });
      stream.cut();
      return stream.status;
    };
    const tokenOf = async (ttl_seconds: number) =>
      streamToken(service.as(await service.tokenFor({ customer_id: "ada", ttl_seconds })), [service.ada[0]]);
    const [short, long] = [await tokenOf(120), await tokenOf(3_600)];
    clock.advance(61_000);
    expect([await back(short), await back(long)]).toEqual([200, 200]);
    clock.advance(60_000);
    expect([await back(short), await back(long)]).toEqual([401, 200]);
    await service.admin("DELETE", "/v1/customers/ada/tokens");
    clock.advance(2_000);
    expect(await back(long)).toBe(401);
    const anew = await tokenOf(3_600);
    expect(await back(anew)).toBe(200);
    await service.runtime.customers.delete("ada");
    clock.advance(2_000);
    expect(await back(anew)).toBe(401);
  });

  it("tells a reader where it stands as soon as that is known, so that it can come back without having seen an event", async () => {
    const service = await withCustomers();
    const token = await streamToken(service.admin, [service.ada[0]]);
    const stream = await openReader(service.url, `/v1/sessions/${service.ada[0]}/events?kinds=tool&stream_token=${token}`);
    await expect.poll(() => stream.frames.flatMap(({ id }) => id ?? [])).toEqual(["0"]);
    const later = await openReader(service.url, `/v1/sessions/${service.ada[0]}/events?min_offset=1&stream_token=${token}`);
    await expect.poll(() => later.frames[0]?.id).toBe("0");
  });

  it("is one of a customer if a customer has asked for it, and gives out no other", async () => {
    const service = await withCustomers();
    const asAda = service.as(await service.tokenFor({ customer_id: "ada" }));
    const token = await streamToken(asAda, service.ada);
    const path = `/v1/sessions/${service.ada[1]}/events?stream_token=${token}`;
    await service.admin("PATCH", `/v1/sessions/${service.ada[1]}`, { mode: "manual", metadata: { secret: "canary" } });
    const page = await service.request("GET", path);
    expect(page.status).toBe(200);
    expect(page.text).not.toContain("canary");
    expect(await asAda("POST", "/v1/stream-tokens", { sessions: [service.bob] })).toMatchObject({ status: 404 });
  });

  it("leaves a stream open when it runs out, until the key is revoked that it was asked for with", async () => {
    const service = await withCustomers();
    const token = await streamToken(service.admin, [service.ada[0]]);
    const response = await fetch(`${service.url}/v1/sessions/${service.ada[0]}/events?stream_token=${token}`, {
      headers: { accept: "text/event-stream" },
    });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const state = { ended: false };
    const drained = (async () => {
      while (!(await reader.read()).done);
      state.ended = true;
    })();
    clock.advance(61_000);
    await systemClock.sleep(50);
    expect(state.ended).toBe(false);
    await revokeKey(service.store, service.key_id);
    for (let seconds = 0; seconds < 5 && !state.ended; seconds++) {
      clock.advance(1_000);
      await systemClock.sleep(20);
    }
    await drained;
    expect(state.ended).toBe(true);
  });

  it("dies with the key that it was asked for with", async () => {
    const service = await withCustomers();
    const token = await streamToken(service.admin, service.ada);
    await revokeKey(service.store, service.key_id);
    clock.advance(5_000);
    expect(await open(service, `/v1/sessions/${service.ada[0]}/events?stream_token=${token}`)).toEqual([401, "auth.invalid"]);
  });
});
