/** What stands for something else in a text of the file: `${NAME}`, `${NAME:-default}` and `${file:path}`. `$${` is a `${` that is meant. */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";

/** Where the values come from. */
export interface Sources {
  readonly environment: NodeJS.ProcessEnv;
  /** What paths are relative to. */
  readonly folder: string;
}

/** A text with everything put in, and what could not be. What was put in is not looked through again. */
export interface Filled {
  readonly text: string;
  /** Whether anything was put in. */
  readonly filled: boolean;
  readonly faults: readonly string[];
}

/** Puts the values in. */
export function interpolate(text: string, sources: Sources): Filled {
  const faults: string[] = [];
  let result = "";
  let filled = false;
  let from = 0;
  for (let open = text.indexOf("${"); open !== -1; open = text.indexOf("${", from)) {
    const meant = open > from && text[open - 1] === "$";
    const close = meant ? open + 1 : closing(text, open + 2);
    if (close === -1) {
      faults.push("has a ${ without its }; $${ stands for ${ itself");
      break;
    }
    result += meant ? `${text.slice(from, open - 1)}\${` : text.slice(from, open) + valueOf(text.slice(open + 2, close), sources, faults);
    filled ||= !meant;
    from = close + 1;
  }
  return { text: result + text.slice(from), filled, faults };
}

/** Where the brace is that ends what begins at `from`; -1 if there is none. */
function closing(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text.startsWith("${", at)) depth++;
    else if (text[at] === "}" && depth-- === 0) return at;
  }
  return -1;
}

function valueOf(reference: string, sources: Sources, faults: string[]): string {
  if (reference.startsWith("file:")) return fileText(reference.slice("file:".length), sources, faults);
  const [, name, otherwise] = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/u.exec(reference) ?? [];
  if (name === undefined) {
    faults.push("has a ${…} that is none of ${NAME}, ${NAME:-default} and ${file:path}; $${ stands for ${ itself");
    return "";
  }
  const value = sources.environment[name];
  if (otherwise !== undefined && (value ?? "") === "") {
    const inner = interpolate(otherwise, sources);
    faults.push(...inner.faults);
    return inner.text;
  }
  if (value === undefined) faults.push(`names the variable ${name}, which is not set`);
  return value ?? "";
}

const largest = 1_048_576;

/** A file's text without the line ends after it. What is no file (a pipe, a device) could keep us waiting for ever. */
function fileText(name: string, { folder }: Sources, faults: string[]): string {
  const path = resolve(folder, name);
  try {
    const file = statSync(path);
    if (file.isFile() && file.size <= largest) return readFileSync(path, "utf8").replace(/[\r\n]+$/u, "");
    faults.push(`names ${path}, which is ${file.isFile() ? `longer than ${largest} bytes` : "no file"}`);
  } catch (error) {
    faults.push(`names ${path}, which cannot be read${error instanceof Error && "code" in error ? ` (${String(error.code)})` : ""}`);
  }
  return "";
}
