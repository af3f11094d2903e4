/** Commands for an agent's gate. */
import type { Command } from "commander";
import type { Run } from "./program.ts";

const agentOption = ["--agent <module>", "module that exports the `agent` whose gate is meant; the companion by default"] as const;

/** Adds them to the program. */
export function addSafety(program: Command, run: Run): void {
  const safety = program.command("safety").description("look at what an agent's gate finds, and at what it has found");
  safety
    .command("screen")
    .description("what the screen alone says of texts, without any model: one line of JSON in, one out")
    .requiredOption("--jsonl", 'read lines of {"text", "context"?} from standard input, print lines of {"level", "matches", "quality"}')
    .option(...agentOption)
    .addHelpText(
      "after",
      '\n`context` is what was said before: the assistant\'s last message as a text, or a list of {"role": "user" | "assistant", "text"}, oldest first; texts in a\nlist without roles are taken turn by turn, the last one as the assistant\'s. A line that is wrong is answered with {"error"}, and the rest goes on.',
    )
    .action(async (options: { readonly agent?: string }) => (await import("./commands/safety-screen.ts")).screenLines(run, options));
}
