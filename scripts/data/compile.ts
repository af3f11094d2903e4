/** Compiles a YAML data file into the text of its JSON module, checked against the JSON Schema that its first line names. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Validator, type Schema } from "@cfworker/json-schema";
import { isMap, isPair, isScalar, LineCounter, parseDocument, visit, type Document, type Node } from "yaml";

/** A mistake in a data file. */
export interface Fault {
  /** 1-based. */
  readonly line: number;
  /** What is wrong: the member, what was seen, what to do. */
  readonly message: string;
}

/** The JSON text of a data file, or its mistakes. */
export type Compiled = { readonly text: string } | { readonly faults: readonly Fault[] };

type Value = null | boolean | number | string | readonly Value[] | { readonly [key: string]: Value };
type Path = readonly (string | number)[];

/** The part of JSON Schema that the schemas of data files use. */
interface SchemaNode {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, SchemaNode>>;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: boolean | SchemaNode;
  readonly items?: SchemaNode;
}

const modeline = /^# yaml-language-server: \$schema=(\S+)$/u;

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);
const isRecord = (value: Value): value is { readonly [key: string]: Value } => typeof value === "object" && value !== null && !isList(value);

/** A value as a message shows it. */
function shown(value: Value): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** A scalar as text. */
const texted = (value: Value): string => (typeof value === "string" ? value : JSON.stringify(value));

const pathText = (path: Path): string =>
  path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
    .join("")
    .replace(/^\./u, "");

/** The schema of a member: what `$ref` names is looked up in `$defs`. */
function memberSchema(schema: SchemaNode, key: string | number, whole: SchemaNode): SchemaNode {
  const member = typeof key === "number" ? schema.items : (schema.properties?.[key] ?? schema.additionalProperties);
  return member === undefined || typeof member === "boolean" ? {} : resolved(member, whole);
}

function resolved(schema: SchemaNode, whole: SchemaNode): SchemaNode {
  return schema.$ref === undefined ? schema : resolved(whole.$defs?.[schema.$ref.replace("#/$defs/", "")] ?? {}, whole);
}

const schemaAt = (path: Path, whole: SchemaNode): SchemaNode =>
  path.reduce<SchemaNode>((schema, key) => memberSchema(schema, key, whole), resolved(whole, whole));

/** Turns texts into what the program reads: `rows` into a list of the rows, which commas or line breaks separate. */
function expanded(value: Value, schema: SchemaNode, whole: SchemaNode): Value {
  if (schema.format === "rows" && typeof value === "string")
    return value
      .split(/[,\n]/u)
      .map((row) => row.trim())
      .filter((row) => row !== "");
  if (isList(value)) return value.map((item, index) => expanded(item, memberSchema(schema, index, whole), whole));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expanded(member, memberSchema(schema, key, whole), whole)]));
}

/** Puts the file's `parts` in the place of `<<name>>` in every text. */
function assembled(value: Value, parts: Readonly<Record<string, string>>, report: (path: Path, message: string) => void, path: Path = []): Value {
  if (typeof value === "string")
    return value.replaceAll(/<<(\w+)>>/gu, (written, name: string) => {
      if (Object.hasOwn(parts, name)) return parts[name] ?? "";
      report(path, `names ${written}, and \`parts\` has only ${Object.keys(parts).join(", ") || "nothing"}.`);
      return "";
    });
  if (isList(value)) return value.map((item, index) => assembled(item, parts, report, [...path, index]));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, assembled(member, parts, report, [...path, key])]));
}

/** What is wrong with a regular expression. */
function regexFault(source: string): string {
  try {
    return `is refused as a regular expression, but compiles: ${String(new RegExp(source, "u"))}.`;
  } catch (error) {
    return `is no regular expression: ${error instanceof Error ? error.message.replace(/^Invalid regular expression: /u, "") : String(error)}.`;
  }
}

/** What the schema says against a value: the innermost mistakes alone. */
function schemaFaults(value: Value, schema: SchemaNode, report: (path: Path, message: string) => void): void {
  const { errors } = new Validator(schema as Schema, "2020-12", false).validate(value);
  for (const { keyword, instanceLocation, error } of errors) {
    const path = pathOf(instanceLocation, value);
    const own = schemaAt(path, schema);
    const seen = `and is ${shown(at(value, path))}`;
    if (keyword === "false") {
      const known = Object.keys(schemaAt(path.slice(0, -1), schema).properties ?? {});
      report(path, `is no name that is known here; known are ${known.join(", ")}.`);
    } else if (keyword === "type")
      report(path, `must be of type ${[own.type].flat().join(" or ")}, ${seen}. A text that looks otherwise needs quotes.`);
    else if (keyword === "enum") report(path, `must be one of ${(own.enum ?? []).map((one) => JSON.stringify(one)).join(", ")}, ${seen}.`);
    else if (keyword === "format") report(path, regexFault(texted(at(value, path))));
    else if (keyword === "required") report(path, `lacks ${/"(.*)"/u.exec(error)?.[0] ?? error}.`);
    else if (keyword === "pattern") report(path, `must match ${own.pattern}, ${seen}.`);
    else if (!["$ref", "properties", "additionalProperties", "items", "propertyNames"].includes(keyword))
      report(path, `${error} It is ${shown(at(value, path))}.`);
  }
}

const pathOf = (pointer: string, value: Value): Path => {
  let inside: Value | undefined = value;
  return pointer
    .split("/")
    .slice(1)
    .map((part) => {
      const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
      const key = inside !== undefined && isList(inside) ? Number(name) : name;
      inside = inside === undefined ? undefined : at(inside, [key]);
      return key;
    });
};

const at = (value: Value, path: Path): Value =>
  path.reduce<Value>((inside, key) => {
    if (typeof key === "number") return isList(inside) ? (inside[key] ?? null) : null;
    return isRecord(inside) ? (inside[key] ?? null) : null;
  }, value);

/** The offset of a member in the YAML text: that of its key, where it has one. */
function offsetOf(document: Document, path: Path): number {
  const parent: unknown = path.length === 0 ? undefined : document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(path.at(-1))) : undefined;
  const node: unknown = isPair(pair) ? pair.key : document.getIn(path, true);
  return (node as Node | undefined)?.range?.[0] ?? (path.length > 0 ? offsetOf(document, path.slice(0, -1)) : 0);
}

/** JSON on few lines: members of the whole, and of what these hold, each on its own line. Compact, and still compared line by line. */
function lines(value: Value, depth = 2): string {
  if (depth === 0 || typeof value !== "object" || value === null) return JSON.stringify(value);
  const [open, close, items] = isList(value)
    ? ["[", "]", value.map((item) => lines(item, depth - 1))]
    : ["{", "}", Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${lines(member, depth - 1)}`)];
  return items.length === 0 ? open + close : `${open}\n${items.join(",\n")}\n${close}`;
}

/** Compiles a data file at a path; its first line names its schema, relative to it. */
export function compileData(path: string): Compiled {
  const source = readFileSync(path, "utf8");
  const named = modeline.exec(source.split("\n", 1)[0] ?? "")?.[1];
  const schemaPath = named === undefined ? undefined : join(dirname(path), named);
  if (schemaPath === undefined || !existsSync(schemaPath))
    return {
      faults: [
        {
          line: 1,
          message: "The first line must name the schema, as `# yaml-language-server: $schema=./name.schema.json`, and the file must exist.",
        },
      ],
    };
  const counter = new LineCounter();
  const document = parseDocument(source, { lineCounter: counter, uniqueKeys: true });
  const faults: Fault[] = [...document.errors, ...document.warnings].map(({ message, pos }) => ({
    line: counter.linePos(pos[0]).line,
    message: `${message.split(" at line ")[0]}. A text with ": " in it, or a special first character, needs quotes.`,
  }));
  if (faults.length > 0) return { faults };
  const report = (member: Path, message: string): void => {
    faults.push({ line: counter.linePos(offsetOf(document, member)).line, message: `${pathText(member) || "The file"} ${message}` });
  };
  visit(document, {
    // " #" in a text without quotes begins a comment and would cut the text without a word.
    Scalar: (_, { comment, range }) => {
      if (typeof comment === "string")
        faults.push({
          line: counter.linePos(range?.[0] ?? 0).line,
          message: `"#${comment}" would be cut off as a comment. Put a text that has " #" in quotes, and a comment on a line of its own.`,
        });
    },
  });
  const schema = JSON.parse(readFileSync(schemaPath, "utf8")) as SchemaNode;
  const { parts = {}, ...written } = document.toJS() as Record<string, Value>;
  const known: Record<string, string> = {};
  if (isRecord(parts)) for (const [name, part] of Object.entries(parts)) known[name] = texted(assembled(part, known, report, ["parts", name]));
  const value = assembled(written, known, report);
  schemaFaults(value, schema, report);
  return faults.length > 0 ? { faults } : { text: `${lines(expanded(value, schema, schema))}\n` };
}
