/** Agents that do what a message says, so that a test decides what happens in another process, and when. */
import { dataIn } from "../../../setup/data-in.ts";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import {
  defineAgent,
  defineState,
  defineTool,
  input,
  loop,
  recentMessages,
  reduced,
  scripted,
  stage,
  variables,
  withControl,
  type Agent,
  type ModelRequest,
} from "../../../../packages/throughline/src/index.ts";
import type { ScriptedReply } from "../../../../packages/throughline/src/model.ts";

/** Where gates lie: files that a test makes when what waits for them may go on. */
const folder = process.env["CASES_FOLDER"] ?? ".";

/** Says that this process has come to a gate, and waits until it is open. */
async function gate(name: string, signal?: AbortSignal): Promise<void> {
  writeFileSync(join(folder, `${name}.${process.pid}.begun`), "");
  while (!existsSync(join(folder, `${name}.open`))) await delay(5, undefined, signal === undefined ? {} : { signal });
}

const state = defineState({
  message: input(z.string().optional()),
  mood: reduced(z.string(), { show: "public" }),
  heard: reduced(z.array(z.string())),
});

const lookUp = defineTool({
  name: "look_up",
  description: "Looks something up.",
  parameters: z.object({ what: z.string() }),
  effects: "none",
  execute: ({ what }) => ({ found: what }),
});
const breakDown = defineTool({
  name: "break_down",
  description: "Fails.",
  parameters: z.object({}),
  effects: "none",
  execute: () => {
    throw new Error("secret internals of a tool");
  },
});
/** What must happen once: it leaves a line for each time that it did. */
const pay = defineTool({
  name: "pay",
  description: "Pays.",
  parameters: z.object({ gate: z.string() }),
  effects: "once",
  execute: async (args, { signal }) => {
    writeFileSync(join(folder, `${args.gate}.paid`), "paid\n", { flag: "a" });
    await gate(args.gate, signal);
    return "paid";
  },
});
const handOver = defineTool({
  name: "hand_over",
  description: "Calls a person.",
  parameters: z.object({}),
  effects: "none",
  execute: () => withControl({ mode: "manual", handover: { reason: "asked for a person", alert: 2 } }, "a person comes"),
});
const feel = defineTool({
  name: "feel",
  description: "Notes a mood.",
  parameters: z.object({ mood: z.string() }),
  outputsToState: { mood: { source: "mood" } },
  effects: "none",
  execute: ({ mood }) => ({ mood }),
});

const listen = stage("listen", { state, writes: ["heard"] }, ({ state: { message } }) => (message === undefined ? {} : { heard: [message] }));

const call = (name: string, args: Readonly<Record<string, string>> = {}) => ({ call_id: `call-${name}`, name, arguments: args });

/** What each first word of a message makes the model do; any other message m is answered with `re:m`. */
const commands: Readonly<Record<string, (words: readonly string[], request: ModelRequest) => ScriptedReply>> = {
  hold: ([name = ""], request) => ({ text: `re:${said(request)}`, wait: (signal) => gate(name, signal) }),
  draft: ([name = ""]) => ({ text: ["one ", "two ", "three"], wait: afterFirst((signal) => gate(name, signal)) }),
  stubborn: ([name = ""], request) => ({ text: `re:${said(request)}`, wait: () => gate(name) }),
  fail: () => ({ error: new Error("secret internals of a model") }),
  find: ([what = ""]) => ({ calls: [call("look_up", { what })] }),
  break: () => ({ calls: [call("break_down")] }),
  pay: ([name = ""]) => ({ calls: [call("pay", { gate: name })] }),
  person: () => ({ calls: [call("hand_over"), call("look_up", { what: "nothing" })] }),
  feel: ([mood = ""]) => ({ calls: [call("feel", { mood })] }),
  known: (_words, request) => ({ text: dataIn(request.sections.find(({ name }) => name === "variables")?.text ?? "nothing") }),
  prompt: (_words, request) => ({ text: JSON.stringify({ sections: request.sections, messages: request.messages }) }),
};

function afterFirst(wait: (signal: AbortSignal) => Promise<void>): (signal: AbortSignal) => Promise<void> {
  let first = true;
  return async (signal) => {
    if (!first) await wait(signal);
    first = false;
  };
}

const said = ({ messages }: ModelRequest): string => messages.findLast(({ role }) => role === "user")?.text ?? "";

/** What the tools have returned since the last message. */
function results({ messages }: ModelRequest): readonly string[] {
  const since = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(since + 1).flatMap((message) => (message.role === "tool" ? [message.text] : []));
}

const model = scripted((request) => {
  const returned = results(request);
  if (returned.length > 0) return `so ${returned.join(" and ")}`;
  const [first = "", ...words] = said(request).split(" ");
  return Object.hasOwn(commands, first) ? (commands[first]?.(words, request) ?? "") : `re:${said(request)}`;
});

/** An agent of this name that does as it is told. */
export const obedient = (name: string, onNewMessage: "queue" | "supersede"): Agent =>
  defineAgent({
    ...{ name, version: 1, state, stages: [listen], sections: [variables, recentMessages], apology: "Sorry.", onNewMessage },
    reply: loop({ model, tools: [lookUp, breakDown, pay, handOver, feel] }),
  });
