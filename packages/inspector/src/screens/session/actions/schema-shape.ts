/** What a form shows for a JSON Schema. What it cannot show is edited as JSON. */
import type { WireJson, WireJsonObject } from "@throughline/client";
import { isEqual } from "../../../parts/json-rows.ts";

/** A member of an object. */
export interface Member {
  readonly name: string;
  readonly required: boolean;
  readonly shape: Shape;
}

/** What is shown for a value. */
export type Shape = { readonly title?: string; readonly nullable?: boolean } & (
  | { readonly type: "text"; readonly most?: number }
  | { readonly type: "number"; readonly whole: boolean; readonly min?: number; readonly max?: number }
  | { readonly type: "boolean" }
  | { readonly type: "choice"; readonly options: readonly WireJson[] }
  | { readonly type: "object"; readonly members: readonly Member[] }
  | { readonly type: "list"; readonly items: Shape }
  | { readonly type: "json" }
);

/** Deeper parts, and schemas that name themselves, are edited as JSON. */
const deepest = 6;
const mostMembers = 60;

export const isObject = (value: WireJson | undefined): value is WireJsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const isList = (value: WireJson | undefined): value is readonly WireJson[] => Array.isArray(value);
const numberOf = (value: WireJson | undefined): number | undefined => (typeof value === "number" ? value : undefined);
const set = <Name extends string, Value>(name: Name, value: Value | undefined): { readonly [Key in Name]?: Value } =>
  value === undefined ? {} : ({ [name]: value } as { readonly [Key in Name]: Value });

/** The schema that a reference within a document names. */
function resolved(schema: WireJsonObject, root: WireJsonObject): WireJsonObject | undefined {
  const { $ref } = schema;
  if (typeof $ref !== "string") return schema;
  if (!$ref.startsWith("#/")) return undefined;
  let found: WireJson | undefined = root;
  for (const step of $ref
    .slice(2)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~")))
    found = isObject(found) && Object.hasOwn(found, step) ? found[step] : undefined;
  return isObject(found) ? found : undefined;
}

const isNull = (schema: WireJson): boolean => isObject(schema) && (schema["type"] === "null" || schema["const"] === null);

/** The shape of a schema. */
export function shapeOf(schema: WireJson | undefined, root: WireJsonObject = isObject(schema) ? schema : {}, depth = 0): Shape {
  const own = isObject(schema) ? resolved(schema, root) : undefined;
  if (own === undefined || depth > deepest) return { type: "json" };
  const alternatives = own["anyOf"] ?? own["oneOf"];
  if (isList(alternatives)) return ofAlternatives(alternatives, root, depth);
  if (isList(own["enum"])) return ofValues(own["enum"]);
  if (own["const"] !== undefined) return ofValues([own["const"]]);
  const { type } = own;
  if (isList(type)) {
    const [only, ...more] = type.filter((name) => name !== "null");
    return only === undefined || more.length > 0
      ? { type: "json" }
      : { ...shapeOf({ ...own, type: only }, root, depth), nullable: type.includes("null") };
  }
  return { ...ofType(own, root, depth), ...set("title", typeof own["description"] === "string" ? own["description"] : undefined) };
}

function ofAlternatives(alternatives: readonly WireJson[], root: WireJsonObject, depth: number): Shape {
  const rest = alternatives.filter((schema) => !isNull(schema));
  const nullable = rest.length < alternatives.length;
  const values = rest.map((schema) => (isObject(schema) ? schema["const"] : undefined));
  if (values.every((value) => value !== undefined)) return { ...ofValues(values), nullable };
  return rest.length === 1 ? { ...shapeOf(rest[0], root, depth), nullable } : { type: "json" };
}

function ofValues(values: readonly WireJson[]): Shape {
  const options = values.filter((value) => value !== null);
  return { type: "choice", options, nullable: options.length < values.length };
}

function ofType(schema: WireJsonObject, root: WireJsonObject, depth: number): Shape {
  switch (schema["type"]) {
    case "string":
      return { type: "text", ...set("most", numberOf(schema["maxLength"])) };
    case "number":
    case "integer":
      return {
        ...{ type: "number", whole: schema["type"] === "integer" },
        ...set("min", numberOf(schema["minimum"])),
        ...set("max", numberOf(schema["maximum"])),
      };
    case "boolean":
      return { type: "boolean" };
    case "array":
      return schema["items"] === undefined || schema["prefixItems"] !== undefined
        ? { type: "json" }
        : { type: "list", items: shapeOf(schema["items"], root, depth + 1) };
    case "object": {
      const { properties, required, additionalProperties } = schema;
      if (!isObject(properties) || isObject(additionalProperties) || Object.keys(properties).length > mostMembers) return { type: "json" };
      const needed = isList(required) ? required : [];
      return {
        type: "object",
        members: Object.entries(properties).map(([name, member]) => ({
          ...{ name, required: needed.includes(name), shape: shapeOf(member, root, depth + 1) },
        })),
      };
    }
    default:
      return { type: "json" };
  }
}

/** A first value of a shape. */
export function firstOf(shape: Shape): WireJson {
  if (shape.nullable === true) return null;
  switch (shape.type) {
    case "text":
      return "";
    case "number":
      return Math.max(0, shape.min ?? 0);
    case "boolean":
      return false;
    case "choice":
      return shape.options[0] ?? null;
    case "list":
      return [];
    case "object":
      return Object.fromEntries(shape.members.filter(({ required }) => required).map(({ name, shape: own }) => [name, firstOf(own)]));
    case "json":
      return null;
  }
}

/** Whether a form of this shape can show a value without losing any of it. */
export function fits(value: WireJson, shape: Shape): boolean {
  if (value === null) return shape.nullable === true || shape.type === "json";
  switch (shape.type) {
    case "text":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    case "choice":
      return shape.options.some((option) => isEqual(option, value));
    case "list":
      return isList(value) && value.every((item) => fits(item, shape.items));
    case "object":
      return (
        isObject(value) &&
        Object.entries(value).every(([name, own]) => shape.members.some((member) => member.name === name && fits(own, member.shape)))
      );
    case "json":
      return true;
  }
}

/** What an update of a field is: its new value, or what its reducer adds to it. */
export interface Update {
  readonly kind: "value" | "amount" | "items" | "members" | "other";
  readonly shape: Shape;
}

const listReducers = new Set(["append", "appendUnique", "union", "upsertBy", "lastN"]);

/** The update that a reducer takes. One of the agent's own takes what it likes, so it is given as JSON. */
export function updateOf(reducer: string, schema: WireJsonObject): Update {
  const shape = shapeOf(schema);
  if (reducer === "replace" || reducer === "max") return { kind: "value", shape };
  if (reducer === "counter") return { kind: "amount", shape: { type: "number", whole: false } };
  if (listReducers.has(reducer) && shape.type === "list") return { kind: "items", shape: { ...shape, nullable: false } };
  if (reducer === "merge" && shape.type === "object")
    return { kind: "members", shape: { ...shape, nullable: false, members: shape.members.map((member) => ({ ...member, required: false })) } };
  return { kind: "other", shape: { type: "json" } };
}
