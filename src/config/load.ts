/** Reading the configuration of a process: the file, what the environment and the command line say in its place, and all that is wrong with it. */
import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ThroughlineError } from "../kernel/error.ts";
import { conflictsIn } from "./conflicts.ts";
import { readDocument } from "./document.ts";
import { type Assignment, layerOf, withLayers } from "./layers.ts";
import { overridesIn } from "./overrides.ts";
import { resolvePaths } from "./paths.ts";
import { defaultFile, fileOf, type Places } from "./places.ts";
import { fileSchema } from "./schema.ts";
import { complete, type Settings } from "./settings.ts";
import { type Origin, type Path, refuse, type Violation, valueAt, violation, violationsOf } from "./violation.ts";

/** The settings, and the file that they are from if there is one. */
export interface Loaded {
  readonly settings: Settings;
  readonly file: string | undefined;
}

/**
 * The settings of a process; `flags` go before the environment, and that before the file. `config.invalid` names every violation with its place,
 * `file.unreadable` a named file that does not exist.
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

/** More than any configuration has. */
const largest = 1_048_576;

function textOf(path: string, named: string): string {
  try {
    const file = statSync(path);
    // What is no file (a pipe, a device) could keep us waiting for ever.
    if (file.isFile() && file.size <= largest) return readFileSync(path, "utf8");
    throw new ThroughlineError("file.unreadable", `The configuration ${named} is ${file.isFile() ? `longer than ${largest} bytes` : "no file"}.`);
  } catch (cause) {
    if (ThroughlineError.is(cause)) throw cause;
    const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    throw new ThroughlineError("file.unreadable", `The configuration ${named} cannot be read${code}.`, { cause });
  }
}
