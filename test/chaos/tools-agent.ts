/** Agents that call tools of every kind, a child agent, and people: in one reply, or in several. */
import { z } from "zod";
import {
  type Agent,
  type ModelRequest,
  type Tool,
  counter,
  defineAgent,
  defineState,
  defineTool,
  input,
  loop,
  reduced,
  scripted,
  stage,
  subagent,
} from "../../packages/throughline/src/index.ts";
import type { ScriptedReply } from "../../packages/throughline/src/model.ts";
import type { Outside } from "./outside.ts";

/** `ledger` has one entry for each call that ended well, so a result that is merged twice, or lost, shows. */
const toolsState = defineState({
  message: input(z.string()),
  count: reduced(z.number(), { reduce: counter() }),
  seen: reduced(z.array(z.string())),
  ledger: reduced(z.array(z.string()), { show: "output" }),
});

/** What the agents need to be slow and harmful. */
export interface Surroundings {
  readonly outside: Outside;
  /** Takes up to so many milliseconds. */
  readonly pause: (most: number) => Promise<void>;
  readonly replyTo: (text: string) => string;
  readonly apology: string;
  /** Milliseconds that people have to decide. */
  readonly expiresMs?: number;
}

/** Tools whose calls need somebody's approval. */
export const approvedTools: readonly string[] = ["publish", "sign"];

function toolsOf({ outside, pause, expiresMs = 500 }: Surroundings): Readonly<Record<string, Tool>> {
  const parameters = z.object({ text: z.string() });
  const outputsToState = { ledger: { source: "entry" } } as const;
  /** A tool that does something outside, and takes its time before, meanwhile and after. */
  const does = (name: string, effects: "idempotent" | "once", approval?: Parameters<typeof defineTool>[0]["approval"], asks = false): Tool =>
    defineTool({
      ...{ name, description: `Does what "${name}" says.`, parameters, state: toolsState, outputsToState, effects },
      ...(approval === undefined ? {} : { approval }),
      execute: async ({ text }, context) => {
        const { key, call_id } = context;
        const answer = asks ? ` ${JSON.stringify(await context.interrupt({ text }))}` : "";
        await pause(4);
        outside.note(key, "begun", { text });
        await pause(4);
        outside.note(key, "done", { text });
        await pause(4);
        return { entry: [`${name} ${call_id} ${text}${answer}`] };
      },
    });
  const look = defineTool({
    ...{ name: "look", description: "Looks.", parameters, state: toolsState, outputsToState, effects: "none" },
    execute: async ({ text }, { call_id }) => {
      await pause(6);
      return { entry: [`look ${call_id} ${text}`] };
    },
  });
  const tally = defineTool({
    ...{ name: "tally", description: "Counts what is there.", parameters, state: toolsState, effects: "none", takesState: true },
    execute: async ({ text }, { call_id, state }) => {
      await pause(3);
      const entry = `tally ${call_id} ${text} ${state.get("ledger", []).length}`;
      state.set("ledger", [entry]);
      await pause(3);
      return { entry: [entry] };
    },
  });
  return {
    look,
    tally,
    save: does("save", "idempotent"),
    charge: does("charge", "once"),
    publish: does("publish", "once", { expiresMs }),
    sign: does("sign", "once", { expiresMs }),
    ask: does("ask", "once", { when: () => false, expiresMs }, true),
  };
}

/** What is called in answer to a message, reply by reply; the same whoever asks, so that a turn that is resumed goes on the same way. */
const plans: readonly (readonly (readonly string[])[])[] = [
  [["look", "save", "charge", "helper", "publish", "ask", "tally"]],
  [
    ["look", "save", "charge", "charge"],
    ["ask", "helper"],
  ],
  [
    ["save", "publish"],
    ["tally", "charge", "look"],
  ],
];
const childPlans: typeof plans = [[["charge", "look"]], [["sign", "save"]], [["charge", "ask"]]];
const planOf = (number: number): (typeof plans)[number] => plans[number % plans.length] ?? [];
const childPlanOf = (number: number): (typeof plans)[number] => childPlans[Math.floor(number / plans.length) % childPlans.length] ?? [];

/** The number that a message ends with. */
const numberIn = (text: string): number => Number(/\d+/g.exec(text.split(" ").at(-1) ?? "")?.[0] ?? 0);

/** The reply to a request, by its messages alone. */
function play({ messages }: ModelRequest, choose: (number: number) => (typeof plans)[number], replyTo: (text: string) => string): ScriptedReply {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const text = messages[at]?.text ?? "";
  const step = messages.slice(at + 1).filter((message) => message.role === "assistant" && (message.calls ?? []).length > 0).length;
  const names = choose(numberIn(text))[step];
  if (names === undefined) return { text: replyTo(text).match(/\S+\s*/g) ?? [] };
  return {
    calls: names.map((name, index) => ({
      call_id: String(index),
      name,
      arguments: { [name === "helper" ? "prompt" : "text"]: `${text}/${step}/${index}` },
    })),
  };
}

/** The agents: one lets messages wait while it waits itself, for the other they are a rejection. */
export function toolsAgents(surroundings: Surroundings): readonly Agent[] {
  const { pause, replyTo, apology } = surroundings;
  const tools = toolsOf(surroundings);
  const count = stage("count", { state: toolsState, writes: ["count", "seen"] }, async ({ context }) => {
    await pause(2);
    return { count: context.messages.length, seen: context.messages.map((message) => message.text) };
  });
  const replies = (choose: typeof planOf, names: readonly string[], more: readonly Tool[] = []): ReturnType<typeof loop> =>
    loop({
      model: scripted((request) => ({ ...play(request, choose, replyTo), wait: () => pause(2) })),
      tools: [...names.flatMap((name) => tools[name] ?? []), ...more],
    });
  const shared = { version: 1, state: toolsState, stages: [count], apology } as const;
  const child = defineAgent({ ...shared, name: "helping", reply: replies(childPlanOf, ["look", "save", "charge", "sign", "ask"]) });
  const helper = subagent({
    ...{ agent: child, name: "helper", description: "Helps.", state: toolsState, outputsToState: { ledger: { source: "ledger" } } },
  });
  const reply = replies(planOf, ["look", "tally", "save", "charge", "publish", "ask"], [helper]);
  return [
    defineAgent({ ...shared, name: "patient", reply, onMessageWhilePaused: "wait" }),
    defineAgent({ ...shared, name: "curt", reply, onMessageWhilePaused: "reject" }),
  ];
}
