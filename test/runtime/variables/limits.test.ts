/** Limits of all variables, and of all metadata, together: of customers, sessions and agents, also when two write at once. */
import { describe, expect, test } from "vitest";
import { namedCountLimit, namedTotalLimit } from "../../../packages/throughline/src/session/session-variables.ts";
import { echoAgent, started } from "../harness.ts";

const many = (count: number, prefix = "v") => Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, index]));
const large = "x".repeat(60_000);
const heavy = (count: number, prefix = "v") => Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, large]));

/** The places that hold named values: how each is changed, and what it holds. */
async function places(kind: "memory" | "sqlite") {
  const runtime = await started({ kind, agents: [echoAgent()] });
  await runtime.customers.create({ id: "ada" });
  const session = await runtime.sessions.open({ agent: "a1", customer: "ada" });
  const stranger = await runtime.sessions.create({ agent: "a1" });
  type Change = Parameters<typeof session.setVariables>[0];
  const scoped = (scope: "customer" | "session") => async () =>
    Object.fromEntries((await stranger.variables()).flatMap((one) => (one.scope === scope ? [[one.name, one.value]] : [])));
  return {
    "variables of a customer": {
      change: (given: Change) => runtime.customers.setVariables("ada", given),
      values: async () => (await runtime.customers.get("ada")).variables.values,
    },
    "variables of a session's owner": { change: (given: Change) => stranger.setVariables(given), values: scoped("customer") },
    "variables of a session": { change: (given: Change) => stranger.setVariables(given, { scope: "session" }), values: scoped("session") },
    "variables of an agent": {
      change: (given: Change) => runtime.agents.setVariables("a1", given),
      values: async () => (await runtime.agents.variables("a1")).values,
    },
    "metadata of a customer": {
      change: (given: Change) => runtime.customers.setMetadata("ada", given),
      values: async () => (await runtime.customers.get("ada")).metadata.values,
    },
    "metadata of a session": { change: (given: Change) => session.setMetadata(given), values: async () => (await session.info()).metadata.values },
  };
}
type Place = keyof Awaited<ReturnType<typeof places>>;
const names: readonly Place[] = [
  ...(["variables of a customer", "variables of a session's owner", "variables of a session", "variables of an agent"] as const),
  ...(["metadata of a customer", "metadata of a session"] as const),
];

describe.each(["memory", "sqlite"] as const)("%s", (kind) => {
  test.each(names)("%s: as many as the limit, and not one more", async (name) => {
    const { change, values } = (await places(kind))[name];
    await change({ set: many(namedCountLimit) });
    await expect(change({ set: { one: 1 } })).rejects.toMatchObject({
      code: "variables.invalid",
      message: expect.stringMatching(/^There would be 1001 (variables|metadata); the limit is 1000\.$/u) as string,
      details: { count: 1001, limit: 1000 },
    });
    // One for another is no growth.
    await change({ set: { one: 1 }, unset: ["v0"] });
    expect(Object.keys(await values())).toHaveLength(namedCountLimit);
  });

  test.each(names)("%s: no more characters than the limit", async (name) => {
    const { change, values } = (await places(kind))[name];
    await change({ set: heavy(17) });
    await expect(change({ set: { more: large } })).rejects.toMatchObject({ code: "variables.invalid", details: { limit: namedTotalLimit } });
    expect(JSON.stringify(await values()).length).toBeLessThanOrEqual(namedTotalLimit);
  });

  test.each(names)("%s: two that write at once do not pass it together", async (name) => {
    const { change, values } = (await places(kind))[name];
    const done = await Promise.allSettled([change({ set: many(600, "a") }), change({ set: many(600, "b") })]);
    expect(done.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(done.flatMap((one) => (one.status === "rejected" ? [(one.reason as { code: string }).code] : []))).toEqual(["variables.invalid"]);
    expect(Object.keys(await values())).toHaveLength(600);
  });
});

test("who is identified brings no more variables than a customer may have", async () => {
  const { sessions, customers } = await started({ agents: [echoAgent()] });
  await customers.create({ id: "ada", variables: many(600, "a") });
  const session = await sessions.create({ agent: "a1" });
  await session.setVariables({ set: many(600, "b") });
  await expect(session.identify({ customer: "ada", carry: true })).rejects.toMatchObject({ code: "variables.invalid", details: { count: 1200 } });
  await session.identify({ customer: "ada" });
  expect(Object.keys((await customers.get("ada")).variables.values)).toHaveLength(600);
});

test("a session has at most 100 labels and 100 consumers", async () => {
  const { sessions } = await started({ agents: [echoAgent()] });
  const session = await sessions.create({ agent: "a1" });
  const labels = Array.from({ length: 100 }, (_, index) => `l${index}`);
  await session.setLabels({ add: labels });
  await expect(session.setLabels({ add: ["more"] })).rejects.toMatchObject({ code: "session.invalid", details: { count: 101, limit: 100 } });
  await session.setLabels({ add: ["more"], remove: ["l0"] });
  await session.patch({ consumers: Object.fromEntries(labels.map((name) => [name, 0])) });
  await expect(session.setConsumer("more", 0)).rejects.toMatchObject({ code: "session.invalid", details: { count: 101, limit: 100 } });
  await expect(sessions.create({ agent: "a1", labels: [...labels, "more"] })).rejects.toMatchObject({ code: "session.invalid" });
});
