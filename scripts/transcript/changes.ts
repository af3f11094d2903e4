/** What a turn changed in the state, as lines. */
import type { Json, JsonObject } from "../../packages/throughline/src/index.ts";

/** Whether a value has members by name. */
export const isObject = (value: Json | undefined): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

/** The items of a list; none of anything else. */
export const itemsOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);

/** Leaves of a document by their paths; a list is a leaf, and so is an empty object. */
function leavesOf(value: Json, path = ""): readonly (readonly [path: string, value: Json])[] {
  if (!isObject(value) || Object.keys(value).length === 0) return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, path === "" ? name : `${path}.${name}`));
}

const longestValue = 110;
/** From here on a number of the state is a time. */
const firstTime = Date.UTC(2020, 0, 1);

/** A value as people read it: times as such, and of the turns of a crisis their levels. */
function shown(value: Json): string {
  if (typeof value === "number" && value >= firstTime) return new Date(value).toISOString().slice(0, 16).replace("T", " ");
  const items = itemsOf(value);
  if (items.length > 0) {
    const levels = items.map((one) => (isObject(one) && "level" in one && "at" in one ? one["level"] : undefined));
    if (levels.every((level) => typeof level === "number")) return `levels ${levels.join(" ")}`;
    const names = items.map((one) => (isObject(one) ? (one["name"] ?? one["id"]) : undefined));
    if (names.every((name) => typeof name === "string")) return names.join(", ");
  }
  const text = JSON.stringify(value);
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}

const isNothing = (value: Json): boolean => value === null || (isObject(value) && Object.keys(value).length === 0);

/** The changes between two documents, one line each, in the order of the later one: `+` for what is new, `-` for what is gone. */
export function changesBetween(before: JsonObject, after: JsonObject): readonly string[] {
  const was = new Map(leavesOf(before));
  const is = new Map(leavesOf(after));
  const changed = [...is].flatMap(([path, value]) => {
    const old = was.get(path);
    if (old === undefined) return isNothing(value) ? [] : [`+ ${path} = ${shown(value)}`];
    return JSON.stringify(old) === JSON.stringify(value) ? [] : [`  ${path}: ${shown(old)} → ${shown(value)}`];
  });
  // Nothing that has become something, and the other way round, is one change.
  const gone = [...was].flatMap(([path, value]) => (is.has(path) || isNothing(value) ? [] : [`- ${path} (was ${shown(value)})`]));
  return [...changed, ...gone];
}
