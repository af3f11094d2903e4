import { present } from "throughline/internal";
import { errorCatalogue, ThroughlineError, type Logger } from "throughline/kernel";
import { type Problem, problemMedia, statusOf } from "../protocol/wire-problem.ts";

/** Seconds for `Retry-After` on a temporary failure whose error names no delay. */
const retryAfter = 1;

/**
 * Converts an error to a problem response. Internal failures expose only their code and its catalogue text. Their messages go to the service log,
 * because they may name hosts, files and statements.
 */
export function problemOf(error: unknown, { request_id, logger }: { readonly request_id: string; readonly logger: Logger }): Response {
  const known = ThroughlineError.from(error);
  const { code, details } = known;
  const { kind, meaning, hint, retryable } = errorCatalogue[code];
  const status = statusOf(code);
  const inside = kind === "internal" || kind === "corrupt" || kind === "unavailable";
  if (status >= 500) logger.error("request failed", { request_id, code, cause: causeOf(known) });
  const { errors, retry_after: given, reply, saved, ...rest } = details;
  const retry_after = typeof given === "number" ? given : retryable || status === 503 ? retryAfter : undefined;
  const body: Problem = {
    type: `/errors/${code}`,
    title: meaning,
    status,
    detail: inside ? meaning : known.message,
    code,
    hint: inside ? hint : known.hint,
    request_id,
    ...(Array.isArray(errors) ? { errors: errors as NonNullable<Problem["errors"]> } : {}),
    ...(inside || Object.keys(rest).length === 0 ? {} : { details: rest }),
    ...present({ retry_after }),
    ...((saved === false || saved === "unknown") && typeof reply === "string" ? { saved, reply } : {}),
  };
  const headers = new Headers({ "content-type": problemMedia, "cache-control": "no-store" });
  if (retry_after !== undefined) headers.set("retry-after", String(Math.max(1, Math.ceil(retry_after))));
  if (status === 401) headers.set("www-authenticate", `Bearer realm="throughline"`);
  if (typeof rest["version"] === "number" && status === 412) headers.set("etag", `"${rest["version"]}"`);
  return new Response(JSON.stringify(body), { status, headers });
}

/** The cause of a failure as error codes and class names, never its message. */
function causeOf(error: ThroughlineError): string {
  const { cause } = error;
  if (ThroughlineError.is(cause)) return `${cause.code}: ${cause.name}`;
  const code = typeof cause === "object" && cause !== null && "code" in cause ? ` ${String(cause.code)}` : "";
  return cause instanceof Error ? `${cause.name}${code}` : "none";
}
