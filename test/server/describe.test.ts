import { expect, it } from "vitest";
import { startServer } from "../setup/server.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
}

it("the description of the service tells what each parameter of an address is", async () => {
  const { request } = await startServer();
  const { body } = await request("GET", "/openapi.json");
  const parameters: readonly Parameter[] = body.paths["/v1/sessions"].get.parameters;
  const byName = Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter]));
  expect(byName).toMatchObject({
    limit: { in: "query", required: false, schema: { type: "integer", minimum: 1, maximum: 100 } },
    labels: { style: "form", explode: false, schema: { type: "array", items: { type: "string" } } },
    mode: { schema: { enum: ["auto", "manual"] } },
    cursor: { description: expect.any(String), schema: { type: "string" } },
  });
  const all: readonly Readonly<Record<string, { readonly parameters?: readonly Parameter[] }>>[] = Object.values(body.paths);
  const schemas = all.flatMap((path) => Object.values(path).flatMap((operation) => operation.parameters ?? [])).map(({ schema }) => schema);
  expect(schemas.length).toBeGreaterThan(100);
  expect(schemas.filter((schema) => "vendor" in schema || Object.keys(schema).length === 0)).toEqual([]);
});
