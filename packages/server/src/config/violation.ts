/** Collects all violations of a configuration with their places and suggestions. */
import type { z } from "zod";
import { seen, ThroughlineError, type Json } from "throughline/kernel";
import { insteadOfManifestKey } from "./manifest-keys.ts";
import { isHidden, keysOf } from "./throughline-file.ts";

/** The origin of a value. */
export interface Origin {
  /** A file, or an environment variable as `$NAME`. */
  readonly where: string;
  /** Line and column in the file, starting at 1. */
  readonly line?: number;
  readonly column?: number;
  /** Whether the value must not be shown, because it was interpolated or is a secret. */
  readonly secret: boolean;
}

/** One problem of a configuration. */
export interface Violation extends Omit<Origin, "secret"> {
  /** The key, such as `server.cors.origins[0]`; empty for the whole file. */
  readonly path: string;
  /** The problem, as a sentence whose subject is the path. */
  readonly message: string;
}

/** The steps to a value: keys and list indexes. */
export type Path = readonly (string | number)[];

/** Formats a path, such as `server.cors.origins[0]`. */
export const written = (path: Path): string =>
  path.reduce<string>((text, step) => (typeof step === "number" ? `${text}[${step}]` : text === "" ? step : `${text}.${step}`), "");

/** Creates a violation at the place of its value. */
export function violation({ secret: _secret, ...place }: Origin, path: Path, message: string): Violation {
  return { ...place, path: written(path), message };
}

/** Formats a violation: `throughline.yaml:3: server.port: must be at most 65535, got 99999`. */
const line = ({ where, line: number, path, message }: Violation): string =>
  [number === undefined ? where : `${where}:${number}`, ...(path === "" ? [] : [path]), message].join(": ");

const sorting = (one: Violation, other: Violation): number =>
  one.where.localeCompare(other.where, "en") ||
  (one.line ?? 0) - (other.line ?? 0) ||
  (one.column ?? 0) - (other.column ?? 0) ||
  one.path.localeCompare(other.path, "en");

/** Creates the error with all violations in the order of the file, without duplicates. */
export function refuse(what: string, violations: readonly Violation[]): ThroughlineError {
  const sorted = [...new Map(violations.map((one) => [line(one), one])).values()].toSorted(sorting);
  const count = sorted.length === 1 ? "one violation" : `${sorted.length} violations`;
  const listed = sorted.map((one): Json => ({ ...one }));
  return new ThroughlineError("config.invalid", [`${what} cannot be used, for ${count}:`, ...sorted.map(line)].join("\n"), {
    details: { violations: listed },
  });
}

type Issue = z.core.$ZodIssue;

/** Converts schema issues to violations. `originOf` returns the place of a path, or the place where it is missing. */
export function violationsOf(issues: readonly Issue[], input: unknown, originOf: (path: Path) => Origin): readonly Violation[] {
  // Only the first issue of each value is reported.
  const distinct = [...Map.groupBy(issues, ({ path, code }) => JSON.stringify([path, code === "unrecognized_keys"])).values()].flatMap(
    ([first]) => first ?? [],
  );
  return distinct.flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => {
        const at = [...path, key];
        return violation(originOf(at), at, `is not a key${suggestionFor(at)}`);
      });
    const value = valueAt(input, path);
    const origin = originOf(path);
    // A file that is not a configuration may contain anything, including secrets.
    const seenValue = origin.secret || path.length === 0 || isHidden(path) ? "" : got(issue, value);
    return [violation(origin, path, `${sentence(issue, value)}${seenValue}`)];
  });
}

/** The actual value, with a suggestion if it resembles an allowed one. */
function got(issue: Issue, value: unknown): string {
  if (value === undefined || value === null || value === "" || typeof value === "object") return "";
  return `, got ${typeof value === "number" ? value : seen(value)}${issue.code === "invalid_value" && typeof value === "string" ? suggestionAmong(value, issue.values.map(String)) : ""}`;
}

/** The value at a path. */
export const valueAt = (input: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, step) => (typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, step)?.value : undefined),
    input,
  );

const kinds: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a whole number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a block of keys",
};

function sentence(issue: Issue, value: unknown): string {
  if (value === undefined) return "is missing";
  if (value === null) return "has no value: remove the key to use the default";
  switch (issue.code) {
    case "invalid_type": {
      const quotes = issue.expected === "string" && typeof value !== "object" ? ", in quotes" : "";
      return `must be ${kinds[issue.expected] ?? issue.expected}${quotes}`;
    }
    case "too_small":
      if (issue.origin !== "string") return `must be at least ${issue.minimum}`;
      return issue.minimum === 1 ? "must not be empty" : `must have at least ${issue.minimum} characters`;
    case "too_big":
      return issue.origin === "string" ? `must have at most ${issue.maximum} characters` : `must be at most ${issue.maximum}`;
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    default:
      return issue.message;
  }
}

/** Suggests a key for an unknown one, such as `; did you mean port?`. Considers similar keys of the same block and keys of the same name in other blocks. */
function suggestionFor(path: Path): string {
  const word = plain(String(path.at(-1)));
  const block = path
    .slice(0, -1)
    .filter((step) => typeof step === "string")
    .join(".");
  const instead = insteadOfManifestKey(block === "" ? word : `${block}.${word}`);
  if (instead !== undefined) return instead;
  const keys = keysOf();
  const beside = keys.filter(({ parent }) => parent === block).map(({ name }) => name);
  const near = word.includes(".") ? undefined : nearest(word, beside);
  if (near !== undefined) return `; did you mean ${near}?`;
  const elsewhere = keys.filter(({ name, path: whole, ofItem }) => !ofItem && (name === word || whole === word));
  const [first] = elsewhere;
  if (first === undefined) return "";
  const blocks = elsewhere.map(({ parent }) => (parent === "" ? "outside of all blocks" : `in the block ${parent}`));
  return `; did you mean ${first.name}, ${blocks.join(" or ")}?`;
}

/** Suggests one of the allowed values, such as `; did you mean info?`. */
function suggestionAmong(word: string, words: readonly string[]): string {
  const near = nearest(plain(word), words);
  return near === undefined ? "" : `; did you mean ${near}?`;
}

/** The most similar word, if one is similar enough. */
export const nearest = (word: string, words: readonly string[]): string | undefined =>
  words
    .map((other) => ({ other, far: distance(word, other) }))
    .filter(({ other, far }) => word.startsWith(other) || far <= Math.max(1, Math.floor(Math.max(word.length, other.length) / 3)))
    .toSorted((one, next) => one.far - next.far)[0]?.other;

/** Normalizes a name to the form of keys: `drainSeconds` and `Drain-Seconds` become `drain_seconds`. */
const plain = (word: string): string =>
  word
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/gu, "_")
    .replaceAll("-", "_")
    .toLowerCase();

/** The edit distance: insertions, deletions, replacements and swaps of adjacent letters. */
function distance(one: string, other: string): number {
  const longest = 64;
  const [from, to] = [one.slice(0, longest), other.slice(0, longest)];
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    rows.push(next);
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const changed = Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + (same ? 0 : 1));
      next.push(swapped && row > 1 && column > 1 ? Math.min(changed, at(row - 2, column - 2) + 1) : changed);
    }
  }
  return at(from.length, to.length);
}
