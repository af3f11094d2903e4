/** Calls that have not started when something ends the execution: none of them starts, in the same batch or a later one. */
import { describe, expect, test } from "vitest";
import { defineTool, hook, type Hook, type Store, type ToolEffects } from "../../../packages/throughline/src/index.ts";
import { forwarding } from "../../../packages/throughline/src/store/port.ts";
import { collect, emptyStore, until } from "../harness.ts";
import { calling, callsIn, conversation, toolState } from "./harness.ts";

interface Ending {
  readonly hooks: readonly Hook[];
  readonly seconds?: number;
  /** The first call ends by itself, or when the budget's time is over. */
  readonly waits?: true;
  readonly status: string;
  /** What is on record of the second call. */
  readonly second: readonly string[];
}

const endings: Readonly<Record<string, Ending>> = {
  "a hook asks for a stop after the first": {
    hooks: [hook("enough", { tools: ["first"], afterTool: () => ({ stop: { message: "Enough." } }) })],
    ...{ status: "stopped", second: ["returned second skipped"] },
  },
  "a hook fails after the first": {
    hooks: [
      hook("broken", {
        tools: ["first"],
        afterTool: () => {
          throw new Error("no");
        },
      }),
    ],
    ...{ status: "failed", second: [] },
  },
  "the time is over during the first": { hooks: [], seconds: 0.05, waits: true, status: "stopped", second: ["returned second skipped"] },
};

const places = { "the same batch": false, "a later batch": true } as const;
const effects: readonly ToolEffects[] = ["none", "idempotent", "once"];
const rows = Object.keys(endings).flatMap((ending) =>
  Object.keys(places).flatMap((place) => effects.map((second) => [ending, place, second] as const)),
);

describe("a call behind another one", () => {
  test.each(rows)("does not start when %s: in %s, effects %s", async (ending, place, second) => {
    const { hooks, seconds, waits, status, second: expected } = endings[ending] ?? { hooks: [], status: "", second: [] };
    let ran = 0;
    const first = defineTool({
      ...{ name: "first", description: "Comes first.", state: toolState, effects: "none", outputsToState: { name: { source: "name" } } },
      execute: async (_args, { signal }) => {
        if (waits === true) await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
        return { name: "Ada" };
      },
    });
    const reads = places[place as keyof typeof places] ? ({ inputsFromState: { name: "name" } } as const) : {};
    const next = defineTool({
      ...{ name: "second", description: "Comes second.", state: toolState, effects: second, ...reads },
      parameters: { type: "object", properties: { name: { type: "string" } } },
      execute: () => (ran += 1),
    });
    const { session } = await conversation([calling(["first"], ["second"]), "done"], {
      loop: { tools: [first, next], hooks, concurrency: 1 },
      ...(seconds === undefined ? {} : { agent: { budget: { seconds } } }),
    });
    expect(await session.send("go")).toMatchObject({ status });
    expect([ran, callsIn(await collect(session)).filter((line) => line.includes("second"))]).toEqual([0, expected]);
  });

  test("does not start when a stop is asked for while its start is written", async () => {
    const asked = Promise.withResolvers<void>();
    let ran = 0;
    const slow = defineTool({ name: "slow", description: "Slow.", effects: "none", execute: () => asked.promise });
    const pay = defineTool({ name: "pay", description: "Pays.", effects: "once", execute: () => (ran += 1) });
    const heard = Promise.withResolvers<void>();
    const enough = hook("enough", {
      tools: ["slow"],
      afterTool: () => {
        heard.resolve();
        return { stop: { message: "Enough." } };
      },
    });
    const below = await emptyStore("memory");
    // The commit with the start of `pay` waits until the hook has asked for its stop.
    const commit: Store["commit"] = async (given) => {
      const starts = given.session?.events?.some(({ kind, data }) => kind === "tool" && data["type"] === "called" && data["name"] === "pay") === true;
      if (starts) {
        asked.resolve();
        await heard.promise;
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      return below.commit(given);
    };
    const { session } = await conversation([calling(["slow"], ["pay"]), "done"], {
      store: { ...forwarding(below), commit },
      loop: { tools: [slow, pay], hooks: [enough], concurrency: 2 },
    });
    expect(await session.send("go")).toMatchObject({ status: "stopped", reason: "stop_requested" });
    expect([ran, callsIn(await collect(session))]).toEqual([0, expect.arrayContaining(["called pay", "returned pay skipped"])]);
  });
});

test("a message supersedes a turn that has only asked for a call without effects", async () => {
  let looks = 0;
  const look = defineTool({
    ...{ name: "look", description: "Looks.", effects: "none" },
    execute: (_args, { signal }) => {
      looks += 1;
      return looks > 1 ? "seen" : new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    },
  });
  const { session } = await conversation(({ messages }) => (messages.at(-1)?.role === "tool" ? "done" : calling(["look"])), {
    loop: { tools: [look] },
    agent: { onNewMessage: "supersede" },
  });
  const first = await session.post("one");
  await until(() => looks === 1);
  expect(await session.send("two")).toMatchObject({ status: "completed", reply: "done" });
  expect(await session.outcome(first.offset)).toMatchObject({ status: "completed", reply: "done" });
});
