/** Processes the output of a tool: the stored result, the text for the model, and the writes to the state. */
import { seen, ThroughlineError } from "../kernel/error.ts";
import { isPlainObject, type Json, type JsonObject, present } from "../kernel/json.ts";
import type { MessagePart, ToolResult } from "../session/event.ts";
import type { StateDefinition } from "../state/define.ts";
import type { Field } from "../state/field.ts";
import { using } from "../state/reducer.ts";
import { snapshot } from "../state/value.ts";
import type { Tool } from "./tool.ts";

/**
 * Returns the frozen result of a successful call. Undefined members are left out, `undefined` becomes null, and an object with `toJSON` becomes its
 * output. A member for a field with a codec is encoded by that codec. Throws `tool.output_invalid`, with the path, for any other value that is not
 * JSON.
 */
export function resultOf(
  tool: Tool,
  returned: unknown,
  definition: StateDefinition | undefined = tool.state,
): Extract<ToolResult, { readonly type: "ok" }> {
  const { value = null, parts, refused } = isRendered(returned) ? returned : { value: returned };
  if (refused !== undefined) throw refused;
  const copy = snapshot(plain(encoded(tool, value, definition), []));
  if ("offence" in copy) {
    const where = copy.offence.path === "" ? "" : ` at ${copy.offence.path}`;
    throw invalid(tool, `is not JSON${where}: ${copy.offence.seen}`, { path: copy.offence.path });
  }
  const shown = shownOf(tool, copy.json) ?? parts;
  return { type: "ok", value: copy.json, ...present({ shown }) };
}

/** Maximum characters of a result that cannot be stored unchanged. */
const mostKept = 100_000;

/**
 * Returns the loggable part of a result that cannot be stored unchanged, for the reason in `error`. Members that are not JSON become a short
 * description, and large values are cut. It never throws, because the call was made.
 */
export function keptOf(
  tool: Tool,
  returned: unknown,
  { error, definition = tool.state }: { readonly error: unknown; readonly definition?: StateDefinition | undefined },
): Extract<ToolResult, { readonly type: "ok" }> {
  const { value = null, parts } = isRendered(returned) ? returned : { value: returned };
  const copy = snapshot(storable(attempt(() => encoded(tool, value, definition)) ?? value));
  const json = "json" in copy ? copy.json : null;
  const shown = shownOf(tool, json) ?? parts;
  const why = ThroughlineError.is(error) ? error : invalid(tool, "cannot be read", {}, error);
  return { type: "ok", value: json, ...present({ shown }), not_stored: why.toJSON() };
}

/** Returns a value as JSON of limited size, with descriptions in the place of values that cannot be stored. */
function storable(whole: unknown): Json {
  let left = mostKept;
  const instead = (what: string): Json => {
    left -= what.length;
    return `[not stored: ${what}]`;
  };
  const text = (value: string): string => {
    const kept = value.slice(0, Math.max(0, left));
    left -= value.length;
    return kept.length === value.length ? value : `${kept}… (cut: ${value.length} characters in all)`;
  };
  const copyOf = (value: unknown, around: readonly unknown[]): Json => {
    left -= 1;
    if (value === null || typeof value === "boolean") return value;
    if (typeof value === "string") return text(value);
    if (typeof value === "number" && Number.isFinite(value)) return value;
    if (typeof value !== "object") return instead(typeof value === "number" ? String(value) : seen(value));
    if (around.includes(value)) return instead("a cycle");
    if (around.length >= 64) return instead("a value nested too deep");
    const within = [...around, value];
    if ("toJSON" in value && typeof value.toJSON === "function") return copyOf((value.toJSON as () => unknown)(), within);
    if (Array.isArray(value)) return list(value, within);
    return isPlainObject(value) ? members(value, within) : instead(Object.prototype.toString.call(value));
  };
  const one = (value: unknown, around: readonly unknown[]): Json => {
    const copy = attempt(() => ({ json: copyOf(value, around) }));
    return copy === undefined ? instead("a value that cannot be read") : copy.json;
  };
  const list = (items: readonly unknown[], around: readonly unknown[]): Json => {
    const kept: Json[] = [];
    for (const item of items) {
      if (left <= 0) return [...kept, instead(`${items.length - kept.length} more`)];
      kept.push(one(item, around));
    }
    return kept;
  };
  const members = (object: Readonly<Record<string, unknown>>, around: readonly unknown[]): Json => {
    const kept = new Map<string, Json>();
    const names = Object.keys(object);
    for (const name of names) {
      if (left <= 0) {
        kept.set("not stored", instead(`${names.length - kept.size} more`));
        break;
      }
      const value = attempt(() => ({ value: object[name] }));
      if (value !== undefined && value.value === undefined) continue;
      const label = text(name === "__proto__" ? "[__proto__]" : name);
      kept.set(label, value === undefined ? instead("a value that cannot be read") : one(value.value, around));
    }
    return Object.fromEntries(kept);
  };
  return one(whole, []);
}

const invalid = (tool: Tool, why: string, details: JsonObject = {}, cause?: unknown): ThroughlineError =>
  new ThroughlineError("tool.output_invalid", `The result of "${tool.name}" ${why}.`, { details: { tool: tool.name, ...details }, cause });

/** Converts dates, URLs and other values with a `toJSON` method. */
function plain(value: unknown, around: readonly unknown[]): unknown {
  // A cycle stays unchanged and is rejected later, because following its branches would not end.
  if (typeof value !== "object" || value === null || around.length > 256 || around.includes(value)) return value;
  const within = [...around, value];
  if ("toJSON" in value && typeof value.toJSON === "function") return plain((value.toJSON as () => unknown)(), within);
  if (Array.isArray(value)) return Array.from(value, (item: unknown) => plain(item, within));
  if (!isPlainObject(value)) return value;
  const copy: Record<string, unknown> = {};
  // `__proto__` stays unchanged and is rejected with a path, like every value that cannot be stored.
  for (const [name, item] of Object.entries(value)) Object.defineProperty(copy, name, { value: plain(item, within), enumerable: true });
  return copy;
}

/** Returns the result, with the members for fields with a codec in their stored form. */
function encoded(tool: Tool, returned: unknown, definition: StateDefinition | undefined): unknown {
  const members: Record<string, unknown> = isPlainObject(returned) ? { ...returned } : {};
  let coded = false;
  for (const [name, { source }] of Object.entries(tool.outputsToState)) {
    const codec = codecOf(definition, name);
    if (codec === undefined) continue;
    if (source === undefined) return attempt(() => codec.encode(returned)) ?? returned;
    const member = members[source];
    members[source] = attempt(() => codec.encode(member)) ?? member;
    coded ||= members[source] !== member;
  }
  return coded ? members : returned;
}

const codecOf = (definition: StateDefinition | undefined, name: string): Field["codec"] => definition?.fields[name]?.codec;

function attempt<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/**
 * Returns the tool's rendering of a result for the model. If the rendering throws, or is neither a text nor a list of parts, the model reads the
 * result itself.
 */
export function shownOf(tool: Pick<Tool, "show">, value: Json): readonly MessagePart[] | undefined {
  return attempt(() => {
    const parts = snapshot(tool.show?.(value));
    const shown = "json" in parts && Array.isArray(parts.json) ? parts.json.map(partShown) : [undefined];
    return shown.every((part) => part !== undefined) ? shown : undefined;
  });
}

/** Content types of tools that a model is not shown. */
const leftOut: ReadonlySet<string> = new Set(["image", "audio", "video", "file", "media", "resource"]);

/** Returns a part as shown to a model. Content that cannot be shown, such as an image, is named instead. Undefined for a value that is not a part. */
function partShown(part: Json): MessagePart | undefined {
  const { type, text, value } = isPlainObject(part) ? part : {};
  if (type === "text" && typeof text === "string") return { type, text };
  if (type === "json" && value !== undefined) return { type, value };
  return typeof type === "string" && leftOut.has(type) ? { type: "text", text: `[${type}, left out]` } : undefined;
}

/**
 * Returns the delta of a result: for each field of `outputsToState` the whole result, or the member named by `source`. A missing member writes
 * nothing, and null writes null. The map's reducers are part of the update. Throws `tool.output_invalid` if a member is required and the result has
 * no members. The delta is applied completely or not at all; `applyDelta` checks whether it fits the fields.
 */
export function deltaOf(tool: Tool, value: Json, definition: StateDefinition | undefined = tool.state): JsonObject {
  const delta: Record<string, unknown> = {};
  for (const [name, { source, reduce }] of Object.entries(tool.outputsToState)) {
    const update = tool.take === undefined ? partOf(tool, value, { source, field: name }) : tool.take(value, source);
    if (update === undefined) continue;
    const live = decoded(tool, update, { codec: codecOf(definition, name), field: name });
    delta[name] = reduce === undefined ? live : using(reduce, live);
  }
  // Values in a delta that are not JSON, such as overrides and decoded values, are applied and never stored.
  return delta as JsonObject;
}

function partOf(tool: Tool, value: Json, { source, field }: { readonly source: string | undefined; readonly field: string }): Json | undefined {
  return source === undefined ? value : memberOf(tool, value, { source, field });
}

function memberOf(tool: Tool, value: Json, { source, field }: { readonly source: string; readonly field: string }): Json | undefined {
  if (isPlainObject(value)) return Object.hasOwn(value, source) ? value[source] : undefined;
  throw invalid(tool, `has no member ${seen(source)} for the field ${seen(field)}: it is ${seen(value)}, not an object`, { field, source });
}

function decoded(tool: Tool, update: Json, { codec, field }: { readonly codec: Field["codec"]; readonly field: string }): unknown {
  if (codec === undefined || update === null) return update;
  try {
    return codec.decode(update);
  } catch (error) {
    throw invalid(tool, `does not fit the codec of the field ${seen(field)}: ${seen(update)}`, { field }, error);
  }
}

const marker = Symbol("rendered");

/** A result with a separate rendering for the model. */
interface Rendered {
  readonly [marker]: true;
  readonly value: unknown;
  readonly parts: readonly MessagePart[] | undefined;
  /** Why the value is not the complete result. */
  readonly refused?: ThroughlineError;
}

/** Returns a result with a rendering for the model. The tool's own `show` takes precedence. */
export const rendered = (value: unknown, parts: readonly MessagePart[]): Rendered => Object.freeze({ [marker]: true, value, parts });

/** Returns the rest of an unusable result, with the reason. A call with effects counts as made; any other one fails with the error. */
export const refused = (value: unknown, error: ThroughlineError): Rendered =>
  Object.freeze({ [marker]: true, value, parts: undefined, refused: error });

/** Whether a tool's result has a separate rendering. */
const isRendered = (returned: unknown): returned is Rendered => typeof returned === "object" && returned !== null && marker in returned;
