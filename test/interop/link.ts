/** Lets the examples and the adapters find the libraries that they are for: those that are installed here. */
import { lstatSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** The adapters' folder of source, because npm manages the one of their package. There their peers are the same copies that the specs import. */
const users = [
  "examples/langgraph-saver",
  "examples/openai-agents-session",
  "examples/ai-sdk-tool",
  "examples/langchain-tool",
  "packages/adapters/src",
];

/** Puts a link to the installed packages into each folder that needs them. */
export function setup(): void {
  for (const user of users) {
    const link = pathOf(`../../${user}/node_modules`);
    if (lstatSync(link, { throwIfNoEntry: false }) === undefined) symlinkSync(pathOf("node_modules"), link, "junction");
  }
}

if (import.meta.main) setup();
