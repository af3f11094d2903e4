/** The outcome of a tool call, and the text that a model reads for it. */
import type { ErrorInfo } from "../kernel/error.ts";
import type { Json } from "../kernel/json.ts";

/** The outcome of a tool call. */
export type ToolOutcome =
  | { readonly type: "ok"; readonly value: Json }
  | { readonly type: "error"; readonly error: ErrorInfo }
  | { readonly type: "blocked"; readonly by: string; readonly reason: string }
  | { readonly type: "skipped"; readonly reason: string }
  | { readonly type: "unknown" };

/**
 * Renders an outcome for the model. A returned value is rendered as it is if it is a string, otherwise as JSON. Any other outcome is a JSON object
 * with the key `error`, `blocked`, `skipped` or `unknown`.
 */
export function outcomeText(outcome: ToolOutcome): string {
  switch (outcome.type) {
    case "ok":
      return typeof outcome.value === "string" ? outcome.value : JSON.stringify(outcome.value);
    case "error": {
      const { code, message, details } = outcome.error;
      // The hint is left out, because it is meant for the tool's developer.
      return labelled("error", details === undefined ? { code, message } : { code, message, details });
    }
    case "blocked":
      return labelled("blocked", { by: outcome.by, reason: outcome.reason });
    case "skipped":
      return labelled("skipped", { reason: outcome.reason });
    case "unknown":
      return labelled("unknown", { reason: "This call may have happened, or may not; nobody can tell. Do not repeat it without asking." });
  }
}

const labelled = (what: string, about: Json): string => JSON.stringify({ [what]: about });

/**
 * Renders a missing result for the model. `pending`: the call is still running. `skipped`: the call never ran or has no effects, so it changed
 * nothing. `unknown`: the call may have run.
 */
export function missingText(state: "pending" | "skipped" | "unknown"): string {
  if (state === "unknown") return outcomeText({ type: "unknown" });
  return state === "skipped"
    ? outcomeText({ type: "skipped", reason: "The turn ended before this call returned. It has changed nothing." })
    : labelled("pending", { reason: "This call has not returned yet." });
}
