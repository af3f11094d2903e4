/** Describes operations in OpenAPI. */
import { present } from "throughline/internal";
import { type DescribeRouteOptions, resolver } from "hono-openapi";
import { z } from "zod";
import type { ErrorCode, JsonObject } from "throughline/kernel";
import { type AnswerShape, keepsAnswer, type Operation } from "../protocol/operation.ts";
import { streamFrame } from "../protocol/wire-event.ts";
import { turnStreamFrame } from "../protocol/wire-turn-stream.ts";
import { problem, problemMedia, statusOf } from "../protocol/wire-problem.ts";

type Described = NonNullable<DescribeRouteOptions["responses"]>;

/** Errors possible for every request: malformed HTTP, and invalid values in the URL. */
const anyRequest: readonly ErrorCode[] = ["request.malformed", "request.invalid", "request.too_large", "request.timeout"];
const anyBody: readonly ErrorCode[] = ["request.media_type"];
const anyChange: readonly ErrorCode[] = ["request.in_progress", "request.key_reused"];
/** Errors of the host check and of a stopping service. Probes are exempt. */
const anyVisitor: readonly ErrorCode[] = ["host.forbidden", "service.draining"];
/** Errors of authenticated operations, which read the database to authenticate. */
const anyCaller: readonly ErrorCode[] = [
  ...(["auth.required", "auth.invalid", "auth.forbidden", "limit.rate"] as const),
  ...(["store.unreachable", "store.busy", "store.failed", "store.corrupt", "internal"] as const),
];

/** Every error that an operation may return. */
export function errorsOf(operation: Operation): readonly ErrorCode[] {
  const { method, scope, errors, versioned, audited, probe } = operation;
  const isChange = method !== "GET";
  return [
    ...new Set([
      ...errors,
      ...anyRequest,
      ...(probe === true ? [] : anyVisitor),
      ...(scope === "open" ? [] : anyCaller),
      // The server reads the body even if the operation takes none.
      ...(isChange ? anyBody : []),
      ...(keepsAnswer(operation) ? anyChange : []),
      ...(isChange || audited === true ? (["store.full"] as const) : []),
      ...(versioned === true ? (["request.precondition_invalid"] as const) : []),
    ]),
  ];
}

/** A response header. */
interface DescribedHeader {
  readonly description: string;
  readonly schema: { readonly type: "string" | "integer" };
}
const headerOf = (description: string, type: "string" | "integer" = "string"): DescribedHeader => ({ description, schema: { type } });

/** Whether a response describes one object with a version. */
const hasVersion = ({ schema }: AnswerShape): boolean => schema instanceof z.ZodObject && schema.shape["version"] instanceof z.ZodNumber;

/** Whether a read returns `304` for a matching `If-None-Match`. */
const isConditional = ({ method, path, answers }: Operation): boolean =>
  method === "GET" && (path === "/openapi.json" || (answers[200] !== undefined && hasVersion(answers[200])));

/** The response headers for a status, in addition to those of HTTP itself. */
export function headersOf(operation: Operation, status: number): Readonly<Record<string, DescribedHeader>> {
  const { scope, answers, events, versioned } = operation;
  const answer = answers[status as keyof typeof answers];
  const isTagged = (answer !== undefined && hasVersion(answer)) || (versioned === true && (status === 204 || status === 412));
  const isListOfEvents = events === true && operation.path.endsWith("/events");
  return {
    "X-Request-Id": headerOf("Identifies the request in the service's log: the caller's id, or a new one."),
    ...(scope === "open"
      ? {}
      : {
          "RateLimit-Policy": headerOf('The caller\'s limit, such as `"requests";q=600;w=60`; only for callers with a limit.'),
          RateLimit: headerOf('The remaining requests and the seconds until the limit is full again, such as `"requests";r=599;t=1`.'),
        }),
    ...(isTagged || (isConditional(operation) && status < 400)
      ? { ETag: headerOf("The version for `If-Match`. A read adds a hash for `If-None-Match`.") }
      : {}),
    ...(status === 201 || status === 202 || operation.path === "/v1/sessions/open"
      ? { Location: headerOf("The address of the created object.") }
      : {}),
    ...(keepsAnswer(operation) && status < 500 ? { "Idempotent-Replayed": headerOf("`true` if this repeats an earlier response.") } : {}),
    ...(status === 429 || status === 503 || status === 409 ? { "Retry-After": headerOf("Seconds to wait before a retry.", "integer") } : {}),
    ...(status === 401 ? { "WWW-Authenticate": headerOf("`Bearer`: the required authentication scheme.") } : {}),
    ...(isListOfEvents && (status === 200 || status === 204)
      ? {
          "Next-Offset": headerOf("The offset of the next page.", "integer"),
          "Preference-Applied": headerOf("The seconds of `Prefer: wait` that were applied."),
          Link: headerOf('The next page as `rel="next"`, if there is one.'),
        }
      : {}),
  };
}

const input = (schema: z.ZodType) => resolver(schema, { io: "input", unrepresentable: "any" });
const output = (schema: z.ZodType) => resolver(schema, { io: "output", unrepresentable: "any" });

/** The body of a stream: text whose frames a separate schema describes. */
const streamOf = (frames: z.ZodType) => ({
  type: "string" as const,
  contentMediaType: "text/event-stream",
  contentSchema: { $ref: `#/components/schemas/${frames.meta()?.id ?? ""}` },
});

/** The schemas of stream frames, as components, because no response body references them. */
export function frameSchemas(): Readonly<Record<string, JsonObject>> {
  const schemas: Record<string, unknown> = {};
  for (const frames of [streamFrame, turnStreamFrame]) {
    const { $schema: _, $defs = {}, ...frame } = z.toJSONSchema(frames, { io: "output", unrepresentable: "any" });
    Object.assign(schemas, $defs, "$ref" in frame ? {} : { [frames.meta()?.id ?? ""]: frame });
  }
  return JSON.parse(JSON.stringify(schemas).replaceAll("#/$defs/", "#/components/schemas/")) as Readonly<Record<string, JsonObject>>;
}

function answersOf(operation: Operation): Described {
  const described: Described = {};
  for (const [status, answer] of Object.entries(operation.answers) as readonly [string, AnswerShape][]) {
    const { description, schema, media = [], frames } = answer;
    const content: Record<string, { schema: ReturnType<typeof output> | ReturnType<typeof streamOf> | { type: "string" } }> = {};
    if (schema !== undefined) content["application/json"] = { schema: output(schema) };
    for (const type of media) content[type] = { schema: frames === undefined ? { type: "string" } : streamOf(frames) };
    described[status] = { description, headers: headersOf(operation, Number(status)), ...(Object.keys(content).length === 0 ? {} : { content }) };
  }
  if (isConditional(operation)) described["304"] = { description: "The caller already has this response.", headers: headersOf(operation, 304) };
  const byStatus = Map.groupBy(errorsOf(operation), (code) => String(statusOf(code)));
  for (const [status, codes] of byStatus)
    described[status] = {
      description: codes.map((code) => `\`${code}\``).join(", "),
      headers: headersOf(operation, Number(status)),
      content: { [problemMedia]: { schema: output(problem) } },
    };
  return described;
}

interface Parameter {
  readonly name: string;
  readonly in: "query" | "header" | "path";
  readonly required: boolean;
  readonly description?: string;
  /** Encodes a list as comma-separated values. */
  readonly style?: "form";
  readonly explode?: false;
  readonly schema: JsonObject;
}

/** Describes a query parameter by its parsed type. The schema is inlined, because hono-openapi resolves references only in bodies. */
function queryParameter(name: string, schema: z.ZodType): Parameter {
  const { $schema: _, description, ...shape } = z.toJSONSchema(schema, { io: "output", unrepresentable: "any" });
  return {
    name,
    in: "query",
    required: !schema.safeParse(undefined).success,
    ...present({ description }),
    ...(shape.type === "array" ? { style: "form", explode: false } : {}),
    schema: shape as JsonObject,
  };
}

/** Additional parameters of event reads. `Prefer` applies to lists, not to the multi-session stream. */
function eventParameters({ path }: Operation): readonly Parameter[] {
  const optional = { required: false, schema: { type: "string" } } as const;
  return [
    { ...optional, name: "stream_token", in: "query", description: "A token from `POST /v1/stream-tokens`, instead of `Authorization`." },
    { ...optional, name: "Last-Event-ID", in: "header", description: "The `id` of the last frame; the stream continues after it." },
    ...(path.endsWith("/events")
      ? [{ ...optional, name: "Prefer", in: "header", description: "`wait=20`: the same as the parameter `wait` (RFC 7240)." } as const]
      : []),
  ];
}

function parametersOf(operation: Operation): readonly Parameter[] {
  const { path, query, method, reads, versioned, events } = operation;
  const header = (name: string, description: string): Parameter => ({ name, in: "header", required: false, description, schema: { type: "string" } });
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]): Parameter => ({ name, in: "path", required: true, schema: { type: "string" } })),
    ...Object.entries<z.ZodType>(query?.shape ?? {}).map(([name, schema]) => queryParameter(name, schema)),
    ...(method !== "GET" && reads !== true
      ? [header("Idempotency-Key", "Identifies this request. A repeat has no further effect and returns the first response.")]
      : []),
    ...(versioned === true ? [header("If-Match", "The version that the change is based on, from an `ETag`.")] : []),
    ...(isConditional(operation)
      ? [header("If-None-Match", "The `ETag` of a response that the caller has. If it is unchanged, the status is `304`.")]
      : []),
    ...(events === true ? eventParameters(operation) : []),
    header("X-Request-Id", "Identifies the request in the log: 1 to 100 letters, digits and `.:_-`."),
    ...(operation.scope === "open" ? [] : [header("traceparent", "The trace that the request belongs to (W3C Trace Context).")]),
  ];
}

/** Describes the scopes that an operation and its members need. */
function needsOf({ scope, also, members = [], customers }: Operation): string {
  const besides = members.map(({ member, value, except, scope: needed }) => {
    const when = value === undefined ? "" : typeof value === "string" ? ` with \`${value}\`` : "";
    return ` \`${member}\`${when}${except === undefined ? "" : ` other than \`${except}\``} also needs \`${needed}\`.`;
  });
  const both = also === undefined ? `scope \`${scope}\`` : `scopes \`${scope}\` and \`${also}\``;
  return `Needs the ${both}.${besides.join("")}${customers === true ? " A customer's token is also accepted." : ""}`;
}

/** Describes an operation in OpenAPI. */
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
