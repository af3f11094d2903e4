/** What it means that a request to an MCP server failed. */
import { ThroughlineError } from "../../kernel/error.ts";

/** An error in our words, and what it says of the connection. */
export interface Failure {
  readonly error: ThroughlineError;
  /** The connection is of no use any more. */
  readonly broken: boolean;
  /** The server refused the request without looking at it, because it has forgotten the session: nothing was done. */
  readonly forgotten: boolean;
}

/** Stands in an error for an answer that will not come. */
export const streamEnded = "throughline: the stream ended without an answer";

interface Clues {
  readonly data?: unknown;
  readonly name?: unknown;
  readonly code?: unknown;
  readonly status?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
}

const cluesOf = (error: unknown): Clues => (typeof error === "object" && error !== null ? error : {});

/** Failures to connect: nothing has reached the server. */
const unreached = new Set<unknown>([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "ENOENT",
  "EACCES",
]);

/** Longest text of a server's error that the model and the log get. */
const textLimit = 2_000;

/**
 * What a failure means. The client's classes are told by their fields, because several versions of it may be loaded. Nothing of an HTTP answer is
 * passed on but its status: servers quote the request in it, and the request holds keys.
 */
export function failureOf(error: unknown, { label, tool, ms }: { readonly label: string; readonly tool?: string; readonly ms: number }): Failure {
  const { name, code, status, message, cause, data } = cluesOf(error);
  const who = `${label.charAt(0).toUpperCase()}${label.slice(1)}`;
  const details = tool === undefined ? {} : { tool };
  const made = (
    kind: "timeout" | "tool.failed" | "tool.lost" | "tool.unavailable" | "tool.output_invalid",
    text: string,
    hint?: string,
  ): ThroughlineError =>
    new ThroughlineError(kind, text, {
      details: typeof status === "number" ? { ...details, status } : details,
      ...(hint === undefined ? {} : { hint }),
    });
  const failure = (thrown: ThroughlineError, broken = false): Failure => ({ error: thrown, broken, forgotten: false });
  if (typeof status === "number") return httpFailure(status, { who, made });
  if (code === "REQUEST_TIMEOUT") return failure(made("timeout", `${who} did not answer within ${ms} ms.`));
  if (code === "CONNECTION_CLOSED" || data === streamEnded)
    return failure(made("tool.lost", `${who} closed the connection before it had answered.`), true);
  if (code === "NOT_CONNECTED" || message === "Not connected" || unreached.has(code) || unreached.has(cluesOf(cause).code))
    return failure(made("tool.unavailable", `${who} cannot be reached.`), true);
  if (code === "INVALID_RESULT" || code === "CLIENT_HTTP_UNEXPECTED_CONTENT" || name === "ZodError" || name === "SyntaxError")
    return failure(
      made("tool.output_invalid", `${who} answered something that is not the protocol.`, "The call may have been made. Look at the server."),
    );
  // A number is the code of an error that the server sent: it is there, and refuses.
  if (typeof code === "number" && typeof message === "string") return failure(made("tool.failed", `${who} refused: ${message.slice(0, textLimit)}`));
  if (typeof code === "string" && name === "SdkError") return failure(made("tool.failed", `${who} and this client do not agree (${code}).`));
  return failure(made("tool.lost", `The connection to ${label} broke.`), true);
}

type Made = (kind: "tool.failed" | "tool.lost" | "tool.unavailable", text: string, hint?: string) => ThroughlineError;

function httpFailure(status: number, { who, made }: { readonly who: string; readonly made: Made }): Failure {
  const text = `${who} answered ${status}.`;
  const failure = (error: ThroughlineError, forgotten = false): Failure => ({ error, broken: forgotten, forgotten });
  if (status === 404) return failure(made("tool.unavailable", text), true);
  if (status === 401 || status === 403) return failure(made("tool.unavailable", text, "Look at the headers that it is connected with."));
  if (status === 429 || status === 503) return failure(made("tool.unavailable", text));
  return failure(made(status < 500 ? "tool.failed" : "tool.lost", text));
}
