/** What operators read and try: summaries, previews, writers, effects, recall, erasure previews, exports, keys, open turns. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type Agent,
  defineAgent,
  defineState,
  defineTool,
  input,
  loop,
  recentMessages,
  reduced,
  scripted,
  ThroughlineError,
} from "../../packages/throughline/src/index.ts";
import type { SessionId, TraceId } from "../../packages/throughline/src/index.ts";
import { memory } from "../../packages/throughline/src/memory.ts";
import { createClient } from "../../packages/client/src/client.ts";
import { previewCharacters } from "../../packages/server/src/protocol/wire-inspect.ts";
import type { Scope } from "../../packages/server/src/protocol/wire-auth.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import { routineFields, routineFrom, routines } from "../../packages/throughline/src/routines.ts";
import { hangMs } from "../setup/limits.ts";
import { bundleWith } from "../setup/sample-requests.ts";
import { databases, echo, newLocation, startServer, type Answered, type TestServer } from "../setup/server.ts";

const pay = defineTool({
  name: "pay",
  description: "Pays.",
  parameters: z.object({ amount: z.number() }),
  effects: "once",
  execute: ({ amount }) => ({ paid: amount }),
});

const clerk: Agent = defineAgent({
  name: "clerk",
  version: 1,
  state: defineState({
    message: input(z.string()),
    note: reduced(z.string(), { show: "public" }),
    secret: reduced(z.string()),
    paid: reduced(z.number()),
  }),
  reply: loop({
    model: scripted(({ messages }) => {
      const last = messages.at(-1);
      return last?.text === "pay" ? { calls: [{ call_id: "c0", name: "pay", arguments: { amount: 5 } }] } : `re:${last?.text ?? ""}`;
    }),
    tools: [pay],
  }),
  sections: [recentMessages],
  memory: memory(),
});

/** A service whose requests name their key. */
interface Desk {
  readonly as: (...scopes: readonly Scope[]) => Promise<TestServer["request"]>;
  readonly admin: TestServer["request"];
  /** With a token of the customer `ada`. */
  readonly customer: TestServer["request"];
  readonly server: TestServer;
  readonly session: string;
}

async function startDesk(database: (typeof databases)[number] | "memory" = "memory"): Promise<Desk> {
  const location = database === "memory" ? ":memory:" : await newLocation(database);
  const store = await openStore(location);
  const server = await startServer({ store, agents: [clerk] });
  const bearer =
    (token: string): TestServer["request"] =>
    (method, path, body, headers) =>
      server.request(method, path, body, { authorization: `Bearer ${token}`, ...headers });
  const as: Desk["as"] = async (...scopes) => bearer((await createKey(store, { name: scopes.join(" "), scopes })).key);
  const admin = await as("admin");
  await admin("POST", "/v1/customers", { id: "ada" });
  const { body } = await admin("POST", "/v1/sessions", { agent: "clerk", customer_id: "ada" });
  const { body: issued } = await admin("POST", "/v1/tokens", { customer_id: "ada" });
  return { as, admin, customer: bearer(issued.token), server, session: body.id };
}

const say = async ({ server, session }: Desk, text: string): Promise<void> => void (await (await server.runtime.sessions.get(session)).send(text));
const codes = (answers: readonly Answered[]): readonly unknown[] => answers.map(({ status, body }) => body?.code ?? status);

describe.each(databases)("on %s", (database) => {
  it("summaries cover the log without a gap from both ends, and show what events show", async () => {
    const desk = await startDesk(database);
    const { admin, session } = desk;
    for (const text of ["hi", "pay", "🙂 long\n".repeat(40)]) await say(desk, text);
    const of = `/v1/sessions/${session}/summaries`;
    const { body: all } = await admin("GET", `${of}?kinds=message,tool,status,custom,state,turn,session,assessment`);
    const { head } = all;
    expect(all).toMatchObject({ before_offset: null, next_offset: head + 1 });
    expect(all.items.map(({ offset }: { offset: number }) => offset)).toEqual(Array.from({ length: head + 1 }, (_, at) => at));
    const { body: events } = await admin("GET", `/v1/sessions/${session}/events?limit=1000`);
    const { body: shown } = await admin("GET", of);
    expect(shown.items.map(({ offset, kind }: { offset: number; kind: string }) => [offset, kind])).toEqual(
      events.items.map(({ offset, kind }: { offset: number; kind: string }) => [offset, kind]),
    );
    const called = shown.items.find(({ type }: { type?: string }) => type === "called");
    expect(called).toMatchObject({ kind: "tool", preview: "pay", source: "ai_agent" });
    const long = shown.items.find(({ preview = "" }: { preview?: string }) => preview.startsWith("🙂"));
    expect(Array.from(long.preview as string)).toHaveLength(previewCharacters);
    expect(long.preview).toMatch(/…$/u);
    const newest: number[] = [];
    for (let before: number | null | undefined; before !== null;) {
      const { body: page } = await admin("GET", `${of}?order=desc&limit=4${before === undefined ? "" : `&max_offset=${before}`}`);
      expect(page.next_offset).toBe((before ?? head) + 1);
      newest.push(...page.items.map(({ offset }: { offset: number }) => offset));
      before = page.before_offset;
    }
    expect(newest).toEqual(shown.items.map(({ offset }: { offset: number }) => offset).toReversed());
    const { body: stretch } = await admin("GET", `${of}?min_offset=3&limit=2`);
    const { body: next } = await admin("GET", `${of}?min_offset=${stretch.next_offset}&limit=2`);
    expect([stretch.before_offset, next.before_offset]).toEqual([2, stretch.next_offset - 1]);
  });

  it("sessions are found by their last event, with turns, and open turns with their worker", async () => {
    const desk = await startDesk(database);
    const { admin, session } = desk;
    await say(desk, "hi");
    const { body: info } = await admin("GET", `/v1/sessions/${session}`);
    expect(info.turns).toBe(1);
    const found = async (query: string): Promise<readonly string[]> =>
      (await admin("GET", `/v1/sessions?${query}`)).body.items.map(({ id }: { id: string }) => id);
    expect(await found(`updated_from=${info.updated_at}`)).toEqual([session]);
    expect(await found(`updated_from=${info.updated_at + 1}`)).toEqual([]);
    expect(await found(`updated_before=${info.updated_at}`)).toEqual([]);
    const { body: status } = await admin("GET", "/v1/status");
    expect(status).toMatchObject({
      name: "throughline",
      engine: { SQLite: "sqlite", PostgreSQL: "postgres" }[database],
      agents: [{ name: "clerk", version: 1 }],
      open_turns: { total: 0, held: 0 },
    });
    expect(status.limits).toMatchObject({ waiters: 10_000, body_bytes: 1_048_576, customer: { requests_per_minute: 600 } });
    expect((await admin("GET", "/v1/open-turns")).body).toMatchObject({ items: [], total: 0 });
  });
});

it("a customer reads summaries of what events show to customers, and nothing else", async () => {
  const desk = await startDesk();
  const { admin, as, customer, session } = desk;
  await say(desk, "pay");
  await admin("PATCH", `/v1/sessions/${session}/state`, { delta: { note: "open", secret: "canary" } });
  await admin("PATCH", `/v1/sessions/${session}/state`, { delta: { secret: "canary two" } });
  const of = `/v1/sessions/${session}/summaries`;
  const { body: shown, text } = await customer("GET", of);
  const { body: events } = await customer("GET", `/v1/sessions/${session}/events?limit=1000`);
  const offsets = (items: readonly { readonly offset: number }[]): readonly number[] => items.map(({ offset }) => offset);
  expect(offsets(shown.items)).toEqual(offsets(events.items));
  expect(text).not.toMatch(/secret|canary|tool|operator/u);
  expect(shown.items.filter(({ kind }: { kind: string }) => kind === "state")).toMatchObject([{ preview: "note" }]);
  expect(codes([await customer("GET", `${of}?withdrawn=true`), await customer("GET", `/v1/sessions/ses_${"0".repeat(26)}/summaries`)])).toEqual([
    "auth.forbidden",
    "session.not_found",
  ]);
  const reader = await as("sessions:read");
  expect(codes([await reader("GET", `${of}?kinds=assessment`), await reader("GET", of)])).toEqual(["auth.forbidden", 200]);
});

it("a held turn is listed with its worker and lease", async () => {
  const held = Promise.withResolvers<void>();
  const slow = defineAgent({
    name: "slow",
    version: 1,
    state: defineState({ message: input(z.string()) }),
    reply: loop({ model: scripted(() => ({ text: ["one"], wait: async () => held.promise })) }),
  });
  const { request, runtime } = await startServer({ agents: [slow] });
  const session = await runtime.sessions.create({ agent: "slow" });
  await session.post("hi");
  await expect.poll(async () => (await request("GET", "/v1/open-turns?held=true")).body.total).toBe(1);
  const [turn] = (await request("GET", "/v1/open-turns?held=true")).body.items;
  expect(turn).toMatchObject({ session_id: session.id, agent: "slow", cause: "message", status: "running", attempts: 1 });
  expect(turn.worker).toMatch(/./u);
  expect(turn.until).toBeGreaterThan(turn.created_at);
  expect((await request("GET", "/v1/status")).body).toMatchObject({ engine: "memory", open_turns: { total: 1, held: 1 } });
  held.resolve();
  await expect.poll(async () => (await request("GET", "/v1/open-turns")).body.total).toBe(0);
});

it("a preview of an edit shows the patch or the problems, and changes nothing", async () => {
  const desk = await startDesk();
  const { admin, session, as, customer } = desk;
  const of = `/v1/sessions/${session}/state`;
  const { body: before } = await admin("GET", `${of}?view=internal`);
  const { body: preview } = await admin("POST", `${of}/preview`, { delta: { note: "x" } });
  expect(preview).toEqual({ state_offset: before.state_offset, patch: [{ op: "add", path: "/note", value: "x" }], problems: [] });
  expect((await admin("GET", `${of}?view=internal`)).body).toEqual(before);
  const { body: refused } = await admin("POST", `${of}/preview`, { delta: { note: 5, nothing: 1 } });
  expect(refused.patch).toEqual([]);
  expect(refused.problems.map(({ field, code }: { field: string; code: string }) => [field, code])).toEqual([
    ["note", "state.invalid_value"],
    ["nothing", "state.unknown_field"],
  ]);
  await admin("PATCH", of, { delta: { note: "x" }, expected_offset: preview.state_offset, operator: "Ann" });
  const { body: writers } = await admin("GET", `${of}/writers`);
  expect(writers.fields.note).toMatchObject({ writer: { type: "operator", name: "Ann" } });
  const [writes, reads, both] = [await as("state:write"), await as("state:read"), await as("state:write", "state:read")];
  const tries = [writes, reads, both, customer].map((ask) => ask("POST", `${of}/preview`, { delta: { note: "y" } }));
  expect(codes(await Promise.all(tries))).toEqual(["auth.forbidden", "auth.forbidden", 200, "auth.forbidden"]);
  expect(codes([await customer("GET", `${of}/writers`), await writes("GET", `${of}/writers`)])).toEqual(["auth.forbidden", "auth.forbidden"]);
});

it("an agent shows its fields only to keys that may read state", async () => {
  const { as } = await startDesk();
  const plain = (await (await as("sessions:read"))("GET", "/v1/agents/clerk")).body;
  expect(plain.fields).toBeUndefined();
  const { fields } = (await (await as("sessions:read", "state:read"))("GET", "/v1/agents/clerk")).body;
  expect(fields.secret).toEqual({ lifecycle: "reduced", show: "internal", reducer: "replace", schema: { type: "string" } });
  expect(fields.message).toMatchObject({ lifecycle: "input" });
});

it("an agent shows its routines as graphs only to keys that may read state", async () => {
  const routine = routineFrom({ id: "sort", title: "Sort", nodes: { ask: { chat: { instructions: "Ask in secret." }, next: "end" } } });
  const agent = defineAgent({
    ...{ name: "sorter", state: defineState(routineFields()), extensions: [routines({ routines: [routine] })] },
    reply: loop({ model: scripted(() => "") }),
  });
  const { store, request } = await startServer({ agents: [agent, echo] });
  const reader = async (name: string, ...scopes: readonly Scope[]) => {
    const { key } = await createKey(store, { name, scopes });
    return async (path: string) => (await request("GET", path, undefined, { authorization: `Bearer ${key}` })).body;
  };
  const [plain, full] = [await reader("plain", "sessions:read"), await reader("full", "sessions:read", "state:read")];
  expect((await plain("/v1/agents/sorter")).routines).toBeUndefined();
  const { routines: graphs } = await full("/v1/agents/sorter");
  const nodes = [{ id: "ask", kind: "chat", next: [{ to: "end" }] }];
  expect(graphs).toEqual([{ id: "sort", version: 1, title: "Sort", description: "", autonomous: false, entry: "ask", nodes }]);
  expect((await full("/v1/agents")).items.map(({ name, routines: some }: { name: string; routines?: unknown[] }) => [name, some?.length])).toEqual([
    ["a1", undefined],
    ["sorter", 1],
  ]);
});

it("effects are listed after an offset, and a fork that reuses them runs nothing again", async () => {
  const desk = await startDesk();
  const { admin, customer, session, server } = desk;
  const { head } = (await admin("GET", `/v1/sessions/${session}`)).body;
  await say(desk, "pay");
  const { body } = await admin("GET", `/v1/sessions/${session}/effects?after=${head}`);
  expect(body).toMatchObject({
    items: [{ name: "pay", effects: "once", arguments: { amount: 5 }, result: { type: "ok", value: { paid: 5 } } }],
    next_after: null,
  });
  expect(codes([await customer("GET", `/v1/sessions/${session}/effects`)])).toEqual(["auth.forbidden"]);
  const { body: fork } = await admin("POST", `/v1/sessions/${session}/fork`, { at: head, reuse: true });
  await (await server.runtime.sessions.get(fork.id)).send("pay");
  const { body: events } = await admin("GET", `/v1/sessions/${fork.id}/events?kinds=tool`);
  expect(events.items.map(({ data }: { data: object }) => data)).toMatchObject([{ type: "returned", reused_from: body.items[0].returned_at }]);
});

it("the recall tester ranks as a turn does, records nothing and is audited; customers may not send it", async () => {
  const { admin, as, customer, session } = await startDesk();
  const whose = "/v1/customers/ada/memory";
  await admin("POST", `${whose}/facts`, { quote: "I like lemon cake.", object: "lemon cake" });
  await admin("POST", `${whose}/facts`, { quote: "My brother lives in Oslo.", object: "Oslo" });
  const { body: before } = await admin("GET", whose);
  const { body: recalled } = await admin("POST", `${whose}/recall`, { text: "lemon cake" });
  expect(recalled.items[0]).toMatchObject({ kind: "fact", placement: "in prompt" });
  expect(recalled.items[0].text).toContain("lemon cake");
  expect(Object.keys(recalled.items[0].parts)).not.toEqual([]);
  expect(recalled.diagnostics).toMatchObject({ retrieval_path: "token_recall", semantic_store_size: 2 });
  expect((await admin("GET", whose)).body).toEqual(before);
  expect((await admin("POST", `/v1/sessions/${session}/memory/recall`, { text: "lemon cake" })).body.items).toEqual(recalled.items);
  const answers = [
    await customer("POST", `${whose}/recall`, { text: "x" }),
    await (await as("memory:write"))("POST", `${whose}/recall`, { text: "x" }),
  ];
  expect(codes(answers)).toEqual(["auth.forbidden", "auth.forbidden"]);
  const { body: audit } = await admin("GET", "/v1/audit");
  expect(audit.items.map(({ operation }: { operation: string }) => operation)).toContain("recallCustomerMemory");
  const { body: incognito } = await admin("POST", "/v1/sessions", { agent: "clerk", customer_id: "ada", incognito: true });
  expect((await admin("POST", `/v1/sessions/${incognito.id}/memory/recall`, { text: "lemon cake" })).body.items).toEqual([]);
});

it("an erasure preview counts what the receipt then counts", async () => {
  const desk = await startDesk();
  const { admin, as, customer, session, server } = desk;
  await say(desk, "hi");
  const fork = await (await server.runtime.sessions.get(session)).fork();
  await fork.send("more");
  await admin("PATCH", "/v1/customers/ada/variables", { tier: "gold" });
  await admin("POST", "/v1/customers/ada/memory/facts", { quote: "I like lemon.", object: "lemon" });
  const { body: one } = await admin("GET", `/v1/sessions/${session}/erasure`);
  expect(one).toMatchObject({ sessions: 1, forks: 1, memory: null });
  const { body: whole } = await admin("GET", "/v1/customers/ada/erasure");
  expect(whole).toMatchObject({ sessions: 2, variables: 1, memory: { facts: 1 } });
  expect(codes([await (await as("customers:read"))("GET", "/v1/customers/ada/erasure"), await customer("GET", "/v1/customers/ada/erasure")])).toEqual(
    ["auth.forbidden", "auth.forbidden"],
  );
  const { body: job } = await admin("DELETE", "/v1/customers/ada");
  await expect.poll(async () => (await admin("GET", `/v1/jobs/${job.id}`)).body.status).toBe("done");
  const { receipt } = (await admin("GET", `/v1/jobs/${job.id}`)).body;
  expect([receipt.sessions, receipt.events]).toEqual([whole.sessions, whole.events]);
});

it("an anonymous session takes its memory with it, and the preview says so", async () => {
  const { admin } = await startDesk();
  const { body: alone } = await admin("POST", "/v1/sessions", { agent: "clerk" });
  await admin("POST", `/v1/sessions/${alone.id}/memory/facts`, { quote: "I like lemon.", object: "lemon" });
  expect((await admin("GET", `/v1/sessions/${alone.id}/erasure`)).body).toMatchObject({ sessions: 1, memory: { facts: 1 } });
});

it("a session is exported whole or redacted, with the scope for it, and audited", async () => {
  const desk = await startDesk();
  const { admin, as, customer, session } = desk;
  await say(desk, "canary-text");
  const of = `/v1/sessions/${session}/export`;
  const whole = await admin("GET", of);
  expect(whole.headers.get("content-type")).toBe("application/x-ndjson");
  expect(whole.text).toContain("canary-text");
  const lines = whole.text.trimEnd().split("\n");
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ type: "end", sessions: 1 });
  const redacted = await admin("GET", `${of}?redacted=true`);
  expect(redacted.text).not.toContain("canary-text");
  expect(codes([await (await as("sessions:read", "state:read"))("GET", of), await customer("GET", of)])).toEqual([
    "auth.forbidden",
    "auth.forbidden",
  ]);
  expect((await admin("GET", "/v1/audit")).body.items[0]).toMatchObject({ operation: "exportSession", objects: { session_id: session } });
});

it.each(databases)("a bundle is imported by an admin, completely or not at all, and audited: %s", async (database) => {
  const desk = await startDesk();
  const { admin, as, customer, session } = desk;
  await say(desk, "canary-text");
  const bundle = (await admin("GET", `/v1/sessions/${session}/export`)).text;
  const other = await startServer({ agents: [clerk], location: await newLocation(database) });
  const give = (given: unknown, headers = {}): Promise<Answered> => other.request("POST", "/v1/sessions/import", { bundle: given }, headers);
  const { status, body } = await give(bundle, { "idempotency-key": "i1" });
  expect([status, body.customer_id]).toEqual([201, "ada"]);
  const id = String(body.sessions[session]);
  expect(id).not.toBe(session);
  const eventsOf = async (ask: TestServer["request"], of: string): Promise<unknown> =>
    (await ask("GET", `/v1/sessions/${of}/events`)).body.items.map(({ kind, data }: { readonly kind: string; readonly data: unknown }) => ({
      kind,
      data,
    }));
  expect(await eventsOf(other.request, id)).toEqual(await eventsOf(admin, session));
  expect((await other.request("GET", `/v1/sessions/${id}/state?view=internal`)).body.state).toEqual(
    (await admin("GET", `/v1/sessions/${session}/state?view=internal`)).body.state,
  );
  // It answers as before.
  await other.request("POST", `/v1/sessions/${id}/events`, { kind: "message", text: "again" });
  const said = async (): Promise<string> => (await other.request("GET", `/v1/sessions/${id}/events?kinds=message`)).text;
  await expect.poll(said, { timeout: hangMs }).toContain("re:again");
  expect((await other.request("GET", "/v1/audit")).body.items[0]).toMatchObject({
    operation: "importBundle",
    status: 201,
    objects: { sessions: id },
  });
  // A repeated request imports nothing more, and a bundle that was changed imports nothing at all.
  expect((await give(bundle, { "idempotency-key": "i1" })).body).toEqual(body);
  const redacted = (await admin("GET", `/v1/sessions/${session}/export?redacted=true`)).text;
  for (const wrong of [bundle.replace("canary-text", "canary-lie"), bundle.slice(0, 400), redacted, "nothing"])
    expect((await give(wrong)).body.code).toBe("bundle.invalid");
  expect((await other.request("GET", "/v1/sessions")).body.total).toBe(1);
  const refused = ["POST", "/v1/sessions/import", { bundle }] as const;
  expect(codes([await (await as("export", "sessions:write", "customers:write"))(...refused), await customer(...refused)])).toEqual([
    "auth.forbidden",
    "auth.forbidden",
  ]);
});

it("an import whose caller leaves is erased", async () => {
  const { url, request } = await startServer({ agents: [clerk], location: await newLocation("SQLite") });
  const leaving = new AbortController();
  const sent = fetch(`${url}/v1/sessions/import`, {
    ...{ method: "POST", signal: leaving.signal, headers: { "content-type": "application/json", "idempotency-key": "i1" } },
    body: JSON.stringify({ bundle: bundleWith("Long", { from: 1_000_000 }) }),
  });
  const left = expect(sent).rejects.toThrow("aborted");
  const sessions = async (): Promise<number> => (await request("GET", "/v1/sessions")).body.total;
  await expect.poll(sessions, { timeout: hangMs }).toBe(1);
  leaving.abort();
  await left;
  await expect.poll(sessions, { timeout: hangMs }).toBe(0);
});

it("keys are created, listed and revoked by an admin alone; the secret is shown once and never kept", async () => {
  const { admin, as, customer, server } = await startDesk();
  const { status, body: made } = await admin("POST", "/v1/keys", { name: "inspector", scopes: ["sessions:read"] }, { "idempotency-key": "k1" });
  expect(status).toBe(201);
  const ask = (key: string): Promise<Answered> => server.request("GET", "/v1/sessions", undefined, { authorization: `Bearer ${key}` });
  expect((await ask(made.key)).status).toBe(200);
  const again = await admin("POST", "/v1/keys", { name: "inspector", scopes: ["sessions:read"] }, { "idempotency-key": "k1" });
  expect(again.body.id).not.toBe(made.id);
  const { body: listed } = await admin("GET", "/v1/keys");
  expect(JSON.stringify(listed)).not.toContain(made.key.slice(-43));
  expect(listed.items.find(({ id }: { id: string }) => id === made.id)).toMatchObject({ name: "inspector", scopes: ["sessions:read"] });
  expect((await admin("DELETE", `/v1/keys/${made.id}`)).body.revoked_at).toBeGreaterThan(0);
  await expect.poll(async () => (await ask(made.key)).status, { timeout: 5_000 }).toBe(401);
  const others = [await as("tokens", "audit:read"), customer];
  for (const other of others)
    expect(
      codes([
        await other("POST", "/v1/keys", { name: "x", scopes: ["admin"] }),
        await other("GET", "/v1/keys"),
        await other("DELETE", `/v1/keys/${again.body.id}`),
      ]),
    ).toEqual(Array.from({ length: 3 }, () => "auth.forbidden"));
  const { body: audit } = await admin("GET", "/v1/audit");
  const entries = audit.items.filter(
    ({ operation, objects }: { operation: string; objects: { key_id?: string } }) => operation === "createKey" && objects.key_id === made.id,
  );
  expect(entries).toHaveLength(1);
  expect(entries[0].actor).toMatch(/^key:/u);
});

it("the client has a method for each", async () => {
  const desk = await startDesk();
  await say(desk, "pay");
  const { key } = await createKey(desk.server.store, { name: "client", scopes: ["admin"] });
  const client = createClient({ baseUrl: desk.server.url, key });
  const session = client.sessions.get(desk.session);
  expect((await session.summaries({ order: "desc", limit: 2 })).items).toHaveLength(2);
  expect((await session.effects()).items).toHaveLength(1);
  expect((await session.stateWriters()).offset).toBeGreaterThan(0);
  expect((await session.previewState({ delta: { note: "x" } })).patch).toHaveLength(1);
  expect((await session.memory.recall("anything")).items).toEqual([]);
  expect((await session.erasurePreview()).sessions).toBe(1);
  expect((await client.customers.erasurePreview("ada")).sessions).toBe(1);
  expect((await client.customers.memory("ada").recall("anything", { opening: true })).diagnostics.candidates).toBe(0);
  expect((await Array.fromAsync(session.export({ redacted: true }))).at(-1)).toContain(`"type":"end"`);
  const fork = await session.fork({ reuse: true });
  expect((await fork.event((await fork.info()).head)).data).toMatchObject({ type: "forked" });
  const made = await client.keys.create({ name: "made", scopes: ["usage:read"] });
  expect((await client.keys.list()).map(({ id }) => id)).toContain(made.id);
  expect((await client.keys.revoke(made.id)).revoked_at).toBeGreaterThan(0);
  expect((await client.operations.status()).open_turns.total).toBe(0);
  expect((await client.operations.openTurns({ held: true })).items).toEqual([]);
});

it("the safety of sessions is their highest level, for those who may read it", async () => {
  const { admin, as, customer, session, server } = await startDesk();
  const assessed = async (level: number): Promise<unknown> => {
    const event = { kind: "assessment", source: "system", data: { audit_id: `a${level}`, level }, trace_id: "a".repeat(32) as TraceId } as const;
    return server.store.commit({ commit_id: `level ${level}`, at: Date.now(), session: { session_id: session as SessionId, events: [event] } });
  };
  const path = `/v1/safety/sessions?sessions=${session},ses_${"0".repeat(26)},nothing`;
  expect((await admin("GET", path)).body.items).toEqual([{ session_id: session, level: null, assessments: 0 }]);
  for (const level of [1, 3, 2]) await assessed(level);
  expect((await admin("GET", path)).body.items).toMatchObject([{ session_id: session, level: 3, offset: 2, assessments: 3 }]);
  expect(codes([await (await as("sessions:read"))("GET", path), await (await as("safety:read"))("GET", path), await customer("GET", path)])).toEqual(
    Array.from({ length: 3 }, () => "auth.forbidden"),
  );
});

it("an export whose reading fails is cut, and never looks whole", async () => {
  const desk = await startDesk();
  await say(desk, "hi");
  const { store } = desk.server;
  const read = store.read.bind(store);
  Object.assign(store, {
    read: async (request: Parameters<typeof read>[0]) => {
      if (request.session_id === desk.session) throw new ThroughlineError("store.unreachable");
      return read(request);
    },
  });
  const answer = await desk.admin("GET", `/v1/sessions/${desk.session}/export`).catch((error: unknown) => error);
  expect(answer instanceof Error || !JSON.stringify(answer).includes('type\\":\\"end')).toBe(true);
});

it("the whole state is read also where its agent is not loaded, but not a part of it", async () => {
  const desk = await startDesk();
  await desk.admin("PATCH", `/v1/sessions/${desk.session}/state`, { delta: { note: "x" } });
  const other = await startServer({ store: desk.server.store, agents: [echo], runtime: { work: false } });
  const { key } = await createKey(desk.server.store, { name: "reader", scopes: ["admin"] });
  const read = async (server: TestServer, query: string): Promise<Answered> =>
    server.request("GET", `/v1/sessions/${desk.session}/state${query}`, undefined, { authorization: `Bearer ${key}` });
  const whole = await read(desk.server, "?view=internal");
  expect(whole.body.state).toMatchObject({ note: "x" });
  expect((await read(other, "?view=internal")).body).toEqual(whole.body);
  expect((await read(other, "?view=internal&at=0")).body.state).toEqual({});
  expect(codes([await read(other, ""), await read(other, "?view=output")])).toEqual(["agent.not_found", "agent.not_found"]);
});
