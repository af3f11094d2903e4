/** Schemas of plain JSON, made by hand: what checks a value and what documents it are written once. */
import { isPlainObject, type JsonObject } from "../kernel/json.ts";
import type { Schema } from "../kernel/schema.ts";

/** A shape of JSON: whether a value has it, and its JSON Schema. */
export interface Shape<Value> {
  readonly is: (value: unknown) => value is Value;
  readonly json: JsonObject;
}

type ValueOf<S> = S extends Shape<infer Value> ? Value : never;

export const text: Shape<string> = { is: (value) => typeof value === "string", json: { type: "string" } };
export const flag: Shape<boolean> = { is: (value) => typeof value === "boolean", json: { type: "boolean" } };
export const whole: Shape<number> = { is: (value): value is number => Number.isSafeInteger(value), json: { type: "integer" } };

/** One of a few values. */
export function oneOf<const Value extends string | number>(...values: readonly Value[]): Shape<Value> {
  return { is: (value): value is Value => values.some((known) => known === value), json: { enum: [...values] } };
}

export function listOf<Value>(item: Shape<Value>): Shape<readonly Value[]> {
  return {
    is: (value): value is readonly Value[] => Array.isArray(value) && value.every((one) => item.is(one)),
    json: { type: "array", items: item.json },
  };
}

/** An object with these members and, if they are there, those; with no others. */
export function objectOf<Needed extends Record<string, Shape<unknown>>, Other extends Record<string, Shape<unknown>> = Record<never, never>>(
  needed: Needed,
  other?: Other,
): Shape<{ readonly [Name in keyof Needed]: ValueOf<Needed[Name]> } & { readonly [Name in keyof Other]?: ValueOf<Other[Name]> }> {
  type Made = { readonly [Name in keyof Needed]: ValueOf<Needed[Name]> } & { readonly [Name in keyof Other]?: ValueOf<Other[Name]> };
  const members = new Map<string, Shape<unknown>>(Object.entries({ ...other, ...needed }));
  const required = Object.keys(needed);
  return {
    is: (value): value is Made =>
      isPlainObject(value) &&
      required.every((name) => Object.hasOwn(value, name)) &&
      Object.entries(value).every(([name, member]) => members.get(name)?.is(member) === true),
    json: {
      type: "object",
      properties: Object.fromEntries([...members].map(([name, { json }]) => [name, json])),
      required,
      additionalProperties: false,
    },
  };
}

/** A shape as a Standard Schema, which documents itself as a JSON Schema. */
export function schemaOf<Value>(what: string, { is, json }: Shape<Value>): Schema<Value> {
  const documented = { input: () => ({ ...json }), output: () => ({ ...json }) };
  const standard = {
    version: 1 as const,
    vendor: "throughline",
    validate: (value: unknown) => (is(value) ? { value } : { issues: [{ message: `must be ${what}` }] }),
    jsonSchema: documented,
  };
  return { "~standard": standard };
}
