import { createInterface } from "node:readline";
import { once } from "node:events";
import { ThroughlineError, seen } from "../../kernel/error.ts";
import { isPlainObject } from "../../kernel/json.ts";
import type { Screen } from "../../safety/screen/screened.ts";
import { gatedAgent } from "../gated-agent.ts";
import type { Run } from "../program/program.ts";
import { saidBefore } from "../said-before.ts";

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
  const { level, matches, quality } = screen(text, screen.contextOf(saidBefore(context)));
  return { level, matches: [...new Set(matches.map(({ id }) => id))], quality };
}

/** Reads lines from standard input and answers each with a line, in their order; exit code 1 if one of them was wrong. */
export async function screenLines(run: Run, { agent: module }: { readonly agent?: string }): Promise<void> {
  const { output } = run.plain();
  const { screen } = (await gatedAgent(module)).safety;
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
