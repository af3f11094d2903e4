/** Converts an MCP server's response to a call to the result of a tool. */
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { isPlainObject, type Json, jsonEqual, type JsonObject } from "../../kernel/json.ts";
import type { MessagePart } from "../../session/event.ts";
import { refused, rendered } from "../results.ts";

/** The used part of a response. */
export interface McpAnswer {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
}

/** Maximum length of an error text for the model and the log. */
const errorLimit = 2_000;

/**
 * Returns the result: structured content if present, else the text, else a list of the content. Images, audio and files are named with their size and
 * left out. No model port reads them, and they do not belong in the log. Of an oversized structured result the beginning is kept, with
 * `tool.output_invalid` as the reason. Throws `tool.failed` with the server's message if it reports a failure.
 */
export function resultFrom(answer: McpAnswer, { tool, most }: { readonly tool: string; readonly most: number }): unknown {
  const blocks = (Array.isArray(answer.content) ? answer.content : []).map(blockOf);
  const texts = blocks.map(({ text }) => text);
  if (answer.isError === true)
    throw new ThroughlineError("tool.failed", shortened(texts.join("\n"), errorLimit) || `"${tool}" says that it failed, and not why.`, {
      details: { tool },
    });
  if (answer.structuredContent === undefined) return unstructured(blocks, most);
  const value = answer.structuredContent as Json;
  const whole = JSON.stringify(value);
  if (whole.length > most) {
    const error = new ThroughlineError("tool.output_invalid", `The result of "${tool}" has ${whole.length} characters, more than ${most}.`, {
      hint: "The call was made. Ask for less, or raise `maxCharacters`.",
      details: { tool, characters: whole.length },
    });
    return refused(shortened(whole, most), error);
  }
  // Servers repeat the structured result as text, for clients without support for it.
  const apart = texts.some((text) => !says(text, value));
  return apart ? rendered(value, [textPart(shortened(texts.join("\n"), most))]) : value;
}

const textPart = (text: string): MessagePart => ({ type: "text", text });

function unstructured(blocks: readonly Block[], most: number): unknown {
  const text = shortened(blocks.map((block) => block.text).join("\n"), most);
  if (blocks.every(({ value }) => typeof value === "string")) return text;
  let left = most;
  const values = blocks.map(({ value }): Json => {
    if (typeof value !== "string") return value;
    const kept = shortened(value, left);
    left = Math.max(0, left - value.length);
    return { type: "text", text: kept };
  });
  return rendered(values, [textPart(text)]);
}

function says(text: string, value: Json): boolean {
  try {
    return jsonEqual(JSON.parse(text) as Json, value);
  } catch {
    return false;
  }
}

function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  // Does not split a surrogate pair.
  const kept = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "");
  return `${kept}… (cut: ${text.length} characters in all)`;
}

/** A piece of content: its text, and its entry in the result. */
interface Block {
  readonly text: string;
  readonly value: string | JsonObject;
}

function blockOf(block: unknown): Block {
  const fields = isPlainObject(block) ? block : {};
  const { type, text, mimeType, data, uri, name, resource } = fields;
  if (type === "text" && typeof text === "string") return { text, value: text };
  if (type === "resource" && isPlainObject(resource)) return embedded(resource);
  if (type === "resource_link" && typeof uri === "string") {
    const value = { type: "resource_link", uri, ...(typeof name === "string" ? { name } : {}) };
    return { text: `[${typeof name === "string" ? `${name}: ` : ""}${uri}]`, value };
  }
  return binary({ type: typeof type === "string" ? type : "unknown" }, mimeType, data);
}

function embedded({ text, uri, mimeType, blob }: Readonly<Record<string, unknown>>): Block {
  if (typeof text === "string") return { text, value: text };
  return binary({ type: "resource", ...(typeof uri === "string" ? { uri } : {}) }, mimeType, blob);
}

function binary(of: { readonly type: string; readonly uri?: string }, mimeType: unknown, data: unknown): Block {
  const mime_type = typeof mimeType === "string" ? mimeType : "application/octet-stream";
  const bytes = typeof data === "string" ? Buffer.byteLength(data, "base64") : 0;
  return { text: `[${of.type}, ${mime_type}, ${bytes} bytes, left out]`, value: { ...of, mime_type, bytes } };
}

/**
 * Returns the part of a result for a field: one of its members. The result may be a text with a JSON object, which servers without structured results
 * return.
 */
export function takeFrom(tool: string): (value: Json, source: string | undefined) => Json | undefined {
  return (value, source) => {
    if (source === undefined) return value;
    const members = isPlainObject(value) ? value : parsed(value);
    if (members !== undefined) return Object.hasOwn(members, source) ? (members[source] as Json) : undefined;
    throw new ThroughlineError("tool.output_invalid", `The result of "${tool}" has no member ${seen(source)}: it is ${seen(value)}, not an object.`, {
      details: { tool, source },
    });
  };
}

function parsed(value: Json): Readonly<Record<string, unknown>> | undefined {
  try {
    const read: unknown = typeof value === "string" ? JSON.parse(value) : undefined;
    return isPlainObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
}
