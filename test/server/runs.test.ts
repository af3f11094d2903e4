/** Runs over HTTP and through the client. */
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createClient } from "../../packages/client/src/client.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import type { Scope } from "../../packages/server/src/protocol/wire-auth.ts";
import { createCallbacks } from "../../packages/server/src/server/webhooks/callbacks.ts";
import { defineAgent, defineState, input, loop, openStore, scripted } from "../../packages/throughline/src/index.ts";
import { defineRoutine, routineFields, routines } from "../../packages/throughline/src/routines.ts";
import { emptyPostgresDatabase, newSqliteFile } from "../setup/database.ts";
import { runner, runnerRoutines } from "../setup/sample-requests.ts";
import { databases, echo, startServer } from "../setup/server.ts";
import { startReceiver } from "../setup/webhook-receiver.ts";

const agents = [runner];
const emptied = (database: "SQLite" | "PostgreSQL") => (database === "SQLite" ? newSqliteFile() : emptyPostgresDatabase());
const start = { routine: "instant", input: { n: "five" } };

const state = defineState({ message: input(z.string()), ...routineFields() });
/** Has a routine whose callbacks may go to this machine. */
const teller = defineAgent({
  ...{ name: "teller", state, reply: loop({ model: scripted(() => "nothing") }) },
  extensions: [
    routines({
      routines: [
        defineRoutine({
          ...{ id: "told", title: "Told", state, autonomous: { callback_hosts: ["127.0.0.1"] } },
          input: z.object({ n: z.string() }),
          output: z.object({ n: z.string() }),
          nodes: { emit: { emit_output: { output: ({ input: given }) => ({ n: given.n }) } } },
        }),
      ],
    }),
  ],
});

/** A service that sends callbacks, and a function that makes keys. */
async function startTeller(location: string) {
  const store = await openStore(location);
  onTestFinished(() => store.close());
  const secrets = ["whsec_c2VjcmV0IGNhbmFyeSBvZiB0aGlydHktdHdvIGJ5dGVz"];
  const callbacks = createCallbacks({ runtime: { store }, secrets, allowHosts: ["127.0.0.1"], pollMs: 20 });
  const server = await startServer({ store, agents: [teller], callbacks, runtime: { callbacks: true } });
  const keyOf = async (...scopes: readonly Scope[]) => (await createKey(store, { name: "key", scopes })).key;
  return { ...server, keyOf };
}

describe.each(databases)("a run on %s", (database) => {
  it("K1: is accepted with its id, and gives its output and the receipt of its session", async () => {
    const { request } = await startServer({ location: await emptied(database), agents });
    const begun = await request("POST", "/v1/runs", start);
    expect(begun).toMatchObject({ status: 202, body: { routine: "instant", ephemeral: true, status: expect.any(String) } });
    const at = `/v1/runs/${begun.body.id}`;
    expect(begun.headers.get("location")).toBe(at);
    await expect
      .poll(async () => (await request("GET", `${at}/result`)).body, { timeout: 10_000 })
      .toMatchObject({ status: "completed", output: { n: "five" }, erasure: { sessions: 1 } });
    expect((await request("GET", `/v1/sessions/${begun.body.session_id}`)).status).toBe(404);
    expect((await request("GET", "/v1/runs?status=completed")).body.items).toMatchObject([{ id: begun.body.id }]);
    expect((await request("GET", "/v1/runs?status=failed")).body.items).toEqual([]);
  });

  it("starts once per key", async () => {
    const { request, runtime } = await startServer({ location: await emptied(database), agents });
    const post = (body: object) => request("POST", "/v1/runs", body, { "idempotency-key": "once" });
    const [one, two] = [await post(start), await post(start)];
    expect([one.status, two.status, two.body, two.headers.get("idempotent-replayed")]).toEqual([202, 202, one.body, "true"]);
    expect((await runtime.runs.list()).items).toHaveLength(1);
    expect(await post({ ...start, input: { n: "six" } })).toMatchObject({ status: 422 });
  });

  it("is kept with no hash that tells its input", async () => {
    const { request, store } = await startServer({ location: await emptied(database), agents });
    for (const key of ["one", "two"]) await request("POST", "/v1/runs", start, { "idempotency-key": key });
    const kept = (await store.list({ of: "records", kind: "response" })).items.map(({ data }) => data["request"]);
    expect(kept).toHaveLength(2);
    expect(kept[0]).not.toBe(kept[1]);
  });

  it("answers 410 with the receipt after its time", async () => {
    const { request } = await startServer({ location: await emptied(database), agents });
    const { body: run } = await request("POST", "/v1/runs", { ...start, keep_seconds: 0.001 });
    await expect
      .poll(async () => (await request("GET", `/v1/runs/${run.id}/result`)).body, { timeout: 10_000 })
      .toMatchObject({ status: 410, code: "run.expired", details: { run_id: run.id, status: "completed", erasure: { sessions: 1 } } });
  });

  it("K6: in a given session is part of its history", async () => {
    const { request } = await startServer({ location: await emptied(database), agents });
    const { body: session } = await request("POST", "/v1/sessions", { agent: "runner" });
    for (const n of ["1", "2"]) {
      const { body: run } = await request("POST", "/v1/runs", { routine: "instant", input: { n }, session_id: session.id });
      await expect.poll(async () => (await request("GET", `/v1/runs/${run.id}`)).body.output, { timeout: 10_000 }).toEqual({ n });
    }
    expect((await request("GET", `/v1/sessions/${session.id}/turns`)).body.items).toHaveLength(2);
  });

  it("K: is not touched by callers who name it, or its session", async () => {
    const { request, store } = await startServer({ location: await emptied(database), agents: [...agents, echo] });
    await request("POST", "/v1/customers", { id: "mallory" });
    const key = async (name: string) => ({
      authorization: `Bearer ${(await createKey(store, { name, scopes: ["sessions:write", "sessions:read", "tokens"] })).key}`,
    });
    const [ada, mallory] = [await key("ada"), await key("mallory")];
    const sessionOf = async (who: Readonly<Record<string, string>>, body: object = { agent: "runner" }) =>
      (await request("POST", "/v1/sessions", body, who)).body.id as string;
    const [own, foreign] = [await sessionOf(ada), await sessionOf(mallory, { agent: "runner", customer_id: "mallory" })];
    const patient = { routine: "patient", session_id: own };
    const { body: run } = await request("POST", "/v1/runs", patient, { ...ada, "idempotency-key": "k" });
    const statusOf = async () => (await request("GET", `/v1/runs/${run.id}`, undefined, ada)).body.status;
    await expect.poll(statusOf, { timeout: 10_000 }).toBe("waiting");

    // The id of a run cannot be chosen, also not by the key of another caller.
    for (const forged of [{ run_id: run.id }, { id: run.id }, { run: run.id }])
      expect((await request("POST", "/v1/runs", { ...patient, ...forged }, mallory)).body).toMatchObject({ status: 422, code: "request.invalid" });
    const { body: other } = await request("POST", "/v1/runs", { routine: "patient" }, { ...mallory, "idempotency-key": "k" });
    expect(other.id).not.toBe(run.id);
    // A session is one that exists, of an agent that has the routine.
    const elsewhere = await sessionOf(mallory, { agent: "a1" });
    expect((await request("POST", "/v1/runs", { ...start, session_id: elsewhere }, mallory)).status).toBe(404);
    expect((await request("POST", "/v1/runs", { ...start, session_id: `ses_${"0".repeat(26)}` }, mallory)).status).toBe(404);

    // Events name the run in another session, and with a customer's token in any.
    const { body: token } = await request("POST", "/v1/tokens", { customer_id: "mallory" }, mallory);
    const customer = { authorization: `Bearer ${token.token}` };
    const forge = (session: string, who: Readonly<Record<string, string>>, data: object, source: string) =>
      request("POST", `/v1/sessions/${session}/events`, { kind: "custom", source, data }, who);
    for (const value of [
      { routine: { enter: "patient", run: run.id } },
      { routine: { leave: true, run: run.id } },
      { event: "parcel", data: null },
    ]) {
      expect((await forge(foreign, mallory, value, "system")).status).toBe(201);
      expect((await forge(foreign, customer, value, "customer_ui")).status).toBeLessThan(300);
      expect((await forge(foreign, customer, value, "system")).status).toBeGreaterThanOrEqual(400);
      expect((await forge(own, customer, value, "customer_ui")).status).toBeGreaterThanOrEqual(400);
    }
    const { body: last } = await request("POST", "/v1/runs", { routine: "instant", input: { n: "1" }, session_id: foreign }, mallory);
    await expect
      .poll(async () => (await request("GET", `/v1/runs/${last.id}`, undefined, mallory)).body.status, { timeout: 10_000 })
      .toBe("completed");
    expect(await statusOf()).toBe("waiting");
    for (const path of [`/v1/runs/${run.id}`, `/v1/runs/${run.id}/result`])
      expect((await request("GET", path, undefined, customer)).status).toBe(403);
    expect((await request("POST", `/v1/runs/${run.id}/cancel`, undefined, customer)).status).toBe(403);
    expect(await statusOf()).toBe("waiting");
  });

  it("K16: fails with timeout, and what comes later does not complete it", async () => {
    const { request, runtime } = await startServer({ location: await emptied(database), agents });
    const { body: session } = await request("POST", "/v1/sessions", { agent: "runner" });
    const start = { routine: "patient", session_id: session.id, timeout_seconds: 0.2 };
    const { body: run } = await request("POST", "/v1/runs", start);
    const read = async () => (await request("GET", `/v1/runs/${run.id}`)).body;
    await expect.poll(read, { timeout: 10_000 }).toMatchObject({ status: "failed", error: { code: "timeout" } });
    await runtime.sessions.get(session.id).then((found) => found.extension(runnerRoutines).event("parcel"));
    const open = async () => (await request("GET", `/v1/sessions/${session.id}/turns?status=queued`)).body.items.length;
    await expect.poll(open, { timeout: 10_000 }).toBe(0);
    expect(await read()).toMatchObject({ status: "failed", error: { code: "timeout" } });
  });
});

describe.each(databases)("a callback on %s", (database) => {
  it("is sent again to a given address, by a key that may write sessions, and recorded without the address", async () => {
    const receiver = await startReceiver();
    const { url, request, store, keyOf } = await startTeller(await emptied(database));
    const key = await keyOf("sessions:write", "sessions:read");
    const writer = { authorization: `Bearer ${key}` };
    const reader = { authorization: `Bearer ${await keyOf("sessions:read")}` };
    const { body: run } = await request("POST", "/v1/runs", { ...start, routine: "told" }, writer);
    const read = async () => (await request("GET", `/v1/runs/${run.id}`, undefined, writer)).body;
    await expect.poll(read, { timeout: 10_000 }).toMatchObject({ status: "completed", erasure: { sessions: 1 } });
    const again = (callback_url: string, headers: Readonly<Record<string, string>>) =>
      request("POST", `/v1/runs/${run.id}/resend`, { callback_url }, headers);
    expect((await again(receiver.url, reader)).body).toMatchObject({ status: 403, code: "auth.forbidden" });
    expect((await again("https://evil.example/", writer)).body).toMatchObject({ status: 422, code: "outbound.refused" });
    const sent = await again(receiver.url, { ...writer, "idempotency-key": "again" });
    expect(sent).toMatchObject({ status: 202, body: { id: run.id, callback: { status: expect.any(String) } } });
    expect(sent.body).not.toHaveProperty("output");
    expect((await again(receiver.url, { ...writer, "idempotency-key": "again" })).body).toEqual(sent.body);
    await expect.poll(read, { timeout: 10_000 }).toMatchObject({ callback: { status: "delivered", attempts: 1 } });
    // One that was delivered is posted once more, under the same id.
    await createClient({ baseUrl: url, key }).runs.resend(run.id, { callback_url: receiver.url });
    await receiver.count(2);
    expect(new Set(receiver.received.map(({ body, headers }) => `${String(headers["webhook-id"])} ${body}`)).size).toBe(1);
    expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({ type: "run.completed", run: { id: run.id, output: { n: "five" } } });

    const { items } = await store.list({ of: "records", kind: "audit" });
    const entries = items.map(({ data }) => data).filter(({ operation }) => operation === "resendRun");
    expect(entries.map(({ status, objects }) => [status, objects])).toEqual([403, 422, 202, 202, 202].map((status) => [status, { run_id: run.id }]));
    expect(JSON.stringify(entries)).not.toContain("127.0.0.1");
  });
});

describe("a run", () => {
  it("needs a key that may write sessions, and no customer's token starts or reads one", async () => {
    const { request, store } = await startServer({ agents });
    const { key: reader } = await createKey(store, { name: "reader", scopes: ["sessions:read"] });
    const { key: writer } = await createKey(store, { name: "writer", scopes: ["sessions:write", "tokens"] });
    const as = (key: string) => ({ authorization: `Bearer ${key}` });
    expect((await request("POST", "/v1/runs", start)).status).toBe(401);
    expect((await request("POST", "/v1/runs", start, as(reader))).status).toBe(403);
    const begun = await request("POST", "/v1/runs", start, as(writer));
    expect(begun.status).toBe(202);
    expect((await request("GET", `/v1/runs/${begun.body.id}`, undefined, as(writer))).status).toBe(403);
    expect((await request("GET", `/v1/runs/${begun.body.id}`, undefined, as(reader))).status).toBe(200);
    const { body: token } = await request("POST", "/v1/tokens", { customer_id: "ada" }, as(writer));
    expect((await request("POST", "/v1/runs", start, as(token.token))).status).toBe(403);
    expect((await request("GET", "/v1/runs", undefined, as(token.token))).status).toBe(403);
  });

  it("is started, awaited, listed and cancelled by the client", async () => {
    const { url } = await startServer({ agents });
    const { runs } = createClient({ baseUrl: url, retries: 0 });
    const { id } = await runs.start(start);
    expect(await runs.done(id, { everyMs: 10 })).toMatchObject({ status: "completed", output: { n: "five" } });
    expect(await runs.result(id)).toMatchObject({ output: { n: "five" } });
    const waiting = await runs.start({ routine: "patient" });
    await expect(runs.result(waiting.id)).rejects.toMatchObject({ code: "run.not_done" });
    expect(await runs.cancel(waiting.id)).toMatchObject({ status: "cancelled" });
    expect(await runs.cancel(id)).not.toHaveProperty("output");
    await expect(runs.done(waiting.id)).rejects.toMatchObject({ code: "cancelled" });
    expect((await Array.fromAsync(runs.all())).map((run) => run.id).toSorted()).toEqual([id, waiting.id].toSorted());
  });
});
