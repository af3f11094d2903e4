/** The options of a loop, checked; among them the conditions that end it. */
import type { Reply } from "./reply.ts";
import { createPriceTable, type PriceTable } from "../../execution/prices.ts";
import { stepCalls, stepText, type ClosedStep } from "../../execution/step.ts";
import type { StopSignal } from "../../execution/stop.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { isPlainObject, type JsonObject } from "../../kernel/json.ts";
import { isSchema, jsonSchemaOf, type Schema } from "../../kernel/schema.ts";
import type { Model } from "../../model/port.ts";
import type { ToolResult } from "../../session/event.ts";
import { isStored } from "../../session/session-messages.ts";
import { nearest } from "../../state/suggest.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Hook } from "../hooks/hook.ts";

/** Options of {@link loop}. */
export interface LoopOptions {
  /** The model that is asked; a function chooses it anew for every step. */
  readonly model: Model | ((state: Readonly<Record<string, unknown>>) => Model);
  /** What the model may call, besides answering. */
  readonly tools?: readonly Tool[];
  /** When the loop ends; `exitOn.text` by default. The first of a list that holds ends it. */
  readonly exit?: ExitPolicy | readonly ExitPolicy[];
  readonly hooks?: readonly Hook[];
  /** At most so many calls of one reply run at the same time; 4 by default. */
  readonly concurrency?: number;
  /** What happens when calls of one reply replace the same field: the last in the order of the calls wins (the default), or it fails. */
  readonly conflicts?: "last" | "error";
  /** Whether the last step that the budget allows is asked without tools, so that it ends with an answer; false by default. */
  readonly finalAnswer?: boolean;
  /** How many blank replies in a row are asked anew, each of which is a step; 2 by default, 0 for a loop without tools. */
  readonly blankReplies?: number;
  /** The shape of the wanted answer: a schema, or JSON Schema. It is part of every request. */
  readonly responseFormat?: Schema | JsonObject;
  /** Tokens that one reply of the model may have. */
  readonly maxOutputTokens?: number;
  /** What models cost, by name, for budgets with a limit of cost. */
  readonly prices?: PriceTable;
}

/** A loop's options, checked. */
export interface LoopSettings {
  readonly model: LoopOptions["model"];
  readonly tools: readonly Tool[];
  readonly exit: readonly ExitPolicy[];
  readonly hooks: readonly Hook[];
  readonly concurrency: number;
  readonly conflicts: "last" | "error";
  readonly finalAnswer: boolean;
  readonly blankReplies: number;
  readonly responseFormat: JsonObject | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly prices: PriceTable;
}

const optionNames = [
  "model",
  "tools",
  "exit",
  "hooks",
  "concurrency",
  "conflicts",
  "finalAnswer",
  "blankReplies",
  "responseFormat",
  "maxOutputTokens",
  "prices",
];

const wrong = (message: string): ThroughlineError => new ThroughlineError("agent.invalid", message);

function suggestion(name: string): string {
  const near = nearest(name, optionNames);
  return near === undefined ? "" : ` (did you mean "${near}"?)`;
}

/** A list of values that only the library makes, which have this member. */
const isListOf = (given: unknown, type: string, member: string): boolean =>
  Array.isArray(given) && given.every((item: Readonly<Record<string, unknown>> | null | undefined) => item?.["type"] === type && member in item);

/** An exit as `exitOn` makes it. */
function isPolicy(policy: unknown): boolean {
  if (policy === "text") return true;
  if (!isPlainObject(policy)) return false;
  const { type, names, test } = policy;
  if (type === "when") return typeof test === "function";
  return type === "tools" && Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === "string" && name !== "");
}

/** The options of a loop, checked; `agent.invalid` names the one that is wrong. */
export function settingsOf(options: LoopOptions): LoopSettings {
  if (!isPlainObject(options)) throw wrong(`loop takes one object of options, got ${seen(options)}.`);
  const unknown = Object.keys(options).find((key) => !optionNames.includes(key));
  if (unknown !== undefined) throw wrong(`loop has no option "${unknown}"${suggestion(unknown)}; it has ${optionNames.join(", ")}.`);
  const { model, tools = [], exit = exitOn.text, hooks = [], concurrency = 4, conflicts = "last", finalAnswer = false, prices = {} } = options;
  const { blankReplies = tools?.length === 0 ? 0 : 2, maxOutputTokens, responseFormat } = options;
  if (typeof model !== "function" && typeof model?.stream !== "function") throw wrong("loop needs a model with a stream function.");
  if (!isListOf(tools, "tool", "inputsFromState")) throw wrong(`loop takes a list of tools made by defineTool, got ${seen(tools)}.`);
  if (!isListOf(hooks, "hook", "at")) throw wrong(`loop takes a list of hooks made by hook, got ${seen(hooks)}.`);
  const policies: readonly ExitPolicy[] = Array.isArray(exit) ? exit : [exit as ExitPolicy];
  if (policies.length === 0 || !policies.every(isPolicy)) throw wrong(`loop takes an exit made by exitOn, or a list of them, got ${seen(exit)}.`);
  if (!Number.isInteger(concurrency) || concurrency < 1) throw wrong(`loop's concurrency is a whole number from 1, got ${seen(concurrency)}.`);
  if (conflicts !== "last" && conflicts !== "error") throw wrong(`loop's conflicts is "last" or "error", got ${seen(conflicts)}.`);
  if (typeof finalAnswer !== "boolean") throw wrong(`loop's finalAnswer is true or false, got ${seen(finalAnswer)}.`);
  if (!Number.isInteger(blankReplies) || blankReplies < 0) throw wrong(`loop's blankReplies is a whole number from 0, got ${seen(blankReplies)}.`);
  if (maxOutputTokens !== undefined && (!Number.isInteger(maxOutputTokens) || maxOutputTokens < 1))
    throw wrong(`loop's maxOutputTokens is a whole number from 1, got ${seen(maxOutputTokens)}.`);
  if (responseFormat !== undefined && !isSchema(responseFormat) && !isPlainObject(responseFormat))
    throw wrong(`loop's responseFormat is a schema, or JSON Schema, got ${seen(responseFormat)}.`);
  return Object.freeze({
    model,
    tools: Object.freeze([...tools]),
    exit: Object.freeze([...policies]),
    hooks: Object.freeze([...hooks]),
    concurrency,
    conflicts,
    finalAnswer,
    blankReplies,
    responseFormat: isSchema(responseFormat) ? jsonSchemaOf(responseFormat, "output") : responseFormat,
    maxOutputTokens,
    prices: createPriceTable(prices),
  });
}

/** A call of a closed step, and what became of it. */
export interface StepCall {
  readonly call_id: string;
  readonly name: string;
  readonly result: ToolResult;
}

/** When the loop of model calls ends. */
export type ExitPolicy =
  | "text"
  | { readonly type: "tools"; readonly names: readonly string[] }
  | { readonly type: "when"; readonly test: (step: ClosedStep, calls: readonly StepCall[], state: Readonly<Record<string, unknown>>) => boolean };

/**
 * When the loop of model calls ends. `text`: with the first reply that is text and calls no tool. `tools(...)`: with a step in which one of these
 * tools was called, and none of them failed; the reply is what that tool returned. `when(test)`: with the first step that passes the test, which is not
 * asynchronous; the reply is the step's text or, if it has none, what the last of its calls returned. A list of them ends with whichever comes first.
 */
export const exitOn = Object.freeze({
  text: "text" as const,
  tools: (...names: readonly string[]): ExitPolicy => {
    if (names.length === 0 || names.some((name) => typeof name !== "string" || name === ""))
      throw new ThroughlineError("agent.invalid", `exitOn.tools takes the names of tools, got ${seen(names)}.`);
    return Object.freeze({ type: "tools", names: Object.freeze([...names]) });
  },
  when: (test: Extract<ExitPolicy, { type: "when" }>["test"]): ExitPolicy => {
    if (typeof test !== "function") throw new ThroughlineError("agent.invalid", `exitOn.when takes a function, got ${seen(test)}.`);
    return Object.freeze({ type: "when", test });
  },
});

/** Why a step ends the loop: the policy, and the call whose result is the answer, if there is one. */
export interface Exit {
  readonly message: string;
  readonly call?: StepCall;
  /** Signals that the step was asked for in spite of: what ended with it ends as it says. */
  readonly overrules?: readonly StopSignal[];
}

/** Whether a step ends the loop. Blank text is no answer. A tool that ends the loop and failed lets it go on, also when another one succeeded. */
export function exitAfter(
  policies: readonly ExitPolicy[],
  closed: { readonly step: ClosedStep; readonly calls: readonly StepCall[]; readonly state: Readonly<Record<string, unknown>> },
): Exit | undefined {
  const { step, calls, state } = closed;
  for (const policy of policies) {
    if (policy === "text") {
      if (stepCalls(step).length === 0 && stepText(step).trim() !== "") return { message: "The model answered." };
    } else if (policy.type === "when") {
      if (passes(policy.test(step, calls, state))) return { message: "The step met the condition for the end.", ...answerOf(stepText(step), calls) };
    } else {
      const last = calls.filter(({ name }) => policy.names.includes(name));
      const [call] = last;
      if (call !== undefined && last.every(({ result }) => isStored(result))) return { message: `The tool "${call.name}" was called.`, call };
    }
  }
  return undefined;
}

/** A promise would pass every test. */
function passes(tested: unknown): boolean {
  if (typeof tested === "boolean") return tested;
  throw new ThroughlineError("agent.invalid", `The test of exitOn.when returns true or false, and returned ${seen(tested)}.`);
}

/** A step that says nothing answers with what the last of its calls returned. */
export function answerOf(text: string, calls: readonly StepCall[]): Pick<Exit, "call"> {
  const call = text.trim() === "" ? calls.findLast(({ result }) => isStored(result)) : undefined;
  return call === undefined ? {} : { call };
}

/** The names of tools that policies wait for. */
export const exitTools = (policies: readonly ExitPolicy[]): readonly string[] =>
  policies.flatMap((policy) => (typeof policy === "object" && policy.type === "tools" ? policy.names : []));

/** The settings of a reply that is a loop; undefined for another reply. */
export const loopSettings = (reply: Reply & { readonly settings?: LoopSettings }): LoopSettings | undefined => reply.settings;
