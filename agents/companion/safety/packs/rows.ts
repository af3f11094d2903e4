import { conceptIds, type PackPattern, type RulePack } from "throughline/safety";

/** Patterns written in rows, with commas between: a list of hundreds, one to a line, is read by nobody. */
export const rows = (text: string): readonly string[] =>
  text
    .split(/[,\n]/u)
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== "");

/** The same for what is said idly as well as in earnest. */
export const softRows = (text: string): readonly PackPattern[] => rows(text).map((pattern) => ({ pattern, strength: "soft" }));

/** The concepts of one file and those of another: of each, the patterns of both. */
export const together = (one: RulePack["concepts"], other: RulePack["concepts"]): RulePack["concepts"] =>
  Object.fromEntries(conceptIds.map((id) => [id, [...(one[id] ?? []), ...(other[id] ?? [])]] as const).filter(([, patterns]) => patterns.length > 0));
