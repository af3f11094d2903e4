/** Routines in YAML or JSON files: reads one, and names the line of each fault. */
import { readFileSync } from "node:fs";
import { isNode, isSeq, LineCounter, parseDocument } from "yaml";
import { isPlainObject, ThroughlineError } from "throughline/kernel";
import { routineFrom, type Routine } from "throughline/routines";

/** A defect of a file, with its place. */
export interface RoutineFileFault {
  readonly line: number;
  readonly column: number;
  /** Such as `nodes.pay.next[0].to`. Blank for a defect of the file's form. */
  readonly path: string;
  readonly message: string;
}

/** A file's routine, or its faults. */
export interface RoutineReading {
  readonly routine?: Routine;
  readonly faults: readonly RoutineFileFault[];
}

/** Reads the text of a file with one routine. */
export function readRoutine(text: string): RoutineReading {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): { readonly line: number; readonly column: number } => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const malformed = [...document.errors, ...document.warnings].map(({ message, pos }) => ({ ...at(pos[0]), path: "", message }));
  if (malformed.length > 0) return { faults: malformed };
  const placeOf = (path: string): { readonly line: number; readonly column: number } => {
    const keys = path.split(/[.[\]]+/u).filter((key) => key !== "");
    for (let length = keys.length; length > 0; length--) {
      const node = nodeAt(document.contents, keys.slice(0, length));
      if (node !== undefined) return at(node);
    }
    return at(isNode(document.contents) ? (document.contents.range?.[0] ?? 0) : 0);
  };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    // The parser limits what aliases repeat.
    return { faults: [{ line: 1, column: 1, path: "", message: error instanceof Error ? error.message : String(error) }] };
  }
  try {
    return { routine: routineFrom(value), faults: [] };
  } catch (error) {
    const faults: unknown = ThroughlineError.is(error, "routine.invalid") ? error.details["faults"] : undefined;
    if (!Array.isArray(faults)) throw error;
    return {
      faults: faults.flatMap((fault: unknown) => {
        if (!isPlainObject(fault)) return [];
        const path = String(fault["path"]);
        return [{ ...placeOf(path), path, message: String(fault["message"]) }];
      }),
    };
  }
}

/** Returns the offset of the value at a path. Nodes in a list are found by their id. */
function nodeAt(contents: unknown, keys: readonly string[]): number | undefined {
  let node: unknown = contents;
  for (const key of keys) {
    if (isSeq(node) && !/^\d+$/u.test(key)) node = node.items.find((item) => isCollection(item) && item.get("id") === key);
    else node = isCollection(node) ? node.get(isSeq(node) ? Number(key) : key, true) : undefined;
    if (node === undefined) return undefined;
  }
  return isNode(node) ? node.range?.[0] : undefined;
}

interface Collection {
  get(key: unknown, keepScalar?: boolean): unknown;
}

const isCollection = (node: unknown): node is Collection =>
  typeof node === "object" && node !== null && "get" in node && typeof node.get === "function";

/**
 * Reads a routine from a YAML or JSON file. It is the same value as `defineRoutine` makes from the same data. Throws `routine.invalid`, which names the
 * file and the line of the first fault, and `config.unreadable` if there is no such file.
 * @example const returns = loadRoutine("./routines/returns.yaml")
 */
export function loadRoutine(file: string): Routine {
  const { routine, faults } = readRoutine(readRoutineText(file));
  if (routine !== undefined) return routine;
  const [first] = faults;
  throw new ThroughlineError(
    "routine.invalid",
    `${file}:${first?.line ?? 1}:${first?.column ?? 1} ${first?.path ?? ""} ${first?.message ?? ""}`.trimEnd(),
    {
      details: { file, faults: faults.map((fault) => ({ ...fault })) },
    },
  );
}

/** Returns the text of a file. */
export function readRoutineText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new ThroughlineError("routine.not_found", `There is no file ${file} that can be read.`, { cause, details: { file } });
  }
}
