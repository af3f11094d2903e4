/** What becomes of what a tool returned: the result that is stored, what the model reads of it, and what it writes to the state. */
import { seen, ThroughlineError } from "../kernel/error.ts";
import { isPlainObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { MessagePart, ToolResult } from "../session/event.ts";
import type { StateDefinition } from "../state/define.ts";
import type { Field } from "../state/field.ts";
import { using } from "../state/reducer.ts";
import { snapshot } from "../state/value.ts";
import type { Tool } from "./tool.ts";

/**
 * The result of a call that ended well, frozen. Members that are undefined are left out, nothing at all is null, an object with `toJSON` is what that
 * returns, and what goes to a field with a codec is encoded by it. Throws `tool.output_invalid`, with the path, for anything else that is not JSON.
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
  return { type: "ok", value: copy.json, ...(shown === undefined ? {} : { shown }) };
}

/** Most characters of a result that cannot be stored as it is. */
const mostKept = 100_000;

/**
 * What the log keeps of a result that cannot be stored as it is, for the reason in `error`. Members that are not JSON are replaced by a short description,
 * and what is too large is cut. The call was made, so this never throws.
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
  return { type: "ok", value: json, ...(shown === undefined ? {} : { shown }), not_stored: why.toJSON() };
}

/** A value as JSON of a limited size. Whatever cannot be stored is described in its place. */
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

/** Dates, URLs and whatever else says itself how it is written. */
function plain(value: unknown, around: readonly unknown[]): unknown {
  // A cycle stays what it is, and is refused. To follow each of its branches would not end.
  if (typeof value !== "object" || value === null || around.length > 256 || around.includes(value)) return value;
  const within = [...around, value];
  if ("toJSON" in value && typeof value.toJSON === "function") return plain((value.toJSON as () => unknown)(), within);
  if (Array.isArray(value)) return Array.from(value, (item: unknown) => plain(item, within));
  if (!isPlainObject(value)) return value;
  const copy: Record<string, unknown> = {};
  // `__proto__` stays what it is, and is refused with a path like everything that cannot be stored.
  for (const [name, item] of Object.entries(value)) Object.defineProperty(copy, name, { value: plain(item, within), enumerable: true });
  return copy;
}

/** The result, its members for fields with a codec in the form in which they are stored. */
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
 * What the model reads in place of the result, if the tool says so. A rendering that throws, or that is neither a text nor a list of parts, changes
 * nothing: the model reads the result itself.
 */
export function shownOf(tool: Pick<Tool, "show">, value: Json): readonly MessagePart[] | undefined {
  return attempt(() => {
    const parts = snapshot(tool.show?.(value));
    const shown = "json" in parts && Array.isArray(parts.json) ? parts.json.map(partShown) : [undefined];
    return shown.every((part) => part !== undefined) ? shown : undefined;
  });
}

/** The types of content that tools know and a model is not shown. */
const leftOut: ReadonlySet<string> = new Set(["image", "audio", "video", "file", "media", "resource"]);

/** A part as a model is shown it. Content that it cannot be shown, such as an image, is named in its place; undefined for what is no part. */
function partShown(part: Json): MessagePart | undefined {
  const { type, text, value } = isPlainObject(part) ? part : {};
  if (type === "text" && typeof text === "string") return { type, text };
  if (type === "json" && value !== undefined) return { type, value };
  return typeof type === "string" && leftOut.has(type) ? { type: "text", text: `[${type}, left out]` } : undefined;
}

/**
 * The delta that a result makes: for each field of `outputsToState` the whole result, or the member that `source` names. A member that is not there writes
 * nothing; one that is null writes null. Reducers of the map travel with the update. Throws `tool.output_invalid` for a result that has no members
 * where one is wanted. The delta is applied whole or not at all; whether it fits the fields, `applyDelta` says.
 */
export function deltaOf(tool: Tool, value: Json, definition: StateDefinition | undefined = tool.state): JsonObject {
  const delta: Record<string, unknown> = {};
  for (const [name, { source, reducer }] of Object.entries(tool.outputsToState)) {
    const update = tool.take === undefined ? partOf(tool, value, { source, field: name }) : tool.take(value, source);
    if (update === undefined) continue;
    const live = decoded(tool, update, { codec: codecOf(definition, name), field: name });
    delta[name] = reducer === undefined ? live : using(reducer, live);
  }
  // What a delta holds besides JSON, overrides and decoded values, is applied and never stored.
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

/** A result with what the model reads in place of its value. */
interface Rendered {
  readonly [marker]: true;
  readonly value: unknown;
  readonly parts: readonly MessagePart[] | undefined;
  /** Why the value is not the whole result. */
  readonly refused?: ThroughlineError;
}

/** A result with what the model reads in place of it; a tool's own `show` wins over that. */
export const rendered = (value: unknown, parts: readonly MessagePart[]): Rendered => Object.freeze({ [marker]: true, value, parts });

/** What is left of a result that is not used as it is, and why: a call with effects was made, any other one has failed with the error. */
export const refused = (value: unknown, error: ThroughlineError): Rendered =>
  Object.freeze({ [marker]: true, value, parts: undefined, refused: error });

/** Whether a tool's result comes in two forms. */
const isRendered = (returned: unknown): returned is Rendered => typeof returned === "object" && returned !== null && marker in returned;
