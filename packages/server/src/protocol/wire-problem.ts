/** Errors on the wire: RFC 9457 with the codes of the catalogue. */
import { z } from "zod";
import { errorCatalogue, type ErrorCode, type ErrorKind } from "throughline/kernel";
import { jsonObject } from "./wire-value.ts";

/** The media type of an error. */
export const problemMedia = "application/problem+json";

const statusOfKind: Readonly<Record<ErrorKind, number>> = {
  invalid: 422,
  not_found: 404,
  conflict: 409,
  unavailable: 503,
  corrupt: 500,
  internal: 500,
};

/** Codes whose status differs from the default of their kind. */
const statusOfCode: { readonly [Code in ErrorCode]?: number } = {
  "request.malformed": 400,
  "cursor.invalid": 400,
  "filter.required": 400,
  "request.precondition_invalid": 400,
  "auth.required": 401,
  "auth.invalid": 401,
  "auth.forbidden": 403,
  "host.forbidden": 403,
  "request.method_not_allowed": 405,
  "request.timeout": 408,
  "request.not_acceptable": 406,
  "log.retained_from": 410,
  "request.answer_removed": 410,
  "run.expired": 410,
  "request.precondition_failed": 412,
  "request.too_large": 413,
  "request.media_type": 415,
  "session.idempotency_mismatch": 422,
  "request.key_reused": 422,
  "session.too_many_waiting": 429,
  "limit.rate": 429,
  "limit.waiters": 429,
  aborted: 503,
  // This process is stopping; another one has the store open.
  "store.closed": 503,
};

/** The HTTP status of an error. */
export const statusOf = (code: ErrorCode): number => statusOfCode[code] ?? statusOfKind[errorCatalogue[code].kind];

/** A violation in a request. The pointer is a JSON Pointer into the body, or names a parameter as in `query/limit`. */
export const violation = z.object({ pointer: z.string(), message: z.string() });

/** An error for clients. It contains no stack trace, no secret, and no data of other callers. */
export const problem = z
  .object({
    type: z.string().describe("Address of what the code means, relative to the service."),
    title: z.string().describe("What the code means."),
    status: z.int(),
    detail: z.string().describe("What was seen."),
    code: z.string().describe("A code of the catalogue, such as `session.not_found`."),
    hint: z.string().describe("What to do."),
    request_id: z.string(),
    errors: z.array(violation).optional(),
    details: jsonObject.optional(),
    retry_after: z.number().optional().describe("Seconds; the same as the `Retry-After` header."),
    saved: z
      .literal([false, "unknown"])
      .optional()
      .describe(
        "Comes with a `reply`. `false`: the message was not taken. `unknown`: the database did not confirm in time, so the message may be kept; send it again under the same idempotency key to find out.",
      ),
    reply: z.string().optional().describe("What to show at once to the person whose message may not be kept. It may say where help is."),
  })
  .meta({ id: "Problem" });

/** An error for clients. */
export type Problem = z.output<typeof problem>;
