import { outcomeText } from "../state/tool-outcome.ts";
import type { MessagePart, ToolResult } from "./event.ts";

/** Returns the text of a message's parts, one per line. A JSON part is rendered as JSON. */
export const textOf = (parts: readonly MessagePart[]): string =>
  parts.map((part) => (part.type === "text" ? part.text : JSON.stringify(part.value))).join("\n");

/**
 * Renders a tool result for the model. A returned value is the tool's own rendering, a string as it is, or JSON. Any other outcome is a JSON object
 * with the key `error`, `blocked`, `skipped` or `unknown`. A value that the state does not hold is rendered as `done`, with the reason in
 * `not_stored`.
 */
export function resultText(result: ToolResult): string {
  if (result.type !== "ok") return outcomeText(result);
  const { value, shown, not_stored } = result;
  if (not_stored === undefined) return shown === undefined ? outcomeText(result) : textOf(shown);
  const { code, message } = not_stored;
  const reason = "This call was made. Do not repeat it. What it returned could not be stored.";
  return JSON.stringify({ done: shown === undefined ? value : textOf(shown), not_stored: { reason, code, message } });
}

/** Whether a call succeeded and the state holds its value. */
export const isStored = (result: ToolResult): boolean => result.type === "ok" && result.not_stored === undefined;
