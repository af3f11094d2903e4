import { ThroughlineError, seen } from "../../kernel/error.ts";
import { stepCalls, stepText, type ClosedStep } from "../../execution/step.ts";
import type { StopSignal } from "../../execution/stop.ts";
import type { ToolResult } from "../../session/event.ts";
import { isStored } from "../../session/result-text.ts";

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
