/** What is wrong with a configuration: all of it, each thing with its place. */
import type { z } from "zod";
import { ThroughlineError, seen } from "../kernel/error.ts";
import type { Json } from "../kernel/json.ts";
import { isHidden } from "./keys.ts";
import { suggestionAmong, suggestionFor } from "./suggest.ts";

/** Where a value comes from. */
export interface Origin {
  /** A file, or a variable of the environment as `$NAME`. */
  readonly where: string;
  /** In a file, from 1. */
  readonly line?: number;
  readonly column?: number;
  /** Whether the value may not be shown: it was put in from elsewhere, or is known to be secret. */
  readonly secret: boolean;
}

/** One thing that is wrong. */
export interface Violation extends Omit<Origin, "secret"> {
  /** The key, such as `server.cors.origins[0]`; empty for the whole. */
  readonly path: string;
  /** What is wrong with it, as the rest of a sentence that begins with the path. */
  readonly message: string;
}

/** The steps to a value: keys, and places in lists. */
export type Path = readonly (string | number)[];

/** A path as it is written: `server.cors.origins[0]`. */
export const written = (path: Path): string =>
  path.reduce<string>((text, step) => (typeof step === "number" ? `${text}[${step}]` : text === "" ? step : `${text}.${step}`), "");

/** A violation at the place of its value. */
export function violation({ secret: _secret, ...place }: Origin, path: Path, message: string): Violation {
  return { ...place, path: written(path), message };
}

/** The line of a violation: `throughline.yaml:3: server.port: must be at most 65535, got 99999`. */
export const line = ({ where, line: number, path, message }: Violation): string =>
  [number === undefined ? where : `${where}:${number}`, ...(path === "" ? [] : [path]), message].join(": ");

const sorting = (one: Violation, other: Violation): number =>
  one.where.localeCompare(other.where, "en") ||
  (one.line ?? 0) - (other.line ?? 0) ||
  (one.column ?? 0) - (other.column ?? 0) ||
  one.path.localeCompare(other.path, "en");

/** The error that holds them all, in the order of the file; what is said twice of one place is said once. */
export function refuse(what: string, violations: readonly Violation[]): ThroughlineError {
  const sorted = [...new Map(violations.map((one) => [line(one), one])).values()].toSorted(sorting);
  const count = sorted.length === 1 ? "one violation" : `${sorted.length} violations`;
  const listed = sorted.map((one): Json => ({ ...one }));
  return new ThroughlineError("config.invalid", [`${what} cannot be used, for ${count}:`, ...sorted.map(line)].join("\n"), {
    details: { violations: listed },
  });
}

type Issue = z.core.$ZodIssue;

/** What a schema found, as violations. `originOf` says where a path was given, or where it should have been. */
export function violationsOf(issues: readonly Issue[], input: unknown, originOf: (path: Path) => Origin): readonly Violation[] {
  // Of one value, the first thing that is wrong is enough.
  const distinct = [...Map.groupBy(issues, ({ path, code }) => JSON.stringify([path, code === "unrecognized_keys"])).values()].flatMap(
    ([first]) => first ?? [],
  );
  return distinct.flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => {
        const at = [...path, key];
        return violation(originOf(at), at, `is no key${suggestionFor(at)}`);
      });
    const value = valueAt(input, path);
    const origin = originOf(path);
    // A file that is no configuration at all may be anything, also a secret.
    const told = origin.secret || path.length === 0 || isHidden(path) ? "" : got(issue, value);
    return [violation(origin, path, `${sentence(issue, value)}${told}`)];
  });
}

/** What stands there instead, and what was perhaps meant. */
function got(issue: Issue, value: unknown): string {
  if (value === undefined || value === null || value === "" || typeof value === "object") return "";
  return `, got ${typeof value === "number" ? value : seen(value)}${issue.code === "invalid_value" && typeof value === "string" ? suggestionAmong(value, issue.values.map(String)) : ""}`;
}

/** What stands at a path. */
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
  if (value === null) return "has no value: leave the key out where the default is meant";
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
