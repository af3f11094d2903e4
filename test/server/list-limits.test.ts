import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { AnswerShape, Operation } from "../../packages/server/src/protocol/operation.ts";
import { operations, type OperationId } from "../../packages/server/src/protocol/operations.ts";
import { createClient } from "../../packages/client/src/client.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { startServer } from "../setup/server.ts";

/** Lists whose `limit` is above 100, or that have none, and why they are bounded all the same. */
const exceptions: Readonly<Partial<Record<OperationId, string>>> = {
  listEvents: "1,000 events at most, and about 4 MB",
  listEventSummaries: "1,000 lines of about 170 bytes at most",
  listSessionSafety: "the sessions that the request names, 100 at most",
  getTurnMemory: "what one turn recalled: settings of the recall bound it",
  listAgents: "the agents that the service was started with",
};

const lists = (Object.entries(operations) as readonly [OperationId, Operation][]).filter(([, { method, answers }]) => {
  const { schema }: AnswerShape = answers[200] ?? { description: "" };
  return method === "GET" && schema instanceof z.ZodObject && schema.shape["items"] instanceof z.ZodArray;
});

/** What a query needs besides. */
const required = ({ shape }: z.ZodObject): Readonly<Record<string, string>> => ({
  ...("q" in shape ? { q: "tea" } : {}),
  ...("queue" in shape ? { queue: "waiting" } : {}),
});

describe("every operation that answers with a list has a limit", () => {
  it("finds the lists", () => {
    expect(lists.length).toBeGreaterThan(10);
    const named = lists.map(([id]) => id);
    for (const id of Object.keys(exceptions)) expect(named).toContain(id);
  });

  it.each(lists.filter(([id]) => exceptions[id] === undefined))("%s: 1 to 100", (_, { query }) => {
    const takes = (limit: string): boolean => query?.safeParse({ ...required(query), limit }).success === true;
    expect(["0", "1", "100", "101"].map(takes)).toEqual([false, true, true, false]);
  });

  it("listEvents: 1 to 1,000", () => {
    const { query } = operations.listEvents;
    expect(["0", "1", "1000", "1001"].map((limit) => query.safeParse({ limit }).success)).toEqual([false, true, true, false]);
  });
});

it("conflicts in a memory are listed by page, and a client reads all of them", async () => {
  const { request, runtime, store, url } = await startServer();
  await runtime.customers.create({ id: "ada" });
  const mine = runtime.customers.memory("ada");
  for (const id of ["tea", "jazz", "rain"])
    for (const predicate of ["LIKES", "DISLIKES"]) await mine.remember({ quote: `${predicate} ${id}`, predicate, object: { type: "Thing", id } });
  const path = "/v1/customers/ada/memory/conflicts";
  const first = (await request("GET", `${path}?limit=2`)).body;
  expect([first.items.length, first.next_cursor, first.total]).toEqual([2, "2", 3]);
  const second = (await request("GET", `${path}?limit=2&cursor=${first.next_cursor}`)).body;
  expect([second.items.length, second.next_cursor]).toEqual([1, null]);
  expect((await request("GET", path)).body.items).toEqual([...first.items, ...second.items]);
  expect((await request("GET", `${path}?cursor=x`)).body.code).toBe("cursor.invalid");
  expect((await request("GET", `${path}?limit=101`)).body.code).toBe("request.invalid");
  const { key } = await createKey(store, { name: "k", scopes: ["admin"] });
  expect(await createClient({ baseUrl: url, key }).customers.memory("ada").conflicts()).toEqual([...first.items, ...second.items]);
});

it("lists in the process have limits, too", async () => {
  const { runtime } = await startServer();
  await runtime.customers.create({ id: "ada" });
  const mine = runtime.customers.memory("ada");
  const session = await runtime.sessions.create({ agent: "a1", customer: "ada" });
  const refusals: readonly (readonly [() => Promise<unknown>, string])[] = [
    [() => mine.list({ limit: 101 }), "memory.invalid"],
    [() => mine.find("tea", { limit: 101 }), "memory.invalid"],
    [() => session.messages({ last: 1_001 }), "input.invalid"],
    [() => session.messages({ last: -1 }), "input.invalid"],
    [() => session.messages({ last: 0.5 }), "input.invalid"],
    [() => session.turns({ limit: 101 }), "input.invalid"],
    [() => session.history({ limit: 101 }), "input.invalid"],
    [() => runtime.sessions.list({ limit: 101 }), "input.invalid"],
  ];
  for (const [list, code] of refusals) await expect(list(), list.toString()).rejects.toMatchObject({ code });
});
