/** Holds every answer of a service against what the service says of itself: a status that is not declared, a code that is not listed, a body of another shape. */
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { errorCatalogue, type ErrorCode } from "../../packages/throughline/src/kernel/error-catalogue.ts";
import type { AnswerShape, Operation } from "../../packages/server/src/protocol/operation.ts";
import { operations, type OperationId } from "../../packages/server/src/protocol/operations.ts";
import { problem, problemMedia, statusOf } from "../../packages/server/src/protocol/wire-problem.ts";
import { errorsOf, headersOf } from "../../packages/server/src/server/openapi.ts";

/** What an answer was, and to what. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Codes of answers to what is no request of any operation. */
const outside: readonly ErrorCode[] = [
  ...(["request.not_found", "request.method_not_allowed", "request.malformed", "request.too_large", "request.timeout"] as const),
  ...(["host.forbidden", "service.draining"] as const),
];

const patterns = (Object.entries(operations) as readonly [OperationId, Operation][])
  .map(([id, operation]) => ({ id, operation, pattern: new RegExp(`^${operation.path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`) }))
  // A word in an address stands before a parameter in the same place.
  .toSorted((left, right) => Number(left.operation.path.includes("}")) - Number(right.operation.path.includes("}")));

/** The operation that a request is for; undefined if it is for none. */
export function operationOf(method: string, path: string): OperationId | undefined {
  const asked = method === "HEAD" ? "GET" : method;
  const [address = ""] = path.split("?");
  return patterns.find(({ operation, pattern }) => operation.method === asked && pattern.test(address))?.id;
}

/** What an answer has that was not promised, in words; undefined if it is as it was promised. */
export function breachOf(exchange: Exchange): string | undefined {
  const { method, path, status, text } = exchange;
  const wrong = (status >= 400 ? wrongWithError(exchange) : wrongWithAnswer(exchange)) ?? wrongHeader(exchange);
  return wrong === undefined ? undefined : `${method} ${path.slice(0, 200)} was answered ${status}: ${wrong}\n${text.slice(0, 1000)}`;
}

function wrongWithError({ method, path, status, headers, text }: Exchange): string | undefined {
  const isHead = method === "HEAD";
  if (!isHead && headers.get("content-type") !== problemMedia) return `an error is ${problemMedia}, not ${headers.get("content-type")}`;
  if (isHead) return undefined;
  const body: unknown = JSON.parse(text);
  const shape = wrongShape(problem, body);
  if (shape !== undefined) return shape;
  const { code, ...rest } = problem.parse(body);
  if (!Object.hasOwn(errorCatalogue, code)) return `there is no code ${code}`;
  if (rest.status !== status || statusOf(code as ErrorCode) !== status) return `${code} has another status`;
  if ((status === 503 || status === 429) && headers.get("retry-after") === null) return "there is no Retry-After";
  const id = operationOf(method, path);
  const listed: readonly string[] = id === undefined ? outside : [...errorsOf(operations[id]), "request.not_found"];
  return listed.includes(code) ? undefined : `${id ?? "no operation"} does not list ${code}`;
}

function wrongWithAnswer({ method, path, status, headers, text }: Exchange): string | undefined {
  const id = operationOf(method, path);
  // What is beside the operations: leave for a page of another origin, the example page.
  if (id === undefined) return undefined;
  if (status === 304) return text === "" && operations[id].method === "GET" ? undefined : "304 has no body, and answers a read";
  const answers: { readonly [status: number]: AnswerShape | undefined } = operations[id].answers;
  const answer = answers[status];
  if (answer === undefined) return `${id} does not declare ${status}`;
  if (method === "HEAD") return undefined;
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  if (answer.media?.includes(type) === true) return undefined;
  if (answer.schema === undefined) return text === "" ? undefined : `${id} declares no body`;
  return type === "application/json" ? wrongShape(answer.schema, JSON.parse(text)) : `it is ${type}`;
}

/** Headers of HTTP itself, of every answer, and of pages of other origins. */
const common: ReadonlySet<string> = new Set([
  ...[
    "allow",
    "cache-control",
    "connection",
    "content-length",
    "content-type",
    "date",
    "keep-alive",
    "transfer-encoding",
    "vary",
    "x-accel-buffering",
  ],
  ...["access-control-allow-origin", "access-control-expose-headers", "content-security-policy", "cross-origin-resource-policy"],
  ...["referrer-policy", "x-content-type-options", "x-frame-options"],
]);

/** A header that the description of the answer does not name. */
function wrongHeader({ method, path, status, headers }: Exchange): string | undefined {
  const id = operationOf(method, path);
  if (id === undefined) return undefined;
  const described = new Set(Object.keys(headersOf(operations[id], status)).map((name) => name.toLowerCase()));
  const other = [...headers.keys()].find((name) => !common.has(name) && !described.has(name));
  return other === undefined ? undefined : `${id} does not describe its header ${other}`;
}

/** What of a body is not in its schema, or not of its shape. */
function wrongShape(schema: z.ZodType, body: unknown): string | undefined {
  const read = schema.safeParse(body);
  if (!read.success) return read.error.message;
  return isDeepStrictEqual(read.data, body) ? undefined : `it has members that are not described; they would be ${JSON.stringify(read.data)}`;
}
