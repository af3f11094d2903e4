/** The command line without a process of its own: for what a command does, not for how it ends. */
import type { Command } from "commander";
import { createOutput } from "../../packages/server/src/cli/command-output.ts";
import type { Run } from "../../packages/server/src/cli/command-context.ts";
import { createProgram } from "../../packages/server/src/cli/program.ts";
import { createSetUp, type ProgramOptions } from "../../packages/server/src/cli/set-up.ts";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";

/** What a command left behind. */
export interface Done {
  readonly out: string;
  readonly err: string;
  /** The code of the error that it ended with; `cli.usage` also if the command line itself is wrong. */
  readonly error?: string;
  readonly message?: string;
}

const descendants = (command: Command): readonly Command[] => command.commands.flatMap((child) => [child, ...descendants(child)]);

/** Runs a command line. Paths of databases are to be absolute: the process stays where it is. */
export async function command(
  words: readonly string[],
  { folder, environment = {} }: { readonly folder: string; readonly environment?: Readonly<Record<string, string>> },
): Promise<Done> {
  const written = { out: "", err: "" };
  const stream = (name: keyof typeof written): NodeJS.WriteStream =>
    ({ isTTY: false, write: (text: string) => ((written[name] += text), true) }) as unknown as NodeJS.WriteStream;
  const output = createOutput({ stdout: stream("out") as never, stderr: stream("err") as never }, { json: words.includes("--json"), environment });
  const setUp = createSetUp({ output, environment, folder, options: () => program.opts<ProgramOptions>() });
  const run: Run = { code: 0, ...setUp };
  const program = createProgram(run);
  for (const each of [program, ...descendants(program)])
    each.exitOverride().configureOutput({ writeOut: (text) => (written.out += text), writeErr: () => {}, outputError: () => {} });
  try {
    await program.parseAsync(words, { from: "user" });
    return written;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (ThroughlineError.is(error)) return { ...written, error: error.code, message: `${message} ${error.hint}` };
    return message === "(outputHelp)" ? written : { ...written, error: "cli.usage", message };
  }
}
