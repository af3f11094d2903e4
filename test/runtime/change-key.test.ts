/** Changes that stand in no log, sent again with their key: they are done once, whatever has happened since, and answered as the first time. */
import { describe, expect, it } from "vitest";
import { createIds } from "../../packages/throughline/src/kernel/id.ts";
import { silentLogger } from "../../packages/throughline/src/kernel/log.ts";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import {
  changeVariables,
  variablesOfOwner,
  type VariablesChange,
  type VariablesOf,
} from "../../packages/throughline/src/runtime/variables/stored-variables.ts";
import { agentOwnerId } from "../../packages/throughline/src/store/port.ts";
import { code, started } from "./harness.ts";

const setting = (values: Record<string, number>): VariablesChange => ({ asked: { set: values }, decide: () => ({ set: values }) });

describe.each(["memory", "sqlite"] as const)("%s: a change with a key", (kind) => {
  it("of a customer is done once", async () => {
    const { customers } = await started({ kind });
    const { version } = await customers.create({ id: "ada" });
    const named = { name: "Ada", variables: { n: 1 } };
    const once = { ifVersion: version, idempotencyKey: "k" };
    await customers.patch("ada", named, once);
    const other = await customers.patch("ada", { name: "Bob" });
    // What it rested on is not there any more, and was when it was done.
    expect(await customers.patch("ada", named, once)).toEqual(other);
    expect(await code(customers.patch("ada", { name: "Cyd" }, { idempotencyKey: "k" }))).toBe("session.idempotency_mismatch");
    await customers.create({ id: "bob" });
    expect((await customers.patch("bob", { name: "Bob" }, { idempotencyKey: "k" })).name).toBe("Bob");
  });

  it("of a customer that had nothing to do has nothing to do later", async () => {
    const { customers } = await started({ kind });
    await customers.create({ id: "ada" });
    const unset = { variables: { n: null } };
    await customers.patch("ada", unset, { idempotencyKey: "k" });
    await customers.patch("ada", { variables: { n: 1 } });
    expect((await customers.patch("ada", unset, { idempotencyKey: "k" })).variables.values).toEqual({ n: 1 });
  });

  it.each(["customer", "session", "agent"] as const)("of variables of a %s is done once, and answered as the first time", async (scope) => {
    const { store, customers, sessions } = await started({ kind });
    await customers.create({ id: "ada" });
    const session = await sessions.create({ agent: "a1", customer: "ada" });
    const owners: Readonly<Record<typeof scope, VariablesOf>> = {
      customer: { customer: "ada" },
      session: { session: session.id },
      agent: { owner: agentOwnerId("a1") },
    };
    const whose = owners[scope];
    const runtime = { store, clock: systemClock, ids: createIds(), logger: silentLogger };
    const change = (given: VariablesChange, idempotencyKey?: string, ifVersion?: number) =>
      changeVariables(runtime, whose, given, {
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        ...(ifVersion === undefined ? {} : { ifVersion }),
      });
    const first = await change(setting({ n: 1 }), "k", 0);
    expect(first).toMatchObject({ values: { n: 1 }, version: 1 });
    await change(setting({ n: 2 }));
    expect(await change(setting({ n: 1 }), "k", 0)).toEqual(first);
    expect((await variablesOfOwner(store, whose)).values).toEqual({ n: 2 });
    expect(await code(change(setting({ n: 3 }), "k"))).toBe("session.idempotency_mismatch");
    const unset: VariablesChange = { asked: { unset: ["m"] }, decide: () => ({ unset: ["m"] }) };
    await change(unset, "nothing");
    await change(setting({ m: 1 }));
    expect((await change(unset, "nothing")).values).toEqual({ n: 2 });
    expect((await variablesOfOwner(store, whose)).values).toEqual({ n: 2, m: 1 });
    // Of several at once under one key one is done.
    await Promise.all(Array.from({ length: 5 }, () => change(setting({ n: 9 }), "all at once")));
    expect((await variablesOfOwner(store, whose)).version).toBe(4);
  });
});
