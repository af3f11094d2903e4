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

it("the description says where the service is, what headers an answer has, and what the frames of a stream are", async () => {
  const { request } = await startServer();
  const { body } = await request("GET", "/openapi.json");
  expect(body.servers).toEqual([{ url: "/", description: expect.any(String) }]);
  const events = body.paths["/v1/sessions/{session_id}/events"].get;
  const names = events.parameters.map(({ name }: Parameter) => name);
  expect(names).toEqual(expect.arrayContaining(["stream_token", "Last-Event-ID", "Prefer", "X-Request-Id", "traceparent"]));
  expect(Object.keys(events.responses["204"].headers)).toEqual(expect.arrayContaining(["Next-Offset", "RateLimit", "X-Request-Id"]));
  expect(events.responses["200"].content["text/event-stream"].schema.contentSchema).toEqual({ $ref: "#/components/schemas/StreamFrame" });
  const session = body.paths["/v1/sessions/{session_id}"].get;
  expect(session.responses["304"].headers.ETag.description).toEqual(expect.any(String));
  expect(session.responses["200"].headers.ETag).toEqual(session.responses["304"].headers.ETag);
  expect(body.components.schemas.OpenSession.examples).toEqual([{ agent: "companion", customer_id: "crm-7" }]);
  const named = [...JSON.stringify(body).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = ""]) => name);
  expect(new Set(named)).toContain("DraftDelta");
  expect(named.filter((name) => !Object.hasOwn(body.components.schemas, name))).toEqual([]);
});
