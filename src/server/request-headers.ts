/** What the headers of a request say. */
import { createHash } from "node:crypto";
import { ThroughlineError, seen } from "../kernel/error.ts";
import type { TraceId } from "../kernel/id.ts";
import type { Operation } from "../protocol/operation.ts";

/** The `ETag` of what is read: its version, and a hash of the answer. What a caller is shown may change while the version stays, such as a session's head. */
export const readTag = (version: number, text: string): string =>
  `"${version}-${createHash("sha256").update(text).digest("base64url").slice(0, 16)}"`;

/** Whether `If-None-Match` names this `ETag`. */
export const isKnown = (headers: Headers, tag: string): boolean =>
  (headers.get("if-none-match") ?? "").split(",").some((part) => part.trim().replace(/^W\//, "") === tag);

/** The version in `If-Match`, from the `ETag` of a read or of a change; undefined if the header is not there, or takes any. */
export function ifVersionOf(operation: Operation, headers: Headers): number | undefined {
  const header = headers.get("if-match");
  if (header === null || header.trim() === "*" || operation.versioned !== true) return undefined;
  const match = /^"(\d{1,15})(?:-[\w-]{16})?"$/.exec(header.trim());
  if (match === null) throw new ThroughlineError("request.precondition_invalid", `If-Match holds one version in quotes, got ${seen(header)}.`);
  return Number(match[1]);
}

const traceparent = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

/** The trace that a request belongs to, from the `traceparent` of W3C. One that cannot be read is no trace. */
export function traceOf(headers: Headers): TraceId | undefined {
  const [, trace] = traceparent.exec(headers.get("traceparent") ?? "") ?? [];
  return trace === undefined || /^0+$/.test(trace) ? undefined : (trace as TraceId);
}

/** 1 to 200 printable characters. It names whatever changes something: sent twice, a PATCH that appends or a withdrawal would be done twice too. */
export function idempotencyKeyOf({ method, headers }: Request): string | undefined {
  const key = headers.get("idempotency-key");
  if (key === null || method === "GET" || method === "HEAD") return undefined;
  if (/^[\x21-\x7e]{1,200}$/.test(key)) return key;
  throw new ThroughlineError("request.malformed", "An Idempotency-Key has 1 to 200 printable characters without spaces.");
}
