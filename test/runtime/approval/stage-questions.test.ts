/** Stages that ask a human: the turn pauses, on disk, and the stage runs again with the answer. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineState,
  hook,
  input,
  loop,
  openStore,
  reduced,
  scripted,
  stage,
  ThroughlineError,
  type Json,
  type LivePart,
  type ReviewedCall,
  type Session,
  type TypedAgent,
} from "../../../packages/throughline/src/index.ts";
import { defineExtension } from "../../../packages/throughline/src/extension.ts";
import { fixedClock } from "../../../packages/throughline/src/testing.ts";
import { newSqliteFile } from "../../setup/database.ts";
import { calling } from "../loop/harness.ts";
import { minute, transfers } from "./harness.ts";

const state = defineState({
  message: input(z.string()),
  seen: reduced(z.number(), { initial: 0, show: "output" }),
  seats: reduced(z.number(), { show: "output" }),
  name: reduced(z.string(), { show: "output" }),
});

const textOf = (json: Json): string => (typeof json === "string" ? json : JSON.stringify(json));

/** An agent whose second stage asks for seats and a name, and what ran. */
function inn(options: Partial<Parameters<typeof defineAgent<typeof state>>[0]> = {}): {
  readonly agent: TypedAgent<typeof state>;
  readonly ran: string[];
} {
  const ran: string[] = [];
  const first = stage("first", { state, writes: ["seen"] }, ({ state: { seen } }) => (ran.push("first"), { seen: seen + 1 }));
  const table = stage("table", { state, writes: ["seats", "name"] }, async ({ interrupt }) => {
    ran.push("table");
    const seats = await interrupt({ ask: "How many seats?" });
    const name = await interrupt("Under which name?");
    return { seats: Number(seats), name: textOf(name) };
  });
  const hooks = [hook("notes", { beforeExecution: () => void ran.push("execution") })];
  const agent = defineAgent({
    ...{ name: "inn", version: 1, state, stages: [first, table], apology: { stopped: "As you wish." } },
    reply: loop({ model: scripted(() => "See you."), hooks }),
    ...options,
  });
  return { agent, ran };
}

const onlyCall = async (session: Session): Promise<Awaited<ReturnType<Session["pending"]>>["calls"][number]> => {
  const { calls } = await session.pending();
  expect(calls).toHaveLength(1);
  return calls[0]!;
};
const answering = async (session: Session, answer: string | number): Promise<void> => {
  const { call_id, index, arguments_hash }: ReviewedCall = await onlyCall(session);
  await session.decide({ call_id, arguments_hash, decision: "answer", answer, ...(index === undefined ? {} : { index }) });
};

describe("a stage that asks", () => {
  test("pauses the turn, and goes on with the answers in other processes", async () => {
    const file = newSqliteFile();
    const { agent, ran } = inn();
    const asked = await createRuntime({ store: await openStore(file), agents: [agent] });
    const session = await asked.sessions.create({ agent: "inn" });
    const sent = await session.send("A table, please.");
    expect(sent).toMatchObject({ status: "paused", reply: undefined });
    expect(sent.pending).toMatchObject([
      { call_id: "stage:table", name: "table", kind: "question", question: { ask: "How many seats?" }, index: 1, by: "table" },
    ]);
    expect(await onlyCall(session)).toMatchObject({ arguments: {}, turn_id: sent.turn_id });
    await asked.close();
    await asked.store.close();

    const answered = await createRuntime({ store: await openStore(file), agents: [agent] });
    const reopened = await answered.sessions.get(session.id);
    await answering(reopened, 4);
    expect(await reopened.outcome(sent.offset)).toMatchObject({ status: "paused" });
    expect(await onlyCall(reopened)).toMatchObject({ question: "Under which name?", index: 2 });
    await answered.close();
    await answered.store.close();

    const last = await createRuntime({ store: await openStore(file), agents: [agent] });
    const again = await last.sessions.get(session.id);
    await answering(again, "Ada");
    expect(await again.outcome(sent.offset)).toMatchObject({ status: "completed", reply: "See you.", output: { seen: 1, seats: 4, name: "Ada" } });
    // What was finished before the question does not run again, and the execution begins after the stages.
    expect(ran).toEqual(["first", "table", "table", "table", "execution"]);
    expect((await again.execution(sent.turn_id!))?.execution.phase).toBe("done");
    await last.close();
    await last.store.close();
  });

  test("shows its question to readers of the turn, and a call of the reply can wait after it", async () => {
    const { tool, ran: moved } = transfers();
    const model = scripted([calling(["transfer", { amount: 5 }]), "Moved."]);
    const { agent } = inn({ reply: loop({ model, tools: [tool] }) });
    const runtime = await createRuntime({ store: await openStore(":memory:"), agents: [agent] });
    const session = await runtime.sessions.create({ agent: "inn" });
    const parts: LivePart[] = [];
    const stream = session.stream("A table, please.");
    for await (const part of stream) parts.push(part);
    expect(parts.filter(({ type }) => type === "approval.requested")).toMatchObject([{ calls: [{ call_id: "stage:table", arguments: {} }] }]);
    const { offset } = await stream.accepted;
    await answering(session, 2);
    await session.outcome(offset);
    await answering(session, "Ada");
    expect(await session.outcome(offset)).toMatchObject({ status: "paused", pending: [{ name: "transfer", kind: "approval" }] });
    await session.approve(await onlyCall(session));
    expect(await session.outcome(offset)).toMatchObject({ status: "completed", reply: "Moved." });
    expect([moved, model.requests.length]).toEqual([[{ amount: 5 }], 2]);
    await runtime.close();
  });

  test("stops the turn if its question is rejected, and the next message is answered by another turn", async () => {
    const { agent, ran } = inn();
    const runtime = await createRuntime({ store: await openStore(":memory:"), agents: [agent] });
    const session = await runtime.sessions.create({ agent: "inn" });
    const { offset } = await session.send("A table, please.");
    await session.reject(await onlyCall(session), "We are full.");
    const message = 'The question of stage "table" was rejected. We are full.';
    expect(await session.outcome(offset)).toMatchObject({ status: "stopped", reason: "stop_requested", reply: "As you wish." });
    const [turn] = (await session.turns()).items;
    expect(turn).toMatchObject({ status: "ended", outcome: { message } });
    // A message of the customer rejects it, too.
    const second = await session.send("Another one.");
    const third = await session.send("Or none.");
    expect(await session.outcome(second.offset)).toMatchObject({ status: "stopped", output: { seen: 2 } });
    expect(third).toMatchObject({ status: "paused" });
    expect(ran.filter((name) => name === "execution")).toEqual([]);
    await runtime.close();
  });

  test("can catch the rejection, also of a question that expired", async () => {
    const clock = fixedClock();
    const codes: unknown[] = [];
    const asks = stage("asks", { state, writes: ["name"] }, async ({ interrupt }) => {
      try {
        return { name: textOf(await interrupt("Who?")) };
      } catch (error) {
        codes.push(ThroughlineError.from(error).code);
        return { name: "nobody" };
      }
    });
    const { agent } = inn({ stages: [asks] });
    const runtime = await createRuntime({ store: await openStore(":memory:"), agents: [agent], clock });
    const session = await runtime.sessions.create({ agent: "inn" });
    const { offset } = await session.send("Hello.");
    expect((await onlyCall(session)).expires_at).toBe(clock.now() + 24 * 60 * minute);
    await session.reject(await onlyCall(session));
    expect(await session.outcome(offset)).toMatchObject({ status: "completed", output: { name: "nobody" } });
    expect(codes).toEqual(["stage.rejected"]);
    await runtime.close();
  });

  test("is rejected at once in a turn that an extension answers", async () => {
    const codes: unknown[] = [];
    const asks = stage("asks", { state, writes: ["name"], runs: "always" }, async ({ interrupt }) => {
      const answer = await interrupt("Who?").catch((error: unknown) => (codes.push(ThroughlineError.from(error).code), "nobody"));
      return { name: textOf(answer) };
    });
    const gate = defineExtension({
      name: "gate",
      answer: async (turn) => {
        await turn.runAlways({ recall: false });
        return { text: "Wait.", final: true, outcome: { status: "completed" }, steps: 0, tokens: 0, calls: {} };
      },
    });
    const { agent } = inn({ stages: [asks], extensions: [gate] });
    const runtime = await createRuntime({ store: await openStore(":memory:"), agents: [agent] });
    const result = await (await runtime.sessions.create({ agent: "inn" })).send("Hello.");
    expect([result, codes]).toMatchObject([{ status: "completed", reply: "Wait.", output: { name: "nobody" } }, ["stage.rejected"]]);
    await runtime.close();
  });

  test("fails with a question that is not JSON", async () => {
    const asks = stage("asks", { state, writes: [] }, async ({ interrupt }) => void (await interrupt(new Date(0) as never)));
    const { agent } = inn({ stages: [asks] });
    const runtime = await createRuntime({ store: await openStore(":memory:"), agents: [agent] });
    const result = await (await runtime.sessions.create({ agent: "inn" })).send("Hello.");
    expect(result).toMatchObject({ status: "failed", error: { code: "json.invalid" } });
    await runtime.close();
  });

  test("is told that it waits, so that it does nothing more", async () => {
    const told = Promise.withResolvers<boolean>();
    const asks = stage("asks", { state, writes: [] }, async ({ interrupt, signal }) => {
      signal.addEventListener("abort", () => told.resolve(signal.aborted), { once: true });
      await interrupt("Who?");
    });
    const { agent } = inn({ stages: [asks] });
    const runtime = await createRuntime({ store: await openStore(":memory:"), agents: [agent] });
    await (await runtime.sessions.create({ agent: "inn" })).send("Hello.");
    expect(await told.promise).toBe(true);
    await runtime.close();
  });
});

const dying = (location: string): string => `
  import { createRuntime, openStore, scripted, defineAgent, defineState, input, loop, reduced, stage } from ${JSON.stringify(new URL("../../../packages/throughline/src/index.ts", import.meta.url).href)};
  const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
  const state = defineState({ message: input(any), seen: reduced(any, { initial: 0 }), seats: reduced(any), name: reduced(any) });
  const first = stage("first", { state, writes: ["seen"] }, () => ({ seen: 7 }));
  const table = stage("table", { state, writes: ["seats"] }, async ({ interrupt }) => {
    await interrupt("How many seats?");
    console.log("answered");
    await new Promise(() => {});
  });
  const agent = defineAgent({ name: "inn", version: 1, state, stages: [first, table], reply: loop({ model: scripted([]) }) });
  const runtime = await createRuntime({ store: await openStore(${JSON.stringify(location)}), agents: [agent], leaseMs: 500, heartbeatMs: 100 });
  const session = await runtime.sessions.open({ agent, key: "k" });
  await session.send("A table, please.");
  const [{ call_id, index, arguments_hash }] = (await session.pending()).calls;
  await session.decide({ call_id, index, arguments_hash, decision: "answer", answer: 4 });`;

test("a stage whose process is killed after the answer runs again with it in another process", async () => {
  const location = newSqliteFile();
  const child = spawn(process.execPath, ["--input-type=module", "--eval", dying(location)], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  const answers: unknown[] = [];
  const { agent, ran } = inn();
  const table = stage("table", { state, writes: ["seats"] }, async ({ interrupt }) => {
    answers.push(await interrupt("How many seats?"));
    return { seats: 4 };
  });
  const runtime = await createRuntime({
    ...{ store: await openStore(location), leaseMs: 500, heartbeatMs: 100, pollMs: 20 },
    agents: [agent.with({ stages: [...agent.stages.slice(0, 1), table] })],
  });
  const session = await runtime.sessions.open({ agent: "inn", key: "k" });
  const [message] = await Array.fromAsync(session.events({ kinds: ["message"], follow: false }));
  expect(await session.outcome(message!.offset)).toMatchObject({ status: "completed", reply: "See you.", output: { seen: 7, seats: 4 } });
  expect([answers, ran]).toEqual([[4], ["execution"]]);
  await runtime.close();
  await runtime.store.close();
});
