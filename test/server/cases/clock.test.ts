/** Listed cases that state a time of day: two services of one process, one of which works, by one clock that stands until it is moved. */
import { dataIn } from "../../setup/data-in.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  defineAgent,
  defineState,
  input,
  loop,
  scripted,
  variable,
  variables,
  type Agent,
  type Variable,
} from "../../../packages/throughline/src/index.ts";
import { fixedClock, type FixedClock } from "../../../packages/throughline/src/testing.ts";
import { emptyPostgresDatabase } from "../../setup/database.ts";
import { databases, openServer, type TestServer } from "../../setup/server.ts";

const at = (time: string): number => Date.parse(`2026-03-02T${time}Z`);
const day = 24 * 3_600_000;
const quarterly = { cron: "0,15,30,45 * * * *" };

interface Shop {
  /** How often a variable was refreshed, by name. */
  readonly asked: Record<string, number>;
  /** What refreshing gives from now on; an error is thrown. */
  give: unknown;
}

const bound = (shop: Shop, name: string, options: { readonly fresh?: { readonly cron: string }; readonly description?: string }): Variable =>
  variable(name, {
    ...options,
    refresh: () => {
      shop.asked[name] = (shop.asked[name] ?? 0) + 1;
      if (shop.give instanceof Error) throw shop.give;
      return shop.give as never;
    },
  });

const state = defineState({ message: input(z.string()) });
const model = scripted((request) => dataIn(request.sections.find(({ name }) => name === "variables")?.text ?? "nothing"));
const shopAgent = (shop: Shop, version: number, description: string): Agent =>
  defineAgent({
    ...{ name: "shop", version, state, sections: [variables], reply: loop({ model }) },
    migrations: version === 1 ? [] : [{ from: 1, to: 2, migrate: (old) => old }],
    variables: [bound(shop, "orders", { fresh: quarterly, description }), bound(shop, "always", {})],
  });

describe.each(databases)("two services on one %s, by one clock", (database) => {
  let clock: FixedClock;
  let shop: Shop;
  let services: readonly (TestServer & { readonly close: () => Promise<void> })[] = [];
  let location = "";
  let folder = "";
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "throughline-clock-"));
    location = database === "SQLite" ? join(folder, "store.db") : await emptyPostgresDatabase();
    shop = { asked: {}, give: 1 };
    clock = fixedClock(at("10:01:00"));
    const options = { location, clock, agents: [shopAgent(shop, 1, "Orders.")] };
    services = [await openServer(options), await openServer({ ...options, runtime: { work: false } })];
  });
  afterAll(async () => {
    await services[0]?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Sends a message by the service that does not work; the reply as the other one has it. */
  async function hear(session: { readonly id: string }): Promise<string> {
    const [reader, writer = reader] = services;
    const posted = await writer?.request("POST", `/v1/sessions/${session.id}/events`, { kind: "message", text: "hi" });
    const path = `/v1/sessions/${session.id}/events?min_offset=${posted?.body.offset}&kinds=message&source=ai_agent&wait=20`;
    return (await reader?.request("GET", path))?.body.items[0].data.parts[0].text;
  }

  it("I13, I15: a variable is refreshed when its time has come, and in every turn without a rule", async () => {
    const [one] = services;
    const { body: session } = await one!.request("POST", "/v1/sessions/open", { agent: "shop", customer_id: "c1" });
    const told = async (time: number, value: number): Promise<unknown> => {
      clock.advance(time - clock.now());
      shop.give = value;
      return [JSON.parse((await hear(session)).split("\n")[0] ?? ""), { ...shop.asked }];
    };
    expect(await told(at("10:01:00"), 1)).toEqual([
      { orders: 1, always: 1 },
      { orders: 1, always: 1 },
    ]);
    expect(await told(at("10:14:00"), 2)).toEqual([
      { orders: 1, always: 2 },
      { orders: 1, always: 2 },
    ]);
    expect(await told(at("10:16:00"), 3)).toEqual([
      { orders: 3, always: 3 },
      { orders: 2, always: 3 },
    ]);
    expect(await told(at("10:16:00") + day, 4)).toEqual([
      { orders: 4, always: 4 },
      { orders: 3, always: 4 },
    ]);
    const { body } = await one!.request("GET", "/v1/customers/c1/variables/orders");
    expect(body).toMatchObject({ value: 4, checked_at: at("10:16:00") + day, stale: false });
  });

  it("I16: what cannot be refreshed keeps its value, is told to be out of date, and the turn goes on", async () => {
    const [one] = services;
    const { body: session } = await one!.request("POST", "/v1/sessions/open", { agent: "shop", customer_id: "c2" });
    shop.give = "known";
    await hear(session);
    clock.advance(day);
    shop.give = new Error("secret internals");
    expect(await hear(session)).toBe(
      ['{"always":"known","orders":"known"}', 'What they are: {"orders":"Orders."}', outOfDate("always", "orders")].join("\n"),
    );
    const path = "/v1/customers/c2/variables";
    expect((await one!.request("GET", path)).body).toMatchObject({ values: { orders: "known" }, stale: ["always", "orders"] });
    expect((await one!.request("GET", `/v1/sessions/${session.id}/events?limit=1000`)).text).not.toContain("secret internals");
    shop.give = "again";
    expect(await hear(session)).not.toContain("out of date");
    expect((await one!.request("GET", path)).body).toMatchObject({ values: { orders: "again" }, stale: [] });
  });

  it("what is set by hand holds until its time has come", async () => {
    const [one, two] = services;
    const { body: session } = await one!.request("POST", "/v1/sessions/open", { agent: "shop", customer_id: "c3" });
    shop.give = "refreshed";
    clock.advance(at("10:01:00") + 3 * day - clock.now());
    await hear(session);
    await two!.request("PUT", "/v1/customers/c3/variables/orders", { value: "by hand" });
    clock.advance(60_000);
    expect(JSON.parse((await hear(session)).split("\n")[0] ?? "")).toMatchObject({ orders: "by hand" });
    clock.advance(15 * 60_000);
    expect(JSON.parse((await hear(session)).split("\n")[0] ?? "")).toMatchObject({ orders: "refreshed" });
  });

  it("D13: a clock that steps back changes nothing of the order", async () => {
    const [one, two] = services;
    const { body: session } = await one!.request("POST", "/v1/sessions", { agent: "shop" });
    for (const data of [1, 2, 3, 4]) {
      clock.advance(-3_600_000);
      await [one!, two!][data % 2]!.request("POST", `/v1/sessions/${session.id}/events`, { kind: "custom", data });
    }
    const { items } = (await one!.request("GET", `/v1/sessions/${session.id}/events?kinds=custom`)).body;
    expect(items.map(({ offset, data }: { offset: number; data: { value: number } }) => [offset, data.value])).toEqual([
      ...[1, 2, 3, 4].map((number) => [number, number]),
    ]);
    expect(items[3].created_at).toBeLessThan(items[0].created_at);
  });

  it("I18: a new version that only says something else of a variable asks no earlier, and no later", async () => {
    const [one] = services;
    const { body: session } = await one!.request("POST", "/v1/sessions/open", { agent: "shop", customer_id: "c4" });
    clock.advance(at("10:01:00") + 9 * day - clock.now());
    shop.give = 1;
    await hear(session);
    await Promise.all(services.map(({ close }) => close()));
    const next = await openServer({ location, clock, agents: [shopAgent(shop, 2, "What was ordered.")] });
    services = [next];
    shop.give = 2;
    clock.advance(13 * 60_000);
    expect(await hear(session)).toContain('{"always":2,"orders":1}\nWhat they are: {"orders":"What was ordered."}');
    clock.advance(2 * 60_000);
    expect(await hear(session)).toContain('{"always":2,"orders":2}');
  });
});

const outOfDate = (...names: readonly string[]): string => `Possibly out of date, because they could not be refreshed: ${JSON.stringify(names)}`;
