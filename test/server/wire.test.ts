import { expect, it } from "vitest";
import { startServer } from "../setup/server.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}
type Content = Readonly<Record<string, { readonly schema?: Schema }>>;
interface Described {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean; readonly schema: Schema }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** A schema in a few words: the name it goes by, or its type with its members. */
function inWords({ $ref, type = "any", enum: values, const: constant, items = {}, properties, required = [], anyOf, oneOf }: Schema): string {
  if ($ref !== undefined) return $ref.split("/").at(-1) ?? "";
  if (constant !== undefined) return JSON.stringify(constant);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" | ");
  const alternatives = anyOf ?? oneOf;
  if (alternatives !== undefined) return alternatives.map(inWords).join(" | ");
  if (type === "array") return `[${inWords(items)}]`;
  if (properties === undefined) return [type].flat().join(" | ");
  const members = Object.entries(properties).map(([name, one]) => `${name}${required.includes(name) ? "" : "?"}: ${inWords(one)}`);
  return `{ ${members.join(", ")} }`;
}

const typesOf = (content: Content = {}): readonly string[] => [
  ...new Set(Object.entries(content).map(([type, { schema }]) => (schema === undefined ? type : inWords(schema)))),
];

function lines(method: string, path: string, { operationId, parameters = [], requestBody, responses }: Described): readonly string[] {
  const isError = (status: string): boolean => Number(status) >= 400;
  const answers = Object.entries(responses).flatMap(([status, { content }]) => (isError(status) ? [] : [[status, ...typesOf(content)].join(" ")]));
  return [
    ...[`### ${operationId}`, "", `${method.toUpperCase()} \`${path}\``, ""],
    ...parameters.flatMap(({ name, in: place, required, schema }) =>
      place === "path" ? [] : [`- ${place} \`${name}${required === true ? "" : "?"}\`: ${inWords(schema)}`],
    ),
    ...(requestBody === undefined ? [] : [`- body${requestBody.required === true ? "" : "?"}: ${typesOf(requestBody.content).join(", ")}`]),
    `- answers: ${answers.join("; ")}`,
    ...[`- errors: ${Object.keys(responses).filter(isError).join(", ")}`, ""],
  ];
}

const byName = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number => (left < right ? -1 : 1);

it("the wire is the one on record; whoever changes it looks at the change: `npm test -- test/server/wire.test.ts -u`", async () => {
  const { request } = await startServer();
  const { paths, components }: Document = (await request("GET", "/openapi.json")).body;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [operation.operationId, lines(method, path, operation)] as const),
  );
  const schemas = Object.entries(components.schemas);
  const report = [
    ...["# The wire", "", "What the service takes and answers. Written by a test from `/openapi.json`: a change is one for every client.", ""],
    ...["## Operations", "", ...operations.toSorted(byName).flatMap(([, described]) => described)],
    ...["## Schemas", "", ...schemas.toSorted(byName).map(([name, schema]) => `- **${name}**: ${inWords(schema)}`), ""],
  ];
  await expect(report.join("\n")).toMatchFileSnapshot("../../etc/throughline.wire.md");
});
