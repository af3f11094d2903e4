/** An anonymous session becomes a customer's. */
import { describe, expect, it, onTestFinished } from "vitest";
import {
  createRuntime,
  defineAgent,
  loop,
  openStore,
  scripted,
  variables,
  type Runtime,
  type Session,
  type Store,
} from "../../packages/throughline/src/index.ts";
import type { EntryWrite } from "../../packages/throughline/src/memory/entry.ts";
import { decodeEntries, encodeEntry } from "../../packages/throughline/src/memory/write/decode.ts";
import { factEntryId } from "../../packages/throughline/src/memory/write/key.ts";
import { encryption } from "../encryption/stores.ts";
import { fact, source } from "../memory/write/entries.ts";
import { emptyPostgresDatabase, newSqliteFile, noPostgres } from "../setup/database.ts";
import { code, collect, echoAgent, echoState, gate, started } from "./harness.ts";

const stores = {
  memory: () => openStore(":memory:"),
  sqlite: () => openStore(newSqliteFile()),
  encrypted: () => openStore(newSqliteFile(), { encryption }),
  ...(noPostgres === undefined ? { postgres: async () => openStore(await emptyPostgresDatabase()) } : {}),
};

describe.each(Object.entries(stores))("identify on %s", (_kind, open) => {
  const start = async (agents = [echoAgent()]): Promise<Runtime & { readonly store: Store }> => {
    const store = await open();
    onTestFinished(() => store.close());
    return started({ store, agents });
  };
  const identifiedBy = async (session: Session): Promise<readonly unknown[]> =>
    (await collect(session, { kinds: ["session"] })).flatMap(({ data }) => ("type" in data && data.type === "identified" ? [data] : []));

  it("the session is the customer's from then on: header, lists, participant, prompts", async () => {
    const prompts: string[] = [];
    const model = scripted((request) => (prompts.push(request.sections.map(({ text }) => text).join("\n")), "yes"));
    const agent = defineAgent({ name: "a1", version: 1, state: echoState, sections: [variables], reply: loop({ model }) });
    const { sessions, customers } = await start([agent]);
    await customers.create({ id: "ada", name: "Ada", variables: { plan: "gold" } });
    const session = await sessions.open({ agent: "a1", key: "cookie" });
    await session.setVariables({ set: { colour: "red" } });
    await session.send("hi");
    await session.identify({ customer: "ada" });
    expect((await session.info()).customer_id).toBe("ada");
    expect((await sessions.list({ customer: "ada" })).items.map(({ id }) => id)).toEqual([session.id]);
    expect(await identifiedBy(session)).toEqual([{ type: "identified", customer_id: "ada" }]);
    await session.send("me again");
    expect((await session.messages()).map(({ name }) => name)).toEqual([undefined, undefined, "Ada", undefined]);
    expect([prompts[0], prompts[1]]).toEqual([expect.stringContaining("red"), expect.stringContaining("gold")]);
    expect(prompts[1]).not.toContain("red");
    // The key goes on to name it, with and without the customer.
    expect((await sessions.open({ agent: "a1", customer: "ada", key: "cookie" })).id).toBe(session.id);
    expect((await sessions.open({ agent: "a1", key: "cookie" })).id).toBe(session.id);
    expect((await sessions.open({ agent: "a1", customer: "ada" })).id).not.toBe(session.id);
    expect((await sessions.open({ agent: "a1", customer: "bob", key: "cookie" })).id).not.toBe(session.id);
  });

  it("carry moves variables and entries; what the customer has stays, and is named", async () => {
    const { sessions, customers, store } = await start();
    await customers.create({ id: "ada", variables: { plan: "gold" } });
    const session = await sessions.create({ agent: "a1" });
    await session.setVariables({ set: { plan: "none", colour: "red", size: 4 } });
    await session.setVariables({ unset: ["size"] });
    const owner_id = (await store.open({ session_id: session.id }))!.owner_id;
    const entries = [
      { entry_id: "e1", kind: "fact", data: { n: 1 } },
      { entry_id: "e2", kind: "fact", data: { n: 2 } },
      { entry_id: "e1", kind: "fact", data: { n: 3 } },
      { entry_id: "e2", kind: "fact", data: null },
    ];
    await store.commit({ commit_id: "c", at: 1, owner: { owner_id, entries } });
    await session.identify({ customer: "ada", carry: true });
    const ada = await customers.get("ada");
    expect(ada.variables.values).toEqual({ plan: "gold", colour: "red" });
    expect((await store.entries({ owner_id: ada.owner_id })).map(({ entry_id, data }) => [entry_id, data])).toEqual([["e1", { n: 3 }]]);
    expect(await identifiedBy(session)).toEqual([
      { type: "identified", customer_id: "ada", carried: { variables: ["colour"], kept: ["plan"], entries: 1 } },
    ]);
  });

  it("carry makes two memories one, whatever is written to either meanwhile", async () => {
    const { sessions, customers, store } = await start();
    await customers.create({ id: "ada" });
    const session = await sessions.create({ agent: "a1" });
    const own = (await store.open({ session_id: session.id }))!.owner_id;
    const { owner_id: theirs } = (await customers.find("ada"))!;
    const write = (owner_id: typeof own, number: number, ...writes: readonly EntryWrite[]): Promise<unknown> =>
      store.commit({ commit_id: `c${number}`, at: number, owner: { owner_id, entries: writes } });
    const liked = (what: string, offset: number): EntryWrite => {
      const said = fact({ predicate: "LIKES", object: { type: "Thing", id: what }, quote: `I like ${what}`, sources: [source(offset)] });
      return encodeEntry(factEntryId(said), said);
    };
    await write(own, 1, liked("tea", 5), liked("gin", 6));
    await write(theirs, 2, liked("tea", 1));
    await Promise.all([
      session.identify({ customer: "ada", carry: true }),
      ...[3, 4, 5].map((number) => write(theirs, number, liked(`thing ${number}`, number))),
      write(own, 6, liked("milk", 8)),
    ]);
    const { entries } = decodeEntries(await store.entries({ owner_id: theirs }));
    const sources = new Map(
      entries.flatMap(({ entry }) => (entry.type === "fact" ? [[entry.object.id, entry.sources.map(({ offset }) => offset)] as const] : [])),
    );
    expect(sources.get("tea")).toEqual([1, 5]);
    expect([...sources.keys()]).toEqual(expect.arrayContaining(["gin", "thing 3", "thing 4", "thing 5"]));
    expect(await store.entries({ owner_id: own })).toEqual([]);
  });

  it("registers a customer who is not known, and is idempotent; another customer is refused", async () => {
    const { sessions, customers } = await start();
    const session = await sessions.create({ agent: "a1" });
    await session.setVariables({ set: { colour: "red" } });
    await session.identify({ customer: "new", carry: true });
    await session.identify({ customer: "new", carry: true });
    await session.identify({ customer: "new" });
    expect((await customers.get("new")).variables.values).toEqual({ colour: "red" });
    expect(await identifiedBy(session)).toHaveLength(1);
    expect(await code(session.identify({ customer: "other" }))).toBe("session.identified");
    expect(await customers.find("other")).toBeUndefined();
    expect((await session.setVariables({ set: { shade: "dark" } })).values).toEqual({ colour: "red", shade: "dark" });
    for (const options of [{ customer: "" }, { customer: 7 }, {}, undefined, { customer: "x", carry: "yes" }])
      expect(await code(session.identify(options as never))).toBe("input.invalid");
    expect(await code(session.setVariables({ set: { "": 1 } }))).toBe("variables.invalid");
  });

  it("a turn at work goes on with the variables that it began with", async () => {
    const [asked, answer] = [gate(), gate()];
    const seen: unknown[] = [];
    const model = scripted((request) => {
      seen.push(request.sections.map(({ text }) => text).join(""));
      asked.open();
      return { text: "done", wait: () => answer.opened };
    });
    const agent = defineAgent({ name: "a1", version: 1, state: echoState, sections: [variables], reply: loop({ model }) });
    const { sessions } = await start([agent]);
    const session = await sessions.create({ agent: "a1" });
    await session.setVariables({ set: { colour: "red" } });
    const sent = session.send("hi");
    await asked.opened;
    await session.identify({ customer: "ada", carry: true });
    answer.open();
    expect(await sent).toMatchObject({ status: "completed", reply: "done" });
    expect(seen).toEqual([expect.stringContaining("red") as unknown]);
    expect((await session.send("more")).status).toBe("completed");
  });

  it("together with turns, variables and messages nothing is lost", async () => {
    const { sessions, customers } = await start();
    const session = await sessions.open({ agent: "a1", key: "k" });
    const numbers = Array.from({ length: 12 }, (_, index) => index);
    await Promise.all([
      ...numbers.map((number) => session.setVariables({ set: { [`v${number}`]: number } })),
      ...numbers.map((number) => session.post(`m${number}`)),
      ...[1, 2, 3].map(() => session.identify({ customer: "ada", carry: true })),
      session.setTitle("a title"),
      ...[1, 2, 3].map(() => session.fork({ at: 0 })),
    ]);
    expect((await sessions.list({ customer: "ada" })).total).toBe(4);
    expect(await identifiedBy(session)).toHaveLength(1);
    expect((await customers.get("ada")).variables.values).toEqual(Object.fromEntries(numbers.map((number) => [`v${number}`, number])));
    const last = (await session.send("last")).status;
    const said = (await collect(session, { kinds: ["message"] })).filter(({ source }) => source === "customer");
    expect([said.length, last, (await session.pending()).waiting]).toEqual([13, "completed", []]);
  });
});

it("what one process writes while another identifies stays readable, encrypted or not", async () => {
  const path = newSqliteFile();
  const [one, two] = [await openStore(path, { encryption }), await openStore(path, { encryption })];
  const here = await createRuntime({ store: one, agents: [echoAgent()] });
  const there = await createRuntime({ store: two, agents: [echoAgent()], work: false });
  onTestFinished(async () => {
    for (const each of [here, there]) await each.close();
    for (const each of [one, two]) await each.close();
  });
  const session = await here.sessions.open({ agent: "a1", key: "k" });
  const same = await there.sessions.get(session.id);
  await same.postCustom({ n: 1 });
  await session.identify({ customer: "ada" });
  // The other process still has the former owner's key in memory.
  await same.postCustom({ n: 2 });
  await same.setTitle("written there");
  expect((await collect(session, { kinds: ["custom"] })).map(({ data }) => data)).toEqual([{ value: { n: 1 } }, { value: { n: 2 } }]);
  expect((await session.info()).title).toBe("written there");
  await here.customers.delete("ada");
  expect(await code(same.postCustom({ n: 3 }))).toBe("session.not_found");
});
