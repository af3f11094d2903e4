import { createInterface } from "node:readline";
import { once } from "node:events";
import { ThroughlineError, seen } from "../../kernel/error.ts";
import { isPlainObject } from "../../kernel/json.ts";
import type { Screen } from "../../safety/screen/screened.ts";
import { loadAgent } from "../load-agent.ts";
import type { Run } from "../program.ts";

type Said = Parameters<Screen["contextOf"]>[0][number];

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

function contextIn(value: unknown): readonly Said[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return saidIn(value);
  if (Array.isArray(value)) return value.flatMap((item: unknown) => (typeof item === "string" ? saidIn(item) : [messageIn(item)]));
  if (isPlainObject(value) && Array.isArray(value["messages"])) return contextIn(value["messages"]);
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

/** What the screen says of one line, as a line. */
function answerTo(screen: Screen, line: string): object {
  let given: unknown;
  try {
    given = JSON.parse(line);
  } catch {
    throw new ThroughlineError("json.invalid", "The line is no JSON.");
  }
  const { text, context } = isPlainObject(given) ? given : {};
  if (typeof text !== "string") throw new ThroughlineError("input.invalid", `A line has a text, got ${seen(text)}.`, { details: { path: "text" } });
  const { level, matches, quality } = screen(text, screen.contextOf(contextIn(context)));
  return { level, matches: [...new Set(matches.map(({ id }) => id))], quality };
}

/** Reads lines from standard input and answers each with a line, in their order; exit code 1 if one of them was wrong. */
export async function screenLines(run: Run, { agent: module }: { readonly agent?: string }): Promise<void> {
  const { output } = run.plain();
  const agent = await loadAgent(module);
  if (agent.safety === undefined)
    throw new ThroughlineError("safety.invalid", `Agent "${agent.name}" has no gate.`, {
      hint: "Declare one: defineAgent({ safety: safety({ … }) }).",
    });
  const { screen } = agent.safety;
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === "") continue;
    let answer: object;
    try {
      answer = answerTo(screen, line);
    } catch (error) {
      const { code, message } = ThroughlineError.from(error);
      run.code = 1;
      answer = { error: { code, message } };
    }
    if (!output.out.stream.write(`${JSON.stringify(answer)}\n`)) await once(output.out.stream, "drain");
  }
}
