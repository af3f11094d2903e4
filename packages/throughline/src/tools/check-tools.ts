/** Checks tools against the state of their agent. */
import { seen, ThroughlineError } from "../kernel/error.ts";
import { isPlainObject, type Json } from "../kernel/json.ts";
import { jsonSchemaOf } from "../kernel/schema.ts";
import type { StateDefinition } from "../state/define.ts";
import type { Field } from "../state/field.ts";
import { messagesField } from "../state/messages-field.ts";
import { nearest } from "../state/document.ts";
import type { Tool } from "./tool.ts";

/**
 * Checks an agent's tools: created by defineTool, unique names, declared and compatible fields for all reads and writes, and only writable fields
 * written. Throws `agent.invalid`, which names agent, tool and field.
 */
export function checkTools(agent: string, state: StateDefinition, tools: readonly Tool[]): void {
  const refuse = (why: string, hint?: string): never => {
    throw new ThroughlineError("agent.invalid", `Agent "${agent}" ${why}.`, hint === undefined ? {} : { hint });
  };
  const given: unknown = tools;
  if (!Array.isArray(given)) return refuse(`needs a list of tools, got ${seen(tools)}`);
  const names = new Set<string>();
  for (const tool of tools) {
    if (tool?.type !== "tool") refuse(`has a tool that was not made by defineTool(...): ${seen(tool)}`);
    if (names.has(tool.name)) refuse(`has two tools named "${tool.name}"`);
    names.add(tool.name);
    const wrong = faultOf(tool, state);
    if (wrong !== undefined) refuse(`has the tool "${tool.name}", ${wrong.why}`, wrong.hint);
  }
}

interface Fault {
  readonly why: string;
  readonly hint?: string;
}

function faultOf(tool: Tool, state: StateDefinition): Fault | undefined {
  if (tool.takesState && tool.state !== undefined && tool.state !== state)
    return { why: "which takes the state of another definition than the agent's", hint: "Give both the same `state`." };
  for (const [name, parameter] of Object.entries(tool.inputsFromState)) {
    const fault = inputFault(tool, state, { name, parameter });
    if (fault !== undefined) return fault;
  }
  for (const name of Object.keys(tool.outputsToState)) {
    const fault = outputFault(tool, state, name);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function inputFault(
  tool: Tool,
  state: StateDefinition,
  { name, parameter }: { readonly name: string; readonly parameter: string },
): Fault | undefined {
  const field = fieldOf(state, name);
  if (field === undefined) return missing(state, name, "reads");
  const held = field.codec === undefined ? kindsOf(jsonSchemaOf(field.schema, "output")) : undefined;
  const { properties } = tool.parameters;
  const taken = isPlainObject(properties) ? kindsOf(properties[parameter]) : undefined;
  if (held === undefined || taken === undefined || [...held].some((kind) => taken.has(kind))) return undefined;
  return {
    why: `which gives the field "${name}", ${[...held].join(" or ")}, to its parameter "${parameter}", ${[...taken].join(" or ")}`,
    hint: "A field's value must be one that its parameter takes.",
  };
}

function outputFault(tool: Tool, state: StateDefinition, name: string): Fault | undefined {
  const field = fieldOf(state, name);
  if (field === undefined) return missing(state, name, "writes");
  if (field.lifecycle === "input")
    return { why: `which writes the field "${name}", an input field`, hint: "Declare a `turn` or `reduced` field for what it makes." };
  if (name === messagesField && tool.outputsToState[name]?.reduce !== undefined)
    return { why: "which writes `messages` through a reducer of its own", hint: "`messages` only grows: leave `reduce` out." };
  return undefined;
}

const fieldOf = ({ fields }: StateDefinition, name: string): Field | undefined => (Object.hasOwn(fields, name) ? fields[name] : undefined);

function missing({ fields }: StateDefinition, name: string, how: string): Fault {
  const names = Object.keys(fields);
  const near = nearest(name, names);
  const why = `which ${how} the field "${name}", and the state has no such field; it has ${names.join(", ")}`;
  return near === undefined ? { why } : { why, hint: `Did you mean \`${near}\`?` };
}

/** Returns the types that a schema plainly allows. Undefined if any type is possible. */
function kindsOf(schema: Json | undefined): ReadonlySet<string> | undefined {
  if (!isPlainObject(schema)) return undefined;
  const { type, anyOf, oneOf, const: constant, enum: values } = schema;
  if (typeof type === "string") return new Set([kind(type)]);
  if (Array.isArray(type)) return new Set(type.map((name: Json) => kind(typeof name === "string" ? name : "")));
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(alternatives)) {
    const parts = alternatives.map(kindsOf);
    return parts.includes(undefined) ? undefined : new Set(parts.flatMap((part) => [...(part ?? [])]));
  }
  if (Array.isArray(values)) return new Set(values.map(kindOfValue));
  return constant === undefined ? undefined : new Set([kindOfValue(constant)]);
}

const kind = (type: string): string => (type === "integer" ? "number" : type);
const kindOfValue = (value: Json): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
