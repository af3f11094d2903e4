/** The options of a loop, checked, and its exit conditions. */
import { invalidAgent } from "../../extension/failure.ts";
import { createPriceTable, type PriceTable } from "../../execution/prices.ts";
import { type ClosedStep, stepCalls, stepText, type StopSignal } from "../../execution/step.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { isPlainObject, type JsonObject, present } from "../../kernel/json.ts";
import { isSchema, jsonSchemaOf, type Schema } from "../../kernel/schema.ts";
import type { Model } from "../../model/model-port.ts";
import type { ToolResult } from "../../session/event.ts";
import { isStored } from "../../session/session-messages.ts";
import { isStateDefinition, type StateDefinition, type StateOf } from "../../state/define.ts";
import { nearest } from "../../state/document.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Hook } from "../hooks/hook.ts";
import type { Reply } from "./reply-port.ts";

/** Chooses a model for a step. It is the type of a method, which the compiler compares loosely: a loop's own state stands for any. */
type ModelChoice<State> = { choose(state: State): Model }["choose"];

/** Options of {@link loop}. */
export interface LoopOptions<Definition extends StateDefinition = StateDefinition> {
  /** The model to call. A function chooses it for each step. */
  readonly model: Model | ModelChoice<StateOf<Definition>>;
  /** The agent's state definition. It types the function that chooses a model, and an agent with another state rejects the loop. */
  readonly state?: Definition;
  /** Tools that the model may call. */
  readonly tools?: readonly Tool[];
  /** When the loop ends. Defaults to `exitOn.text`. If it is a list, the first condition that holds ends the loop. */
  readonly exit?: ExitPolicy | readonly ExitPolicy[];
  readonly hooks?: readonly Hook[];
  /** Maximum number of concurrent calls of one reply. Defaults to 4. */
  readonly concurrency?: number;
  /** What happens when calls of one reply replace the same field. By default the last in the order of the calls wins. With `error`, the later calls fail. */
  readonly conflicts?: "last" | "error";
  /** Whether the last step within the budget runs without tools, so that it ends with an answer. Defaults to false. */
  readonly finalAnswer?: boolean;
  /** How many blank replies in a row are retried. Each retry is a step. Defaults to 2, and to 0 for a loop without tools. */
  readonly blankReplies?: number;
  /** The shape of the answer: a schema, or JSON Schema. It is part of every request. */
  readonly responseFormat?: Schema | JsonObject;
  /** Maximum number of tokens in one reply of the model. */
  readonly maxOutputTokens?: number;
  /** Prices of models, by name, for budgets with a cost limit. */
  readonly prices?: PriceTable;
}

/** Checked options of a loop. */
export interface LoopSettings {
  readonly model: LoopOptions["model"];
  readonly state: StateDefinition | undefined;
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
  "state",
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

/** Whether a value is a list of values that only the library creates. They have this member. */
const isListOf = (given: unknown, type: string, member: string): boolean =>
  Array.isArray(given) && given.every((item: Readonly<Record<string, unknown>> | null | undefined) => item?.["type"] === type && member in item);

/** Whether a value is an exit policy of `exitOn`. */
function isPolicy(policy: unknown): boolean {
  if (policy === "text") return true;
  if (!isPlainObject(policy)) return false;
  const { type, names, test } = policy;
  if (type === "when") return typeof test === "function";
  return type === "tools" && Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === "string" && name !== "");
}

/** Checks the options of a loop. Throws `agent.invalid`, which names the invalid option. */
export function settingsOf(options: LoopOptions): LoopSettings {
  if (!isPlainObject(options)) throw wrong(`loop takes one object of options, got ${seen(options)}.`);
  const unknown = Object.keys(options).find((key) => !optionNames.includes(key));
  if (unknown !== undefined) throw wrong(`loop has no option "${unknown}"${suggestion(unknown)}; it has ${optionNames.join(", ")}.`);
  const { model, tools = [], exit = exitOn.text, hooks = [], concurrency = 4, conflicts = "last", finalAnswer = false, prices = {} } = options;
  const { blankReplies = tools?.length === 0 ? 0 : 2, maxOutputTokens, responseFormat, state } = options;
  if (typeof model !== "function" && typeof model?.stream !== "function") throw wrong("loop needs a model with a stream function.");
  if (state !== undefined && !isStateDefinition(state)) throw wrong(`loop takes a state made by defineState, got ${seen(state)}.`);
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
    state,
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

/** A call of a closed step, and its result. */
export interface StepCall {
  readonly call_id: string;
  readonly name: string;
  readonly result: ToolResult;
}

/** When the loop of model calls ends. */
export type ExitPolicy =
  | "text"
  | { readonly type: "tools"; readonly names: readonly string[] }
  | {
      readonly type: "when";
      /** The state definition that types the test. An agent with another state rejects it. */
      readonly state?: StateDefinition;
      test(step: ClosedStep, calls: readonly StepCall[], state: Readonly<Record<string, unknown>>): boolean;
    };

/**
 * Conditions that end the loop of model calls.
 *
 * - `text` ends it with the first reply that is text and calls no tool.
 * - `tools(...)` ends it with a step that calls one of these tools, if none of those calls fails. The reply is the output of that tool.
 * - `when(test)` ends it with the first step that passes the test, which must be synchronous. The reply is the step's text or, without text, the
 * output of its last call. `when(test, { state })` types the state that the test reads.
 *
 * A list of conditions ends the loop with the first one that holds.
 */
export const exitOn = Object.freeze({
  text: "text" as const,
  tools: (...names: readonly string[]): ExitPolicy => {
    if (names.length === 0 || names.some((name) => typeof name !== "string" || name === ""))
      throw invalidAgent(`exitOn.tools takes the names of tools, got ${seen(names)}.`);
    return Object.freeze({ type: "tools", names: Object.freeze([...names]) });
  },
  when: <const Definition extends StateDefinition = StateDefinition>(
    test: (step: ClosedStep, calls: readonly StepCall[], state: StateOf<Definition>) => boolean,
    options: { readonly state?: Definition } = {},
  ): ExitPolicy => {
    if (typeof test !== "function") throw invalidAgent(`exitOn.when takes a function, got ${seen(test)}.`);
    if (!isPlainObject(options)) throw invalidAgent(`exitOn.when takes an object of options, got ${seen(options)}.`);
    const { state } = options;
    if (state !== undefined && !isStateDefinition(state)) throw invalidAgent(`exitOn.when takes a state made by defineState, got ${seen(state)}.`);
    return Object.freeze({ type: "when", test, ...present({ state }) });
  },
});

/** Why a step ends the loop: the policy, and the call whose result is the answer, if there is one. */
export interface Exit {
  readonly message: string;
  readonly call?: StepCall;
  /** Signals that were waived for this step. The exit overrules them. */
  readonly overrules?: readonly StopSignal[];
}

/**
 * Returns the exit if a step ends the loop. Blank text is not an answer. If a tool that ends the loop fails, the loop continues, even if another such
 * tool succeeded.
 */
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
  throw invalidAgent(`The test of exitOn.when returns true or false, and returned ${seen(tested)}.`);
}

/** Uses the output of the last call as the answer of a step without text. */
export function answerOf(text: string, calls: readonly StepCall[]): Pick<Exit, "call"> {
  const call = text.trim() === "" ? calls.findLast(({ result }) => isStored(result)) : undefined;
  return present({ call });
}

/** Returns the names of the tools in exit policies. */
export const exitTools = (policies: readonly ExitPolicy[]): readonly string[] =>
  policies.flatMap((policy) => (typeof policy === "object" && policy.type === "tools" ? policy.names : []));

/** Returns the settings of a reply that is a loop. Undefined for other replies. */
export const loopSettings = (reply: Reply & { readonly settings?: LoopSettings }): LoopSettings | undefined => reply.settings;
