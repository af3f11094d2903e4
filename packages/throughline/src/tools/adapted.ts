/** Converts tools of other libraries. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { MessagePart, ToolEffects } from "../session/event.ts";
import type { StateDefinition } from "../state/define.ts";
import { checkKeys, defineTool } from "./define-tool.ts";
import type { ApprovalRule, OutputsToState, Tool, ToolContext, ToolRetry } from "./tool.ts";

/** Options of a tool from another library: its maps to the state, and its side effects. */
export interface AdaptedToolOptions {
  /** Letters, digits, `-` and `_`, at most 64. Defaults to the tool's name. */
  readonly name?: string;
  /** Description for the model. Defaults to the tool's own. */
  readonly description?: string;
  /** The state definition that the maps are checked against. They are checked again when an agent is built. */
  readonly state?: StateDefinition;
  /** Maps a field of the state to the parameter that receives its value. The model cannot see or set such a parameter. */
  readonly inputsFromState?: Readonly<Record<string, string>>;
  /** Maps a field of the state to the part of the result that is written to it: `{}` for the whole result, `source` for one member. */
  readonly outputsToState?: OutputsToState<StateDefinition, unknown>;
  /** Bound parameters that the model may set nevertheless. */
  readonly overridable?: readonly string[];
  /** Side effects of a call. Defaults to `"once"`. */
  readonly effects?: ToolEffects;
  /** Milliseconds that one try may take. Defaults to 60,000. */
  readonly timeoutMs?: number;
  /** Retries after a failure. Defaults to none, and is not allowed for effects `once`. */
  readonly retry?: Partial<ToolRetry>;
  /** Whether calls require human approval. `true` requires it for each call, within 24 hours. */
  readonly approval?: boolean | Partial<ApprovalRule>;
  /** Returns the text or parts that the model reads instead of a result. Undefined keeps the default. */
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

/** A foreign tool in the form for conversion. */
export interface Foreign {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly effects?: ToolEffects;
  readonly timeoutMs?: number;
  readonly approval?: boolean | Partial<ApprovalRule>;
  execute(args: JsonObject, context: ToolContext): unknown;
}

/** Creates the tool. Options take precedence over the tool's own properties. Throws `tool.invalid` for unknown options, or options that do not fit it. */
export function adapted(foreign: Foreign, options: AdaptedToolOptions): Tool {
  const refuse = (why: string, hint?: string): never => {
    throw new ThroughlineError("tool.invalid", `Tool ${seen(foreign.name)}: ${why}.`, hint === undefined ? {} : { hint });
  };
  if (!isPlainObject(options)) return refuse(`options are an object; saw ${seen(options)}`);
  checkKeys(options, optionNames, "option", refuse);
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as AdaptedToolOptions;
  // Validated arguments that arrived as JSON are JSON.
  return defineTool<JsonObject>({ ...foreign, ...given, execute: (args, context) => foreign.execute(args as JsonObject, context) });
}
