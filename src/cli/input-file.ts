/** Files that a command is given to read. */
import { accessSync, constants, createReadStream, readFileSync, statSync } from "node:fs";
import { ThroughlineError } from "../kernel/error.ts";
import { largestBundle, tooLarge } from "../runtime/transfer/bundle.ts";

const codeOf = (cause: unknown): string => (cause instanceof Error && "code" in cause ? String(cause.code) : "unknown");
const why: Readonly<Record<string, string>> = { ENOENT: "is not there", EISDIR: "is a folder", EACCES: "may not be read", EPERM: "may not be read" };

function unreadable(path: string, cause: unknown): ThroughlineError {
  const code = codeOf(cause);
  return new ThroughlineError("file.unreadable", `${path} ${why[code] ?? `cannot be read (${code})`}.`, { details: { path }, cause });
}

/** The text of a file; `file.unreadable` if there is none. */
export function readTextFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** Refuses a path that leads to no file that can be read. */
export function assertReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
    if (statSync(path).isDirectory()) throw Object.assign(new Error("a folder"), { code: "EISDIR" });
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** The lines of a file, or of standard input for `-`. A line that is longer than a bundle may be is refused before it is whole. */
export async function* linesOf(path: string, stdin: NodeJS.ReadableStream): AsyncGenerator<string, void, undefined> {
  const input = path === "-" ? stdin.setEncoding("utf8") : createReadStream(path, "utf8");
  let rest: string[] = [];
  let length = 0;
  try {
    for await (const chunk of input) {
      const [first = "", ...lines] = String(chunk).split("\n");
      rest.push(first);
      length += first.length;
      if (length > largestBundle) throw tooLarge(largestBundle);
      const last = lines.pop();
      if (last === undefined) continue;
      yield rest.join("").replace(/\r$/u, "");
      for (const line of lines) yield line.replace(/\r$/u, "");
      rest = [last];
      length = last.length;
    }
  } catch (cause) {
    throw ThroughlineError.is(cause) ? cause : unreadable(path === "-" ? "standard input" : path, cause);
  }
  if (length > 0) yield rest.join("");
}
