/** A conversation in the terminal: reads lines, and prints what happens in a turn. */
import { createInterface } from "node:readline";
import type { LivePart, TurnStream } from "throughline";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** Prints a prompt and reads a line. Undefined at the end of the input. */
export async function ask(prompt: string): Promise<string | undefined> {
  process.stdout.write(prompt);
  const { done, value } = await lines.next();
  return done === true ? undefined : value;
}

/** Prints the parts of a turn while they happen. Returns its end, which has the result. */
export async function show(turn: TurnStream): Promise<Extract<LivePart, { type: "end" }>> {
  let shown = "";
  for await (const part of turn) {
    if (part.type === "tool.started") console.log(`  (calls ${part.name})`);
    else if (part.type === "text.delta") {
      process.stdout.write(shown === "" ? `agent › ${part.text}` : part.text);
      shown += part.text;
    } else if (part.type === "message" || part.type === "draft.reset") {
      // What was printed before a reset does not hold. The reply begins again.
      if (shown !== "") process.stdout.write(part.type === "message" ? "\n" : " …\n");
      shown = "";
    } else if (part.type === "end") {
      if (shown !== "") process.stdout.write("\n");
      if (part.result.status !== "completed") console.log(`  (${part.result.status})`);
      return part;
    }
  }
  throw new Error("The stream of a turn ends with its end.");
}
