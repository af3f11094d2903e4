import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../root.ts";
import { snippetsOf } from "../snippets/extract.ts";

/** The most lines and concepts of the quickstart. */
export const limits = { lines: 12, concepts: 6 };

/** Returns the quickstart: the first program of README.md. */
export function quickstart(): string {
  const first = snippetsOf(readFileSync(join(root, "README.md"), "utf8")).snippets.find(({ language }) => language === "ts");
  if (first === undefined) throw new Error("README.md has no program.");
  return first.code;
}

/** Returns the lines of a program without blank ones. */
export const linesOf = (code: string): readonly string[] => code.split("\n").filter((line) => line.trim() !== "");
