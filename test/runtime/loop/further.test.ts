/** Turns whose processes die again and again: what counts is whether each of them got further. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineState,
  defineTool,
  input,
  loop,
  scripted,
  subagent,
  type Agent,
  type Script,
  type Store,
  type TurnResult,
  type TypedAgent,
} from "../../../packages/throughline/src/index.ts";
import type { SessionChange } from "../../../packages/throughline/src/store/port.ts";
import { mortalStore } from "../../../packages/throughline/src/testing/mortal-store.ts";
import { forwarding } from "../../../packages/throughline/src/store/port.ts";
import { emptyStore } from "../harness.ts";
import { calling, scriptedAgent } from "./harness.ts";

const never = new Promise<never>(() => {});

/** A model that calls `work` so many times, one after the other. */
const steps =
  (count: number): Script =>
  ({ messages }) => {
    const done = messages.filter(({ role }) => role === "tool").length;
    return done === count ? "all done" : calling(["work", { number: done + 1 }]);
  };

interface Lived {
  readonly result: TurnResult;
  /** Processes that it took. */
  readonly lives: number;
  /** Numbers of the calls that ran, in order. */
  readonly ran: readonly number[];
  /** Commits that counted the attempts anew. */
  readonly counted: readonly SessionChange[];
}

/** One turn of `count` calls; in every life `dies` says whether the process dies in a call that it is at. */
async function lived(
  kind: "memory" | "sqlite",
  { count, dies }: { readonly count: number; readonly dies: (number: number, life: number) => boolean },
): Promise<Lived> {
  const below = await emptyStore(kind);
  const counted: SessionChange[] = [];
  const store: Store = {
    ...forwarding(below),
    commit: (commit) => {
      if (commit.session?.progress !== undefined) counted.push(commit.session);
      return below.commit(commit);
    },
  };
  const ran: number[] = [];
  const client = await createRuntime({ store, agents: [scriptedAgent(steps(count)).agent], work: false });
  const session = await client.sessions.create({ agent: "a1" });
  const { offset } = await session.post("go");
  for (let life = 1; ; life += 1) {
    const mortal = mortalStore(store);
    const work = defineTool({
      ...{ name: "work", description: "Works.", parameters: z.object({ number: z.number() }), effects: "idempotent" },
      execute: ({ number }) => {
        ran.push(number);
        if (!dies(number, life)) return "worked";
        mortal.die();
        return never;
      },
    });
    const { agent } = scriptedAgent(steps(count), { loop: { tools: [work] } });
    // The dead are not closed: whatever they wait for does not come.
    const runtime = await createRuntime({ store: mortal.store, agents: [agent], pollMs: 5 });
    const result = await Promise.race([mortal.died.then(() => undefined), session.outcome(offset)]);
    if (result === undefined) continue;
    await runtime.close();
    await client.close();
    return { result, lives: life, ran, counted };
  }
}

describe.each(["memory", "sqlite"] as const)("a turn whose process dies (%s)", (kind) => {
  test("in each of its six steps completes: every attempt got further", async () => {
    const { result, lives, ran, counted } = await lived(kind, { count: 6, dies: (number, life) => number === life });
    expect(result).toMatchObject({ status: "completed", reply: "all done", diagnostics: { attempt: 2 } });
    expect([lives, ran]).toEqual([7, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]]);
    // The first attempt has nothing to count anew; each of the others does it once, with a commit that it makes anyway.
    expect(counted.map(({ progress, events = [] }) => [progress, events.length > 0])).toEqual(Array.from({ length: 6 }, () => [1, true]));
  });

  test("in the same step thrice is poisoned, also after steps that went well", async () => {
    const { result, lives, ran, counted } = await lived(kind, { count: 4, dies: (number) => number === 3 });
    expect(result).toMatchObject({ status: "failed", error: { code: "turn.poisoned", details: { attempts: 3 } } });
    expect([lives, ran, counted]).toEqual([3, [1, 2, 3, 3], []]);
  });

  test("at one step, and then twice at a later one, is poisoned at the third claim since", async () => {
    const { result, lives, ran } = await lived(kind, { count: 4, dies: (number, life) => (life === 1 ? number === 1 : number === 3) });
    expect(result).toMatchObject({ status: "failed", error: { code: "turn.poisoned" } });
    expect([lives, ran]).toEqual([4, [1, 1, 2, 3, 3]]);
  });

  test("never counts nothing anew", async () => {
    const { result, lives, counted } = await lived(kind, { count: 3, dies: () => false });
    expect([result.status, lives, counted]).toEqual(["completed", 1, []]);
  });
});

describe.each([1, 2])("a turn that waits for a child agent, %i deep, whose process dies in each of its steps", (depth) => {
  test("completes: the progress of the child is the progress of its parents", async () => {
    const below = await emptyStore("memory");
    const state = defineState({ message: input(z.string()) });
    let ran = 0;
    /** The agents of one life, in which the call of that number dies. */
    const agents = (life: number, die: () => void): Agent => {
      const work = defineTool({
        ...{ name: "work", description: "Works.", parameters: z.object({ number: z.number() }), effects: "idempotent" },
        execute: ({ number }) => {
          ran += 1;
          if (number !== life) return "worked";
          die();
          return never;
        },
      });
      const worker: TypedAgent<typeof state> = defineAgent({
        name: "worker",
        version: 1,
        state,
        reply: loop({ model: scripted(steps(6)), tools: [work] }),
      });
      const asking = (name: string, child: typeof worker): typeof worker => {
        const model = scripted(({ messages }) =>
          messages.some(({ role }) => role === "tool") ? "all done" : calling([child.name, { prompt: "go" }]),
        );
        return defineAgent({ name, version: 1, state, reply: loop({ model, tools: [subagent({ agent: child, description: "Works." })] }) });
      };
      return asking("a1", depth === 1 ? worker : asking("between", worker));
    };
    const client = await createRuntime({ store: below, agents: [agents(0, () => {})], work: false });
    const session = await client.sessions.create({ agent: "a1" });
    const { offset } = await session.post("go");
    for (let life = 1; life <= 6; life += 1) {
      const mortal = mortalStore(below);
      await createRuntime({ store: mortal.store, agents: [agents(life, mortal.die)], pollMs: 5 });
      await mortal.died;
    }
    const runtime = await createRuntime({ store: below, agents: [agents(0, () => {})], pollMs: 5 });
    expect(await session.outcome(offset)).toMatchObject({ status: "completed", reply: "all done" });
    const results = (await Array.fromAsync(session.events({ follow: false, kinds: ["tool"] }))).flatMap(({ kind, data }) =>
      kind === "tool" && data.type === "returned" ? [data.result] : [],
    );
    expect(results).toMatchObject([{ type: "ok", value: { reply: "all done", status: "completed" } }]);
    expect(ran).toBe(12);
    await runtime.close();
    await client.close();
  });
});
