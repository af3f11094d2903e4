/** Memory over HTTP and through the client: what a person and an integration can do with it, and what nobody else can. */
import { describe, expect, it } from "vitest";
import { createClient, type ThroughlineClient } from "../../packages/client/src/client.ts";
import { recalledMemory } from "../../packages/throughline/src/context/stock-sections.ts";
import { recentMessages } from "../../packages/throughline/src/context/section.ts";
import { memory } from "../../packages/throughline/src/memory/memory-extension.ts";
import { scripted } from "../../packages/throughline/src/model/scripted.ts";
import type { Operation } from "../../packages/server/src/protocol/operation.ts";
import { operations, type OperationId } from "../../packages/server/src/protocol/operations.ts";
import type { Scope } from "../../packages/server/src/protocol/wire-auth.ts";
import { defineAgent } from "../../packages/throughline/src/runtime/agent/define-agent.ts";
import { loop } from "../../packages/throughline/src/runtime/loop/loop.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { defineState } from "../../packages/throughline/src/state/define.ts";
import { startServer, type TestServer } from "../setup/server.ts";

const friend = defineAgent({
  ...{ name: "friend", version: 1, state: defineState({}), memory: memory(), keepRequests: true },
  ...{ sections: [recalledMemory(), recentMessages], reply: loop({ model: scripted(() => "I see.") }) },
});

interface World extends TestServer {
  readonly client: ThroughlineClient;
  readonly as: (credential: string) => ThroughlineClient;
  readonly keyWith: (...scopes: readonly Scope[]) => Promise<string>;
}

async function world(): Promise<World> {
  const server = await startServer({ agents: [friend] });
  const as = (credential: string): ThroughlineClient => createClient({ baseUrl: server.url, key: credential, retries: 0 });
  const keyWith = async (...scopes: readonly Scope[]): Promise<string> => (await createKey(server.store, { name: "k", scopes: [...scopes] })).key;
  return { ...server, as, keyWith, client: as(await keyWith("admin")) };
}

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "done",
    (error: { readonly code?: string }) => error.code,
  );

describe("what is remembered", () => {
  it("comes from a conversation, is told why, put right, and forgotten to the end", async () => {
    const { client } = await world();
    const session = await client.sessions.open({ agent: "friend", customer_id: "ada" });
    await session.send("My sister Marta lives in Turin with her dog Pepper.");
    await session.send("I am afraid of the exam in May. My sister Marta helps me.");
    const ended = await session.closeEpisode();
    expect(ended).toMatchObject({ finalized: true, episode: 1 });
    expect(ended.detail).toMatch(/^Remembered: /u);
    expect(await session.closeEpisode()).toMatchObject({ episode: 2, finalized: false, summary: null, turn_count: 0 });

    const later = await client.sessions.create({ agent: "friend", customer_id: "ada" });
    await later.send("What is the name of my sister Marta's dog?");
    const { items } = await later.turns();
    const told = await later.turnMemory(items[0]?.turn_id ?? "");
    expect(told.diagnostics).toMatchObject({ retrieval_path: "token_recall", semantic_hits: expect.any(Number) });
    expect(told.items.find(({ placement }) => placement === "in prompt")?.text).toContain("Marta");
    expect((await later.prompt()).body).toContain("Pepper");

    const ada = client.customers.memory("ada");
    const fact = await ada.remember({
      quote: "Marta lives in Turin.",
      subject: { type: "Person", id: "Marta" },
      predicate: "LIVES_IN",
      object: "Turin",
    });
    expect(await ada.pin(fact.entry_id)).toMatchObject({ entry: { pinned: true } });
    const milan = await ada.correct(fact.entry_id, { object: "Milan" });
    expect(await ada.get(fact.entry_id)).toMatchObject({ in_force: false, entry: { superseded_by: milan.entry_id } });
    expect(milan.entry).toMatchObject({ authority: "person", pinned: true });
    expect((await ada.find("milan")).map(({ entry_id }) => entry_id)).toContain(milan.entry_id);
    await ada.neverRecall(milan.entry_id);
    expect(await ada.status()).toMatchObject({ never_recalled: 1, recall_enabled: false });
    expect(await later.memory.setRecall(true)).toMatchObject({ recall_enabled: true });
    expect(await later.memory.savePreference("Keep it short.")).toMatchObject({ text: "Keep it short." });
    expect((await ada.export()).profile.rules).toHaveLength(1);

    const about = (await ada.find("Marta")).map(({ entry_id }) => entry_id);
    const gone = await ada.forget(about, { messages: true });
    expect(gone.redacted.flatMap(({ offsets }) => offsets).length).toBeGreaterThan(1);
    expect(await ada.find("Marta")).toEqual([]);
    expect(await codeOf(later.prompt())).toBe("prompt.not_kept");
    expect(JSON.stringify(await session.page())).not.toContain("Marta");
    await ada.clear();
    expect(await ada.status()).toMatchObject({ facts: 0, turns: 0, arcs: 0, rules: 0, recall_enabled: true });
    const pages: unknown[] = [];
    for await (const entry of ada.all({ all: true, limit: 1 })) pages.push(entry);
    expect(pages).toEqual([]);
  });

  it("is changed on condition of a version, and once however often it is asked for", async () => {
    const { client, request, keyWith } = await world();
    await client.customers.create({ id: "ada" });
    const ada = client.customers.memory("ada");
    const first = await ada.remember({ quote: "I live in Bonn.", predicate: "LIVES_IN", object: "Bonn" });
    expect((await ada.remember({ quote: "I live in Bonn.", predicate: "LIVES_IN", object: "Bonn" })).entry.sources).toHaveLength(1);
    const { version } = await ada.get(first.entry_id);
    const marked = await ada.mark(first.entry_id, { pinned: true, never_recall: true }, { ifVersion: version });
    expect(marked.entry).toMatchObject({ pinned: true, never_recall: true });
    const late = [
      ada.mark(first.entry_id, { pinned: false }, { ifVersion: version }),
      ada.correct(first.entry_id, { object: "Ulm" }, { ifVersion: version }),
      client.call("forgetCustomerMemoryEntry", { path: { customer_id: "ada", entry_id: first.entry_id }, query: {}, ifVersion: version }),
    ];
    expect(new Set(await Promise.all(late.map(codeOf)))).toEqual(new Set(["request.precondition_failed"]));
    const ulm = await ada.correct(first.entry_id, { object: "Ulm" });
    expect((await ada.correct(first.entry_id, { object: "Ulm" })).entry_id).toBe(ulm.entry_id);
    expect(await codeOf(ada.correct(first.entry_id, { object: "Rome" }))).toBe("memory.entry_not_found");
    const key = { authorization: `Bearer ${await keyWith("admin")}` };
    const entry = await request("GET", `/v1/customers/ada/memory/entries/${ulm.entry_id}`, undefined, key);
    expect(entry.headers.get("etag")).toMatch(new RegExp(`^"${entry.body.version}-[\\w-]{16}"$`));
    const page = await request("GET", "/v1/customers/ada/memory/export?format=markdown", undefined, key);
    expect([page.headers.get("content-type"), page.text]).toEqual(["text/markdown; charset=utf-8", expect.stringContaining("Ulm")]);
  });
});

it("case 96: an incognito session reads as empty, and refuses every change", async () => {
  const { client } = await world();
  await client.customers.create({ id: "ada" });
  await client.customers.memory("ada").remember({ quote: "I live in Bonn." });
  const session = await client.sessions.open({ agent: "friend", customer_id: "ada", key: "quiet", incognito: true });
  expect(await session.info()).toMatchObject({ incognito: true });
  expect(await codeOf(client.sessions.open({ agent: "friend", customer_id: "ada", key: "quiet", incognito: false }))).toBe("session.invalid");
  await session.send("I live in Rome.");
  const mine = session.memory;
  expect(await mine.status()).toMatchObject({ incognito: true, facts: 0, turns: 0 });
  expect([await mine.list(), await mine.find("Bonn"), (await mine.export()).facts]).toMatchObject([{ items: [], total: 0 }, [], []]);
  const changes = [mine.setRecall(true), mine.savePreference("x"), mine.remember({ quote: "x" }), mine.clear(), mine.forget(["x"])];
  expect(new Set(await Promise.all(changes.map(codeOf)))).toEqual(new Set(["memory.incognito"]));
  expect(await session.closeEpisode()).toMatchObject({ finalized: false, summary: null, themes: [], open_loops: [] });
  expect(await client.customers.memory("ada").status()).toMatchObject({ facts: 1, turns: 0, recall_enabled: false });
});

describe("who may", () => {
  const ids = (Object.keys(operations) as readonly OperationId[]).filter((id) => (operations[id] as Operation).tag === "memory");

  it("look at it, change it, and remove what was said: by scope", async () => {
    const { client, as, keyWith } = await world();
    await client.customers.create({ id: "ada" });
    const { entry_id } = await client.customers.memory("ada").remember({ quote: "I live in Bonn." });
    const [reads, writes, none] = [as(await keyWith("memory:read")), as(await keyWith("memory:write")), as(await keyWith("customers:read"))];
    const rows: readonly (readonly [string, () => Promise<unknown>])[] = [
      ["done", () => reads.customers.memory("ada").status()],
      ["auth.forbidden", () => reads.customers.memory("ada").setRecall(true)],
      ["auth.forbidden", () => writes.customers.memory("ada").list()],
      ["done", () => writes.customers.memory("ada").setRecall(true)],
      ["auth.forbidden", () => none.customers.memory("ada").status()],
      ["auth.forbidden", () => writes.customers.memory("ada").forget([entry_id], { messages: true })],
      ["done", () => writes.customers.memory("ada").forget([entry_id])],
    ];
    for (const [index, [code, work]] of rows.entries()) expect([index, await codeOf(work())]).toEqual([index, code]);
  });

  it("a customer's token reaches that customer's memory alone, by every way; one for a session reaches none", async () => {
    const { client, as, url, request } = await world();
    const sessionOf = async (customer_id: string): Promise<string> => (await client.sessions.open({ agent: "friend", customer_id })).id;
    const [ada, eve] = [await sessionOf("ada"), await sessionOf("eve")];
    const { entry_id } = await client.customers.memory("ada").remember({ quote: "My canary is yellow." });
    const tokenFor = async (given: object): Promise<string> => (await client.call("createToken", { body: { customer_id: "eve", ...given } })).token;
    const [all, one] = [await tokenFor({}), await tokenFor({ session_id: eve })];
    const bodies: Readonly<Record<string, unknown>> = {
      ...{ update: { recall_enabled: true }, mark: { pinned: true }, correct: { object: "x" }, forget: { entry_ids: [entry_id] } },
    };
    for (const id of ids) {
      const { method, path, customers, body, query } = operations[id] as Operation;
      const verb = /^[a-z]+/u.exec(id)?.[0] ?? "";
      const given = body === undefined ? undefined : (bodies[verb] ?? (id.endsWith("Rule") ? { text: "x" } : { quote: "x" }));
      const to = (session: string, customer: string): string =>
        path.replace("{session_id}", session).replace("{customer_id}", customer).replace("{entry_id}", entry_id) +
        (query?.shape["q"] === undefined ? "" : "?q=canary");
      const ask = (token: string, at: string) => request(method, at, given, { authorization: `Bearer ${token}` });
      const [foreign, bound, boundOwn] = [await ask(all, to(ada, "ada")), await ask(one, to(ada, "ada")), await ask(one, to(eve, "eve"))];
      const isOpen = customers === true;
      expect([id, foreign.status, bound.status, boundOwn.status]).toEqual([id, isOpen ? 404 : 403, isOpen ? 404 : 403, 403]);
      // What is somebody else's is not there under one's own name either.
      const own = await ask(all, to(eve, "eve"));
      expect([id, own.status]).toEqual([id, isOpen ? (path.includes("entry_id") || verb === "forget" ? 404 : 200) : 403]);
      for (const { text } of [foreign, bound, boundOwn, own]) expect(text).not.toContain("yellow");
    }
    expect(await client.customers.memory("ada").status()).toMatchObject({ facts: 1, recall_enabled: false });
    const mine = createClient({ baseUrl: url, token: all, retries: 0 });
    expect(await codeOf(mine.customers.memory("eve").clear({ messages: true }))).toBe("auth.forbidden");
    expect(await codeOf(as(all).sessions.get(eve).prompt())).toBe("auth.forbidden");
  });
});

describe("a request that is sent again with its key", () => {
  const named = async ({ keyWith }: World) => {
    const authorization = `Bearer ${await keyWith("admin")}`;
    return (name: string) => ({ authorization, "idempotency-key": name });
  };
  const quote = "I was diagnosed with canarypox.";
  const fact = { quote, predicate: "HAS", object: "canarypox" };

  it("is answered as the first time as long as nothing was forgotten", async () => {
    const there = await world();
    const { client, request } = there;
    const key = await named(there);
    await client.sessions.open({ agent: "friend", customer_id: "ada" });
    const add = () => request("POST", "/v1/customers/ada/memory/facts", fact, key("f-1"));
    const first = await add();
    expect(first.status).toBe(201);
    expect((await add()).text).toBe(first.text);
  });

  it("does not quote what was forgotten since, and is not done twice", async () => {
    const there = await world();
    const { client, request } = there;
    const key = await named(there);
    await client.sessions.open({ agent: "friend", customer_id: "ada" });
    const add = () => request("POST", "/v1/customers/ada/memory/facts", fact, key("f-1"));
    const { body } = await add();
    const forget = () => request("POST", "/v1/customers/ada/memory/forget", { entry_ids: [body.entry_id] }, key("f-2"));
    const forgotten = await forget();
    expect(forgotten.status).toBe(200);
    const again = await add();
    expect([again.status, again.body.code]).toEqual([410, "request.answer_removed"]);
    expect(again.text).not.toContain("canarypox");
    expect((await client.customers.memory("ada").status()).facts).toBe(0);
    expect((await forget()).text).toBe(forgotten.text);
  });

  it("about a conversation is answered with what is left of it", async () => {
    const there = await world();
    const { client, request } = there;
    const key = await named(there);
    const session = await client.sessions.open({ agent: "friend", customer_id: "ada" });
    const path = `/v1/sessions/${session.id}/events`;
    const send = () => request("POST", path, { kind: "message", source: "customer", text: quote }, key("m-1"));
    const first = await send();
    expect(first.status).toBe(201);
    await session.send("I like tea.");
    await client.customers.memory("ada").clear({ messages: true });
    const again = await send();
    expect([again.status, again.body.offset]).toEqual([first.status, first.body.offset]);
    expect(again.text).not.toContain("canarypox");
    expect(
      (await request("GET", path, undefined, key("g-1"))).body.items.filter((event: { source: string }) => event.source === "customer"),
    ).toHaveLength(2);
  });
});
