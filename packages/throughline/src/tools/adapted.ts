/** Tools that were written for something else. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { MessagePart, ToolEffects } from "../session/event.ts";
import type { StateDefinition } from "../state/define.ts";
import { checkKeys, defineTool } from "./define-tool.ts";
import type { ApprovalRule, OutputsToState, Tool, ToolContext, ToolRetry } from "./tool.ts";

/** Options of a tool from another library: its maps to the state, and its side effects. */
export interface AdaptedToolOptions {
  /** Letters, digits, `-` and `_`; at most 64. The tool's own by default. */
  readonly name?: string;
  /** What the model reads; the tool's own by default. */
  readonly description?: string;
  /** The state that the maps are checked against; they are checked again when an agent is built. */
  readonly state?: StateDefinition;
  /** Field of the state to the parameter that takes its value. The model does not see such a parameter and cannot set it. */
  readonly inputsFromState?: Readonly<Record<string, string>>;
  /** Field of the state to what of the result is written to it: `{}` for all of it, `source` for one member. */
  readonly outputsToState?: OutputsToState<StateDefinition, unknown>;
  /** Bound parameters that the model may set all the same. */
  readonly overridable?: readonly string[];
  /** What running it does outside; `"once"` by default. */
  readonly effects?: ToolEffects;
  /** Milliseconds that one try may take; 60,000 by default. */
  readonly timeoutMs?: number;
  /** Further tries after a failure; none by default, and none for effects `once`. */
  readonly retry?: Partial<ToolRetry>;
  /** Whether a person has to approve each call, or some; `true` is each, within 24 hours. */
  readonly approval?: boolean | Partial<ApprovalRule>;
  /** What the model reads of a result: a text or parts; undefined for what it would read anyway. */
  readonly show?: (value: Json) => string | readonly MessagePart[] | undefined;
}

const optionNames = [
  "name",
  "description",
  "state",
  "inputsFromState",
  "outputsToState",
  "overridable",
  "effects",
  "timeoutMs",
  "retry",
  "approval",
  "show",
];

/** A foreign tool in our words. */
export interface Foreign {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly effects?: ToolEffects;
  readonly timeoutMs?: number;
  readonly approval?: boolean | Partial<ApprovalRule>;
  execute(args: JsonObject, context: ToolContext): unknown;
}

/** The tool; options win over what it says of itself. Throws `tool.invalid` for options that it does not have, or that do not fit it. */
export function adapted(foreign: Foreign, options: AdaptedToolOptions): Tool {
  const refuse = (why: string, hint?: string): never => {
    throw new ThroughlineError("tool.invalid", `Tool ${seen(foreign.name)}: ${why}.`, hint === undefined ? {} : { hint });
  };
  if (!isPlainObject(options)) return refuse(`options are an object; saw ${seen(options)}`);
  checkKeys(options, optionNames, "option", refuse);
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as AdaptedToolOptions;
  // What a validator accepts of arguments that came as JSON is JSON.
  return defineTool<JsonObject>({ ...foreign, ...given, execute: (args, context) => foreign.execute(args as JsonObject, context) });
}
