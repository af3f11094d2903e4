import { outcomeText } from "../state/tool-outcome.ts";
import type { MessagePart, ToolResult } from "./event.ts";

/** The text of a message's parts; a JSON part as JSON. */
export const textOf = (parts: readonly MessagePart[]): string =>
  parts.map((part) => (part.type === "text" ? part.text : JSON.stringify(part.value))).join("\n");

/**
 * What a model reads of a result. A value that came back is its own text: a string as it is, anything else as JSON, or what the tool shows in its
 * place. Everything else is one JSON object whose key says what became of the call: `error`, `blocked`, `skipped` or `unknown`.
 */
export const resultText = (result: ToolResult): string =>
  result.type === "ok" && result.shown !== undefined ? textOf(result.shown) : outcomeText(result);
