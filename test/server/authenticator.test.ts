/** Who is let in, and for how long, on a clock that the test moves: without a service around it. */
import { expect, test } from "vitest";
import { silentLogger } from "../../packages/throughline/src/kernel/log.ts";
import { createIds, type SessionId } from "../../packages/throughline/src/kernel/id.ts";
import { operations } from "../../packages/server/src/protocol/operations.ts";
import { createKey, createKnownKeys, revokeKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { createAuthenticator, UnconfirmedCaller } from "../../packages/server/src/server/auth/access.ts";
import { createCustomerVersions, endTokens, revokeTokens, type CustomerVersions } from "../../packages/server/src/server/auth/customer-versions.ts";
import { createTokens, rotateTokenKeys, storedSigningKeys } from "../../packages/server/src/server/auth/access-tokens.ts";
import type { CustomerPrincipal, Principal } from "../../packages/server/src/server/principal.ts";
import { openMemoryStore } from "../../packages/throughline/src/store/in-memory/in-memory-store.ts";
import { fixedClock } from "../../packages/throughline/src/testing/test-clock.ts";
import { newOwner } from "../../packages/throughline/src/testing/store/fixtures.ts";

const customer = "ada";
const session = `ses_${"0".repeat(26)}` as SessionId;
const day = 86_400_000;

/** An authenticator of a service that only this machine reaches, over an empty database with one customer. `confirming` replaces what it knows of customers. */
async function authenticating(confirming: Partial<CustomerVersions> = {}) {
  const store = openMemoryStore();
  const clock = fixedClock();
  await newOwner(store, customer);
  const customers = createCustomerVersions({ store, clock });
  const tokens = createTokens({ keys: storedSigningKeys({ store, clock }), clock, ids: createIds({ clock }) });
  const keys = createKnownKeys({ store, clock, logger: silentLogger });
  const authenticator = createAuthenticator({ keys, customers: { ...customers, ...confirming }, tokens, clock, isPublic: false, origins: new Set() });
  const version = (await customers.of(customer)) ?? "";
  const principalOf = (more: Partial<CustomerPrincipal> = {}): CustomerPrincipal => ({
    ...{ type: "customer", customer, version, expires_at: clock.now() + day },
    ...more,
  });
  const streamToken = async (behalf: Principal) => (await tokens.forStream({ sessions: [session], behalf, ttlMs: 60_000 })).token;
  const opens = (token: string, method = "GET") =>
    authenticator.authenticate(
      new Request(`http://localhost/v1/sessions/${session}/events?stream_token=${token}`, { method }),
      operations.listEvents,
    );
  return { store, clock, authenticator, principalOf, streamToken, opens, tokens };
}

test("whoever came without a key is let go once there is one, and so are the streams opened for them", async () => {
  const { store, clock, authenticator, streamToken, opens } = await authenticating();
  const token = await streamToken({ type: "local" });
  expect(await authenticator.holds({ type: "local" })).toBe(true);
  expect(await opens(token)).toEqual({ type: "stream", sessions: [session], behalf: { type: "local" } });
  await createKey(store, { name: "first", scopes: ["admin"] }, { clock });
  clock.advance(1_000);
  expect(await authenticator.holds({ type: "local" })).toBe(false);
  await expect(opens(token)).rejects.toMatchObject({ code: "auth.invalid" });
});

test("a customer who waits is let go when their tokens are revoked, and one whose token was never good is not let wait", async () => {
  const { store, clock, authenticator, principalOf } = await authenticating();
  const waiting = principalOf();
  expect(await authenticator.holds(principalOf({ version: "of another" }))).toBe(false);
  expect([await authenticator.holds(waiting), await authenticator.holds(waiting)]).toEqual([true, true]);
  await revokeTokens(store, customer, { clock });
  clock.advance(1_000);
  expect(await authenticator.holds(waiting)).toBe(false);
});

test("a customer who waits is let go when their token runs out", async () => {
  const { clock, authenticator, principalOf } = await authenticating();
  const waiting = principalOf({ expires_at: clock.now() + 10 });
  clock.advance(9);
  expect(await authenticator.holds(waiting)).toBe(true);
  clock.advance(1);
  expect(await authenticator.holds(waiting)).toBe(false);
});

test("a stream token counts in the address of a read, and nowhere else", async () => {
  const { authenticator, streamToken, principalOf, opens } = await authenticating();
  const token = await streamToken(principalOf());
  expect(await opens(token)).toMatchObject({ type: "stream" });
  expect(await opens(token, "POST")).toEqual({ type: "local" });
  const elsewhere = new Request(`http://localhost/v1/sessions?stream_token=${token}`);
  expect(await authenticator.authenticate(elsewhere, operations.listSessions)).toEqual({ type: "local" });
});

test("a customer's stream token names who issued theirs, and is refused once that key is revoked", async () => {
  const { store, clock, streamToken, principalOf, opens } = await authenticating();
  const { info } = await createKey(store, { name: "issuer", scopes: ["admin"] }, { clock });
  const behalf = principalOf({ issuer: info.id, session });
  const token = await streamToken(behalf);
  expect(await opens(token)).toEqual({ type: "stream", sessions: [session], behalf });
  await revokeKey(store, info.id, { clock });
  clock.advance(1_000);
  await expect(opens(token)).rejects.toMatchObject({ code: "auth.invalid" });
});

test("ending a customer's tokens tells whose they were", async () => {
  const { store, clock } = await authenticating();
  const { owner_id } = await endTokens({ store, clock }, customer);
  const { items } = await store.list({ of: "records", kind: "token_revocation" });
  expect(items).toMatchObject([{ key: owner_id, data: { times: 1 } }]);
});

test("what an operator does to keys and tokens is in the audit log", async () => {
  const { store, clock } = await authenticating();
  const { info } = await createKey(store, { name: "first", scopes: ["admin"] }, { clock });
  await revokeKey(store, info.id, { clock });
  await revokeKey(store, info.id, { clock });
  await revokeTokens(store, customer, { clock });
  const { items } = await store.list({ of: "records", kind: "audit" });
  const entries = items.map(({ data }) => [data["actor"], data["operation"]]);
  expect(entries).toHaveLength(3);
  expect(entries).toEqual(expect.arrayContaining(["createKey", "revokeKey", "revokeTokens"].map((operation) => ["operator", operation])));
});

test("a customer whom the store cannot confirm is named, with the reason", async () => {
  const down = new Error("down");
  const { authenticator, principalOf, tokens } = await authenticating({ of: () => Promise.reject(down) });
  const { version } = principalOf();
  const { token, expires_at } = await tokens.forCustomer({ customer, version, issuer: "local", session, ttlMs: 60_000 });
  const request = new Request("http://localhost/v1/sessions", { headers: { authorization: `Bearer ${token}` } });
  const error: unknown = await authenticator.authenticate(request, operations.listSessions).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UnconfirmedCaller);
  expect(error).toMatchObject({ principal: { type: "customer", customer, version, issuer: "local", session, expires_at }, cause: down });
});

test("a new signing key signs after five seconds, and the one before it verifies for a day", async () => {
  const store = openMemoryStore();
  const clock = fixedClock();
  const keys = async (): Promise<readonly string[]> => (await storedSigningKeys({ store, clock }).all()).map(({ id }) => id);
  const kept = async (): Promise<unknown> => (await store.list({ of: "records", kind: "signing_key" })).items[0]?.data["keys"];
  const [first = ""] = await keys();
  clock.advance(10_000);
  await rotateTokenKeys(store, { clock });
  clock.advance(4_999);
  const [signing, second = ""] = await keys();
  expect(signing).toBe(first);
  clock.advance(1);
  expect(await keys()).toEqual([second, first]);
  clock.advance(day - 5_001);
  expect(await keys()).toEqual([second, first]);
  clock.advance(1);
  expect(await keys()).toEqual([second]);
  await rotateTokenKeys(store, { clock });
  expect(await kept()).toMatchObject([{}, { id: second, until: clock.now() + day }]);
});
