/** Defines hooks, and checks them against their agent. */
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { isPlainObject, present } from "../../kernel/json.ts";
import { isStateDefinition, type DeltaMistake, type DeltaOf, type StateDefinition, type StateOf, type WritableName } from "../../state/define.ts";
import { nearest } from "../../state/document.ts";
import { hookPoints, type HookContext, type HookPoint, type HookReturns } from "./points.ts";

/** A hook as the runtime uses it: checked and frozen. Create it with {@link hook}. */
export interface Hook {
  readonly type: "hook";
  readonly name: string;
  /** The state definition that types it. Undefined for a hook that works with any. */
  readonly state: StateDefinition | undefined;
  readonly writes: readonly string[];
  readonly tools: readonly string[] | undefined;
  readonly priority: number;
  readonly timeoutMs: number;
  readonly onFailure: "fail" | "ignore";
  /** Its functions, by point. */
  readonly at: Readonly<{ [Point in HookPoint]?: (context: HookContext<never, Point>) => unknown }>;
}

/** The updates that a hook may return: only those of its declared fields. */
export type HookDelta<Definition extends StateDefinition, Writes extends WritableName<Definition>> = Pick<
  DeltaOf<Definition>,
  Writes & keyof DeltaOf<Definition>
>;

/** What a function of a hook may return at a point. */
type Returns<Definition extends StateDefinition, Writes extends WritableName<Definition>, Point extends HookPoint> =
  | HookReturns<HookDelta<Definition, Writes>>[Point]
  | undefined
  | void;

/** A sentence about what is wrong with the result of a hook's function. `never` if nothing is. */
type HookMistake<Result, Definition extends StateDefinition, Writes, Point extends HookPoint> = unknown extends Result
  ? never
  : Result extends undefined | void
    ? never
    : {
        [Key in keyof Result & string]-?: Key extends keyof HookReturns<unknown>[Point]
          ? Key extends "delta"
            ? DeltaMistake<Result[Key], Definition, Writes>
            : Result[Key] extends HookReturns<unknown>[Point][Key]
              ? never
              : `"${Key}" has a wrong value at ${Point}`
          : Result[Key] extends undefined
            ? never
            : `A hook returns no "${Key}" at ${Point}`;
      }[keyof Result & string];
type Fitting<Result, Definition extends StateDefinition, Writes, Point extends HookPoint> = [
  HookMistake<Awaited<Result>, Definition, Writes, Point>,
] extends [never]
  ? unknown
  : HookMistake<Awaited<Result>, Definition, Writes, Point>;

/** A function of a hook at a point. Its result is inferred and then checked, so that literals keep their types and a mistake is one sentence. */
export type HookFunction<Definition extends StateDefinition, Writes, Point extends HookPoint, Result> =
  | (((context: HookContext<StateOf<Definition>, Point>) => Result | Promise<Result>) & Fitting<Result, Definition, Writes, Point>)
  | undefined;

/** Options of {@link hook}, besides its functions. */
export interface HookOptions<Definition extends StateDefinition, Writes extends WritableName<Definition>> {
  /** The agent's state definition. It types the functions, and an agent with another state rejects the hook. Without it the hook works with any. */
  readonly state?: Definition;
  /** The fields that it writes. Defaults to none. */
  readonly writes?: readonly Writes[];
  /** Runs `beforeTool` and `afterTool` only for calls of these tools. Defaults to all. The agent must have the tools. */
  readonly tools?: readonly string[];
  /** Hooks with a higher priority run first. Equal ones run in the order of the list. Defaults to 0. */
  readonly priority?: number;
  /** Milliseconds that one run of one function may take. Defaults to 5,000. */
  readonly timeoutMs?: number;
  /**
   * What happens if it throws, times out, or returns an invalid value. `"fail"`, the default: the execution fails with `hook.failed`. `"ignore"`: the
   * failure is logged, and the execution continues without applying anything of that run. A failed `beforeTool` still blocks its call, because an
   * unchecked call must not run.
   */
  readonly onFailure?: "fail" | "ignore";
}

const settingNames = ["state", "writes", "tools", "priority", "timeoutMs", "onFailure"] as const;
const namePattern = /^[a-z][a-z0-9_-]{0,59}$/i;
const longestMs = 2_147_483_647;

/** Returns `hook.invalid`, with a hint if there is a better one than the catalogue's. */
export const invalidHook = (message: string, hint?: string): ThroughlineError => new ThroughlineError("hook.invalid", message, present({ hint }));

/**
 * Creates a hook from functions that run at points of an execution. Each function receives only the data of its point. It returns its changes:
 * updates of the declared fields (`delta`), a request to stop (`stop`), and the decisions of its point. It must not modify its inputs. Throws
 * `hook.invalid`.
 * @example hook("polite", { beforeTool: ({ call }) => (call.name === "shout" ? { block: "We do not shout." } : undefined) })
 */
export function hook<
  const Definition extends StateDefinition = StateDefinition,
  const Writes extends WritableName<Definition> = never,
  const BeforeExecution extends Returns<Definition, Writes, "beforeExecution"> | object = Returns<Definition, Writes, "beforeExecution">,
  const BeforeStep extends Returns<Definition, Writes, "beforeStep"> | object = Returns<Definition, Writes, "beforeStep">,
  const BeforeModel extends Returns<Definition, Writes, "beforeModel"> | object = Returns<Definition, Writes, "beforeModel">,
  const AfterModel extends Returns<Definition, Writes, "afterModel"> | object = Returns<Definition, Writes, "afterModel">,
  const BeforeTool extends Returns<Definition, Writes, "beforeTool"> | object = Returns<Definition, Writes, "beforeTool">,
  const AfterTool extends Returns<Definition, Writes, "afterTool"> | object = Returns<Definition, Writes, "afterTool">,
  const AfterStep extends Returns<Definition, Writes, "afterStep"> | object = Returns<Definition, Writes, "afterStep">,
  const OnStop extends Returns<Definition, Writes, "onStop"> | object = Returns<Definition, Writes, "onStop">,
  const OnError extends Returns<Definition, Writes, "onError"> | object = Returns<Definition, Writes, "onError">,
  const AfterExecution extends Returns<Definition, Writes, "afterExecution"> | object = Returns<Definition, Writes, "afterExecution">,
>(
  name: string,
  options: HookOptions<Definition, Writes> & {
    readonly beforeExecution?: HookFunction<Definition, Writes, "beforeExecution", BeforeExecution>;
    readonly beforeStep?: HookFunction<Definition, Writes, "beforeStep", BeforeStep>;
    readonly beforeModel?: HookFunction<Definition, Writes, "beforeModel", BeforeModel>;
    readonly afterModel?: HookFunction<Definition, Writes, "afterModel", AfterModel>;
    readonly beforeTool?: HookFunction<Definition, Writes, "beforeTool", BeforeTool>;
    readonly afterTool?: HookFunction<Definition, Writes, "afterTool", AfterTool>;
    readonly afterStep?: HookFunction<Definition, Writes, "afterStep", AfterStep>;
    readonly onStop?: HookFunction<Definition, Writes, "onStop", OnStop>;
    readonly onError?: HookFunction<Definition, Writes, "onError", OnError>;
    readonly afterExecution?: HookFunction<Definition, Writes, "afterExecution", AfterExecution>;
  },
): Hook {
  return createHook(name, options);
}

/** Creates a hook from functions whose types the compiler has checked already. */
export function createHook(
  name: string,
  options: HookOptions<StateDefinition, string> & { readonly [Point in HookPoint]?: ((context: never) => unknown) | undefined },
): Hook {
  if (typeof name !== "string" || !namePattern.test(name))
    throw invalidHook(`A hook needs a name of letters, digits, "-" and "_" that begins with a letter (at most 60), got ${seen(name)}.`);
  checkShape(name, options);
  const { state, writes = [], tools, priority = 0, timeoutMs = 5000, onFailure = "fail" } = options;
  if (state !== undefined && !isStateDefinition(state))
    throw invalidHook(`Hook "${name}" has a state that was not made by defineState: ${seen(state)}.`);
  checkWrites(name, writes, state);
  checkTools(name, tools);
  if (typeof priority !== "number" || !Number.isFinite(priority))
    throw invalidHook(`Hook "${name}" needs a priority that is a number, got ${seen(priority)}.`);
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > longestMs)
    throw invalidHook(`Hook "${name}" needs a timeoutMs that is a whole number from 1 to ${longestMs}, got ${seen(timeoutMs)}.`);
  if (onFailure !== "fail" && onFailure !== "ignore") throw invalidHook(`Hook "${name}" has onFailure ${seen(onFailure)}; it is "fail" or "ignore".`);
  const at = Object.fromEntries(hookPoints.flatMap((point) => (options[point] === undefined ? [] : [[point, options[point]]])));
  return Object.freeze({
    ...{ type: "hook", name, state, writes: Object.freeze([...writes]), priority, timeoutMs, onFailure, at: Object.freeze(at) },
    tools: tools === undefined ? undefined : Object.freeze([...tools]),
  });
}

/** Checks that all options and points are known. */
function checkShape(name: string, options: unknown): void {
  if (!isPlainObject(options)) {
    const hint = typeof options === "function" ? `Say at which point it runs: hook(${seen(name)}, { beforeStep: … }).` : undefined;
    throw invalidHook(`Hook "${name}" takes an object of options, got ${seen(options)}.`, hint);
  }
  const known = [...hookPoints, ...settingNames];
  const unknown = Object.keys(options).find((key) => !known.some((one) => one === key));
  if (unknown !== undefined) {
    const near = nearest(unknown, known);
    throw invalidHook(
      `Hook "${name}" has no point or option ${seen(unknown)}.`,
      near === undefined ? `The points are ${hookPoints.join(", ")}; the options ${settingNames.join(", ")}.` : `Did you mean "${near}"?`,
    );
  }
  const given = hookPoints.filter((point) => options[point] !== undefined);
  if (given.length === 0) throw invalidHook(`Hook "${name}" has no function at any point.`, `Give it one of ${hookPoints.join(", ")}.`);
  const other = given.find((point) => typeof options[point] !== "function");
  if (other !== undefined) throw invalidHook(`Hook "${name}" needs a function at ${other}, got ${seen(options[other])}.`);
}

function checkWrites(name: string, writes: unknown, state: StateDefinition | undefined): void {
  if (!Array.isArray(writes) || writes.some((field) => typeof field !== "string"))
    throw invalidHook(`Hook "${name}" needs a list of fields that it writes, got ${seen(writes)}.`);
  if (state === undefined) return;
  const fault = wrongWrite(writes, state);
  if (fault !== undefined) throw invalidHook(`Hook "${name}" ${fault.why}`, fault.hint);
}

/** Returns the first declared field that cannot be written, and the reason. */
export function wrongWrite(
  writes: readonly string[],
  state: StateDefinition,
): { readonly why: string; readonly hint: string | undefined } | undefined {
  for (const field of writes) {
    if (!Object.hasOwn(state.fields, field)) {
      const near = nearest(field, Object.keys(state.fields));
      return {
        why: `declares that it writes "${field}", which the state does not have.`,
        hint: near === undefined ? undefined : `Did you mean "${near}"?`,
      };
    }
    if (state.fields[field]?.lifecycle === "input")
      return { why: `declares that it writes "${field}", which is an input field.`, hint: "Declare a `turn` field for what is made of it." };
  }
  return undefined;
}

/** Checks the tool names of an option. Throws `hook.invalid`. */
export function checkTools(name: string, tools: unknown): void {
  if (tools === undefined) return;
  if (!Array.isArray(tools) || tools.length === 0 || tools.some((tool) => typeof tool !== "string" || tool === ""))
    throw invalidHook(`Hook "${name}" needs a list of names of tools, got ${seen(tools)}.`);
}

/**
 * Checks hooks against their agent: unique names, the state definition, existing fields and tools. Throws `agent.invalid`, with a suggestion for a
 * similar name. `tools` holds the names of the agent's tools. Without it, tool names are not checked.
 */
export function checkHooks(agent: string, state: StateDefinition, hooks: readonly Hook[], tools?: readonly string[]): void {
  const names = new Set<string>();
  const invalid = (message: string, hint?: string): ThroughlineError => new ThroughlineError("agent.invalid", message, present({ hint }));
  for (const hook of hooks as readonly (Hook | undefined)[]) {
    if (hook?.type !== "hook") throw invalid(`Agent "${agent}" has a hook that was not made by hook(...): ${seen(hook)}.`);
    if (names.has(hook.name)) throw invalid(`Agent "${agent}" has two hooks named "${hook.name}".`, "Give one of them another name.");
    names.add(hook.name);
    if (hook.state !== undefined && hook.state !== state)
      throw invalid(`Hook "${hook.name}" was declared for another state than that of agent "${agent}".`);
    const fault = wrongWrite(hook.writes, state);
    if (fault !== undefined) throw invalid(`Hook "${hook.name}" of agent "${agent}" ${fault.why}`, fault.hint);
    const missing = hook.tools?.find((tool) => tools !== undefined && !tools.includes(tool));
    if (missing === undefined) continue;
    const near = nearest(missing, tools ?? []);
    throw invalid(
      `Hook "${hook.name}" is for the tool "${missing}", which agent "${agent}" does not have.`,
      near === undefined ? undefined : `Did you mean "${near}"?`,
    );
  }
}
