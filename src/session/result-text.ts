import { outcomeText } from "../state/tool-outcome.ts";
import type { MessagePart, ToolResult } from "./event.ts";

/** The text of a message's parts; a JSON part as JSON. */
export const textOf = (parts: readonly MessagePart[]): string =>
  parts.map((part) => (part.type === "text" ? part.text : JSON.stringify(part.value))).join("\n");

/**
 * The text of a result for the model. A value that came back is its own text: a string as it is, anything else as JSON, or what the tool shows in its
 * place. Everything else is one JSON object whose key says what became of the call: `error`, `blocked`, `skipped` or `unknown`. A value that is
 * not stored is told as `done`, with the reason in `not_stored`.
 */
export function resultText(result: ToolResult): string {
  if (result.type !== "ok") return outcomeText(result);
  const { value, shown, not_stored } = result;
  if (not_stored === undefined) return shown === undefined ? outcomeText(result) : textOf(shown);
  const { code, message } = not_stored;
  const reason = "This call was made. Do not repeat it. What it returned could not be stored.";
  return JSON.stringify({ done: shown === undefined ? value : textOf(shown), not_stored: { reason, code, message } });
}

/** Whether a call ended well and the state has taken what it returned. */
export const isStored = (result: ToolResult): boolean => result.type === "ok" && result.not_stored === undefined;
