/** Ready-made hooks that end an execution or block calls. */
import { stopReasons, type StopReason } from "../../execution/step.ts";
import { seen } from "../../kernel/error.ts";
import { isPlainObject, present } from "../../kernel/json.ts";
import type { FinishReason } from "../../model/model-port.ts";
import type { ToolCall } from "../../session/event.ts";
import type { StateDefinition, StateOf } from "../../state/define.ts";
import { createHook, hook, type Hook, invalidHook } from "./hook.ts";
import type { HookContext, StopRequest } from "./points.ts";

/** Options of a stock guard. */
export interface GuardHookOptions {
  /** Names of an agent's hooks are unique, so a guard that is used twice needs a name. */
  readonly name?: string;
  /**
   * Hooks with a higher priority run first. Guards run early, at 200. Exceptions: `cancelWhen` at 250, and `stopOnFinishReason` at -200, because it
   * checks the result of the other hooks.
   */
  readonly priority?: number;
}

/** Checks the options of a guard. Throws `hook.invalid`. */
function optionsOf<Options extends object>(guard: string, given: Options, known: readonly (keyof Options & string)[]): Options {
  if (!isPlainObject(given)) throw invalidHook(`${guard} takes an object of options, got ${seen(given)}.`);
  const unknown = Object.keys(given).find((key) => !known.some((one) => one === key));
  if (unknown === undefined) return given;
  throw invalidHook(`${guard} has no option ${seen(unknown)}; it has ${known.join(", ")}.`);
}

const finishReasons: readonly unknown[] = ["stop", "length", "tool_calls", "content_filter", "error", "other"];

const areFinishReasons = (reasons: unknown): boolean =>
  Array.isArray(reasons) && reasons.length > 0 && reasons.every((reason) => finishReasons.includes(reason));

/**
 * Ends the execution as completed, with the model's text so far, after a step with one of these finish reasons. The signal's context has the reason
 * and the list. Throws `hook.invalid`.
 * @example stopOnFinishReason(["length", "content_filter"])
 */
export function stopOnFinishReason(reasons: readonly FinishReason[], options: GuardHookOptions = {}): Hook {
  const { name = "stop_on_finish_reason", priority = -200 } = optionsOf("stopOnFinishReason", options, ["name", "priority"]);
  if (!areFinishReasons(reasons))
    throw invalidHook(`Hook "${name}" takes a list of finish reasons (${finishReasons.join(", ")}), got ${seen(reasons)}.`);
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
  /** The agent's state definition. It types the predicate. */
  readonly state?: Definition;
  /** Defaults to `stop_requested`. */
  readonly reason?: StopReason;
  readonly priority?: number;
}

const requestOf = (answer: StopAnswer, reason: StopReason, message: string): StopRequest | undefined => {
  if (answer === undefined || answer === false) return undefined;
  if (answer === true) return { reason, message };
  return typeof answer === "string" ? { reason, message: answer } : { reason, ...answer };
};

/**
 * Ends the execution before its next step when the predicate holds. The predicate returns true, a sentence with the reason, or a complete signal. A
 * final answer is kept, because no step follows it. Throws `hook.invalid`.
 * @example stopWhen("enough", ({ execution }) => stepCount(execution) >= 3 && "Three steps are enough.")
 */
export function stopWhen<const Definition extends StateDefinition = StateDefinition>(
  name: string,
  predicate: (context: HookContext<StateOf<Definition>, "beforeStep">) => StopAnswer | Promise<StopAnswer>,
  options: StopWhenOptions<Definition> = {},
): Hook {
  const { reason = "stop_requested", priority = 200, state } = optionsOf("stopWhen", options, ["state", "reason", "priority"]);
  if (typeof reason !== "string" || !Object.hasOwn(stopReasons, reason))
    throw invalidHook(`Hook "${name}" has an unknown stop reason: ${seen(reason)}.`);
  if (typeof predicate !== "function") throw invalidHook(`Hook "${name}" needs a function, got ${seen(predicate)}.`);
  return createHook(name, {
    priority,
    ...present({ state }),
    beforeStep: async (context: HookContext<StateOf<Definition>, "beforeStep">) => ({
      stop: requestOf(await predicate(context), reason, `The condition "${name}" holds.`),
    }),
  });
}

/**
 * Cancels the execution from outside, for example by a flag in a database. Calls the source at the start of the execution and before each step,
 * unless the execution is already cancelled. Its result has the form that {@link stopWhen} accepts; the reason is `user_requested`. Throws
 * `hook.invalid`.
 * @example cancelWhen(async ({ signal }) => flags.isCancelled("job-7", { signal }))
 */
export function cancelWhen(
  source: (context: HookContext<Readonly<Record<string, unknown>>, "beforeExecution" | "beforeStep">) => StopAnswer | Promise<StopAnswer>,
  options: GuardHookOptions = {},
): Hook {
  const { name = "cancel_when", priority = 250 } = optionsOf("cancelWhen", options, ["name", "priority"]);
  if (typeof source !== "function") throw invalidHook(`Hook "${name}" needs a function, got ${seen(source)}.`);
  const ask = async (
    context: HookContext<Readonly<Record<string, unknown>>, "beforeExecution" | "beforeStep">,
  ): Promise<{ readonly stop?: StopRequest | undefined } | undefined> => {
    if (context.execution.execution.signals.some(({ reason }) => reason === "user_requested")) return undefined;
    return { stop: requestOf(await source(context), "user_requested", "The execution was cancelled.") };
  };
  return hook(name, { priority, beforeExecution: ask, beforeStep: ask });
}

/**
 * Blocks calls of these tools. The model reads the reason. The agent must have the tools. Throws `hook.invalid`.
 * @example blockTools(["delete_account"], "Accounts are deleted by the support.")
 */
export function blockTools(names: readonly string[], reason: string, options: GuardHookOptions = {}): Hook {
  const { name = "block_tools", priority = 200 } = optionsOf("blockTools", options, ["name", "priority"]);
  if (typeof reason !== "string" || reason.trim() === "") throw invalidHook(`Hook "${name}" needs a reason for the model, got ${seen(reason)}.`);
  return hook(name, { priority, tools: names, beforeTool: () => ({ block: reason }) });
}

/**
 * Requires human approval for calls of these tools. The question for the operator is a text, or a function of the call. The agent must have the
 * tools. Throws `hook.invalid`.
 * @example approveTools(["refund"], ({ arguments: { amount } }) => `Refund ${JSON.stringify(amount)}?`)
 */
export function approveTools(names: readonly string[], question?: string | ((call: ToolCall) => string), options: GuardHookOptions = {}): Hook {
  const { name = "approve_tools", priority = 200 } = optionsOf("approveTools", options, ["name", "priority"]);
  if (question !== undefined && typeof question !== "function" && (typeof question !== "string" || question.trim() === ""))
    throw invalidHook(`Hook "${name}" needs a question that is a text or makes one, got ${seen(question)}.`);
  return hook(name, {
    priority,
    tools: names,
    beforeTool: ({ call }) => ({ approval: typeof question === "function" ? question(call) : (question ?? true) }),
  });
}
