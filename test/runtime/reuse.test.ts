/** Forks that reuse recorded results: what runs again, what does not, and what the log says of it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type Agent,
  defineAgent,
  defineState,
  defineTool,
  exitOn,
  input,
  loop,
  recentMessages,
  reduced,
  scripted,
  type Session,
  type ToolEffects,
} from "../../packages/throughline/src/index.ts";
import { collect, started } from "./harness.ts";

const tools = ["none", "idempotent", "once"] as const satisfies readonly ToolEffects[];

/** A call in a message: the effects of the tool, and its argument. A message is a list of them, in one step. */
type Called = readonly [effects: ToolEffects, n: number];

/** An agent whose messages are the calls that it makes, with a count of what has really run. */
function caller(): { readonly agent: Agent; readonly ran: Called[] } {
  const ran: Called[] = [];
  const made = tools.map((effects) =>
    defineTool({
      name: effects,
      description: "Counts.",
      parameters: z.object({ n: z.number() }),
      effects,
      ...(effects === "once" ? {} : { retry: { tries: 1 } }),
      execute: ({ n }) => {
        ran.push([effects, n]);
        if (n === 13) throw new Error("unlucky");
        return { total: ran.length };
      },
    }),
  );
  const agent = defineAgent({
    name: "caller",
    version: 1,
    state: defineState({ message: input(z.string()), total: reduced(z.number()) }),
    sections: [recentMessages],
    reply: loop({
      tools: made,
      exit: [exitOn.text],
      model: scripted(({ messages }) => {
        const last = messages.findLastIndex(({ role }) => role === "user");
        if (messages.slice(last + 1).some(({ role }) => role === "tool")) return "done";
        const calls = JSON.parse(messages[last]?.text ?? "[]") as readonly Called[];
        return calls.length === 0 ? "done" : { calls: calls.map(([name, n], at) => ({ call_id: `c${at}`, name, arguments: { n } })) };
      }),
    }),
  });
  return { agent, ran };
}

const say = (session: Session, calls: readonly Called[]): ReturnType<Session["send"]> => session.send(JSON.stringify(calls));

/** The results in a session's log, by offset. */
async function resultsOf(session: Session, minOffset = 0) {
  const events = await collect(session, { kinds: ["tool"], minOffset });
  return events.flatMap((event) => (event.kind === "tool" && event.data.type === "returned" ? [{ ...event.data, offset: event.offset }] : []));
}

describe("a fork that reuses results", () => {
  it("returns what was recorded, says where it is from, and writes it to the state", async () => {
    const { agent, ran } = caller();
    const { sessions } = await started({ agents: [agent] });
    const session = await sessions.create({ agent: "caller" });
    await say(session, [["once", 1]]);
    const { offset: at } = (await session.history())[0] ?? { offset: 0 };
    await say(session, [
      ["once", 2],
      ["idempotent", 3],
      ["none", 4],
    ]);
    const before = ran.length;
    const total = (await session.state()).document["total"];
    const fork = await session.fork({ at, reuse: true });
    await say(fork, [
      ["once", 2],
      ["idempotent", 3],
      ["none", 4],
    ]);
    expect(ran).toHaveLength(before);
    // Calls of one step end in any order.
    const byCall = (left: { readonly call_id: string }, right: { readonly call_id: string }): number => (left.call_id < right.call_id ? -1 : 1);
    const recorded = (await resultsOf(session, at + 1)).toSorted(byCall);
    const reused = (await resultsOf(fork, at + 1)).toSorted(byCall);
    expect(reused.map(({ result, reused_from }) => [result, reused_from])).toEqual(recorded.map(({ result, offset }) => [result, offset]));
    expect((await fork.state()).document["total"]).toBe(total);
    const forked = await fork.event(at + 1);
    expect(forked.data).toEqual({ type: "forked", at, reuse: (await session.info()).head });
  });

  it("blocks a once call that has no recorded result, and runs others", async () => {
    const { agent, ran } = caller();
    const { sessions } = await started({ agents: [agent] });
    const session = await sessions.create({ agent: "caller" });
    await say(session, [["once", 1]]);
    const fork = await session.fork({ reuse: true });
    // Recorded before the fork, so not part of what the fork does again.
    await say(fork, [
      ["once", 1],
      ["idempotent", 9],
    ]);
    expect(ran).toEqual([
      ["once", 1],
      ["idempotent", 9],
    ]);
    const [blocked, other] = await resultsOf(fork, (await session.info()).head + 1);
    expect(blocked).toMatchObject({ result: { type: "blocked", by: "fork" } });
    expect(blocked?.reused_from).toBeUndefined();
    expect(other).toMatchObject({ result: { type: "ok" } });
    const plain = await session.fork();
    await say(plain, [["once", 1]]);
    expect(ran).toHaveLength(3);
  });

  it("prefers a result that succeeded, and takes nothing that was recorded after it began", async () => {
    const { agent, ran } = caller();
    const { sessions } = await started({ agents: [agent] });
    const session = await sessions.create({ agent: "caller" });
    const { head: at } = await session.info();
    await say(session, [["once", 13]]);
    const fork = await session.fork({ at, reuse: true });
    await say(session, [["once", 5]]);
    await say(fork, [["once", 13]]);
    await say(fork, [["once", 5]]);
    expect(ran).toHaveLength(2);
    expect((await resultsOf(fork)).map(({ result }) => result.type)).toEqual(["error", "blocked"]);
  });

  it("runs no once tool without the session that it continues", async () => {
    const { agent, ran } = caller();
    const { sessions } = await started({ agents: [agent] });
    const session = await sessions.create({ agent: "caller" });
    const { head: at } = await session.info();
    await say(session, [["once", 1]]);
    const fork = await session.fork({ at, reuse: true });
    await sessions.delete(session.id);
    await say(fork, [["once", 1]]);
    expect(ran).toHaveLength(1);
    expect((await resultsOf(fork)).map(({ result }) => result.type)).toEqual(["blocked"]);
  });

  it("lists the effects after an offset, with results, page by page", async () => {
    const { agent } = caller();
    const { sessions } = await started({ agents: [agent] });
    const session = await sessions.create({ agent: "caller" });
    await say(session, [
      ["once", 1],
      ["none", 2],
    ]);
    const { head } = await session.info();
    await say(session, [
      ["idempotent", 3],
      ["once", 4],
    ]);
    const { items, next_after } = await session.effects();
    expect(items.map(({ name, arguments: { n }, effects, result }) => [name, n, effects, result?.type])).toEqual([
      ["once", 1, "once", "ok"],
      ["idempotent", 3, "idempotent", "ok"],
      ["once", 4, "once", "ok"],
    ]);
    expect(next_after).toBeNull();
    expect((await session.effects({ after: head })).items.map(({ arguments: { n } }) => n)).toEqual([3, 4]);
    const first = await session.effects({ limit: 2 });
    expect(first.items).toEqual(items.slice(0, 2));
    expect((await session.effects({ after: first.next_after ?? 0, limit: 2 })).items).toEqual(items.slice(2));
    expect(items.every(({ offset, returned_at = 0 }) => returned_at > offset)).toBe(true);
  });
});

const calls = fc.array(fc.tuple(fc.constantFrom(...tools), fc.constantFrom(1, 2, 13)), { maxLength: 3 });

it("no once tool runs again, whatever was said before and after the fork, and what is reused is what was recorded", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(calls, { minLength: 1, maxLength: 4 }),
      fc.nat(),
      fc.array(calls, { minLength: 1, maxLength: 4 }),
      async (said, where, again) => {
        const { agent, ran } = caller();
        const { sessions } = await started({ agents: [agent] });
        const session = await sessions.create({ agent: "caller" });
        for (const message of said) await say(session, message);
        const at = where % ((await session.info()).head + 1);
        const fork = await session.fork({ at, reuse: true });
        const before = ran.filter(([effects]) => effects === "once").length;
        for (const message of again) await say(fork, message);
        expect(ran.filter(([effects]) => effects === "once")).toHaveLength(before);
        for (const { result, reused_from } of await resultsOf(fork, at + 1)) {
          if (reused_from === undefined) continue;
          const source = await session.event(reused_from, { withdrawn: true });
          const recorded = source.kind === "tool" && source.data.type === "returned" ? source.data.result : { type: "unknown" };
          expect(result).toEqual(recorded);
          expect(reused_from).toBeGreaterThan(at);
        }
      },
    ),
    { numRuns: 40 },
  );
}, 60_000);
