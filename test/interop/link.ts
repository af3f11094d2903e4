/** Lets the examples find the libraries that they are for: those that are installed here. */
import { lstatSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** Puts a link to the installed packages into each example that needs them. */
export function setup(): void {
  for (const example of ["langgraph-saver", "openai-agents-session", "ai-sdk-tool", "langchain-tool"]) {
    const link = pathOf(`../../examples/${example}/node_modules`);
    if (lstatSync(link, { throwIfNoEntry: false }) === undefined) symlinkSync(pathOf("node_modules"), link, "junction");
  }
}

if (import.meta.main) setup();
