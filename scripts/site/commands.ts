/** The page of the commands, from their help. */
import type { Command } from "commander";
import { createProgram } from "../../packages/server/src/cli/program.ts";
import type { Run } from "../../packages/server/src/cli/command-context.ts";
import type { GeneratedPage } from "./reference.ts";

/** The help of a command and of those below it. A command that only holds others has no part of its own. */
function helpOf(command: Command, path: readonly string[]): readonly string[] {
  const names = [...path, command.name()];
  command.configureHelp({ helpWidth: 100, showGlobalOptions: false });
  const help = command.helpInformation().trimEnd();
  const own = command.commands.length > 0 && path.length > 0 ? [] : [`## ${names.join(" ")}\n\n\`\`\`text\n${help}\n\`\`\``];
  return [...own, ...command.commands.filter((child) => child.name() !== "help").flatMap((child) => helpOf(child, names))];
}

/** Returns the page of all commands. */
export function commandsPage(): GeneratedPage {
  const unused = (): never => {
    throw new Error("No command runs here.");
  };
  const run: Run = { location: unused, plain: unused, context: unused, service: unused } as unknown as Run;
  const about = "The help of every command. [The command line](../command-line.md) has an overview and the exit codes.";
  return { page: "commands", title: "Commands", markdown: ["# Commands", about, ...helpOf(createProgram(run), [])].join("\n\n") };
}
