/**
 * Declarations of stored data as values. A declaration gives the TypeScript type ({@link Infer}) and validates stored data ({@link decode}). It also
 * selects what an audience is shown ({@link shownTo}). The protocol derives the JSON Schema of the wire format from it. A member without an audience
 * is shown to no one.
 */
import { isPlainObject, type Json, type JsonObject, escapeSegment } from "./json.ts";

/** Who reads data through the service. API keys are shown everything that customers are shown. */
export type Audience = "key" | "customer";

/** Annotations of a descriptor. */
interface Notes {
  /** Description in the JSON Schema. */
  readonly description?: string;
  /** Name of the schema as a component of the API. */
  readonly name?: string;
  readonly optional?: true;
  /** The widest audience that is shown the value. No one if left out. */
  readonly audience?: Audience | undefined;
  /** The value never holds text that a human wrote, so a redacted export keeps it. Of an object, the export keeps only the members that are marked, too. */
  readonly plain?: true;
  /** The value is an id, a key, a code or a hash. Extensions that rewrite what is stored leave it as it is. */
  readonly identity?: true;
  /** The value is a state, or a patch of one. The state's fields decide which parts an audience is shown. */
  readonly state?: "document" | "patch";
  /** Earlier names of the member. */
  readonly formerly?: readonly string[];
  /** Value to read if the member is absent or null. */
  readonly fallback?: Json;
  /** A member with another shape counts as absent. */
  readonly lenient?: true;
}

/** The shape of a value, for functions that walk declarations. */
export type Shape = Notes &
  (
    | { readonly type: "text" | "number" | "whole"; readonly min?: number; readonly max?: number }
    | { readonly type: "boolean" | "json" | "time" }
    | { readonly type: "literals"; readonly values: readonly (string | number | boolean)[] }
    | { readonly type: "nullable" | "record"; readonly of: Shape }
    | { readonly type: "list"; readonly of: Shape; readonly filled?: true }
    | { readonly type: "union"; readonly tag: string; readonly options: readonly ObjectShape[]; readonly flat?: true }
    | ObjectShape
  );
/** The shape of an object. */
export type ObjectShape = Notes & { readonly type: "object"; readonly members: Readonly<Record<string, Shape>> };

declare const inferred: unique symbol;
/** Declares values of one type. */
export interface Descriptor<Value = unknown> {
  readonly node: Shape;
  /** Never present at run time; it carries the type. */
  readonly [inferred]?: Value;
}
/** Declares objects. */
export interface ObjectDescriptor<Value = unknown> extends Descriptor<Value> {
  readonly node: ObjectShape;
}
/** Declares a member that may be absent. */
export interface Optional<Value = unknown> extends Descriptor<Value> {
  readonly optional: true;
}
/** The type that a descriptor declares. */
export type Infer<D extends Descriptor> = D extends Descriptor<infer Value> ? Value : never;

type Members = Readonly<Record<string, Descriptor>>;
type OptionalNames<M> = { [Name in keyof M]: M[Name] extends Optional ? Name : never }[keyof M];
type Present<M extends Members, Names extends keyof M> = { readonly [Name in Names]: Infer<M[Name]> };
type Absent<M extends Members, Names extends keyof M> = { readonly [Name in Names]?: Infer<M[Name]> };
type ValueOf<M extends Members> = Present<M, Exclude<keyof M, OptionalNames<M>>> & Absent<M, OptionalNames<M>>;

const descriptor = <Value>(node: Shape): Descriptor<Value> => Object.freeze({ node: Object.freeze(node) });
const noted = <D extends Descriptor>(given: D, notes: Notes): D => Object.freeze({ ...given, node: Object.freeze({ ...given.node, ...notes }) });

/** Limits of a number or of a string's length, for the JSON Schema. Reading stored data does not check them. */
interface Bounds {
  readonly min?: number;
  readonly max?: number;
}
/** Declares a string, optionally of a specific type: `textOf<SessionId>()`. */
export const textOf = <Text extends string = string>(bounds: Bounds = {}): Descriptor<Text> => descriptor({ type: "text", ...bounds });
/** Any string. */
export const text = textOf();
/** A finite number. */
export const number: Descriptor<number> = descriptor({ type: "number" });
/** Declares a number that is written as an integer. Reading accepts any finite number. */
export const whole = (bounds: Bounds = {}): Descriptor<number> => descriptor({ type: "whole", ...bounds });
/** Milliseconds since 1970-01-01 UTC. Older data may hold an ISO 8601 string instead. */
export const time: Descriptor<number> = descriptor({ type: "time", description: "Milliseconds since 1970-01-01 UTC." });
/** True or false. */
export const boolean: Descriptor<boolean> = descriptor({ type: "boolean" });
/** Any JSON value. */
export const json: Descriptor<Json> = descriptor({ type: "json" });
/** Any JSON object. */
export const jsonObject: Descriptor<JsonObject> = descriptor({ type: "record", of: json.node });
/** Declares one of these values. */
export const literals = <const Value extends string | number | boolean>(...values: readonly Value[]): Descriptor<Value> =>
  descriptor({ type: "literals", values });
/** Declares a value or null. */
export const nullable = <Value>({ node }: Descriptor<Value>): Descriptor<Value | null> => descriptor({ type: "nullable", of: node });
/** Declares a list of values. */
export const list = <Value>({ node }: Descriptor<Value>): Descriptor<readonly Value[]> => descriptor({ type: "list", of: node });
/** Declares a list with at least one value. */
export const filledList = <Value>({ node }: Descriptor<Value>): Descriptor<readonly [Value, ...Value[]]> =>
  descriptor({ type: "list", of: node, filled: true });
/** Declares values by name. */
export const record = <Value>({ node }: Descriptor<Value>): Descriptor<Readonly<Record<string, Value>>> => descriptor({ type: "record", of: node });

/** Declares an object. `audience` applies to members without an audience of their own; without it, they are shown to no one. */
export function object<const M extends Members>(members: M, audience?: Audience): ObjectDescriptor<{ [Name in keyof ValueOf<M>]: ValueOf<M>[Name] }> {
  const nodes = Object.entries(members).map(([name, { node }]) => [name, "audience" in node ? node : { ...node, audience }] as const);
  return Object.freeze({ node: Object.freeze({ type: "object", members: Object.freeze(Object.fromEntries<Shape>(nodes)), audience }) });
}

/** Declares one of several objects, distinguished by the literals of the member `tag`. An audience that is shown an option is also shown its tag. */
export const oneOf = <const Options extends readonly ObjectDescriptor[]>(
  tag: string,
  options: Options,
  how: { /** The JSON Schema is one object with the members of all options. */ readonly flat?: true } = {},
): Descriptor<Infer<Options[number]>> =>
  descriptor({
    type: "union",
    tag,
    options: options.map(({ node: { members, ...option } }) => ({
      ...option,
      members: Object.fromEntries(
        Object.entries(members).map(([name, node]) => [name, name === tag ? { ...node, plain: true, audience: option.audience } : node]),
      ),
    })),
    ...how,
  });

/** Declares one of several objects by name. The name is the value of the member `tag`. */
export const variants = <const Tag extends string, const Options extends Readonly<Record<string, ObjectDescriptor>>>(
  tag: Tag,
  options: Options,
  how: { readonly flat?: true } = {},
): Descriptor<
  {
    [Name in keyof Options & string]: {
      [Key in keyof ({ readonly [T in Tag]: Name } & Infer<Options[Name]>)]: ({ readonly [T in Tag]: Name } & Infer<Options[Name]>)[Key];
    };
  }[keyof Options & string]
> =>
  // TypeScript cannot infer the tagged objects from the names.
  oneOf(
    tag,
    Object.entries(options).map(([name, { node }]) => ({ node: { ...node, members: { [tag]: literals(name).node, ...node.members } } })),
    how,
  ) as Descriptor<never>;

/** Declares a member that may be absent. */
export const optional = <Value>({ node }: Descriptor<Value>): Optional<Value> =>
  Object.freeze({ node: Object.freeze({ ...node, optional: true }), optional: true });
/** True or absent. */
export const flag: Optional<true> = noted(optional(literals(true)), { lenient: true });
/** Adds a description to the JSON Schema. */
export const described = <D extends Descriptor>(given: D, description: string): D => noted(given, { description });
/** Names the schema as a component of the API. */
export const named = <D extends Descriptor>(name: string, given: D): D => noted(given, { name });
/** Shows a member to API keys only. */
export const toKeys = <D extends Descriptor>(given: D): D => noted(given, { audience: "key" });
/** Shows a member to customers and API keys. */
export const toCustomers = <D extends Descriptor>(given: D): D => noted(given, { audience: "customer" });
/** Shows a member to no one. */
export const toNobody = <D extends Descriptor>(given: D): D => noted(given, { audience: undefined });
/** Marks a value that never holds text written by a human. A redacted export keeps it; of an object, it keeps only marked members. */
export const plain = <D extends Descriptor>(given: D): D => noted(given, { plain: true });
/** Marks an id, a key, a code or a hash, which extensions that rewrite what is stored leave as it is. */
export const identity = <D extends Descriptor>(given: D): D => noted(given, { identity: true });
/** Marks a state or a patch of one. */
export const ofState = <D extends Descriptor>(state: "document" | "patch", given: D): D => noted(given, { state });
/** Adds earlier names of a member. */
export const formerly = <D extends Descriptor>(given: D, ...names: readonly string[]): D => noted(given, { formerly: names });
/** Sets the value to read if a member is absent or null. */
export const otherwise = <D extends Descriptor>(given: D, fallback: Json): D => noted(given, { fallback });
/** Treats a member with another shape as absent. */
export const lenient = <D extends Descriptor>(given: D): D => noted(given, { lenient: true });

/** Returns the option of a union that matches a value; undefined if none does. */
export const optionOf = ({ tag, options }: Extract<Shape, { readonly type: "union" }>, value: JsonObject): ObjectShape | undefined =>
  options.find(({ members }) => {
    const node = members[tag];
    return node?.type === "literals" && node.values.some((literal) => literal === value[tag]);
  });

/** Where a value does not match its declaration. `seen` names only the kind of the value, because the value may be private text. */
export interface Mismatch {
  /** A JSON Pointer. */
  readonly path: string;
  readonly expected: string;
  readonly seen: string;
}
/** The result of {@link decode}. */
export type Decoded<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly mismatch: Mismatch };

/** Reads a stored value by its declaration. It drops undeclared members, accepts earlier names and fills in fallback values. */
export function decode<Value>({ node }: Descriptor<Value>, value: unknown): Decoded<Value> {
  const read = readNode(node, value, "");
  // The value was validated against the declaration from which the type is inferred.
  return read instanceof Wrong ? { ok: false, mismatch: read.mismatch } : { ok: true, value: read as Value };
}

class Wrong {
  readonly mismatch: Mismatch;
  constructor(path: string, expected: string, value: unknown) {
    const seen = value === undefined || value === null ? "nothing" : Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
    this.mismatch = { path, expected, seen };
  }
}

function readNode(node: Shape, value: unknown, path: string): Json | Wrong {
  switch (node.type) {
    case "text":
      return typeof value === "string" ? value : new Wrong(path, "a text", value);
    case "number":
    case "whole":
      return typeof value === "number" && Number.isFinite(value) ? value : new Wrong(path, "a number", value);
    case "time": {
      const at = typeof value === "string" ? Date.parse(value) : value;
      return typeof at === "number" && Number.isFinite(at) ? at : new Wrong(path, "a time", value);
    }
    case "boolean":
      return typeof value === "boolean" ? value : new Wrong(path, "true or false", value);
    case "json":
      return value === undefined ? new Wrong(path, "a value", value) : (value as Json);
    case "literals":
      return node.values.find((literal) => literal === value) ?? new Wrong(path, `one of ${node.values.join(", ")}`, value);
    case "nullable":
      return value === null ? null : readNode(node.of, value, path);
    case "list":
      if (!Array.isArray(value) || (node.filled === true && value.length === 0))
        return new Wrong(path, node.filled === true ? "a list that is not empty" : "a list", value);
      return readAll(value.entries(), node.of, path, (items) => items.map(([, item]) => item));
    case "record":
      if (!isPlainObject(value)) return new Wrong(path, "an object", value);
      return readAll(
        Object.entries(value).filter(([, item]) => item !== undefined),
        node.of,
        path,
        Object.fromEntries<Json>,
      );
    case "union": {
      const option = isPlainObject(value) ? optionOf(node, value as JsonObject) : undefined;
      if (option !== undefined || !isPlainObject(value)) return readObject(option ?? { type: "object", members: {} }, value, path);
      const tags = node.options.flatMap(({ members }) => (members[node.tag] as { readonly values: readonly string[] }).values);
      return new Wrong(`${path}/${node.tag}`, `one of ${tags.join(", ")}`, value[node.tag]);
    }
    case "object":
      return readObject(node, value, path);
  }
}

function readAll<Key extends string | number>(
  entries: Iterable<readonly [Key, unknown]>,
  node: Shape,
  path: string,
  join: (read: readonly (readonly [Key, Json])[]) => Json,
): Json | Wrong {
  const all: (readonly [Key, Json])[] = [];
  for (const [key, item] of entries) {
    const read = readNode(node, item, `${path}/${escapeSegment(String(key))}`);
    if (read instanceof Wrong) return read;
    all.push([key, read]);
  }
  return join(all);
}

function readObject({ members }: ObjectShape, value: unknown, path: string): Json | Wrong {
  if (!isPlainObject(value)) return new Wrong(path, "an object", value);
  const found: Record<string, Json> = {};
  for (const [member, node] of Object.entries(members)) {
    const takesNull = node.type === "nullable" || node.type === "json";
    const isThere = (name: string): boolean => Object.hasOwn(value, name) && value[name] !== undefined && (value[name] !== null || takesNull);
    const name = [member, ...(node.formerly ?? [])].find(isThere);
    const read = name === undefined ? undefined : readNode(node, value[name], `${path}/${escapeSegment(name)}`);
    if (read !== undefined && !(read instanceof Wrong)) found[member] = read;
    else if (read !== undefined && node.lenient !== true) return read;
    else if (node.fallback !== undefined) found[member] = node.fallback;
    else if (node.optional !== true) return read ?? new Wrong(`${path}/${escapeSegment(member)}`, expectedOf(node), undefined);
  }
  return found;
}

const expectedOf = (node: Shape): string => {
  const read = readNode(node, undefined, "");
  return read instanceof Wrong ? read.mismatch.expected : "a value";
};

/** Whether an audience is shown a value with this annotation. */
export const isShown = ({ audience }: Pick<Notes, "audience">, to: Audience): boolean => audience === to || audience === "customer";

/** Returns the part of a value that an audience is shown, under the same names; undefined if it is shown nothing. */
export const shownTo = ({ node }: Descriptor, value: object, to: Audience): JsonObject | undefined =>
  showNode(node, value as JsonObject, to) as JsonObject | undefined;

function showNode(node: Shape, value: Json, to: Audience): Json | undefined {
  switch (node.type) {
    case "list":
      return Array.isArray(value) ? value.map((item: Json) => showNode(node.of, item, to)).filter((item) => item !== undefined) : undefined;
    case "nullable":
      return value === null ? null : showNode(node.of, value, to);
    case "record":
      if (node.of.type === "json" || !isPlainObject(value)) return value;
      return showMembers(value, () => node.of, to);
    case "union": {
      const option = isPlainObject(value) ? optionOf(node, value) : undefined;
      return option === undefined || !isShown(option, to) ? undefined : showNode(option, value, to);
    }
    case "object":
      if (!isPlainObject(value)) return undefined;
      return showMembers(
        value,
        (name) => {
          const member = Object.hasOwn(node.members, name) ? node.members[name] : undefined;
          return member !== undefined && isShown(member, to) ? member : undefined;
        },
        to,
      );
    default:
      return value;
  }
}

const showMembers = (value: JsonObject, nodeOf: (name: string) => Shape | undefined, to: Audience): JsonObject =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const node = nodeOf(name);
      const shown = node === undefined || member === undefined ? undefined : showNode(node, member, to);
      return shown === undefined ? [] : [[name, shown] as const];
    }),
  );
