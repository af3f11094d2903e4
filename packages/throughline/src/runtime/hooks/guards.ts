/** Hooks that are needed often: they end an execution, or keep calls from running. */
import { stopReasons, type StopReason } from "../../execution/stop.ts";
import { ThroughlineError, seen } from "../../kernel/error.ts";
import { isPlainObject } from "../../kernel/json.ts";
import type { FinishReason } from "../../model/port.ts";
import type { ToolCall } from "../../session/event.ts";
import type { StateDefinition, StateOf } from "../../state/define.ts";
import { hook, type Hook } from "./hook.ts";
import type { HookContext, StopRequest } from "./points.ts";

/** Options of a stock guard. */
export interface GuardHookOptions {
  /** An agent's hooks have names of their own, so a guard that is used twice needs one. */
  readonly name?: string;
  /** Hooks with a higher one run first. Guards run early: 200, `cancelWhen` 250, and `stopOnFinishReason`, which looks at what the others left, -200. */
  readonly priority?: number;
}

/** The options of a guard; `hook.invalid` for anything else. */
function optionsOf<Options extends object>(guard: string, given: Options, known: readonly (keyof Options & string)[]): Options {
  if (!isPlainObject(given)) throw new ThroughlineError("hook.invalid", `${guard} takes an object of options, got ${seen(given)}.`);
  const unknown = Object.keys(given).find((key) => !known.some((one) => one === key));
  if (unknown === undefined) return given;
  throw new ThroughlineError("hook.invalid", `${guard} has no option ${seen(unknown)}; it has ${known.join(", ")}.`);
}

const finishReasons: readonly unknown[] = ["stop", "length", "tool_calls", "content_filter", "error", "other"];

const areFinishReasons = (reasons: unknown): boolean =>
  Array.isArray(reasons) && reasons.length > 0 && reasons.every((reason) => finishReasons.includes(reason));

/**
 * Ends the execution as completed, with the model's text so far, after a step with one of these finish reasons. The signal's context has the
 * reason, and the list. Throws `hook.invalid`.
 * @example stopOnFinishReason(["length", "content_filter"])
 */
export function stopOnFinishReason(reasons: readonly FinishReason[], options: GuardHookOptions = {}): Hook {
  const { name = "stop_on_finish_reason", priority = -200 } = optionsOf("stopOnFinishReason", options, ["name", "priority"]);
  if (!areFinishReasons(reasons))
    throw new ThroughlineError("hook.invalid", `Hook "${name}" takes a list of finish reasons (${finishReasons.join(", ")}), got ${seen(reasons)}.`);
  const stopping: readonly FinishReason[] = Object.freeze([...reasons]);
  return hook(name, {
    priority,
    afterStep: ({ step: { response: { finish_reason } = {} } }) => {
      if (finish_reason === undefined || !stopping.includes(finish_reason)) return undefined;
      const context = { finish_reason, stop_reasons: stopping };
      return { stop: { reason: "finish_reason", message: `The model stopped with the reason ${finish_reason}.`, context } };
    },
  });
}

/** The result of a predicate: whether to stop, or a message or signal to stop with. */
export type StopAnswer = boolean | string | StopRequest | undefined;

/** Options of {@link stopWhen}. */
export interface StopWhenOptions<Definition extends StateDefinition> {
  /** The state of the agent: it gives the predicate its types. */
  readonly state?: Definition;
  /** `stop_requested` by default. */
  readonly reason?: StopReason;
  readonly priority?: number;
}

const requestOf = (answer: StopAnswer, reason: StopReason, message: string): StopRequest | undefined => {
  if (answer === undefined || answer === false) return undefined;
  if (answer === true) return { reason, message };
  return typeof answer === "string" ? { reason, message: answer } : { reason, ...answer };
};

/**
 * Ends the execution before its next step when the predicate holds: it returns true, a sentence that says why, or a whole signal. A final answer is
 * not taken back, because no step follows it. Throws `hook.invalid`.
 * @example stopWhen("enough", ({ execution }) => stepCount(execution) >= 3 && "Three steps are enough.")
 */
export function stopWhen<const Definition extends StateDefinition = StateDefinition>(
  name: string,
  predicate: (context: HookContext<StateOf<Definition>, "beforeStep">) => StopAnswer | Promise<StopAnswer>,
  options: StopWhenOptions<Definition> = {},
): Hook {
  const { reason = "stop_requested", priority = 200, state } = optionsOf("stopWhen", options, ["state", "reason", "priority"]);
  if (typeof reason !== "string" || !Object.hasOwn(stopReasons, reason))
    throw new ThroughlineError("hook.invalid", `Hook "${name}" stops for a reason that there is not: ${seen(reason)}.`);
  if (typeof predicate !== "function") throw new ThroughlineError("hook.invalid", `Hook "${name}" needs a function, got ${seen(predicate)}.`);
  return hook<Definition>(name, {
    priority,
    ...(state === undefined ? {} : { state }),
    beforeStep: async (context) => ({ stop: requestOf(await predicate(context), reason, `The condition "${name}" holds.`) }),
  });
}

/**
 * Cancels the execution from outside, such as by a flag in a database: the source is asked when the execution begins and before each of its steps, unless
 * somebody has cancelled it already. What it returns is read as {@link stopWhen} reads it; the reason is `user_requested`. Throws `hook.invalid`.
 * @example cancelWhen(async ({ signal }) => flags.isCancelled("job-7", { signal }))
 */
export function cancelWhen(
  source: (context: HookContext<Readonly<Record<string, unknown>>, "beforeExecution" | "beforeStep">) => StopAnswer | Promise<StopAnswer>,
  options: GuardHookOptions = {},
): Hook {
  const { name = "cancel_when", priority = 250 } = optionsOf("cancelWhen", options, ["name", "priority"]);
  if (typeof source !== "function") throw new ThroughlineError("hook.invalid", `Hook "${name}" needs a function, got ${seen(source)}.`);
  const ask = async (
    context: HookContext<Readonly<Record<string, unknown>>, "beforeExecution" | "beforeStep">,
  ): Promise<{ readonly stop?: StopRequest | undefined } | undefined> => {
    if (context.execution.execution.signals.some(({ reason }) => reason === "user_requested")) return undefined;
    return { stop: requestOf(await source(context), "user_requested", "The execution was cancelled.") };
  };
  return hook(name, { priority, beforeExecution: ask, beforeStep: ask });
}

/**
 * Keeps calls of these tools from running; the model is told the reason. The agent must have the tools. Throws `hook.invalid`.
 * @example blockTools(["delete_account"], "Accounts are deleted by the support.")
 */
export function blockTools(names: readonly string[], reason: string, options: GuardHookOptions = {}): Hook {
  const { name = "block_tools", priority = 200 } = optionsOf("blockTools", options, ["name", "priority"]);
  if (typeof reason !== "string" || reason.trim() === "")
    throw new ThroughlineError("hook.invalid", `Hook "${name}" needs a reason that the model is told, got ${seen(reason)}.`);
  return hook(name, { priority, tools: names, beforeTool: () => ({ block: reason }) });
}

/**
 * Lets calls of these tools wait for a person's approval. The question is what the person is asked: a text, or made of the call. The agent must have the
 * tools. Throws `hook.invalid`.
 * @example approveTools(["refund"], ({ arguments: { amount } }) => `Refund ${JSON.stringify(amount)}?`)
 */
export function approveTools(names: readonly string[], question?: string | ((call: ToolCall) => string), options: GuardHookOptions = {}): Hook {
  const { name = "approve_tools", priority = 200 } = optionsOf("approveTools", options, ["name", "priority"]);
  if (question !== undefined && typeof question !== "function" && (typeof question !== "string" || question.trim() === ""))
    throw new ThroughlineError("hook.invalid", `Hook "${name}" needs a question that is a text or makes one, got ${seen(question)}.`);
  return hook(name, {
    priority,
    tools: names,
    beforeTool: ({ call }) => ({ approval: typeof question === "function" ? question(call) : (question ?? true) }),
  });
}
