/** Operations as OpenAPI describes them. */
import { resolver, type DescribeRouteOptions } from "hono-openapi";
import { z } from "zod";
import type { ErrorCode } from "../kernel/error-catalogue.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { AnswerShape, Operation } from "../protocol/operation.ts";
import { problem, problemMedia, statusOf } from "../protocol/problem.ts";

type Described = NonNullable<DescribeRouteOptions["responses"]>;

/** Errors that any request may be answered with; whether it is HTTP, and what is in its address, is asked of all. */
const anyRequest: readonly ErrorCode[] = ["request.malformed", "request.invalid", "request.too_large", "request.timeout"];
const anyBody: readonly ErrorCode[] = ["request.media_type"];
const anyChange: readonly ErrorCode[] = ["request.in_progress", "request.key_reused"];
/** Of whoever may be turned away at the door: all but probes. */
const anyVisitor: readonly ErrorCode[] = ["host.forbidden", "service.draining"];
/** Of whoever has to say who they are, which the database is asked for. */
const anyCaller: readonly ErrorCode[] = [
  ...(["auth.required", "auth.invalid", "auth.forbidden", "limit.rate"] as const),
  ...(["store.unreachable", "store.busy", "store.failed", "store.corrupt", "internal"] as const),
];

/** Every error that an operation may be answered with. */
export function errorsOf({ method, scope, errors, versioned, audited, probe }: Operation): readonly ErrorCode[] {
  const isChange = method !== "GET";
  return [
    ...new Set([
      ...errors,
      ...anyRequest,
      ...(probe === true ? [] : anyVisitor),
      ...(scope === "open" ? [] : anyCaller),
      // A body that nobody has asked for is read, too.
      ...(isChange ? [...anyBody, ...anyChange] : []),
      ...(isChange || audited === true ? (["store.full"] as const) : []),
      ...(versioned === true ? (["request.precondition_invalid"] as const) : []),
    ]),
  ];
}

const input = (schema: z.ZodType) => resolver(schema, { io: "input", unrepresentable: "any" });
const output = (schema: z.ZodType) => resolver(schema, { io: "output", unrepresentable: "any" });

function answersOf(operation: Operation): Described {
  const described: Described = {};
  for (const [status, answer] of Object.entries(operation.answers) as readonly [string, AnswerShape][]) {
    const { description, schema, media = [] } = answer;
    const content: Record<string, { schema: ReturnType<typeof output> | { type: "string" } }> = {};
    if (schema !== undefined) content["application/json"] = { schema: output(schema) };
    for (const type of media) content[type] = { schema: { type: "string" } };
    described[status] = { description, ...(Object.keys(content).length === 0 ? {} : { content }) };
  }
  const byStatus = Map.groupBy(errorsOf(operation), (code) => String(statusOf(code)));
  for (const [status, codes] of byStatus)
    described[status] = { description: codes.map((code) => `\`${code}\``).join(", "), content: { [problemMedia]: { schema: output(problem) } } };
  return described;
}

interface Parameter {
  readonly name: string;
  readonly in: "query" | "header" | "path";
  readonly required: boolean;
  readonly description?: string;
  /** How a list is written: with commas between. */
  readonly style?: "form";
  readonly explode?: false;
  readonly schema: JsonObject;
}

/** A parameter of the query, as what it is read as. Its schema stands there itself: resolvers are put in their place in bodies alone. */
function queryParameter(name: string, schema: z.ZodType): Parameter {
  const { $schema: _, description, ...shape } = z.toJSONSchema(schema, { io: "output", unrepresentable: "any" });
  return {
    name,
    in: "query",
    required: !schema.safeParse(undefined).success,
    ...(description === undefined ? {} : { description }),
    ...(shape.type === "array" ? { style: "form", explode: false } : {}),
    schema: shape as JsonObject,
  };
}

function parametersOf(operation: Operation): readonly Parameter[] {
  const { path, query, method, versioned } = operation;
  const header = (name: string, description: string): Parameter => ({ name, in: "header", required: false, description, schema: { type: "string" } });
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]): Parameter => ({ name, in: "path", required: true, schema: { type: "string" } })),
    ...Object.entries<z.ZodType>(query?.shape ?? {}).map(([name, schema]) => queryParameter(name, schema)),
    ...(method !== "GET"
      ? [header("Idempotency-Key", "Names this request: sent again, it has no further effect and is answered as the first time.")]
      : []),
    ...(versioned === true ? [header("If-Match", "The version that the change rests on, from an `ETag`.")] : []),
  ];
}

/** Which scopes an operation and its members need. */
function needsOf({ scope, also, members = [], customers }: Operation): string {
  const besides = members.map(({ member, value, except, scope: needed }) => {
    const when = value === undefined ? "" : typeof value === "string" ? ` with \`${value}\`` : "";
    return ` \`${member}\`${when}${except === undefined ? "" : ` other than \`${except}\``} also needs \`${needed}\`.`;
  });
  const both = also === undefined ? `scope \`${scope}\`` : `scopes \`${scope}\` and \`${also}\``;
  return `Needs the ${both}.${besides.join("")}${customers === true ? " A customer's token may send it, too." : ""}`;
}

/** An operation as OpenAPI describes it. */
export function describe(operationId: string, operation: Operation): DescribeRouteOptions {
  const { tag, summary, description, body, bodyOptional, scope } = operation;
  const needs = scope === "open" ? "" : needsOf(operation);
  return {
    operationId,
    tags: [tag],
    summary,
    description: [description, needs].filter(Boolean).join("\n\n"),
    security: scope === "open" ? [] : [{ bearer: [] }],
    parameters: parametersOf(operation) as never,
    ...(body === undefined ? {} : { requestBody: { required: bodyOptional !== true, content: { "application/json": { schema: input(body) } } } }),
    responses: answersOf(operation),
  };
}
