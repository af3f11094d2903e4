/** What a model call has cost is on record once the model has answered, whatever happens next. */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineState,
  defineTool,
  hook,
  input,
  loop,
  scripted,
  subagent,
  type Model,
  type Runtime,
  type Session,
  type Store,
} from "../../../packages/throughline/src/index.ts";
import { mortalStore } from "../../../packages/throughline/src/testing/mortal-store.ts";
import { forwarding } from "../../../packages/throughline/src/store/port.ts";
import { emptyStore, gate, started } from "../harness.ts";
import { calling, scriptedAgent } from "./harness.ts";

const usage = { input: 6_000, output: 400 };
const once = (): { readonly reached: ReturnType<typeof gate>; readonly wait: (signal: AbortSignal) => Promise<never> } => {
  const reached = gate();
  return {
    reached,
    wait: (signal) => {
      reached.open();
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    },
  };
};

/** Where the turn is when it is ended: a tool or a hook waits until it is aborted, or the last commit waits for the end. */
const places = ["in a call without effects", "in a call with effects", "in afterModel", "in afterStep", "before the reply is committed"] as const;

function placed(below: Store, place: (typeof places)[number]) {
  const { reached, wait } = once();
  const go = gate();
  const effects = place === "in a call with effects" ? "once" : "none";
  const search = defineTool({ name: "search", description: "Searches.", effects, execute: (_args, { signal }) => wait(signal) });
  const waits = ({ signal }: { readonly signal: AbortSignal }): Promise<never> => wait(signal);
  const hooks =
    place === "in afterModel" ? [hook("waits", { afterModel: waits })] : place === "in afterStep" ? [hook("waits", { afterStep: waits })] : [];
  const calls = place.startsWith("in a call");
  const { agent } = scriptedAgent(() => ({ ...(calls ? calling(["search"]) : { text: "done" }), usage }), { loop: { tools: [search], hooks } });
  const commit: Store["commit"] = async (given) => {
    if (place === "before the reply is committed" && given.session?.end_turns !== undefined && given.session.depends?.head === undefined) {
      reached.open();
      await go.opened;
    }
    return below.commit(given);
  };
  return { agent, store: { ...forwarding(below), commit }, reached, go };
}

const acts: readonly (readonly [string, (session: Session, runtime: Runtime) => Promise<unknown>])[] = [
  ["stopped", (session) => session.stop()],
  ["handed to people", (session) => session.handOver()],
  ["withdrawn", (session) => session.withdraw({ from: 1 })],
  ["left by a process that closes", (_session, runtime) => runtime.close({ drainMs: 0 })],
];

const endings = acts.flatMap(([name, act]) => places.map((place) => [name, place, act] as const));
describe.each(["memory", "sqlite"] as const)("%s", (kind) => {
  test.each(endings)("a turn that is %s %s", async (name, place, act) => {
    const below = await emptyStore(kind);
    const { agent, store, reached, go } = placed(below, place);
    const runtime = await started({ store, agents: [agent] });
    const session = await runtime.sessions.create({ agent: "a1" });
    await session.post("hi");
    await reached.opened;
    const acting = act(session, runtime);
    // Closing waits for the commit.
    await (name.startsWith("left") ? Promise.resolve() : acting);
    go.open();
    await acting;
    await runtime.close({ drainMs: 0 });
    const reader = await started({ store: below, agents: [agent], work: false });
    expect(await (await reader.sessions.get(session.id)).usage()).toMatchObject({ steps: 1, tokens: usage });
  });
});

test("a process that dies in a hook after the model has answered", async () => {
  const below = await emptyStore("sqlite");
  const mortal = mortalStore(below);
  const dies = hook("dies", {
    afterModel: () => {
      mortal.die();
      return new Promise<undefined>(() => {});
    },
  });
  const dying = await createRuntime({
    store: mortal.store,
    agents: [scriptedAgent(() => ({ text: "done", usage }), { loop: { hooks: [dies] } }).agent],
  });
  const { id } = await dying.sessions.create({ agent: "a1" });
  const { offset } = await (await dying.sessions.get(id)).post("hi");
  await mortal.died;
  const runtime = await started({ store: below, agents: [scriptedAgent(() => ({ text: "done", usage })).agent] });
  const session = await runtime.sessions.get(id);
  expect(await session.outcome(offset)).toMatchObject({ status: "completed", reply: "done" });
  // The model was asked twice, and both answers were paid for.
  expect(await session.usage()).toMatchObject({ steps: 2, tokens: { input: 12_000, output: 800 } });
});

const state = defineState({ message: input(z.string()) });

test.each([
  ["its parent is stopped", { steps: 100 }],
  ["its parent's time is over", { steps: 100, seconds: 0.3 }],
] as const)("child agents, when %s: each answered call is charged", async (name, budget) => {
  let answered = 0;
  const busy = gate();
  const work = defineTool({ name: "work", description: "Works.", effects: "none", execute: () => delay(2, "ok") });
  const asked = scripted(() => ({ ...calling(["work"]), usage }));
  const model: Model = {
    name: "asked",
    async *stream(request, options) {
      for await (const part of asked.stream(request, options)) {
        if (part.type === "finish" && (answered += 1) === 20) busy.open();
        yield part;
      }
    },
  };
  const child = defineAgent({ name: "child", version: 1, state, reply: loop({ model, tools: [work] }), budget: { steps: 100_000 } });
  const parentModel = scripted(() => ({
    ...calling(...Array.from({ length: 4 }, () => ["child", { prompt: "go" }] as const)),
    usage: { input: 1, output: 0 },
  }));
  const tools = [subagent({ agent: child, description: "Works." })];
  const parent = defineAgent({
    name: "parent",
    version: 1,
    state,
    budget: { ...budget, steps: 100_000 },
    reply: loop({ model: parentModel, tools }),
  });
  const store = await emptyStore("memory");
  const runtime = await started({ store, agents: [parent] });
  const session = await runtime.sessions.create({ agent: "parent" });
  const { offset } = await session.post("hi");
  await busy.opened;
  if (name === "its parent is stopped") await session.stop();
  expect(await session.outcome(offset)).toMatchObject({ status: "stopped" });
  await runtime.close();
  const reader = await started({ store, agents: [parent], work: false });
  const { steps, tokens } = await (await reader.sessions.get(session.id)).usage();
  expect({ steps, input: tokens.input }).toEqual({ steps: answered + 1, input: answered * usage.input + 1 });
});
