/** What the agent may know of a customer, and what it may not: variables (I), names, metadata. */
import { dataIn } from "../setup/data-in.ts";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineState,
  input,
  loop,
  reduced,
  type scripted,
  section,
  stage,
  variables,
} from "../../packages/throughline/src/index.ts";
import { code, collect, echo, echoAgent, echoState, emptyStore, gate, started } from "./harness.ts";

const kinds = ["memory", "sqlite"] as const;

describe.each(kinds)("%s: variables and metadata", (kind) => {
  const observed = (): { readonly agent: ReturnType<typeof defineAgent>; readonly model: ReturnType<typeof scripted> } => {
    const model = echo();
    const sections = [variables, section("state", ({ state }) => JSON.stringify(state))];
    return { model, agent: defineAgent({ name: "a1", version: 1, state: echoState, sections, reply: loop({ model }) }) };
  };
  it("I1, I3: variables are merged and reach the prompt as typed JSON", async () => {
    const { agent, model } = observed();
    const { sessions, customers } = await started({ kind, agents: [agent] });
    await customers.create({ id: "c1" });
    await customers.setVariables("c1", { set: { tier: "gold", n: 3 } });
    await customers.setVariables("c1", { set: { b: null } });
    const session = await sessions.open({ agent: "a1", customer: "c1" });
    await session.send("hi");
    expect(JSON.parse(dataIn(model.requests[0]?.sections.find((part) => part.name === "variables")?.text ?? ""))).toEqual({
      tier: "gold",
      n: 3,
      b: null,
    });
    const begun = (await collect(session, { kinds: ["turn"] })).find((event) => event.kind === "turn" && event.data.type === "started");
    expect(begun?.data).toMatchObject({ versions: { variables: 2 } });
  });
  it("I5: metadata, wherever it is planted, reaches no prompt", async () => {
    const { agent, model } = observed();
    const { sessions, customers } = await started({ kind, agents: [agent] });
    await customers.create({ id: "c1", metadata: { note: "canary-customer" } });
    const session = await sessions.create({
      agent: "a1",
      customer: "c1",
      metadata: { note: "canary-session" },
      labels: ["canary-label"],
      title: "canary-title",
    });
    await session.postCustom({ seen: true }, { metadata: { note: "canary-event" } });
    await session.send("hi", { metadata: { note: "canary-message" } });
    await session.send("again");
    expect(model.requests).toHaveLength(2);
    expect(JSON.stringify(model.requests)).not.toContain("canary");
    expect(JSON.stringify(model.requests)).toContain('{\\"seen\\":true}');
  });
  it("I10, I11: an unset variable is absent, and so is another customer's", async () => {
    const { agent, model } = observed();
    const { sessions, customers } = await started({ kind, agents: [agent] });
    await customers.create({ id: "c1", variables: { tier: "gold" } });
    await customers.create({ id: "c2" });
    await (await sessions.open({ agent: "a1", customer: "c2" })).send("hi");
    expect(model.requests[0]?.sections.map((part) => part.name)).toEqual(["state"]);
    await customers.setVariables("c1", { unset: ["tier", "never"] });
    expect((await customers.get("c1")).variables.values).toEqual({});
  });
  it("I20: what is not JSON, or too large, is refused", async () => {
    const { customers } = await started({ kind });
    await customers.create({ id: "c1" });
    for (const value of [Number.NaN, "x".repeat(1_000_000), new Date(0)])
      expect(await code(customers.setVariables("c1", { set: { v: value as never } }))).toBe("variables.invalid");
  });
  it("I23: two sessions of one customer see the same variables", async () => {
    const { agent, model } = observed();
    const { sessions, customers } = await started({ kind, agents: [agent] });
    await customers.create({ id: "c1", variables: { tier: "gold" } });
    for (const key of ["one", "two"]) await (await sessions.open({ agent: "a1", customer: "c1", key })).send("hi");
    expect(model.requests.map((request) => dataIn(request.sections[0]?.text ?? ""))).toEqual(['{"tier":"gold"}', '{"tier":"gold"}']);
  });
  it("a variable set during a turn is in force in the next one", async () => {
    const state = defineState({ message: input(z.string()), tier: reduced(z.string()) });
    const writing = gate();
    const reached = gate();
    const look = stage("look", { state, writes: ["tier"] }, async ({ context }) => {
      reached.open();
      await writing.opened;
      return { tier: JSON.stringify(context.variables.values["tier"]) };
    });
    const agent = defineAgent({ name: "a1", version: 1, state, stages: [look], reply: loop({ model: echo() }) });
    const { sessions, customers } = await started({ kind, agents: [agent] });
    await customers.create({ id: "c1", variables: { tier: "silver" } });
    const session = await sessions.open({ agent: "a1", customer: "c1" });
    const sent = session.send("hi");
    await reached.opened;
    await customers.setVariables("c1", { set: { tier: "gold" } });
    writing.open();
    await sent;
    expect((await session.state()).document).toEqual({ tier: '"silver"' });
    await session.send("again");
    expect((await session.state()).document).toEqual({ tier: '"gold"' });
  });
});

describe.each(kinds)("%s: names", (kind) => {
  it("C1: a message carries who its customer is; sections and stages know the name, as it is now", async () => {
    const model = echo();
    const greeted: unknown[] = [];
    const greet = stage("greet", { state: echoState, writes: [] }, ({ context }) => void greeted.push(context.customer));
    const sections = [section("name", ({ customer_name }) => customer_name)];
    const agent = defineAgent({ name: "a1", version: 1, state: echoState, stages: [greet], sections, reply: loop({ model }) });
    const { sessions, customers } = await started({ kind, agents: [agent] });
    await customers.create({ id: "c1", name: "Ada" });
    const session = await sessions.open({ agent: "a1", customer: "c1" });
    await session.send("hi");
    await customers.setName("c1", "Ada L.");
    await session.send("again");
    expect(greeted).toEqual([
      { id: "c1", name: "Ada" },
      { id: "c1", name: "Ada L." },
    ]);
    expect(model.requests.map((request) => request.sections)).toEqual([[{ name: "name", text: "Ada" }], [{ name: "name", text: "Ada L." }]]);
    const said = (await collect(session, { kinds: ["message"], source: "customer" })).map(
      (event) => event.kind === "message" && event.data.participant,
    );
    expect(said).toEqual([
      { id: "c1", display_name: "Ada" },
      { id: "c1", display_name: "Ada L." },
    ]);
  });
  it("who asks for an outcome just as the runtime starts gets it", async () => {
    const store = await emptyStore(kind);
    const idle = await createRuntime({ store, agents: [echoAgent()], work: false });
    const session = await idle.sessions.create({ agent: "a1" });
    await session.post("hi");
    for (let i = 0; i < 5; i++) {
      const runtime = await createRuntime({ store, agents: [echoAgent()], pollMs: 10_000 });
      const opened = await runtime.sessions.get(session.id);
      expect((await opened.outcome(1)).reply).toBe("re:hi");
      await opened.post(`more ${i}`);
      await runtime.close({ drainMs: 0 });
    }
  });
});
