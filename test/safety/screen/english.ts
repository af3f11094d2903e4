import { readFileSync } from "node:fs";

/** A message of our own, with the level that a careful reader gives it. None is a person's. */
export interface Example {
  readonly kind: string;
  readonly level: 0 | 1 | 2 | 3;
  readonly text: string;
}

const levels = [0, 1, 2, 3] as const;

function exampleOf(line: string): Example {
  const [written, kind, text] = line.split("\t");
  const level = levels.find((one) => String(one) === written);
  if (level === undefined || kind === undefined || text === undefined) throw new Error(`Not an example: ${line}`);
  return { level, kind, text };
}

/** English messages by kind. The rules were tuned on them: they hold what was reached, and do not measure how well unknown messages are read. */
export const examples: readonly Example[] = readFileSync(new URL("../../fixtures/safety/english.tsv", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map(exampleOf);
