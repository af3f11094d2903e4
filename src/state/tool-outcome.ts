/** What became of a call of a tool, and what a model reads of it. */
import type { ErrorInfo } from "../kernel/error.ts";
import type { Json } from "../kernel/json.ts";

/** What became of a call. */
export type ToolOutcome =
  | { readonly type: "ok"; readonly value: Json }
  | { readonly type: "error"; readonly error: ErrorInfo }
  | { readonly type: "blocked"; readonly by: string; readonly reason: string }
  | { readonly type: "skipped"; readonly reason: string }
  | { readonly type: "unknown" };

/**
 * What a model reads of an outcome. A value that came back is its own text: a string as it is, anything else as JSON. Everything else is one JSON object
 * whose key says what became of the call: `error`, `blocked`, `skipped` or `unknown`.
 */
export function outcomeText(outcome: ToolOutcome): string {
  switch (outcome.type) {
    case "ok":
      return typeof outcome.value === "string" ? outcome.value : JSON.stringify(outcome.value);
    case "error": {
      const { code, message, details } = outcome.error;
      // The hint is left out: it is for the tool's developer.
      return told("error", details === undefined ? { code, message } : { code, message, details });
    }
    case "blocked":
      return told("blocked", { by: outcome.by, reason: outcome.reason });
    case "skipped":
      return told("skipped", { reason: outcome.reason });
    case "unknown":
      return told("unknown", { reason: "This call may have happened, or may not; nobody can tell. Do not repeat it without asking." });
  }
}

const told = (what: string, about: Json): string => JSON.stringify({ [what]: about });

/** What a model reads in place of a result that is not there: the call is still at work, has changed nothing because it was
 * never made or has no effects, or may have happened. */
export function missingText(state: "pending" | "skipped" | "unknown"): string {
  if (state === "unknown") return outcomeText({ type: "unknown" });
  return state === "skipped"
    ? outcomeText({ type: "skipped", reason: "The turn ended before this call returned. It has changed nothing." })
    : told("pending", { reason: "This call has not returned yet." });
}
