/** What ends a customer's token before its time: an erasure, a revocation, and the end of the key that issued it. */
import { decodeJwt } from "jose";
import { beforeEach, describe, expect, it } from "vitest";
import { createClient } from "../../packages/client/src/client.ts";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import { createKey, revokeKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { revokeTokens } from "../../packages/server/src/server/auth/customer-versions.ts";
import { fixedClock, type FixedClock } from "../../packages/throughline/src/testing/test-clock.ts";
import { openReader } from "../setup/event-reader.ts";
import { databases, newLocation, startServer, type TestServer } from "../setup/server.ts";

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

let clock: FixedClock;
beforeEach(() => {
  clock = fixedClock(systemClock.now());
});

/** Two processes over one database. The first has issued a token for Ada and one for Bob, who have a session each. */
async function twoProcesses(location: string) {
  const [one, two] = [await startServer({ location, clock }), await startServer({ location, clock })];
  const { key } = await createKey(one.store, { name: "admin", scopes: ["admin"] });
  const { key: backend, info } = await createKey(one.store, { name: "backend", scopes: ["tokens"] });
  const admin = (method: string, path: string, body?: unknown) => one.request(method, path, body, bearer(key));
  const tokenFor = async (customer_id: string): Promise<string> =>
    (await one.request("POST", "/v1/tokens", { customer_id }, bearer(backend))).body.token;
  const sessionOf = async (customer_id: string): Promise<string> => (await admin("POST", "/v1/sessions/open", { agent: "a1", customer_id })).body.id;
  const [ada, bob] = [await sessionOf("ada"), await sessionOf("bob")];
  const tokens = { ada: await tokenFor("ada"), bob: await tokenFor("bob") };
  return { one, two, admin, key, key_id: info.id, tokenFor, sessionOf, ada, bob, tokens };
}
type Processes = Awaited<ReturnType<typeof twoProcesses>>;

/** How both processes answer a token. */
const statuses = ({ one, two }: Processes, token: string, session: string) =>
  Promise.all([one, two].map(async ({ request }) => (await request("GET", `/v1/sessions/${session}`, undefined, bearer(token))).status));

const ends: Readonly<Record<string, (processes: Processes) => Promise<unknown>>> = {
  "the erasure of the customer": ({ one }) => one.runtime.customers.delete("ada"),
  "a revocation over HTTP": async ({ admin }) => expect((await admin("DELETE", "/v1/customers/ada/tokens")).status).toBe(204),
  "a revocation by the library": ({ one }) => revokeTokens(one.store, "ada", { clock }),
  "a revocation by the client": ({ one, key }) => createClient({ baseUrl: one.url, key }).customers.revokeTokens("ada"),
  "the end of the issuing key": ({ one, key_id }) => revokeKey(one.store, key_id, { clock }),
};

/** Lets two seconds pass, in small steps, with time for what they wake. */
async function passTwoSeconds(): Promise<void> {
  for (let step = 0; step < 20; step++) {
    clock.advance(100);
    await systemClock.sleep(10);
  }
}

describe.each(databases)("on %s", (database) => {
  it.each(Object.keys(ends))("%s ends a token in every process within two seconds, streams and long polls included", async (name) => {
    const processes = await twoProcesses(await newLocation(database));
    const { one, two, ada, bob, tokens } = processes;
    expect(await statuses(processes, tokens.ada, ada)).toEqual([200, 200]);
    const open = async ({ url, request }: TestServer, session: string, token: string) => {
      const stream = await openReader(url, `/v1/sessions/${session}/events`, { headers: bearer(token) });
      const state = { stream: "open", poll: "open" };
      void stream.over.then(() => (state.stream = "over"));
      void request("GET", `/v1/sessions/${session}/events?min_offset=100&wait=60`, undefined, bearer(token)).then(() => (state.poll = "over"));
      return state;
    };
    const adas = [await open(one, ada, tokens.ada), await open(two, ada, tokens.ada)];
    const bobs = await open(two, bob, tokens.bob);
    await passTwoSeconds();
    expect(adas).toEqual(Array.from({ length: 2 }, () => ({ stream: "open", poll: "open" })));

    await ends[name]?.(processes);
    await passTwoSeconds();
    expect(await statuses(processes, tokens.ada, ada)).toEqual([401, 401]);
    await expect.poll(() => adas).toEqual(Array.from({ length: 2 }, () => ({ stream: "over", poll: "over" })));
    const isOfOneCustomer = name !== "the end of the issuing key";
    expect(await statuses(processes, tokens.bob, bob)).toEqual(isOfOneCustomer ? [200, 200] : [401, 401]);
    if (isOfOneCustomer) expect(bobs).toEqual({ stream: "open", poll: "open" });
  });

  it("takes a token that was issued after a revocation at once, in every process", async () => {
    const processes = await twoProcesses(await newLocation(database));
    const { admin, tokenFor, ada, tokens } = processes;
    expect(await statuses(processes, tokens.ada, ada)).toEqual([200, 200]);
    await admin("DELETE", "/v1/customers/ada/tokens");
    expect(await statuses(processes, await tokenFor("ada"), ada)).toEqual([200, 200]);
  });

  it("does not read a person who has got the id of an erased one, nor registers anybody", async () => {
    const processes = await twoProcesses(await newLocation(database));
    const { one, two, admin, sessionOf, tokenFor, tokens } = processes;
    await one.request("GET", "/v1/sessions", undefined, bearer(tokens.ada));
    await admin("DELETE", "/v1/customers/ada");
    await expect.poll(async () => (await admin("GET", "/v1/customers/ada")).status).toBe(404);
    for (const { request } of [one, two]) {
      const opened = await request("POST", "/v1/sessions/open", { agent: "a1", key: "k" }, bearer(tokens.ada));
      expect([opened.status, opened.body.code]).toEqual([401, "auth.invalid"]);
    }
    expect((await admin("GET", "/v1/customers/ada")).status).toBe(404);

    await passTwoSeconds();
    const session = await sessionOf("ada");
    expect(await statuses(processes, tokens.ada, session)).toEqual([401, 401]);
    expect(await statuses(processes, await tokenFor("ada"), session)).toEqual([200, 200]);
  });
});

it("registers a customer who gets a token, and no one by a token", async () => {
  const { one, admin, tokenFor, sessionOf } = await twoProcesses(await newLocation("SQLite"));
  const token = await tokenFor("new");
  expect((await admin("GET", "/v1/customers/new")).status).toBe(200);
  const session = await sessionOf("new");
  expect((await one.request("GET", `/v1/sessions/${session}`, undefined, bearer(token))).status).toBe(200);
  const both = await Promise.all([tokenFor("twice"), tokenFor("twice")]);
  expect(new Set(both.map((text) => decodeJwt(text)["ver"])).size).toBe(1);
  const other = await admin("POST", "/v1/tokens", { customer_id: "nobody", session_id: session });
  expect([other.status, other.body.code]).toEqual([404, "session.not_found"]);
  expect((await admin("GET", "/v1/customers/nobody")).status).toBe(404);
});

it("revokes the tokens of no one but a customer that there is", async () => {
  const { one, admin, tokens } = await twoProcesses(await newLocation("SQLite"));
  const missing = await admin("DELETE", "/v1/customers/nobody/tokens");
  expect([missing.status, missing.body.code]).toEqual([404, "customer.not_found"]);
  expect((await one.request("DELETE", "/v1/customers/ada/tokens", undefined, bearer(tokens.ada))).status).toBe(403);
});

it("ends the tokens that were issued without keys once there is a key", async () => {
  const { request, store } = await startServer({ clock });
  const { token } = (await request("POST", "/v1/tokens", { customer_id: "ada" })).body;
  const list = async () => (await request("GET", "/v1/sessions", undefined, bearer(token))).status;
  expect(await list()).toBe(200);
  await createKey(store, { name: "first", scopes: ["admin"] });
  await passTwoSeconds();
  expect(await list()).toBe(401);
});
