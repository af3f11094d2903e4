/** Loads the configuration of a process: the file, the environment, the command line, and the paths in it. Reports all violations. */
import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ThroughlineError, isPlainObject } from "throughline/kernel";
import { complete, conflictsIn, type Settings } from "./config-settings.ts";
import { defaultFile, fileOf, type Places, prefix } from "./config-places.ts";
import { readDocument } from "./read-file.ts";
import { fileSchema, keyAt, keysOf, typed } from "./throughline-file.ts";
import { nearest, type Origin, type Path, refuse, valueAt, type Violation, violation, violationsOf } from "./violation.ts";

/** The settings and their file, if there is one. */
export interface Loaded {
  readonly settings: Settings;
  readonly file: string | undefined;
}

/**
 * Loads the settings of a process. `flags` take precedence over the environment, and the environment over the file. Throws `config.invalid` with
 * every violation and its place. Throws `file.unreadable` if a named file does not exist.
 */
export function loadSettings(places: Places, flags: readonly Assignment[] = []): Loaded {
  const { environment, folder } = places;
  const file = fileOf(places);
  const path = resolve(folder, file ?? defaultFile);
  const reading = readDocument(file === undefined ? "" : textOf(path, file), { file: file ?? defaultFile, path, environment });
  const overrides = overridesIn(environment);
  const layers = [...overrides.assignments, ...flags];
  const originOf = (at: Path): Origin => layerOf(layers, at)?.origin ?? reading.originOf(at);
  const found: Violation[] = [...reading.violations, ...overrides.violations];
  const note = (at: Path, message: string): void => void found.push(violation(originOf(at), at, message));

  const whole = withLayers(reading.value, layers);
  const input = resolvePaths(whole, {
    found: (text, at) => (layerOf(layers, at) === undefined ? resolve(dirname(path), text) : text),
    // The command that uses a flag's file opens it.
    missing: (at) => layerOf(flags, at) ?? note(at, `names no file${originOf(at).secret ? "" : `: there is no ${String(valueAt(whole, at))}`}`),
  });
  for (const { path: at, message } of conflictsIn(input)) note(at, message);
  const { data, error } = fileSchema.safeParse(input);
  found.push(...violationsOf(error?.issues ?? [], input, originOf).filter(({ path: at, line }) => !reading.isFaulty(at) && !reading.isBroken(line)));
  if (data === undefined || found.length > 0) throw refuse(file ?? "The environment", found);
  return { settings: complete(data), file };
}

/** Maximum size of a configuration in bytes. */
const largest = 1_048_576;

function textOf(path: string, named: string): string {
  try {
    const file = statSync(path);
    // Reading a pipe or a device could block forever.
    if (file.isFile() && file.size <= largest) return readFileSync(path, "utf8");
    throw new ThroughlineError("file.unreadable", `The configuration ${named} is ${file.isFile() ? `longer than ${largest} bytes` : "not a file"}.`);
  } catch (cause) {
    if (ThroughlineError.is(cause)) throw cause;
    const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    throw new ThroughlineError("file.unreadable", `The configuration ${named} cannot be read${code}.`, { cause });
  }
}

/** A value from the environment or the command line. It takes precedence over the file. */
export interface Assignment {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly origin: Origin;
}

type Block = Readonly<Record<string, unknown>>;

/** Applies the assignments to the file's values. A `store` also replaces an `agent_config.database` of the file. */
function withLayers(value: unknown, layers: readonly Assignment[]): unknown {
  const base = value ?? {};
  if (!isPlainObject(base)) return base;
  const moved = layers.some(({ path }) => path[0] === "store") && !layers.some(({ path }) => path[0] === "agent_config");
  const { agent_config: _database, ...others } = base;
  return layers.reduce<Block>((whole, { path, value: put }) => withValue(whole, path, put), moved ? others : base);
}

function withValue(block: Block, [step = "", ...rest]: readonly string[], value: unknown): Block {
  if (rest.length === 0) return { ...block, [step]: value };
  const inner = block[step] ?? {};
  // The schema rejects a value that should be a block.
  return isPlainObject(inner) ? { ...block, [step]: withValue(inner, rest, value) } : block;
}

/** The assignment that set a value; undefined if the value comes from the file. */
const layerOf = (layers: readonly Assignment[], at: Path): Assignment | undefined =>
  layers.findLast(({ path }) => path.every((step, index) => step === at[index]));

/** Older, shorter variable names. */
const aliases: Readonly<Record<string, string>> = { THROUGHLINE_DB: "store", THROUGHLINE_KEY_FILE: "encryption.key_file" };

/** The variable that sets a key. */
const variableOf = (path: string): string => prefix + path.toUpperCase().replaceAll(".", "__");

function meant(name: string): string {
  const leaves = keysOf().filter(({ type, ofItem }) => type !== "object" && !ofItem);
  const near = nearest(
    name.toUpperCase(),
    leaves.map(({ path }) => variableOf(path)),
  );
  return near === undefined ? "" : `; did you mean $${near}?`;
}

/** Reads the settings of the environment. Ignores empty variables. */
function overridesIn(environment: NodeJS.ProcessEnv): {
  readonly assignments: readonly Assignment[];
  readonly violations: readonly Violation[];
} {
  const assignments = new Map<string, Assignment>();
  const violations: Violation[] = [];
  for (const [name, text = ""] of Object.entries(environment).toSorted(([one], [other]) => one.localeCompare(other, "en"))) {
    const alias = aliases[name];
    if (text.trim() === "" || (alias === undefined && !name.startsWith(prefix))) continue;
    const path = alias?.split(".") ?? name.slice(prefix.length).toLowerCase().split("__");
    const origin: Origin = { where: `$${name}`, secret: true };
    const key = keyAt(path);
    const before = assignments.get(path.join("."));
    if (key === undefined || key.ofItem) violations.push(violation(origin, [], `is not a setting${meant(name)}`));
    else if (key.type === "object") violations.push(violation(origin, path, "is a block: name one of its keys"));
    else if (before !== undefined && before.value !== text) violations.push(violation(origin, path, `differs from ${before.origin.where}`));
    // The older variable has always treated `memory` as a file name.
    else assignments.set(key.path, { path, value: alias === "store" && text === "memory" ? "./memory" : typed(text, key), origin });
  }
  return { assignments: [...assignments.values()], violations };
}

/** Callbacks for resolving paths. */
interface Naming {
  /** Resolves a path for this process. */
  readonly found: (text: string, path: Path) => string;
  /** Called for a path without a file. */
  readonly missing: (path: Path) => void;
}

/** Resolves all paths. A database file may be missing; all other files must exist. */
const resolvePaths = (value: unknown, naming: Naming): unknown =>
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
