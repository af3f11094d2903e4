import { describe, expect, it } from "vitest";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import { fixedClock } from "../../packages/throughline/src/testing/test-clock.ts";
import { largestBundle, readBundle } from "../../packages/throughline/src/runtime/transfer/bundle.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import type { Commit, Store } from "../../packages/throughline/src/store/port.ts";
import { writeRecords } from "../../packages/server/src/server/service-records.ts";
import { piecesOf } from "../../packages/server/src/server/jobs/job-record.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { emptyPostgresDatabase, newSqliteFile } from "../setup/database.ts";
import { databases, startServer, type Answered, type TestServer } from "../setup/server.ts";

const quick = { pollMs: 60, leaseMs: 300 };

/** A customer with sessions, and messages of so many characters in them. */
async function withCustomer(
  { runtime, store }: Pick<TestServer, "runtime" | "store">,
  customer: string,
  { sessions = 1, messages = 1, characters = 5 } = {},
): Promise<void> {
  await runtime.customers.create({ id: customer, name: "Ada Lovelace", variables: { tier: "gold" } });
  for (let count = 0; count < sessions; count++) {
    const session = await runtime.sessions.create({ agent: "a1", customer });
    for (let message = 0; message < messages; message++) await session.postOperator("ü".repeat(characters));
  }
  expect((await store.list({ of: "customers", customer_id: customer })).total).toBe(1);
}

/** The job as it stands once it is over. */
async function ended(server: Pick<TestServer, "request">, id: string): Promise<Answered["body"]> {
  return expect
    .poll(async () => (await server.request("GET", `/v1/jobs/${id}`)).body, { interval: 20 })
    .toMatchObject({ status: expect.stringMatching(/done|failed/) })
    .then(async () => (await server.request("GET", `/v1/jobs/${id}`)).body);
}

/** A store whose process stands still from a commit on, and goes on when it is woken. */
function freezing(store: Store, at: (commit: Commit) => boolean): Store & { readonly frozen: () => boolean; readonly wake: () => void } {
  const awake = Promise.withResolvers<void>();
  let frozen = false;
  return {
    ...forwarding(store),
    commit: async (commit) => {
      frozen ||= at(commit);
      if (frozen) await awake.promise;
      return store.commit(commit);
    },
    list: async (query) => {
      if (frozen) await awake.promise;
      return store.list(query);
    },
    frozen: () => frozen,
    wake: awake.resolve,
  };
}

const bundleOf = (text: string) => readBundle(text.trimEnd().split("\n"), largestBundle);
const holdsPart = (number: number) => (commit: Commit) =>
  commit.records?.some(({ key }) => key.endsWith(`/${String(number).padStart(8, "0")}`)) === true;

/** Where a database without rows is. */
const emptied = (database: "SQLite" | "PostgreSQL") => (database === "SQLite" ? newSqliteFile() : emptyPostgresDatabase());

describe.each(databases)("jobs on %s", (database) => {
  it("erase a customer with all sessions, and leave a receipt that names nobody", async () => {
    const server = await startServer({ location: await emptied(database) });
    await withCustomer(server, "crm-7", { sessions: 2 });
    const begun = await server.request("DELETE", "/v1/customers/crm-7");
    expect(begun).toMatchObject({ status: 202, body: { type: "erase", status: expect.stringMatching(/queued|running|done/) } });
    expect(begun.headers.get("location")).toBe(`/v1/jobs/${begun.body.id}`);
    const job = await ended(server, begun.body.id);
    expect(job).toMatchObject({ status: "done", progress: { sessions: 2 }, receipt: { sessions: 2 }, finished_at: expect.any(Number) });
    expect(JSON.stringify(await server.store.list({ of: "records", kind: "job" }))).not.toContain("crm-7");
    expect((await server.request("GET", "/v1/customers/crm-7")).status).toBe(404);
    expect((await server.request("DELETE", "/v1/customers/crm-7")).body).toMatchObject({ status: 404, code: "customer.not_found" });
    expect((await server.store.list({ of: "records", kind: "job_open" })).total).toBe(0);
    expect((await server.request("GET", `/v1/jobs/${begun.body.id}/result`)).status).toBe(404);
  });

  it("export a customer as a bundle in parts, and give the same job for the same key", async () => {
    const server = await startServer({ location: await emptied(database) });
    await withCustomer(server, "crm-7", { sessions: 2, messages: 4, characters: 40_000 });
    const post = () => server.request("POST", "/v1/customers/crm-7/exports", undefined, { "idempotency-key": "once" });
    const [first, second] = [await post(), await post()];
    expect([first.status, second.status, second.body.id]).toEqual([202, 202, first.body.id]);
    const job = await ended(server, first.body.id);
    expect(job).toMatchObject({ status: "done", progress: { sessions: 2, bytes: job.result.bytes } });
    const parts = await server.store.list({ of: "records", kind: "job_part" });
    expect(parts.items.map(({ data }) => Buffer.byteLength(JSON.stringify(data)) <= 300 * 1024)).toEqual(parts.items.map(() => true));
    expect(parts.total).toBeGreaterThan(2);
    const result = await server.request("GET", `/v1/jobs/${job.id}/result`);
    expect(result.headers.get("content-type")).toBe("application/x-ndjson");
    expect(Buffer.byteLength(result.text)).toBe(job.result.bytes);
    const bundle = await bundleOf(result.text);
    expect([bundle.owner.customer_id, bundle.sessions.length, bundle.sessions[0]?.events.length]).toEqual(["crm-7", 2, 5]);
    const another = await server.request("POST", "/v1/customers/crm-7/exports");
    expect(another.body.id).not.toBe(first.body.id);
  });

  it("are taken up by another process when theirs dies, and done once", async () => {
    const location = await emptied(database);
    const [ours, theirs] = [await openStore(location), await openStore(location)];
    const asleep = freezing(ours, holdsPart(1));
    const first = await startServer({ store: asleep, jobs: quick, runtime: { work: false } });
    await withCustomer({ ...first, store: theirs }, "crm-7", { messages: 8, characters: 40_000 });
    const { body } = await first.request("POST", "/v1/customers/crm-7/exports");
    await expect.poll(() => asleep.frozen()).toBe(true);
    const second = await startServer({ store: theirs, jobs: quick, runtime: { work: false } });
    expect(await second.request("GET", `/v1/jobs/${body.id}/result`)).toMatchObject({ status: 409, body: { code: "job.not_done" } });
    const job = await ended(second, body.id);
    expect(job).toMatchObject({ status: "done" });
    const { text } = await second.request("GET", `/v1/jobs/${body.id}/result`);
    expect((await bundleOf(text)).sessions[0]?.events).toHaveLength(9);
    asleep.wake();
    await first.server.close();
    expect((await second.request("GET", `/v1/jobs/${body.id}/result`)).text).toBe(text);
    expect((await second.request("GET", `/v1/jobs/${body.id}`)).body).toEqual(job);
    await ours.close();
    await theirs.close();
  });

  it("that erase are gone on with when their process dies", async () => {
    const location = await emptied(database);
    const [ours, theirs] = [await openStore(location), await openStore(location)];
    const asleep = freezing(ours, ({ records }) => records?.some(({ kind, data }) => kind === "job" && data?.["status"] === "done") === true);
    const first = await startServer({ store: asleep, jobs: quick, runtime: { work: false } });
    await withCustomer({ ...first, store: theirs }, "crm-7", { messages: 3 });
    const { body } = await first.request("DELETE", "/v1/customers/crm-7");
    await expect.poll(() => asleep.frozen()).toBe(true);
    const second = await startServer({ store: theirs, jobs: quick, runtime: { work: false } });
    expect(await ended(second, body.id)).toMatchObject({ status: "done" });
    expect((await theirs.list({ of: "erasures" })).total).toBe(1);
    asleep.wake();
    await first.server.close();
    await ours.close();
    await theirs.close();
  });

  it("end as failed when an export's customer is erased meanwhile", async () => {
    const location = await emptied(database);
    const [ours, theirs] = [await openStore(location), await openStore(location)];
    const asleep = freezing(ours, holdsPart(1));
    const first = await startServer({ store: asleep, jobs: quick, runtime: { work: false } });
    await withCustomer({ ...first, store: theirs }, "crm-7", { messages: 8, characters: 40_000 });
    const { body } = await first.request("POST", "/v1/customers/crm-7/exports");
    await expect.poll(() => asleep.frozen()).toBe(true);
    const second = await startServer({ store: theirs, jobs: quick, runtime: { work: false } });
    await second.runtime.customers.delete("crm-7");
    expect(await ended(second, body.id)).toMatchObject({ status: "failed", error: { code: "customer.not_found" } });
    expect(await second.request("GET", `/v1/jobs/${body.id}/result`)).toMatchObject({ status: 409, body: { code: "job.failed" } });
    expect((await theirs.list({ of: "records", kind: "job_part" })).total).toBe(0);
    asleep.wake();
    await first.server.close();
    await ours.close();
    await theirs.close();
  });
});

describe("jobs", () => {
  it("are given back by a service that stops, and another takes them up at once", async () => {
    const store = await openStore(":memory:");
    let parts = 0;
    const slow: Store = {
      ...forwarding(store),
      commit: async (commit) => {
        if (commit.records?.some(({ key }) => key.includes("/0000")) === true) {
          parts += 1;
          await systemClock.sleep(100);
        }
        return store.commit(commit);
      },
    };
    const first = await startServer({ store: slow, runtime: { work: false } });
    await withCustomer(first, "crm-7", { messages: 8, characters: 80_000 });
    const { body } = await first.request("POST", "/v1/customers/crm-7/exports");
    await expect.poll(() => parts).toBeGreaterThan(1);
    await first.server.close();
    expect((await store.list({ of: "records", kind: "job_open" })).items[0]?.data).toMatchObject({ attempts: 0 });
    const second = await startServer({ store, runtime: { work: false } });
    expect(await ended(second, body.id)).toMatchObject({ status: "done" });
  });

  it("whose result loses a part while it is read are not taken for whole", async () => {
    const server = await startServer();
    await withCustomer(server, "crm-7", { messages: 8, characters: 80_000 });
    const { body } = await server.request("POST", "/v1/customers/crm-7/exports");
    await ended(server, body.id);
    await writeRecords(server, { kind: "job_part", key: `${body.id}/00000002`, data: null });
    await expect(server.request("GET", `/v1/jobs/${body.id}/result`)).rejects.toThrow(/terminated|fetch failed/);
    const inside = await server.server.fetch(new Request(`${server.url}/v1/jobs/${body.id}/result`));
    await expect(inside.text()).rejects.toMatchObject({ code: "job.not_found" });
  });

  it("that finished have a result for a day, and are known for a week", async () => {
    const clock = fixedClock();
    const store = await openStore(":memory:", { clock });
    const server = await startServer({ clock, store });
    await withCustomer(server, "crm-7");
    const { body } = await server.request("POST", "/v1/customers/crm-7/exports");
    const job = await ended(server, body.id);
    const statusOf = async (path: string) => (await server.request("GET", `/v1/jobs/${job.id}${path}`)).status;
    expect([await statusOf(""), await statusOf("/result")]).toEqual([200, 200]);
    clock.advance(25 * 3_600_000);
    expect([await statusOf(""), await statusOf("/result")]).toEqual([200, 404]);
    clock.advance(7 * 24 * 3_600_000);
    expect([await statusOf(""), await statusOf("/result")]).toEqual([404, 404]);
  });

  it("cost one read of an empty list when there are none", async () => {
    const store = await openStore(":memory:");
    const asked: string[] = [];
    const counting: Store = {
      ...forwarding(store),
      list: (query) => {
        if (query.of === "records") asked.push(query.kind);
        return store.list(query);
      },
    };
    await startServer({ store: counting, jobs: { pollMs: 40 } });
    await expect.poll(() => asked.length).toBeGreaterThan(2);
    expect(new Set(asked)).toEqual(new Set(["job_open"]));
  });

  it.each(["job_x", "ses_1", `job_${"0".repeat(32)}`, "%2e%2e%2fjob"])("are not found as %s", async (id) => {
    const server = await startServer();
    expect(await server.request("GET", `/v1/jobs/${id}`)).toMatchObject({ status: 404, body: { code: "job.not_found" } });
  });
});

describe("pieces of a result", () => {
  async function* from(...texts: readonly string[]) {
    yield* texts;
  }
  it.each([
    { texts: [], limit: 4 },
    { texts: ["abc"], limit: 4 },
    { texts: ["abcd"], limit: 4 },
    { texts: ["abcdefghij"], limit: 4 },
    { texts: ["ab", "cd", "ef"], limit: 4 },
    { texts: ["aüüü", "€€€"], limit: 4 },
    { texts: ["😀😀😀"], limit: 5 },
  ])("$texts in at most $limit bytes", async ({ texts, limit }) => {
    const pieces = await Array.fromAsync(piecesOf(from(...texts), limit));
    expect(pieces.join("")).toBe(texts.join(""));
    expect(pieces.every((piece) => Buffer.byteLength(piece) <= limit && piece !== "")).toBe(true);
  });
});
