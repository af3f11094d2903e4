import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { fixedClock } from "../../packages/throughline/src/testing/test-clock.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { databases, newLocation, startServer } from "../setup/server.ts";

describe.each(databases)("on %s", (database) => {
  it("keeps who did what to what, newest first, page by page, and names no customer", async () => {
    const { request, store } = await startServer({ location: await newLocation(database) });
    const { key, info } = await createKey(store, { name: "backend", scopes: ["admin"] });
    const as = (method: string, path: string, body?: unknown, id = "r-1") =>
      request(method, path, body, { authorization: `Bearer ${key}`, "x-request-id": id });
    await as("POST", "/v1/customers", { id: "canary@example.com", name: "canary" });
    const { owner_id } = (await store.list({ of: "customers" })).items[0] ?? {};
    const { body: session } = await as("POST", "/v1/sessions", { agent: "a1", customer_id: "canary@example.com" });
    await as("POST", "/v1/tokens", { customer_id: "canary@example.com", session_id: session.id }, "r-2");
    await as("POST", `/v1/sessions/${session.id}/handover`, { reason: "canary" }, "r-3");
    await as("POST", "/v1/customers/canary%40example.com/exports", {}, "r-4");
    await as("DELETE", `/v1/sessions/${session.id}`, undefined, "r-5");
    await as("DELETE", `/v1/sessions/${session.id}`, undefined, "r-6");

    const first = await as("GET", "/v1/audit?limit=3", undefined, "r-7");
    const second = await as("GET", `/v1/audit?limit=3&cursor=${encodeURIComponent(first.body.next_cursor)}`);
    const entries = [...first.body.items, ...second.body.items];
    expect(entries.map(({ operation, status, request_id, actor }) => [operation, status, request_id, actor])).toEqual([
      ["deleteSession", 404, "r-6", `key:${info.id}`],
      ["deleteSession", 204, "r-5", `key:${info.id}`],
      ["exportCustomer", 202, "r-4", `key:${info.id}`],
      ["handOver", 200, "r-3", `key:${info.id}`],
      ["createToken", 201, "r-2", `key:${info.id}`],
      ["createKey", 200, undefined, "operator"],
    ]);
    expect(entries.map(({ objects }) => objects)).toEqual([
      { session_id: session.id },
      { session_id: session.id },
      { owner_id, made_job_id: expect.stringMatching(/^job_/) },
      { session_id: session.id },
      { owner_id, session_id: session.id },
      { key_id: info.id },
    ]);
    expect(JSON.stringify(entries)).not.toContain("canary");
    // Looking at the log is in the log.
    expect((await as("GET", "/v1/audit?limit=1")).body.items[0]).toMatchObject({ operation: "listAudit", status: 200 });
  });
});

it("keeps what was refused", async () => {
  const { request, store } = await startServer();
  const { key, info } = await createKey(store, { name: "reader", scopes: ["sessions:read"] });
  const id = `ses_${"0".repeat(26)}`;
  const answer = await request("DELETE", `/v1/sessions/${id}`, undefined, { authorization: `Bearer ${key}` });
  expect(answer.status).toBe(403);
  const [entry] = (await store.list({ of: "records", kind: "audit", order: "desc" })).items;
  expect(entry?.data).toMatchObject({ actor: `key:${info.id}`, operation: "deleteSession", status: 403, objects: { session_id: id } });
});

it("keeps nothing that a caller wrote in place of an id", async () => {
  const { request, store } = await startServer();
  for (const path of ["runs/ada%40mail.example%20born%201990/resend", "sessions/ada%40mail.example/handover"])
    expect((await request("POST", `/v1/${path}`, { callback_url: "https://desk.example.com/" })).status).toBeGreaterThanOrEqual(400);
  const entries = (await store.list({ of: "records", kind: "audit" })).items.map(({ data }) => data);
  expect(entries.map(({ operation }) => operation)).toContain("resendRun");
  expect(JSON.stringify(entries)).not.toContain("ada@");
});

it("keeps who erased whom, though nobody is there to be named afterwards", async () => {
  const { request, store } = await startServer();
  await request("POST", "/v1/customers", { id: "canary" });
  const { owner_id } = (await store.list({ of: "customers" })).items[0] ?? {};
  expect((await request("DELETE", "/v1/customers/canary")).status).toBe(202);
  const [entry] = (await store.list({ of: "records", kind: "audit" })).items;
  expect(entry?.data).toMatchObject({ operation: "eraseCustomer", objects: { owner_id } });
});

describe("when it cannot be written", () => {
  /** A service whose database takes no entries of the audit log for a while. */
  async function withoutAudit() {
    const store = await openStore(":memory:");
    onTestFinished(() => store.close());
    let isBroken = true;
    const broken: Store = {
      ...forwarding(store),
      commit: async (commit) => {
        if (isBroken && commit.records?.some(({ kind }) => kind === "audit") === true) throw new ThroughlineError("store.failed");
        return store.commit(commit);
      },
    };
    const clock = fixedClock(systemClock.now());
    const server = await startServer({ store: broken, clock });
    const entries = async () => (await store.list({ of: "records", kind: "audit" })).items.map(({ data }) => data["operation"]);
    return { ...server, clock, entries, mend: () => void (isBroken = false) };
  }

  it("shows nothing of what must be on record", async () => {
    const { request } = await withoutAudit();
    const answer = await request("GET", "/v1/audit");
    expect([answer.status, answer.body.code, answer.body.items]).toEqual([503, "store.failed", undefined]);
  });

  it("does what it is asked, says so, and writes it down later", async () => {
    const { request, clock, entries, mend } = await withoutAudit();
    const { body: session } = await request("POST", "/v1/sessions", { agent: "a1" });
    expect((await request("DELETE", `/v1/sessions/${session.id}`)).status).toBe(204);
    expect(await entries()).toEqual([]);
    mend();
    await expect
      .poll(() => {
        clock.advance(1_000);
        return entries();
      })
      .toEqual(["deleteSession"]);
  });
});
