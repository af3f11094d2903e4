/** Every error that an operation lists is one that it can be answered with: each is produced here, over HTTP. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { systemClock, type Clock } from "../../packages/throughline/src/kernel/clock.ts";
import type { ErrorCode } from "../../packages/throughline/src/kernel/error-catalogue.ts";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import type { Operation } from "../../packages/server/src/protocol/operation.ts";
import { operations, type OperationId } from "../../packages/server/src/protocol/operations.ts";
import { scopes } from "../../packages/server/src/protocol/wire-auth.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { errorsOf } from "../../packages/server/src/server/openapi.ts";
import { createWebhooks } from "../../packages/server/src/server/webhooks/webhooks.ts";
import type { RecordChange, Store } from "../../packages/throughline/src/store/port.ts";
import { operationOf } from "../setup/contract.ts";
import { openReader } from "../setup/event-reader.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { raw } from "../setup/raw.ts";
import { bundleWith, clerk, clerkOf, endedTurn, makeFixture, sampleAgents, samplesOf, type Fixture, type Sample } from "../setup/sample-requests.ts";
import { startReceiver } from "../setup/webhook-receiver.ts";
import { echo, openServer, send, startServer, type Answered, type TestServer } from "../setup/server.ts";

type Headers = Readonly<Record<string, string>>;

const ids = Object.keys(operations) as readonly OperationId[];
const operation = (id: OperationId): Operation => operations[id];
const listed = (id: OperationId, code: ErrorCode): boolean => errorsOf(operation(id)).includes(code);
const listing = (code: ErrorCode): readonly OperationId[] => ids.filter((id) => listed(id, code));

/** What was answered with what. */
const produced = new Map<OperationId, Set<string>>(ids.map((id) => [id, new Set()]));

/** What a store does instead, while it is told to. */
interface Whims {
  fails?: Error;
  commit?: (commit: Parameters<Store["commit"]>[0], inner: Store["commit"]) => ReturnType<Store["commit"]>;
}

function whimsical(store: Store, whims: Whims): Store {
  const or = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (whims.fails !== undefined) throw whims.fails;
    return work();
  };
  return {
    ...forwarding(store),
    open: (selector) => or(() => store.open(selector)),
    load: (request) => or(() => store.load(request)),
    read: (request) => or(() => store.read(request)),
    list: (query) => or(() => store.list(query)),
    commit: (commit) => or(() => (whims.commit === undefined ? store.commit(commit) : whims.commit(commit, (given) => store.commit(given)))),
    erase: (target) => or(() => store.erase(target)),
  };
}

let server: TestServer & { readonly close: () => Promise<void> };
let inner: Store;
let key: string;
let fixture: Fixture;
let serial = 0;
const whims: Whims = {};
/** Milliseconds that have passed besides those that have. */
let passed = 0;
const clock: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() + passed };

beforeAll(async () => {
  inner = await openStore(":memory:");
  key = (await createKey(inner, { name: "all", scopes: ["admin"] })).key;
  const watched = whimsical(inner, whims);
  // A target that gets no events, so that no delivery meets the whims.
  const targets = [{ name: "crm", url: "https://crm.example.com/", agents: ["nobody"] }];
  const webhooks = createWebhooks({ store: watched, agents: sampleAgents, targets });
  const limits = { bodyBytes: 2_000, waiters: 1 };
  server = await openServer({ store: webhooks.store, webhooks, agents: sampleAgents, clock, limits, runtime: { callbacks: true } });
  fixture = await makeFixture(asAdmin, "ada");
});

afterAll(async () => {
  await server.close();
  await inner.close();
});

const asAdmin: TestServer["request"] = (method, path, body, headers) =>
  server.request(method, path, body, { authorization: `Bearer ${key}`, ...headers });

function note(method: string, path: string, code: string): void {
  const id = operationOf(method, path);
  if (id !== undefined) produced.get(id)?.add(code);
}

/** Sends a request, which must be answered with this code; send() holds the answer against what is promised of it. */
async function gives(code: ErrorCode, method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Answered> {
  const answer = await asAdmin(method, path, body, headers);
  expect(`${method} ${path}: ${answer.body?.code ?? answer.status}`).toBe(`${method} ${path}: ${code}`);
  note(method, path, code);
  return answer;
}

const sampleOf = (id: OperationId): Sample => samplesOf(fixture, `n${(serial += 1)}`)[id];
/** The same for the sample of an operation. */
function givesFor(id: OperationId, code: ErrorCode, headers?: Headers): Promise<Answered> {
  const { path, body } = sampleOf(id);
  return gives(code, operation(id).method, path, body, headers);
}
const withQuery = (path: string, query: string): string => `${path}${path.includes("?") ? "&" : "?"}${query}`;

const newSession = async (given: object = { customer_id: fixture.customer }): Promise<string> =>
  (await asAdmin("POST", "/v1/sessions", { agent: "clerk", ...given })).body.id;
/** A run that waits. */
const openRun = async (): Promise<string> => (await asAdmin("POST", "/v1/runs", { routine: "patient" })).body.id;
/** A run that is over. */
async function endedRun(): Promise<string> {
  const { body: run } = await asAdmin("POST", "/v1/runs", { routine: "instant", input: { n: "a" } });
  await expect.poll(async () => (await asAdmin("GET", `/v1/runs/${run.id}`)).body.finished_at, { timeout: 10_000 }).toBeDefined();
  return run.id;
}
/** The body that sends a callback again. The routines of the runs allow the host `desk.example.com`. */
const sentTo = (name: string): object => ({ callback_url: `https://${name}.example.com/` });
/** A request of each operation about another session. */
const samplesFor = (session: string) => samplesOf({ ...fixture, session }, `n${(serial += 1)}`);

describe("what any request may be answered with", () => {
  it("is what cannot be read, what nobody asks for, and too much", async () => {
    for (const id of ids) {
      const { method } = operation(id);
      const { path, body } = sampleOf(id);
      await gives("request.invalid", method, withQuery(path, "no_such_parameter=1"), body);
      if (method === "GET") {
        expect(await raw(server.url, `GET ${path} HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 [^]*"code":"request.malformed"/);
        note(method, path, "request.malformed");
        const long = await raw(server.url, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(20_000)}\r\n\r\n`);
        expect(long).toMatch(/^HTTP\/1\.1 413 [^]*"code":"request.too_large"/);
        note(method, path, "request.too_large");
        continue;
      }
      await gives("request.malformed", method, path, body, { "idempotency-key": "a b" });
      await gives("request.media_type", method, path, "{}", { "content-type": "text/plain" });
      await gives("request.too_large", method, path, JSON.stringify({ filler: "x".repeat(3_000) }));
      if (operation(id).versioned !== true) continue;
      await gives("request.precondition_invalid", method, path, body, { "if-match": "1" });
      await gives("request.precondition_failed", method, path, body, { "if-match": `"999999"` });
    }
  });

  it("is what comes too slowly", async () => {
    const hasty = await startServer({ limits: { headersMs: 200, requestMs: 200 } });
    const slow = ids.map(async (id) => {
      const { method } = operation(id);
      const { path } = sampleOf(id);
      expect(await raw(hasty.url, `${method} ${path} HTTP/1.1\r\nHost: loc`)).toMatch(/^HTTP\/1\.1 408 [^]*"code":"request.timeout"/);
      note(method, path, "request.timeout");
    });
    await Promise.all(slow);
  });

  it("is who sends it", async () => {
    const { key: narrow } = await createKey(inner, { name: "narrow", scopes: ["usage:read"] });
    const { key: other } = await createKey(inner, { name: "other", scopes: ["audit:read"] });
    for (const id of listing("auth.required")) {
      const { method, scope } = operation(id);
      const { path, body } = sampleOf(id);
      const ask = async (code: ErrorCode, headers: Headers): Promise<void> => {
        expect((await send(server.url, method, path, body, headers)).body?.code, `${id} ${code}`).toBe(code);
        note(method, path, code);
      };
      await ask("auth.required", {});
      await ask("auth.invalid", { authorization: `Bearer ${key.slice(0, -1)}` });
      await ask("auth.forbidden", { authorization: `Bearer ${scope === "usage:read" ? other : narrow}` });
    }
    expect(scopes).toContain("usage:read");
  });

  it("is too much in a short time", async () => {
    const busy = await startServer({ store: inner, agents: [clerk], limits: { requestsPerMinute: 1, eventReadsPerMinute: 1 } });
    const headers = { authorization: `Bearer ${key}` };
    await busy.request("GET", "/v1/agents", undefined, headers);
    await busy.request("GET", `/v1/sessions/${fixture.session}/events`, undefined, headers);
    for (const id of listing("limit.rate")) {
      const { path, body } = sampleOf(id);
      const { method } = operation(id);
      expect((await busy.request(method, path, body, headers)).body?.code, id).toBe("limit.rate");
      note(method, path, "limit.rate");
    }
  });

  it("is a name that is not the service's, and a service that is about to stop", async () => {
    const stopping = await startServer({ store: inner, agents: [clerk] });
    const ask = async (id: OperationId, origin: string, code: ErrorCode): Promise<void> => {
      const { path, body } = sampleOf(id);
      const { method } = operation(id);
      const json = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
      const answer = await stopping.server.fetch(new Request(`${origin}${path}`, { method, ...json }));
      expect(((await answer.json()) as { code?: string }).code, id).toBe(code);
      note(method, path, code);
    };
    for (const id of listing("host.forbidden")) await ask(id, "http://evil.example", "host.forbidden");
    const closing = stopping.server.close({ drainMs: 10 });
    for (const id of listing("service.draining")) await ask(id, "http://localhost", "service.draining");
    await closing;
  });

  it("is a database that does not answer, and a defect", async () => {
    onTestFinished(() => void delete whims.fails);
    const said = "canary: SELECT * FROM sessions at /srv/secret.db";
    for (const code of ["store.unreachable", "store.busy", "store.failed", "store.full", "store.corrupt", "internal"] as const)
      for (const id of listing(code)) {
        // What is known of keys holds for ten minutes, and whether the database answers is remembered for a while.
        if (["listAgents", "getAgent", "readyz"].includes(id)) passed += 601_000;
        whims.fails = code === "internal" ? new TypeError(said) : new ThroughlineError(code, said);
        expect((await givesFor(id, code)).text).not.toContain("canary");
        delete whims.fails;
      }
  });
});

/** Forgets what requests were answered with, as time does. */
async function forgetAnswers(): Promise<void> {
  const { items } = await inner.list({ of: "records", kind: "response" });
  const records = items.map((item) => ({ kind: "response", key: item.key, data: null }));
  if (records.length > 0) await inner.commit({ commit_id: `forget-${(serial += 1)}`, at: systemClock.now(), records });
}

/** Operations that a key counts for together: those of one session, and all others. */
const groupOf = (id: OperationId): boolean => operation(id).path.includes("{session_id}");

describe("what a request may be answered with that changes something", () => {
  it("is that its key is in use, or was used for another request", async () => {
    onTestFinished(() => void delete whims.commit);
    const changes = listing("request.in_progress");
    const keys = new Map<OperationId, string>();
    for (const id of changes) {
      const headers = { "idempotency-key": `lease-${id}` };
      keys.set(id, headers["idempotency-key"]);
      // What it would write while it looks for the answer stands there in another process's name.
      let lease: RecordChange | undefined;
      whims.commit = async ({ records = [] }) => {
        lease ??= records.find(({ kind }) => kind === "response");
        throw new ThroughlineError("store.failed");
      };
      const { path, body } = samplesOf(fixture, "held")[id];
      expect((await asAdmin(operation(id).method, path, body, headers)).status, id).toBe(503);
      delete whims.commit;
      const held = { kind: "response", key: lease?.key ?? "", data: { ...lease?.data, holder: "elsewhere/1/x" } };
      await inner.commit({ commit_id: `held-${id}`, at: systemClock.now(), records: [held] });
      await gives("request.in_progress", operation(id).method, path, body, headers);
    }
    for (const id of changes) {
      const other = changes.find((one) => one !== id && groupOf(one) === groupOf(id));
      const samples = samplesOf(fixture, "held");
      const { path, body } = samples[id];
      const about = groupOf(id) ? { ...fixture, session: path.split("/")[3] ?? "" } : fixture;
      // A call that waits is in a session of its own.
      if (other !== undefined && about.session !== fixture.session) {
        const leave = samplesOf(about, "left").endEpisode;
        await asAdmin("POST", leave.path, leave.body, { "idempotency-key": "left" });
        await gives("request.key_reused", operation(id).method, path, body, { "idempotency-key": "left" });
      } else await gives("request.key_reused", operation(id).method, path, body, { "idempotency-key": keys.get(other ?? id) ?? "" });
    }
  });

  it("is that its key was used for another change, when what that was answered with is forgotten", async () => {
    const session = await newSession();
    await asAdmin("POST", `/v1/sessions/${session}/end-episode`, undefined, { "idempotency-key": "first" });
    const command = listing("session.idempotency_mismatch").filter(
      (id) => groupOf(id) && !["forkSession", "endEpisode", "closeEpisode"].includes(id),
    );
    await forgetAnswers();
    const samples = samplesFor(session);
    const byVariable: ReadonlySet<string> = new Set(["updateSessionVariables", "setSessionVariable", "deleteSessionVariable"]);
    for (const id of command.filter((one) => !byVariable.has(one))) {
      await forgetAnswers();
      await gives("session.idempotency_mismatch", operation(id).method, samples[id].path, samples[id].body, { "idempotency-key": "first" });
    }
    const twice = async (id: OperationId, path: string, first: unknown, second: unknown): Promise<void> => {
      const headers = { "idempotency-key": `twice-${id}` };
      expect((await asAdmin(operation(id).method, path, first, headers)).status, id).toBeLessThan(300);
      await forgetAnswers();
      await gives("session.idempotency_mismatch", operation(id).method, path, second, headers);
    };
    await twice("forkSession", samples.forkSession.path, { title: "a" }, { title: "b" });
    await twice("createSession", "/v1/sessions", { agent: "clerk", title: "a" }, { agent: "clerk", title: "b" });
    await twice("startRun", "/v1/runs", { routine: "instant", input: { n: "a" } }, { routine: "instant", input: { n: "b" } });
    await twice("createCustomer", "/v1/customers", { name: "a" }, { name: "b" });
    await twice("updateCustomer", `/v1/customers/${encodeURIComponent(fixture.customer)}`, { name: "a" }, { name: "b" });
    for (const [whose, place] of [
      ["Customer", `/v1/customers/${encodeURIComponent(fixture.customer)}`],
      ["Session", `/v1/sessions/${session}`],
      ["Agent", "/v1/agents/clerk"],
    ] as const) {
      await twice(`update${whose}Variables`, `${place}/variables`, { known: 5 }, { known: 6 });
      await twice(`set${whose}Variable`, `${place}/variables/known`, { value: 7 }, { value: 8 });
      // A variable that is taken away under the key of one that was set.
      const headers = { "idempotency-key": `unset-${whose}` };
      await asAdmin("PUT", `${place}/variables/known`, { value: 9 }, headers);
      await forgetAnswers();
      await gives("session.idempotency_mismatch", "DELETE", `${place}/variables/known`, undefined, headers);
    }
    // Ending the episode twice under a key that has set the title.
    await asAdmin("PATCH", `/v1/sessions/${session}`, { title: "t" }, { "idempotency-key": "title" });
    await forgetAnswers();
    for (const word of ["end", "close"]) {
      await forgetAnswers();
      await gives("session.idempotency_mismatch", "POST", `/v1/sessions/${session}/${word}-episode`, undefined, { "idempotency-key": "title" });
    }
  });

  it("is that others kept changing it", async () => {
    onTestFinished(() => void delete whims.commit);
    const session = await newSession();
    const taken = await newSession();
    await asAdmin("POST", `/v1/sessions/${session}/handover`);
    await asAdmin("POST", `/v1/sessions/${taken}/handover`, { operator: "ada" });
    const pending = { ...fixture.pending };
    for (const id of listing("session.conflict")) {
      const auto = ["startTurn", "retryTurn", "handOver", "identifySession"].includes(id);
      const of = id === "retryTurn" ? fixture.session : auto ? await newSession(id === "identifySession" ? {} : undefined) : session;
      const turn = id === "stopTurn" ? pending.turn : fixture.turn;
      const about = id === "stopTurn" ? pending.session : id === "unassignSession" ? taken : of;
      const { path, body } = samplesOf({ ...fixture, session: about, turn }, `c${(serial += 1)}`)[id];
      const isEdit = id === "deleteCustomerVariable" || id === "deleteSessionVariable" || id === "deleteAgentVariable";
      const known = isEdit ? path.replace("/gone", "/known") : path;
      if (isEdit) await asAdmin("PUT", known, { value: 1 });
      const run = id === "cancelRun" ? await openRun() : id === "resendRun" ? await endedRun() : undefined;
      const place = run === undefined ? known : known.replace(fixture.run, run);
      const given = id === "withdrawEvents" ? place.replace("900000", "1") : place;
      const isOther = ({ session: changed, owner, records = [] }: Parameters<Store["commit"]>[0]): boolean =>
        changed === undefined && owner === undefined && !records.some(({ kind }) => kind === "routine.run_callback");
      whims.commit = async (commit, commitInner) =>
        isOther(commit)
          ? commitInner(commit)
          : { outcome: "refused", reason: commit.session === undefined ? "stale_version" : "stale_head", version: 0, head: 0 };
      await gives("session.conflict", operation(id).method, given, body);
      delete whims.commit;
    }
  });
});

/** A request that is answered with a code, after what the code needs was done. */
type Row = readonly [code: ErrorCode, method: string, path: string, body?: unknown];

const unknown = `ses_${"0".repeat(26)}`;
const blank = "%20";

async function giveAll(rows: readonly Row[]): Promise<void> {
  for (const [code, method, path, body] of rows) await gives(code, method, path, body);
}

/** A session in which something was said, and what became of the turn. */
async function spoken(text: string): Promise<{ readonly session: string; readonly turn: string }> {
  const session = await newSession();
  await asAdmin("POST", `/v1/sessions/${session}/events`, { kind: "message", text });
  const turn = await endedTurn(asAdmin, session);
  return { session, turn };
}

describe("what is about one thing", () => {
  it("is not there", async () => {
    const rows: Row[] = [
      ["session.not_found", "GET", `/v1/stream?sessions=${unknown}`],
      ["cursor.invalid", "GET", "/v1/stream?after=nope"],
      ["session.not_found", "POST", "/v1/stream-tokens", { sessions: [unknown] }],
      ["session.not_found", "POST", "/v1/tokens", { customer_id: fixture.customer, session_id: unknown }],
      ["customer.not_found", "DELETE", "/v1/customers/nobody/tokens"],
      ["input.invalid", "DELETE", "/v1/customers/%20/tokens"],
      ["customer.not_found", "POST", "/v1/sessions", { agent: "clerk", customer_id: "nobody" }],
      ["agent.not_found", "POST", "/v1/sessions", { agent: "nobody" }],
      ["agent.not_found", "POST", "/v1/sessions/open", { agent: "nobody", customer_id: fixture.customer }],
      ["input.invalid", "POST", "/v1/tokens", { customer_id: " " }],
      ["job.not_found", "GET", "/v1/jobs/job_0"],
      ["job.not_found", "GET", "/v1/jobs/job_0/result"],
      ["request.not_found", "GET", "/errors/no.such.code"],
      ["run.not_found", "GET", "/v1/runs/run_0"],
      ["run.not_found", "GET", "/v1/runs/run_0/result"],
      ["run.not_found", "POST", "/v1/runs/run_0/cancel"],
      ["run.not_found", "POST", "/v1/runs/run_0/resend", sentTo("desk")],
      ["routine.not_found", "POST", "/v1/runs", { routine: "nothing" }],
      ["session.not_found", "POST", "/v1/runs", { routine: "instant", input: { n: "a" }, session_id: unknown }],
      ["input.invalid", "POST", "/v1/runs", { routine: "instant" }],
      ["run.not_done", "GET", `/v1/runs/${await openRun()}/result`],
      ["run.not_done", "POST", `/v1/runs/${await openRun()}/resend`, sentTo("desk")],
      ["input.invalid", "POST", `/v1/runs/${fixture.run}/resend`, { callback_url: "nowhere" }],
      ["webhook.not_found", "POST", "/v1/webhooks/nothing/pause"],
      ["webhook.not_found", "POST", "/v1/webhooks/nothing/resume"],
      ["webhook.not_found", "POST", "/v1/webhooks/nothing/rotate"],
      ["webhook.not_found", "POST", "/v1/webhooks/dead-letters/resend", { id: "nothing" }],
      ["event.not_found", "GET", `/v1/sessions/${fixture.session}/events/99999`],
    ];
    for (const id of ids) {
      const { method, path } = operation(id);
      const { body, path: there } = sampleOf(id);
      const query = there.includes("?") ? there.slice(there.indexOf("?")) : "";
      const place = (parameter: string, value: string): string => {
        const at = path.split("/").indexOf(`{${parameter}}`);
        return (
          there
            .slice(0, there.length - query.length)
            .split("/")
            .with(at, value)
            .join("/") + query
        );
      };
      if (path.includes("{session_id}")) rows.push(["session.not_found", method, place("session_id", unknown), body]);
      if (path.includes("{customer_id}")) rows.push(["customer.not_found", method, place("customer_id", "nobody"), body]);
      if (path.includes("{customer_id}") && listed(id, "input.invalid")) rows.push(["input.invalid", method, place("customer_id", blank), body]);
      if (path.includes("{agent}")) rows.push(["agent.not_found", method, place("agent", "nobody"), body]);
      if (listed(id, "memory.entry_not_found") && path.includes("{entry_id}"))
        rows.push(["memory.entry_not_found", method, place("entry_id", "nothing"), body]);
      if (listed(id, "memory.entry_not_found") && !path.includes("{entry_id}"))
        rows.push(["memory.entry_not_found", method, there, { entry_ids: ["nothing"] }]);
      if (path.includes("{turn_id}")) rows.push(["turn.not_found", method, place("turn_id", "trn_0"), body]);
      if (path.endsWith("/{name}") && method === "GET") rows.push(["variable.not_found", method, place("name", "nothing"), body]);
      if (operation(id).query?.shape["cursor"] !== undefined) rows.push(["cursor.invalid", method, withQuery(there, "cursor=nope"), body]);
    }
    await giveAll(rows);
  });

  it("is not as it may be", async () => {
    const { customer, session, pending } = fixture;
    const of = `/v1/sessions/${session}`;
    const own = { metadata: { "": 1 } };
    const runtimes = { metadata: { step_outputs: {} } };
    const label = { labels: ["subagent"] };
    const rows: Row[] = [
      ["customer.exists", "POST", "/v1/customers", { id: customer }],
      ["customer.exists", "POST", "/v1/sessions/import", { bundle: bundleWith("t", { customer, sessions: 2 }) }],
      ["bundle.invalid", "POST", "/v1/sessions/import", { bundle: "{}" }],
      ["input.invalid", "POST", "/v1/customers", { id: " " }],
      ["variables.invalid", "POST", "/v1/customers", own],
      ["metadata.reserved", "POST", "/v1/customers", runtimes],
      ["variables.invalid", "PATCH", `/v1/customers/${encodeURIComponent(customer)}`, own],
      ["metadata.reserved", "PATCH", `/v1/customers/${encodeURIComponent(customer)}`, runtimes],
      ["input.invalid", "POST", "/v1/sessions", { agent: "clerk", customer_id: " " }],
      ["session.invalid", "POST", "/v1/sessions", { agent: "clerk", ...label }],
      ["variables.invalid", "POST", "/v1/sessions", { agent: "clerk", ...own }],
      ["metadata.reserved", "POST", "/v1/sessions", { agent: "clerk", ...runtimes }],
      ["input.invalid", "POST", "/v1/sessions/open", { agent: "clerk", customer_id: " " }],
      ["session.invalid", "POST", "/v1/sessions/open", { agent: "clerk" }],
      ["variables.invalid", "POST", "/v1/sessions/open", { agent: "clerk", key: "k1", ...own }],
      ["metadata.reserved", "POST", "/v1/sessions/open", { agent: "clerk", key: "k2", ...runtimes }],
      ["input.invalid", "GET", `/v1/sessions?customer_id=${blank}`],
      ["filter.required", "DELETE", "/v1/sessions"],
      ["input.invalid", "DELETE", `/v1/sessions?customer_id=${blank}`],
      ["input.invalid", "GET", `/v1/handovers?queue=waiting&customer_id=${blank}`],
      ["session.invalid", "PATCH", of, { labels: { add: label.labels } }],
      ["variables.invalid", "PATCH", of, own],
      ["metadata.reserved", "PATCH", of, runtimes],
      ["session.identified", "POST", `${of}/identify`, { customer_id: "somebody-else" }],
      ["input.invalid", "POST", `${of}/identify`, { customer_id: " " }],
      ["log.offset_invalid", "POST", `${of}/fork`, { at: 99_999 }],
      ["log.offset_invalid", "GET", `${of}/state?at=99999`],
      ["log.offset_invalid", "GET", `${of}/state/writers?at=99999`],
      ["input.invalid", "POST", "/v1/keys", { name: "late", scopes: ["admin"], expires_at: 1 }],
      ["key.not_found", "DELETE", "/v1/keys/nothing"],
      ["log.offset_invalid", "DELETE", `${of}/events?min_offset=0`],
      ["session.withdraw_splits_turn", "DELETE", `${of}/events?min_offset=3`],
      ["request.not_acceptable", "GET", `${of}/events`],
      ["log.offset_invalid", "GET", `${of}/events/99999/stream`],
      ["input.invalid", "PATCH", `${of}/state`, { delta: {}, operator: " " }],
      [
        "approval.stale",
        "POST",
        `/v1/sessions/${pending.session}/turns/${pending.turn}/decisions`,
        { call_id: pending.call_id, arguments_hash: "x", decision: "approve" },
      ],
      [
        "approval.not_pending",
        "POST",
        `/v1/sessions/${pending.session}/turns/${pending.turn}/decisions`,
        { call_id: "m9", arguments_hash: "x", decision: "approve" },
      ],
      [
        "input.invalid",
        "POST",
        `/v1/sessions/${pending.session}/turns/${pending.turn}/decisions`,
        { call_id: pending.call_id, arguments_hash: "x", decision: "edit" },
      ],
      ["turn.not_retryable", "POST", `/v1/sessions/${pending.session}/turns/${pending.turn}/retry`],
      ["handover.invalid", "GET", "/v1/handovers?queue=mine"],
      ["input.invalid", "GET", "/v1/safety/assessments?day=2026-13-01"],
      ["input.invalid", "GET", "/v1/safety/report?from=2026-02-30"],
    ];
    for (const place of [`/v1/customers/${encodeURIComponent(customer)}`, of, "/v1/agents/clerk"])
      rows.push(
        ["variables.invalid", "PATCH", `${place}/variables`, { "": 1 }],
        ["variables.invalid", "PUT", `${place}/variables/${"n".repeat(201)}`, { value: 1 }],
        ["variables.invalid", "DELETE", `${place}/variables/${"n".repeat(201)}`],
      );
    for (const [code, method, path, body] of rows)
      await gives(code, method, path, body, code === "request.not_acceptable" ? { accept: "text/html" } : {});
  });

  it("is not what the agent's state takes", async () => {
    const session = await newSession();
    const handed = await newSession();
    await asAdmin("POST", `/v1/sessions/${handed}/handover`);
    const deltas: readonly (readonly [ErrorCode, object])[] = [
      ["state.unknown_field", { nothing: 1 }],
      ["state.undeclared_write", { message: "x" }],
      ["state.invalid_value", { note: 5 }],
      ["state.reducer_mismatch", { hits: "five" }],
      ["state.reducer_failed", { broken: "x" }],
    ];
    for (const [code, delta] of deltas) {
      await gives(code, "PATCH", `/v1/sessions/${session}/state`, { delta });
      await gives(code, "POST", `/v1/sessions/${handed}/handover/back`, { state: delta });
      const start = code === "state.undeclared_write" ? { note: "x" } : code === "state.invalid_value" ? { opening: 5 } : delta;
      await gives(code, "POST", `/v1/sessions/${session}/events`, { kind: "message", text: "hi", start });
      await gives(code, "POST", `/v1/sessions/${session}/stream`, { text: "hi", start });
    }
    await giveAll([
      ["input.invalid", "POST", `/v1/sessions/${session}/events`, { kind: "message", text: "hi", input: { message: "other" } }],
      ["variables.invalid", "POST", `/v1/sessions/${session}/events`, { kind: "message", text: "hi", metadata: { "": 1 } }],
      ["metadata.reserved", "POST", `/v1/sessions/${session}/events`, { kind: "message", text: "hi", metadata: { step_outputs: 1 } }],
      ["input.invalid", "POST", `/v1/sessions/${session}/stream`, { text: "hi", input: { message: "other" } }],
      ["variables.invalid", "POST", `/v1/sessions/${session}/stream`, { text: "hi", metadata: { "": 1 } }],
      ["metadata.reserved", "POST", `/v1/sessions/${session}/stream`, { text: "hi", metadata: { step_outputs: 1 } }],
      ["input.invalid", "POST", `/v1/sessions/${handed}/handover/back`, { summary: " " }],
    ]);
    for (const [code, agents] of [
      ["agent.not_found", [echo]],
      ["state.definition_newer", [clerkOf(1)]],
      ["state.migration_missing", [clerkOf(3)]],
    ] as const) {
      const other = await startServer({ store: inner, agents, runtime: { work: false } });
      const ask = async (method: string, path: string, body?: unknown): Promise<void> => {
        const answer = await other.request(method, path, body, { authorization: `Bearer ${key}` });
        expect(`${method} ${path} ${answer.body?.code}`).toBe(`${method} ${path} ${code}`);
        note(method, path, code);
      };
      await ask("PATCH", `/v1/sessions/${session}/state`, { delta: { note: "x" } });
      await ask("POST", `/v1/sessions/${handed}/handover/back`, { state: { note: "x" } });
      await ask("POST", `/v1/sessions/${session}/state/preview`, { delta: { note: "x" } });
      if (code !== "agent.not_found") continue;
      await ask("GET", `/v1/sessions/${session}/state?view=output`);
      await ask("POST", `/v1/sessions/${session}/events`, { kind: "message", text: "hi" });
      await ask("POST", `/v1/sessions/${session}/stream`, { text: "hi" });
    }
  });

  it("would have more variables than a customer may have", async () => {
    const many = (prefix: string): Readonly<Record<string, number>> =>
      Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`${prefix}${index}`, index]));
    await server.runtime.customers.create({ id: "full", variables: many("a") });
    const session = await newSession({});
    await (await server.runtime.sessions.get(session)).setVariables({ set: many("b") });
    await gives("variables.invalid", "POST", `/v1/sessions/${session}/identify`, { customer_id: "full", carry: true });
  });

  it("quotes what was forgotten since it was first answered", async () => {
    const own = await makeFixture(asAdmin, "forgetting");
    for (const place of [`/v1/customers/${encodeURIComponent(own.customer)}`, `/v1/sessions/${own.session}`]) {
      const [kept = "", corrected = ""] = own.facts;
      const changes = [
        ["POST", `${place}/memory/rules`, { text: "Say it three times." }],
        ["POST", `${place}/memory/facts`, { quote: "I like tea.", predicate: "LIKES", object: "tea" }],
        ["PATCH", `${place}/memory/entries/${kept}`, { pinned: true }],
        ["POST", `${place}/memory/entries/${corrected}/correct`, { object: "coffee" }],
      ] as const;
      const headers = (index: number): Headers => ({ "idempotency-key": `${place}-${index}` });
      for (const [index, [method, path, body]] of changes.entries())
        expect((await asAdmin(method, path, body, headers(index))).status, `${method} ${path}`).toBeLessThan(300);
      const { body: fact } = await asAdmin("POST", `${place}/memory/facts`, { quote: "I like figs.", predicate: "LIKES", object: "figs" });
      expect((await asAdmin("POST", `${place}/memory/forget`, { entry_ids: [fact.entry_id] })).status).toBe(200);
      for (const [index, [method, path, body]] of changes.entries()) await gives("request.answer_removed", method, path, body, headers(index));
    }
  });

  it("is not to be remembered", async () => {
    for (const place of [`/v1/customers/${encodeURIComponent(fixture.customer)}`, `/v1/sessions/${fixture.session}`]) {
      const { body: rule } = await asAdmin("POST", `${place}/memory/rules`, { text: "Say it twice." });
      await giveAll([
        ["memory.invalid", "GET", `${place}/memory/find?q=${blank}`],
        ["memory.invalid", "POST", `${place}/memory/recall`, { text: " " }],
        ["agent.not_found", "POST", `${place}/memory/recall`, { text: "lemon", agent: "nobody" }],
        ["memory.invalid", "POST", `${place}/memory/rules`, { text: " " }],
        ["memory.invalid", "POST", `${place}/memory/facts`, { quote: " " }],
        ["memory.invalid", "PATCH", `${place}/memory/entries/${encodeURIComponent(`profile/${rule.id}`)}`, { never_recall: true }],
        ["memory.invalid", "POST", `${place}/memory/entries/${fixture.facts[0]}/correct`, { object: " " }],
      ]);
    }
    await gives("turn.not_found", "GET", `/v1/sessions/${fixture.session}/prompt?turn=trn_0`);
    await gives("prompt.not_kept", "GET", `/v1/sessions/${await newSession()}/prompt`);
    const incognito = await newSession({ customer_id: fixture.customer, incognito: true });
    for (const id of listing("memory.incognito")) {
      const { path, body } = samplesFor(incognito)[id];
      await gives("memory.incognito", operation(id).method, path, body);
    }
    const forgetful = await startServer({ store: inner, agents: [clerkOf(2, { remembers: false })], runtime: { work: false } });
    for (const id of listing("memory.off")) {
      const { path, body } = sampleOf(id);
      const answer = await forgetful.request(operation(id).method, path, body, { authorization: `Bearer ${key}` });
      expect([id, answer.body?.code]).toEqual([id, "memory.off"]);
      note(operation(id).method, path, "memory.off");
    }
  });

  it("is with people, or with somebody else, or too much at once", async () => {
    const session = await newSession();
    const of = `/v1/sessions/${session}`;
    const failed = await spoken("fail");
    await giveAll([
      ["handover.none", "POST", `${of}/handover/assign`, { operator: "ada" }],
      ["handover.none", "POST", `${of}/handover/unassign`],
      ["handover.none", "POST", `${of}/handover/back`],
      ["handover.invalid", "POST", `${of}/handover`, { operator: " " }],
    ]);
    await asAdmin("POST", `${of}/handover`, { operator: "ada" });
    await asAdmin("POST", `/v1/sessions/${failed.session}/handover`);
    const { id: staffed } = (await asAdmin("POST", "/v1/sessions", { agent: "runner" })).body;
    await asAdmin("POST", `/v1/sessions/${staffed}/handover`);
    await giveAll([
      ["handover.taken", "POST", `${of}/handover`, { operator: "bob" }],
      ["handover.taken", "POST", `${of}/handover/assign`, { operator: "bob" }],
      ["handover.invalid", "POST", `${of}/handover/assign`, { operator: " " }],
      ["session.manual", "POST", `${of}/events`, { kind: "message", source: "ai_agent" }],
      ["session.manual", "POST", `${of}/turns`],
      ["session.manual", "POST", "/v1/runs", { routine: "instant", input: { n: "a" }, session_id: staffed }],
      ["session.manual", "POST", `/v1/sessions/${failed.session}/turns/${failed.turn}/retry`],
    ]);
    await openReader(server.url, `${of}/events`, { headers: { authorization: `Bearer ${key}` } });
    await giveAll([
      ["limit.waiters", "GET", `${of}/events?wait=5&min_offset=999`],
      ["limit.waiters", "GET", `/v1/stream?sessions=${session}`],
      ["limit.waiters", "GET", "/v1/stream"],
      ["limit.waiters", "POST", `${of}/stream`, { text: "hi" }],
      ["limit.waiters", "GET", `${of}/events/1/stream`],
      ["limit.waiters", "GET", `${of}/turns/${fixture.turn}/stream`],
    ]);
  });

  it("is too much at once, not done yet, or done badly", async () => {
    const idle = await startServer({ agents: [clerk], jobs: { concurrency: 0 }, runtime: { work: false } });
    const { body: session } = await idle.request("POST", "/v1/sessions", { agent: "clerk" });
    const posts: Answered[] = [];
    for (const text of ["1", "2", "3", "4"]) posts.push(await idle.request("POST", `/v1/sessions/${session.id}/events`, { kind: "message", text }));
    expect(posts.map(({ status, body }) => body.code ?? status)).toEqual([201, 201, 201, "session.too_many_waiting"]);
    expect((await idle.request("POST", `/v1/sessions/${session.id}/stream`, { text: "5" })).body.code).toBe("session.too_many_waiting");
    for (const place of ["events", "stream"]) note("POST", `/v1/sessions/${session.id}/${place}`, "session.too_many_waiting");
    await idle.request("POST", "/v1/customers", { id: "slow" });
    const { body: job } = await idle.request("POST", "/v1/customers/slow/exports");
    expect((await idle.request("GET", `/v1/jobs/${job.id}/result`)).body.code).toBe("job.not_done");
    note("GET", `/v1/jobs/${job.id}/result`, "job.not_done");
    const data = { type: "export", status: "failed", owner_id: "own_0", progress: { sessions: 0, events: 0 } };
    const broken = `job_${"f".repeat(32)}`;
    await inner.commit({ commit_id: "broken", at: systemClock.now(), records: [{ kind: "job", key: broken, data }] });
    await gives("job.failed", "GET", `/v1/jobs/${broken}/result`);
  });

  it("is a database that a later version has migrated", async () => {
    const migrate = async (): Promise<never> => Promise.reject(new ThroughlineError("store.schema_newer"));
    const later = await startServer({ store: { ...forwarding(inner), migrate }, agents: [clerk], runtime: { work: false } });
    const answer = await later.request("GET", "/v1/status", undefined, { authorization: `Bearer ${key}` });
    expect(answer.body?.code).toBe("store.schema_newer");
    note("GET", "/v1/status", "store.schema_newer");
  });

  it("is a run whose result is removed", async () => {
    const { body: run } = await asAdmin("POST", "/v1/runs", { routine: "instant", input: { n: "a" }, keep_seconds: 0.001 });
    await expect.poll(async () => (await asAdmin("GET", `/v1/runs/${run.id}`)).status, { timeout: 10_000 }).toBe(410);
    for (const [method, path] of [
      ["GET", ""],
      ["GET", "/result"],
      ["POST", "/cancel"],
      ["POST", "/resend"],
    ] as const)
      await gives("run.expired", method, `/v1/runs/${run.id}${path}`, path === "/resend" ? sentTo("desk") : undefined);
  });

  it("is a run whose session was deleted", async () => {
    const { body: session } = await asAdmin("POST", "/v1/sessions", { agent: "runner" });
    const { body: run } = await asAdmin("POST", "/v1/runs", { routine: "patient", session_id: session.id });
    await asAdmin("POST", `/v1/runs/${run.id}/cancel`);
    await asAdmin("DELETE", `/v1/sessions/${session.id}`);
    await gives("session.not_found", "POST", `/v1/runs/${run.id}/resend`, sentTo("desk"));
  });

  it("is a callback that the service does not send, and one of a routine that no agent has", async () => {
    await gives("outbound.refused", "POST", "/v1/runs", { routine: "instant", input: { n: "a" }, ...sentTo("evil") });
    await gives("outbound.refused", "POST", `/v1/runs/${fixture.run}/resend`, sentTo("evil"));
    const without = await startServer({ store: inner, agents: [clerk], runtime: { work: false, callbacks: true } });
    const path = `/v1/runs/${fixture.run}/resend`;
    const answer = await without.request("POST", path, sentTo("desk"), { authorization: `Bearer ${key}` });
    expect(answer.body?.code).toBe("routine.not_found");
    note("POST", path, "routine.not_found");
  });

  it("is an address that no webhook covers", async () => {
    const store = await openStore(":memory:");
    onTestFinished(() => store.close());
    const webhooks = createWebhooks({ store, agents: [echo], targets: [{ name: "named", hosts: ["hooks.example.com"] }] });
    const { request } = await startServer({ store: webhooks.store, webhooks });
    const covered = { metadata: { event_webhook_url: "https://hooks.example.com/" } };
    const foreign = { metadata: { event_webhook_url: "https://hooks.example.org/" } };
    const { body: session } = await request("POST", "/v1/sessions", { agent: "a1", ...covered });
    await request("POST", "/v1/customers", { id: "c1", ...covered });
    for (const [method, path, body] of [
      ["POST", "/v1/sessions", { agent: "a1", ...foreign }],
      ["POST", "/v1/sessions/open", { agent: "a1", key: "k1", ...foreign }],
      ["PATCH", `/v1/sessions/${session.id}`, foreign],
      ["POST", "/v1/customers", { id: "c2", ...foreign }],
      ["PATCH", "/v1/customers/c1", foreign],
    ] as const) {
      expect((await request(method, path, body)).body.code).toBe("outbound.refused");
      note(method, path, "outbound.refused");
    }
  });

  it("is a dead letter that cannot be delivered, and a secret that the configuration has", async () => {
    const { url, port } = await startReceiver(() => 500);
    const store = await openStore(":memory:");
    onTestFinished(() => store.close());
    const secrets = [`whsec_${"a".repeat(43)}=`];
    const targets = [
      { name: "crm", url, kinds: ["custom"] as const },
      { name: "own", url, secrets, agents: ["nobody"] },
    ];
    const webhooks = createWebhooks({ store, agents: [echo], targets, retryMs: [], allowHosts: [`127.0.0.1:${port}`] });
    const { request, runtime } = await startServer({ store: webhooks.store, webhooks });
    const session = await runtime.sessions.create({ agent: "a1" });
    await session.postCustom(1);
    const letters = async (): Promise<readonly { readonly id: string }[]> => (await request("GET", "/v1/webhooks/dead-letters")).body.items;
    await expect.poll(letters, { timeout: 10_000 }).toHaveLength(1);
    const [letter] = await letters();
    const path = "/v1/webhooks/dead-letters/resend";
    expect((await request("POST", path, { id: letter?.id })).body.code).toBe("outbound.failed");
    note("POST", path, "outbound.failed");
    const data = { target: "own", endpoint: "own", url, host: "x", session_id: session.id, offset: 0, attempts: 1, error: "500", at: 0 };
    await store.commit({ commit_id: "uncovered", at: 0, records: [{ kind: "webhook_dead", key: "own/x", data }] });
    expect((await request("POST", path, { id: "own/x" })).body.code).toBe("outbound.refused");
    note("POST", path, "outbound.refused");
    expect((await request("POST", "/v1/webhooks/own/rotate")).body.code).toBe("input.invalid");
    note("POST", "/v1/webhooks/own/rotate", "input.invalid");
  });

  it("is cut away, or forked too often", async () => {
    onTestFinished(() => void delete whims.commit);
    await asAdmin("POST", "/v1/customers", { id: "old" });
    const session = await newSession({ customer_id: "old" });
    await asAdmin("POST", `/v1/sessions/${session}/events`, { kind: "message", text: "hi" });
    const turn = await endedTurn(asAdmin, session);
    for (const data of [1, 2, 3, 4]) await asAdmin("POST", `/v1/sessions/${session}/events`, { kind: "custom", data });
    await server.runtime.retain({ keepEvents: 2, customer: "old" });
    const of = `/v1/sessions/${session}`;
    await giveAll([
      ["log.retained_from", "GET", `${of}/events?min_offset=1`],
      ["log.retained_from", "GET", `/v1/stream?sessions=${session}&offsets=${session}:1`],
      ["log.retained_from", "GET", `${of}/state?at=1`],
      ["log.retained_from", "GET", `${of}/state/writers?at=1`],
      ["log.retained_from", "GET", `${of}/summaries?min_offset=1`],
      ["log.retained_from", "GET", `${of}/events/1/stream`],
      ["turn.not_found", "GET", `${of}/turns/${turn}/stream`],
      ["log.retained_from", "POST", `${of}/fork`, { at: 1 }],
      ["log.retained_from", "DELETE", `${of}/events?min_offset=1`],
    ]);
    whims.commit = async (commit, commitInner) =>
      commit.session === undefined ? commitInner(commit) : { outcome: "refused", reason: "fork_too_deep", depth: 64 };
    await gives("session.fork_too_deep", "POST", `/v1/sessions/${fixture.session}/fork`);
  });
});

it("no operation lists an error that it cannot be answered with", () => {
  const never = ids.flatMap((id) =>
    errorsOf(operation(id))
      .filter((code) => produced.get(id)?.has(code) !== true)
      .map((code) => `${id} ${code}`),
  );
  expect(never).toEqual([]);
});
