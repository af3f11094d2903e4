/** Evaluates conditions and mappings, given as data or as functions. */
import { seen, ThroughlineError } from "../kernel/error.ts";
import { isPlainObject, type Json, jsonEqual, notJson } from "../kernel/json.ts";
import type { Condition, Mapping, Predicate, RoutineScope } from "./routine.ts";
import { referenceIn } from "./routine.ts";

/** Data that a condition or mapping reads. */
export type AnyScope = RoutineScope & { readonly result?: unknown };

/** Returns the value that a name such as `state.order.id` refers to, or undefined. */
export function valueAt(name: string, scope: object): unknown {
  let value: unknown = scope;
  for (const member of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, member)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[member];
  }
  return value;
}

/** Whether a condition holds that needs no model. Throws `routine.failed` if a function does not return true or false. */
export function holds(condition: Exclude<Condition<never>, string>, scope: AnyScope): boolean {
  if (typeof condition !== "function") return passes(condition, scope);
  const returned: unknown = (condition as (scope: AnyScope) => unknown)(scope);
  if (typeof returned === "boolean") return returned;
  throw new ThroughlineError("routine.failed", `A condition returns true or false, and returned ${seen(returned)}.`);
}

/** Whether a condition given as data holds for the values of a scope. */
export function passes(predicate: Predicate, scope: object): boolean {
  if ("all" in predicate) return predicate.all.every((one) => passes(one, scope));
  if ("any" in predicate) return predicate.any.some((one) => passes(one, scope));
  if ("not" in predicate) return !passes(predicate.not, scope);
  const { equals, in: list, set, above, below } = predicate;
  const value = valueAt(predicate.value, scope);
  const equal = (wanted: Json): boolean => value !== undefined && jsonEqual(value as Json, wanted);
  if (equals !== undefined && !equal(equals)) return false;
  if (list !== undefined && !list.some(equal)) return false;
  if (set !== undefined && (value !== undefined && value !== null) !== set) return false;
  if (above !== undefined && !(typeof value === "number" && value > above)) return false;
  return below === undefined || (typeof value === "number" && value < below);
}

/** Returns the value of a mapping: references replaced, or what the function returns. A reference to nothing is left out. */
export function mapped(mapping: Mapping<never> | undefined, scope: AnyScope): Readonly<Record<string, unknown>> {
  if (mapping === undefined) return {};
  const value = typeof mapping === "function" ? (mapping as (scope: AnyScope) => unknown)(scope) : replaced(mapping, scope);
  if (value === undefined || value === null) return {};
  if (isPlainObject(value)) return value;
  throw new ThroughlineError("routine.failed", `A mapping returns an object, and returned ${seen(value)}.`);
}

/** Returns the values of a mapping given as data. A reference to nothing is left out. */
export const mappedBy = (mapping: Readonly<Record<string, unknown>>, scope: object): Readonly<Record<string, unknown>> =>
  replaced(mapping, scope) as Readonly<Record<string, unknown>>;

function replaced(given: unknown, scope: object): unknown {
  const from = referenceIn(given);
  if (from !== undefined) return valueAt(from, scope);
  if (Array.isArray(given)) return given.map((one) => replaced(one, scope) ?? null);
  if (!isPlainObject(given)) return given;
  const members = Object.entries(given).map(([name, one]) => [name, replaced(one, scope)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** Returns a mapping's value as JSON. Throws `routine.failed` for any other. */
export function mappedJson(mapping: Mapping<never> | undefined, scope: AnyScope): Readonly<Record<string, Json>> {
  const value = mapped(mapping, scope);
  const wrong = notJson(value);
  if (wrong === undefined) return structuredClone(value) as Readonly<Record<string, Json>>;
  throw new ThroughlineError("routine.failed", `A mapping returned a value that is not JSON at ${wrong.path === "" ? "its root" : wrong.path}.`);
}

/** Returns a time in milliseconds from a number or a text. Throws `routine.failed` for any other value. */
export function timeOf(value: unknown): number {
  const time = typeof value === "string" ? Date.parse(value) : value;
  if (typeof time === "number" && Number.isFinite(time)) return Math.round(time);
  throw new ThroughlineError("routine.failed", `A time is milliseconds or an RFC 3339 text, got ${seen(value)}.`);
}
