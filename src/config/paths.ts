/** The files that a configuration names. */
import { statSync } from "node:fs";
import { isPlainObject } from "../kernel/json.ts";
import { keyAt, keysOf } from "./keys.ts";
import type { Path } from "./violation.ts";

/** What resolving needs to know of the values. */
export interface Naming {
  /** A path as this process finds it. */
  readonly found: (text: string, path: Path) => string;
  /** Told of a path that leads to no file. */
  readonly missing: (path: Path) => void;
}

/** The same values with the paths that this process finds. A database may be yet to come; everything else must be there. */
export const resolvePaths = (value: unknown, naming: Naming): unknown =>
  keysOf().reduce(
    (whole, { path, names }) => (names === undefined ? whole : mapAt(whole, path.split("."), [], (text, at) => resolved(text, at, naming))),
    value,
  );

type Change = (value: unknown, path: Path) => unknown;

function mapAt(value: unknown, steps: readonly string[], path: Path, change: Change): unknown {
  const [step, ...rest] = steps;
  if (step === undefined)
    return Array.isArray(value) && keyAt(path)?.type === "array"
      ? value.map((item: unknown, index) => change(item, [...path, index]))
      : change(value, path);
  if (!isPlainObject(value) || !Object.hasOwn(value, step)) return value;
  return { ...value, [step]: mapAt(value[step], rest, [...path, step], change) };
}

function resolved(text: unknown, path: Path, { found, missing }: Naming): unknown {
  if (typeof text !== "string" || text.trim() === "") return text;
  const isLocation = keyAt(path)?.names === "location";
  if (isLocation && /^(?:memory|:memory:|[a-z][a-z0-9+.-]*:\/\/.*)$/isu.test(text)) return text;
  const place = found(text, path);
  if (!isLocation && !isFile(place)) missing(path);
  return place;
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
