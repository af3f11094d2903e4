/** Many callers at once on one session, and one caller again. */
import { describe, expect, it } from "vitest";
import { collect, echoAgent, gate, outline, started, until } from "./harness.ts";
import { scripted } from "../../packages/throughline/src/index.ts";

describe.each(["memory", "sqlite"] as const)("%s", (kind) => {
  it("as many changes as come at once are all made", async () => {
    const { sessions, customers } = await started({ kind });
    const session = await sessions.open({ agent: "a1", customer: "ada" });
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    await Promise.all(numbers.map((number) => session.setMetadata({ set: { [`m${number}`]: number } })));
    await Promise.all(numbers.map((number) => session.setLabels({ add: [`l${number}`] })));
    await Promise.all(numbers.map((number) => session.edit({ seen: [`s${number}`] })));
    await Promise.all(numbers.map((number) => customers.setVariables("ada", { set: { [`v${number}`]: number } })));
    const { metadata, labels } = await session.info();
    const { variables } = await customers.get("ada");
    const { document } = await session.state();
    expect([Object.keys(metadata.values).length, labels.length, Object.keys(variables.values).length]).toEqual([20, 20, 20]);
    expect(new Set(document["seen"] as string[]).size).toBe(20);
  });

  it("a message that was left to a person waits in auto, too, and says so when it is sent again", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    await session.setMode("manual");
    const { offset } = await session.send("hi", { idempotencyKey: "k" });
    await session.setMode("auto");
    expect(await session.send("hi", { idempotencyKey: "k" })).toMatchObject({ status: "waiting", offset, turn_id: undefined });
    expect(await session.outcome(offset)).toMatchObject({ status: "waiting" });
    await session.resume();
    expect(await session.send("hi", { idempotencyKey: "k" })).toMatchObject({ status: "completed", offset, reply: "re:hi" });
  });

  it("who took over and left before the turn began leaves its message waiting", async () => {
    const reply = gate();
    const model = scripted((request) => ({ text: "done", wait: () => (request.messages.length === 1 ? reply.opened : Promise.resolve()) }));
    const { sessions } = await started({ kind, agents: [echoAgent({ model })] });
    const session = await sessions.create({ agent: "a1" });
    const first = session.send("one");
    await until(() => model.requests.length > 0);
    const second = session.send("two");
    while ((await session.pending()).turns.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    await session.setMode("manual");
    await session.setMode("auto");
    reply.open();
    expect((await first).status).toBe("stopped");
    expect((await second).status).toBe("waiting");
    expect(await session.resume()).toMatchObject({ status: "completed", reply: "done" });
    expect(outline(await collect(session, { kinds: ["message"] }))).toEqual(["customer:one", "customer:two", "agent:done"]);
  });
});
