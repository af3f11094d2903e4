/** A request: reads and checks its headers, query and body; the call that a handler receives, the session that it names, and the answer. */
import { createHash } from "node:crypto";
import type { Session, SessionInfo } from "throughline";
import { notJson, present, subagentLabel } from "throughline/internal";
import { formatPointer, type Json, seen, ThroughlineError, traceOf } from "throughline/kernel";
import type { IdempotencyOptions, VersionOptions } from "throughline/session";
import type { z } from "zod";
import type { AnswerOf, BodyOf, Operation, PathOf, QueryOf } from "../protocol/operation.ts";
import type { OperationId, Operations } from "../protocol/operations.ts";
import { customerOf, type Principal } from "./principal.ts";
import type { Service } from "./service.ts";

/** One request, parsed and validated. */
export interface Call<Op extends Operation> {
  readonly path: PathOf<Op>;
  readonly query: QueryOf<Op>;
  readonly body: BodyOf<Op>;
  readonly principal: Principal;
  readonly request_id: string;
  /** The caller's `traceparent`. */
  readonly traceparent: string | undefined;
  /** The version of `If-Match`, as a precondition of the change. */
  readonly condition: VersionOptions;
  /** The `Idempotency-Key`, scoped to this caller. The effect's commit stores it. */
  readonly once: IdempotencyOptions;
  /** All request headers, for example `Accept` and `Last-Event-ID`. */
  readonly headers: Headers;
  /** Aborts when the caller disconnects or the service stops. */
  readonly signal: AbortSignal;
  /** Aborts when the handler took too long and the caller has already been answered. */
  readonly unanswered: AbortSignal;
  /** Destroys the caller's connection. Used for readers that accept no data; undefined without a socket. */
  readonly cut: (() => void) | undefined;
}

/** A handler's answer: status, body and values for headers. */
export type Answer<Op extends Operation> = AnswerOf<Op> & {
  /** The version for the `ETag`. */
  readonly version?: number;
  /** The address of the created object. */
  readonly location?: string;
  /** Further objects for the audit log, by internal id. The path's objects are recorded anyway. */
  readonly objects?: Readonly<Record<string, string>>;
};

/** Answers one operation. Returns a `Response` for anything that is not JSON, such as a stream. */
export type Handler<Op extends Operation> = (service: Service, call: Call<Op>) => Promise<Answer<Op> | Response>;

/** The handlers of a group of operations. */
export type Handlers<Ids extends OperationId> = { readonly [Id in Ids]: Handler<Operations[Id]> };

/** A session that the principal may reach. */
interface FoundSession {
  readonly session: Session;
  readonly info: SessionInfo;
}

/** Loads a session that the principal may reach. Throws `session.not_found` otherwise, so that callers cannot tell whether the session exists. */
export async function sessionOf({ runtime }: Pick<Service, "runtime">, principal: Principal, session_id: string): Promise<FoundSession> {
  const missing = (): ThroughlineError =>
    new ThroughlineError("session.not_found", `There is no session ${session_id.slice(0, 100)}.`, {
      details: { session_id: session_id.slice(0, 100) },
    });
  if (!reaches(principal, session_id)) throw missing();
  const { session, info } = await runtime.sessions.getWithInfo(session_id);
  const customer = customerOf(principal);
  // Sessions of child agents are internal, even if they belong to a customer.
  if (customer !== undefined && (info.customer_id !== customer || info.labels.includes(subagentLabel))) throw missing();
  return { session, info };
}

/** Makes the handler of an operation on one session, which the principal must be able to reach. */
export const inSession =
  <Op extends Operation>(answer: (found: FoundSession, call: Call<Op>, service: Service) => Promise<Answer<Op> | Response>): Handler<Op> =>
  async (service, call) => {
    // The operations that use this have a session in their path.
    const { session_id } = call.path as { readonly session_id: string };
    return answer(await sessionOf(service, call.principal, session_id), call, service);
  };

/** An answer with a body, and with the version for the `ETag` if the body has one. */
export const ok = <Body>(body: Body, version?: number) => ({ status: 200, body, ...present({ version }) }) as const;

/** Whether the principal's token covers this session. */
function reaches(principal: Principal, session_id: string): boolean {
  if (principal.type === "stream") return principal.sessions.some((id) => id === session_id) && reaches(principal.behalf, session_id);
  return principal.type !== "customer" || principal.session === undefined || principal.session === session_id;
}

/** Reads the body as text. Throws as `readBytes` and `readText` do. */
export async function readBody(request: Request, limit: number): Promise<string> {
  return request.method === "GET" || request.method === "HEAD" ? "" : readText(await readBytes(request, limit));
}

/**
 * Reads the body. Throws `request.too_large` as soon as more than `limit` bytes have arrived, regardless of the headers. Throws `request.malformed` if
 * the body is incomplete.
 */
export async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const tooLarge = (): ThroughlineError =>
    new ThroughlineError("request.too_large", `The request's body has more than ${limit} bytes.`, { details: { limit } });
  const length = request.headers.get("content-length");
  if (Number(length ?? 0) > limit) throw tooLarge();
  // A body of known length is read in one piece. Reading a stream takes several times as long.
  const bytes = await (length === null ? readStream(request, limit) : request.arrayBuffer()).catch((cause: unknown) => {
    throw new ThroughlineError("request.malformed", "The request's body is incomplete or its chunks are malformed.", { cause });
  });
  if (bytes === undefined || bytes.byteLength > limit) throw tooLarge();
  return new Uint8Array(bytes);
}

/** Decodes a body. Throws `request.malformed` if it is not UTF-8. */
export function readText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ThroughlineError("request.malformed", "The request's body is not UTF-8.");
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads the bytes of a body. Returns undefined as soon as there are more than `limit`. */
async function readStream(request: Request, limit: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const json = /^application\/(?:[a-z0-9.+-]+\+)?json$/;

/** Parses the body's JSON; undefined if there is no body. */
function parseBody(request: Request, text: string): unknown {
  if (text === "") return undefined;
  const [type = "", ...parameters] = (request.headers.get("content-type") ?? "").toLowerCase().split(";");
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith("charset="));
  if (!json.test(type.trim()) || (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)))
    throw new ThroughlineError("request.media_type", `The request's body is ${seen(request.headers.get("content-type") ?? "without a type")}.`);
  return readJson(text);
}

/**
 * Parses JSON. Throws `request.malformed` for any other text, and `request.invalid` for values that are not storable, such as excessive nesting or
 * numbers out of range.
 */
export function readJson(text: string): Json {
  const value = parsed(text);
  const offence = notJson(value);
  // Without an offence it is JSON.
  if (offence === undefined) return value as Json;
  throw new ThroughlineError("request.invalid", `The body is wrong at "${offence.path.slice(0, 200)}": ${offence.seen}.`, {
    details: { errors: [{ pointer: offence.path.slice(0, 1000), message: offence.seen }] },
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text, suspect.test(text) ? withoutPrototype : undefined) as unknown;
  } catch (error) {
    if (ThroughlineError.is(error)) throw error;
    throw new ThroughlineError("request.malformed", "The request's body is not JSON.");
  }
}

/** Matches text that may contain a member `__proto__`, plain or escaped. */
const suspect = /__proto__|\\u005f/i;

/** Rejects `__proto__`, which some code treats as the prototype and other code ignores. */
function withoutPrototype(name: string, value: unknown): unknown {
  if (name !== "__proto__") return value;
  throw new ThroughlineError("request.invalid", "The body has a member `__proto__`.", {
    details: { errors: [{ pointer: "", message: "no object may have a member `__proto__`" }] },
  });
}

/** Validates a part of a request. Throws `request.invalid` with all issues, 50 at most. */
function checked(schema: z.ZodType, value: unknown, place: "body" | "query"): unknown {
  const result = schema.safeParse(value, { reportInput: false });
  if (result.success) return result.data;
  const errors = result.error.issues.slice(0, 50).map((issue) => {
    const path = formatPointer(issue.path.map(String));
    return { pointer: place === "body" ? path : `query${path}`, message: issue.message };
  });
  const [first] = errors;
  throw new ThroughlineError(
    "request.invalid",
    `${place === "body" ? "The body" : "The query"} is wrong at "${first?.pointer ?? ""}": ${first?.message ?? ""}.`,
    {
      details: { errors },
    },
  );
}

/** The validated body of an operation. */
export function bodyOf(operation: Operation, request: Request, text: string): unknown {
  const given = parseBody(request, text);
  if (operation.body === undefined) {
    if (given === undefined || (typeof given === "object" && given !== null && Object.keys(given).length === 0)) return undefined;
    throw new ThroughlineError("request.invalid", "This request has no body.", {
      details: { errors: [{ pointer: "", message: "no body is allowed" }] },
    });
  }
  if (given === undefined && operation.bodyOptional !== true) throw new ThroughlineError("request.malformed", "This request needs a JSON body.");
  return checked(operation.body, given === undefined ? {} : given, "body");
}

/** The validated query of an operation. Rejects unknown and repeated parameters. */
export function queryOf(operation: Operation, url: URL): unknown {
  const byName = new Map<string, string[]>();
  for (const [name, value] of url.searchParams) {
    const values = byName.get(name);
    if (values === undefined) byName.set(name, [value]);
    else values.push(value);
  }
  if (operation.events === true) byName.delete("stream_token");
  // Unlike assignment, `Object.fromEntries` creates an own property for every name, even `__proto__`.
  const given = Object.fromEntries([...byName].map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
  if (operation.query !== undefined) return checked(operation.query, given, "query");
  const [unknown] = Object.keys(given);
  if (unknown === undefined) return undefined;
  throw new ThroughlineError("request.invalid", `This request has no parameters, got ${seen(unknown)}.`, {
    details: { errors: [{ pointer: `query/${unknown}`, message: "no such parameter" }] },
  });
}

/** The `ETag` of a read: the version and a hash of the response. Some responses, such as a session with its head, change while the version stays. */
export const readTag = (version: number, text: string): string =>
  `"${version}-${createHash("sha256").update(text).digest("base64url").slice(0, 16)}"`;

/** Whether `If-None-Match` contains this `ETag`. */
export const isKnown = (headers: Headers, tag: string): boolean =>
  (headers.get("if-none-match") ?? "").split(",").some((part) => part.trim().replace(/^W\//, "") === tag);

/**
 * The version in `If-Match`, taken from the `ETag` of a read or a change. Undefined if the header is absent or `*`, or the operation is not
 * versioned. Throws `request.precondition_invalid` for any other value.
 */
export function ifVersionOf(operation: Operation, headers: Headers): number | undefined {
  const header = headers.get("if-match");
  if (header === null || header.trim() === "*" || operation.versioned !== true) return undefined;
  const match = /^"(\d{1,15})(?:-[\w-]{16})?"$/.exec(header.trim());
  if (match === null) throw new ThroughlineError("request.precondition_invalid", `If-Match must contain one version in quotes, got ${seen(header)}.`);
  return Number(match[1]);
}

/** The W3C `traceparent` header. A malformed header is ignored. */
export function traceparentOf(headers: Headers): string | undefined {
  const given = headers.get("traceparent") ?? "";
  return traceOf(given) === undefined ? undefined : given;
}

/**
 * Reads the `Idempotency-Key` of a changing request: 1 to 200 printable characters. PATCH and DELETE support it too, because repeating an append or a
 * withdrawal would apply it twice. Throws `request.malformed` for any other value.
 */
export function idempotencyKeyOf({ method, headers }: Request): string | undefined {
  const key = headers.get("idempotency-key");
  if (key === null || method === "GET" || method === "HEAD") return undefined;
  if (/^[\x21-\x7e]{1,200}$/.test(key)) return key;
  throw new ThroughlineError("request.malformed", "An Idempotency-Key has 1 to 200 printable characters without spaces.");
}
