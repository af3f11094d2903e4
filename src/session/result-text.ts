import type { Json } from "../kernel/json.ts";
import type { MessagePart, ToolResult } from "./event.ts";

/** The text of a message's parts; a JSON part as JSON. */
export const textOf = (parts: readonly MessagePart[]): string =>
  parts.map((part) => (part.type === "text" ? part.text : JSON.stringify(part.value))).join("\n");

/**
 * What a model reads of a result. A value that came back is its own text: a string as it is, anything else as JSON, or what the tool shows in its
 * place. Everything else is one JSON object whose key says what became of the call: `error`, `blocked`, `skipped` or `unknown`.
 */
export function resultText(result: ToolResult): string {
  switch (result.type) {
    case "ok":
      if (result.shown !== undefined) return textOf(result.shown);
      return typeof result.value === "string" ? result.value : JSON.stringify(result.value);
    case "error": {
      const { code, message, details } = result.error;
      // The hint is left out: it is for whoever develops the tool.
      return told("error", details === undefined ? { code, message } : { code, message, details });
    }
    case "blocked":
      return told("blocked", { by: result.by, reason: result.reason });
    case "skipped":
      return told("skipped", { reason: result.reason });
    case "unknown":
      return told("unknown", { reason: "This call may have happened, or may not; nobody can tell. Do not repeat it without asking." });
  }
}

const told = (what: string, about: Json): string => JSON.stringify({ [what]: about });

/** What a model reads in place of a result that is not there: the call is still at work, was never made, or may have happened. */
export function missingText(state: "pending" | "skipped" | "unknown"): string {
  if (state === "unknown") return resultText({ type: "unknown" });
  return state === "skipped"
    ? resultText({ type: "skipped", reason: "The turn ended before this call was made." })
    : told("pending", { reason: "This call has not returned yet." });
}
