/** `npm run wire:types` writes packages/client/src/wire.ts, what a client knows of the protocol; without `--write` this checks that it is current. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { AnswerShape, Operation } from "../packages/server/src/protocol/operation.ts";
import { operations } from "../packages/server/src/protocol/operations.ts";
import { problem } from "../packages/server/src/protocol/wire-problem.ts";
import { draft, gone } from "../packages/server/src/protocol/wire-event.ts";
import { livePart, streamAccepted } from "../packages/server/src/protocol/wire-turn-stream.ts";
import { root } from "./root.ts";

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** The text of each type, by the name of its schema. */
const types = new Map<string, string>();

const nameOf = (id: string): string => `Wire${id}`;

/** Takes a type up; two that have one name must be the same. */
function declare(id: string, text: string): void {
  const known = types.get(id);
  if (known !== undefined && known !== text) throw new Error(`There are two schemas ${id}:\n${known}\n${text}`);
  types.set(id, text);
}

type Direction = "input" | "output";

/** The type of a schema as TypeScript. Schemas with a name, in it too, become declarations. */
function typeOf(schema: z.ZodType, io: Direction, id = schema.meta()?.id): string {
  const { $schema: _dialect, $defs = {}, ...shape } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  for (const [name, definition] of Object.entries($defs)) declare(name, print(definition, "", io));
  if (id === undefined || "$ref" in shape) return print(shape, "", io);
  declare(id, print(shape, "", io));
  return nameOf(id);
}

const comment = (text: string | undefined, indent: string): string =>
  text === undefined ? "" : `${indent}/** ${text.replaceAll(/\s+/g, " ").replaceAll("*/", "*\\/")} */\n`;

const union = (types: readonly string[]): string => [...new Set(types)].join(" | ");

/** What a caller gives may be undefined where it may be left out. */
function print(schema: JsonSchema | boolean, indent: string, io: Direction): string {
  if (typeof schema === "boolean") return "WireJson";
  const { $ref, const: literal, enum: values, type, items, properties, required = [], additionalProperties } = schema;
  if ($ref !== undefined) return nameOf($ref.split("/").at(-1) ?? "");
  if (literal !== undefined) return JSON.stringify(literal);
  if (values !== undefined) return union(values.map((value) => JSON.stringify(value)));
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return union(alternatives.map((one) => print(one, indent, io)));
  if (Array.isArray(type)) return union((type as readonly string[]).map((one) => print({ ...schema, type: one as "string" }, indent, io)));
  switch (type) {
    case undefined:
      return "WireJson";
    case "integer":
      return "number";
    case "array": {
      if (items === undefined || Array.isArray(items)) throw new Error(`A list without the type of its items: ${JSON.stringify(schema)}`);
      const item = print(items, indent, io);
      return `readonly ${item.includes(" | ") ? `(${item})` : item}[]`;
    }
    case "object": {
      if (properties === undefined) {
        const member = additionalProperties === undefined ? "WireJson" : print(additionalProperties, indent, io);
        return member === "WireJson" ? "WireJsonObject" : `Readonly<Record<string, ${member}>>`;
      }
      const members = Object.entries(properties).map(([name, member]) => {
        const description = typeof member === "boolean" ? undefined : member.description;
        const type = print(member, `${indent}  `, io);
        const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
        const line = required.includes(name) ? `${key}: ${type}` : `${key}?: ${type}${io === "input" ? " | undefined" : ""}`;
        return `${comment(description, `${indent}  `)}${indent}  readonly ${line};\n`;
      });
      return `{\n${members.join("")}${indent}}`;
    }
    default:
      return type;
  }
}

/** What a query takes: what is left out is what its schema takes as left out. */
function queryOf(query: z.ZodObject | undefined): string {
  if (query === undefined) return "undefined";
  const given = z.object(
    Object.fromEntries(
      Object.entries<z.ZodType>(query.shape).map(([name, member]) => [name, member.safeParse(undefined).success ? member.optional() : member]),
    ),
  );
  const { $schema: _dialect, ...shape } = z.toJSONSchema(given, { io: "output", unrepresentable: "any" });
  return print(shape, "", "input");
}

function operationOf({ method, path, summary, query, body, answers }: Operation): string {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `readonly ${name}: string`);
  const bodies = Object.values(answers as Readonly<Record<string, AnswerShape>>).map(({ schema }) =>
    schema === undefined ? "undefined" : typeOf(schema, "output"),
  );
  const members = {
    route: JSON.stringify(`${method} ${path}`),
    path: names.length === 0 ? "undefined" : `{ ${names.join("; ")} }`,
    query: queryOf(query),
    body: body === undefined ? "undefined" : typeOf(body, "input"),
    answer: union(bodies),
  };
  const lines = Object.entries(members).map(([name, text]) => `    readonly ${name}: ${text.replaceAll("\n", "\n    ")};\n`);
  return `${comment(`${summary}.`, "  ")}  readonly %: {\n${lines.join("")}  };\n`;
}

const described = Object.entries(operations as Readonly<Record<string, Operation>>).map(([id, operation]) => operationOf(operation).replace("%", id));
for (const [id, schema] of Object.entries({ Problem: problem, Draft: draft, Gone: gone, LivePart: livePart, StreamAccepted: streamAccepted }))
  typeOf(schema, "output", id);
const declarations = [...types]
  .toSorted(([left], [right]) => (left < right ? -1 : 1))
  .map(([id, text]) => {
    const isObject = text.startsWith("{") && !text.includes("} | {");
    return `/** The schema \`${id}\` of the service. */\nexport ${isObject ? `interface ${nameOf(id)} ${text}` : `type ${nameOf(id)} = ${text};`}\n`;
  });
const routes = Object.entries(operations).map(([id, { method, path }]) => `  ${id}: "${method} ${path}",\n`);
const text = `/** The wire types of the service, generated from the protocol by \`npm run wire:types\`. Do not edit. */

/** Any JSON. */
export type WireJson = string | number | boolean | null | readonly WireJson[] | WireJsonObject;
/** A JSON object. */
export interface WireJsonObject {
  readonly [name: string]: WireJson;
}

${declarations.join("\n")}
/** What each operation takes and answers, by its id. */
export interface WireOperations {
${described.join("")}}

/** The id of an operation. */
export type OperationId = keyof WireOperations;

/** Method and path of every operation. */
export const routes = {
${routes.join("")}} as const;
`;

const target = join(root, "packages/client/src/wire.ts");
if (process.argv.includes("--write")) writeFileSync(target, text);
if (!existsSync(target) || readFileSync(target, "utf8") !== text) {
  console.error("packages/client/src/wire.ts is not current: run `npm run wire:types` and look at what changed.");
  process.exitCode = 1;
}
