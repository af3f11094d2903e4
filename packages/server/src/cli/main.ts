#!/usr/bin/env node
/** Entry point of the command line `throughline`. */
import { CommanderError, type Command } from "commander";
import { ThroughlineError } from "throughline/kernel";
import { withDatabase, withoutSecret } from "./database-location.ts";
import { createOutput, describeError, errorDocument, exitCodeOf, stackOf, type Output } from "./command-output.ts";
import type { Run } from "./command-context.ts";
import { createProgram } from "./program.ts";
import { createSetUp, type ProgramOptions } from "./set-up.ts";
import { jsonText } from "./terminal-text.ts";

/** Whether a flag was passed. Works even if the rest of the command line is invalid. */
function asksFor(flag: "--json" | "--plain", words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return (end === -1 ? words : words.slice(0, end)).includes(flag);
}

/** Runs a command line and returns its exit code. */
async function runCommandLine(words: readonly string[]): Promise<number> {
  const environment = process.env;
  const output = createOutput(process, { json: asksFor("--json", words), plain: asksFor("--plain", words), environment });
  const setUp = createSetUp({ output, environment, folder: process.cwd(), options: () => program.opts<ProgramOptions>() });
  const run: Run = { code: 0, ...setUp };
  const program = createProgram(run);
  for (const command of [program, ...descendants(program)]) command.exitOverride().configureOutput({ outputError: () => {} });
  try {
    await program.parseAsync(words, { from: "user" });
    return run.code;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    return report(
      error instanceof CommanderError ? usageError(error) : error,
      { location: setUp.location(), ...program.opts<ProgramOptions>() },
      output,
    );
  }
}

const descendants = (command: Command): readonly Command[] => command.commands.flatMap((child) => [child, ...descendants(child)]);

function usageError(error: CommanderError): ThroughlineError {
  // commander has already printed the help. The error still needs a message for `--json`.
  const message =
    error.code === "commander.help" ? "A command is missing." : error.message.replace(/^error: /u, "").replace(/^./u, (first) => first.toUpperCase());
  return new ThroughlineError("cli.usage", message.replaceAll("\n", " "));
}

function report(error: unknown, of: { readonly location: string; readonly db?: string }, output: Output): number {
  const known = ThroughlineError.from(error);
  const clean = (text: string): string => withoutSecret(text, of.location);
  if (output.json) output.out.line(clean(jsonText(errorDocument(known, withDatabase(known.hint, of)), 2)));
  else output.err.line(clean(describeError(known, output.err.paint, withDatabase(known.hint, of))));
  if (process.env["THROUGHLINE_DEBUG"] === "1") output.err.line(clean(stackOf(error)));
  return exitCodeOf(known);
}

/**
 * Exits without an error if the reader closes the pipe early, as in `throughline events list | head`. Any other write error, such as a full disk, is
 * a failure.
 */
function leaveQuietly(stream: NodeJS.WriteStream): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || error.code === "EIO") process.exit(0);
    const known = new ThroughlineError("output.failed", `The output could not be written (${error.code ?? error.name}).`, { cause: error });
    if (stream === process.stdout) process.stderr.write(`${describeError(known, (_style, text) => text)}\n`);
    process.exit(exitCodeOf(known));
  });
}

const written = (stream: NodeJS.WriteStream): Promise<void> => new Promise((resolve) => stream.write("", () => resolve()));

leaveQuietly(process.stdout);
leaveQuietly(process.stderr);
const code = await runCommandLine(process.argv.slice(2));
await Promise.all([written(process.stdout), written(process.stderr)]);
// An agent's module may have left handles open, so the process exits explicitly.
process.exit(code);
