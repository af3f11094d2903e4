import type { PackPattern } from "throughline/safety";

/** Patterns written in rows, with commas between: a list of hundreds, one to a line, is read by nobody. */
export const rows = (text: string): readonly string[] =>
  text
    .split(/[,\n]/u)
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== "");

/** The same for what is said idly as well as in earnest. */
export const softRows = (text: string): readonly PackPattern[] => rows(text).map((pattern) => ({ pattern, strength: "soft" }));

/** What files of a pack say of the same things, put together: of each id, the patterns of all. */
export const together = <Id extends string, Pattern>(
  ids: readonly Id[],
  files: readonly Partial<Readonly<Record<Id, readonly Pattern[]>>>[],
): Partial<Record<Id, readonly Pattern[]>> => {
  const all: Partial<Record<Id, readonly Pattern[]>> = {};
  for (const id of ids) {
    const patterns = files.flatMap((file) => file[id] ?? []);
    if (patterns.length > 0) all[id] = patterns;
  }
  return all;
};
