/** The agents that old databases were made with, as this version declares them: the same names, versions, states, stages and tools. */
import { z } from "zod";
import { createCompanion } from "../../../packages/companion/src/create-companion.ts";
import {
  type Agent,
  counter,
  defineAgent,
  defineMigration,
  defineState,
  defineTool,
  input,
  loop,
  merge,
  persona,
  recentMessages,
  reduced,
  scripted,
  stage,
  subagent,
  variables,
  withControl,
} from "../../../packages/throughline/src/index.ts";
import { type Extractor, memory, memoryControl, proceduralRules, recalledMemory, ruleExtractor } from "../../../packages/throughline/src/memory.ts";

/** A call of a tool that has effects. */
export interface Made {
  readonly name: string;
  readonly key: string;
  readonly arguments: unknown;
}

/** Agents, and what their tools have done. */
export interface World {
  readonly agents: readonly Agent[];
  readonly made: readonly Made[];
}

const Desk = defineState({
  message: input(z.string()),
  tier: input(z.enum(["gold", "silver"]).optional()),
  notes: reduced(z.array(z.string()), { show: "public" }),
  opening: reduced(z.string(), { start: true, show: "output" }),
  hits: reduced(z.number(), { reduce: counter() }),
  ledger: reduced(z.record(z.string(), z.number()), { reduce: merge() }),
  secret: reduced(z.string()),
});
const toTwo = defineMigration({ from: 1, to: 2, migrate: ({ note, ...others }) => ({ ...others, notes: note === undefined ? [] : [note] }) });

const Scout = defineState({ message: input(z.string()), facts: reduced(z.array(z.string()), { show: "output" }) });
const report = stage("report", { state: Scout, writes: ["facts"] }, ({ state }) => ({ facts: [state.message] }));
const scout = defineAgent({ name: "scout", version: 1, state: Scout, stages: [report], reply: loop({ model: scripted(() => "Scouted.") }) });

type Groups = Readonly<Record<string, string | undefined>>;

/** What the model does about a message: which tool it calls, with which arguments. */
const calls: readonly (readonly [pattern: RegExp, name: string, (groups: Groups) => Readonly<Record<string, string | number>>])[] = [
  [/^price of (?<thing>.+)$/, "look_up", ({ thing = "" }) => ({ thing })],
  [/^pay (?<n>\d+)/, "pay", ({ n }) => ({ amount: Number(n) })],
  [/^ship to (?<to>.+)$/, "ship", ({ to = "" }) => ({ to })],
  [/^refund (?<n>\d+)/, "refund", ({ n }) => ({ amount: Number(n) })],
  [/^book (?<day>.+)$/, "book", ({ day = "" }) => ({ day })],
];

const model = scripted(({ messages }) => {
  const last = messages.at(-1);
  const text = last?.text ?? "";
  if (last?.role === "tool") return `Done: ${text}`;
  for (const [pattern, name, args] of calls) {
    const groups = pattern.exec(text)?.groups;
    if (groups !== undefined) return { calls: [{ call_id: "c0", name, arguments: args(groups) }] };
  }
  return `Noted: ${text}`;
});

const phrases = ruleExtractor();
const extractor: Extractor = {
  name: "rules with arcs@1",
  extract: async (given, options) => ({
    ...(await phrases.extract(given, options)),
    arc: {
      summary: given.turns
        .map(({ text }) => `They said: ${text}`)
        .join(" ")
        .slice(0, 600),
      themes: ["family"],
      open_loops: [],
      resolved: [],
    },
  }),
};

const listen = stage("listen", { state: Desk, writes: ["notes", "hits"] }, ({ state }) => ({ notes: [state.message], hits: 1 }));
const wait = stage("wait", { state: Desk, writes: ["secret"] }, ({ state }) => ({ secret: `heard ${state.message}` }));

const amount = z.object({ amount: z.number() });
const lookUp = defineTool({
  name: "look_up",
  description: "Looks up a price.",
  state: Desk,
  parameters: z.object({ thing: z.string() }),
  effects: "none",
  outputsToState: { ledger: { source: "prices" } },
  execute: ({ thing }) => ({ prices: { [thing]: thing.length } }),
});
const callPerson = defineTool({
  name: "call_person",
  description: "Calls a person.",
  effects: "none",
  execute: () => withControl({ mode: "manual", handover: { reason: "asks for a person", alert: 2 } }, "Somebody comes."),
});

/** New agents, whose tools have done nothing yet. */
export function oldAgents(): World {
  const made: Made[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    parameters: amount,
    effects: "once",
    execute: (args, { key }) => (made.push({ name: "pay", key, arguments: args }), { paid: args.amount }),
  });
  const ship = defineTool({
    name: "ship",
    description: "Ships a parcel.",
    parameters: z.object({ to: z.string() }),
    effects: "idempotent",
    execute: (args, { key }) => (made.push({ name: "ship", key, arguments: args }), { shipped: args.to, under: key }),
  });
  const refund = defineTool({
    name: "refund",
    description: "Refunds.",
    parameters: amount,
    effects: "once",
    approval: { when: (args) => `Refund ${JSON.stringify(args["amount"])}?`, expiresMs: 20 * 86_400_000 },
    execute: (args, { key }) => (made.push({ name: "refund", key, arguments: args }), { refunded: args.amount }),
  });
  const book = defineTool({
    name: "book",
    description: "Books a table.",
    parameters: z.object({ day: z.string() }),
    effects: "idempotent",
    execute: async ({ day }, { interrupt }) => `A table for ${JSON.stringify(await interrupt(`How many on ${day}?`))} on ${day}.`,
  });
  const desk = defineAgent({
    name: "desk",
    version: 2,
    state: Desk,
    migrations: [toTwo],
    memory: memory({ extractor }),
    stages: [memoryControl({ state: Desk }), listen, wait],
    sections: [persona("You are a desk."), variables, proceduralRules(), recalledMemory(), recentMessages],
    reply: loop({ model, tools: [lookUp, pay, ship, refund, book, callPerson, subagent({ agent: scout, description: "Scouts." })] }),
    keepRequests: { days: 365 },
  });
  return { agents: [desk, scout, createCompanion()], made };
}
