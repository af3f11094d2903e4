/** Asking before something is gone for good. */
import { createInterface } from "node:readline";
import { ThroughlineError } from "../kernel/error.ts";
import type { CommandContext } from "./context.ts";

/**
 * Goes on only if the next line is exactly the word: `y`, `yes` and the word in capitals are no. A pipe may say it, too; `cli.usage` if it is not said, so that a
 * script does not take it for done.
 */
export async function confirmByWord(
  { output, stdin }: CommandContext,
  { word, what }: { readonly word: string; readonly what: string },
): Promise<void> {
  output.err.line(`${what} Type ${output.err.paint("bold", word)} to go on:`);
  const reader = createInterface({ input: stdin, terminal: false });
  const said = await new Promise<string | undefined>((resolve) => {
    reader.once("line", resolve).once("close", () => resolve(undefined));
  });
  reader.close();
  if (said === word) return;
  throw new ThroughlineError("cli.usage", `Nothing was done: that takes the word ${word}.`, { hint: "In a script, pass --yes." });
}
