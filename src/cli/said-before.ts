import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject } from "../kernel/json.ts";
import type { Screen } from "../safety/screen/screened.ts";

/** One thing that was said before. */
export type Said = Parameters<Screen["contextOf"]>[0][number];

/** A line that names who speaks, as transcripts have it. */
const named = /^\s*(user|human|person|customer|client|assistant|agent|ai|bot|companion)\s*:\s*(.*)$/iu;
const isPerson = (name: string): boolean => /^(?:user|human|person|customer|client)$/iu.test(name);

/** A text without a name before it: a question is taken for the assistant's, all else for the person's. */
const unnamed = (text: string): Said => ({ role: /[?？؟]\s*["'”’)]*\s*$/u.test(text) ? "assistant" : "user", text });

/** What was said in a text that may be a transcript, or one message. */
function saidIn(text: string): readonly Said[] {
  if (text.trim() === "") return [];
  const said: { role: Said["role"]; text: string }[] = [];
  for (const line of text.split("\n")) {
    const [, name, rest = ""] = named.exec(line) ?? [];
    const last = said.at(-1);
    if (name !== undefined) said.push({ role: isPerson(name) ? "user" : "assistant", text: rest });
    else if (last === undefined) return [unnamed(text)];
    else last.text += `\n${line}`;
  }
  return said;
}

/**
 * What was said before a text, as those who keep messages write it down: a transcript, one message (a question is the assistant's), a list of either,
 * or messages with a role and a `text` or `content`. Fails with `input.invalid` on a message without them.
 */
export function saidBefore(value: unknown): readonly Said[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return saidIn(value);
  if (Array.isArray(value)) return value.flatMap((item: unknown) => (typeof item === "string" ? saidIn(item) : [messageIn(item)]));
  if (isPlainObject(value) && Array.isArray(value["messages"])) return saidBefore(value["messages"]);
  return [messageIn(value)];
}

function messageIn(value: unknown): Said {
  const { role, text, content } = isPlainObject(value) ? value : {};
  const said = text ?? content;
  if (typeof role !== "string" || typeof said !== "string")
    throw new ThroughlineError("input.invalid", `A message of the context has a role and a text, got ${seen(value)}.`, {
      details: { path: "context" },
    });
  return { role: isPerson(role) ? "user" : "assistant", text: said };
}
