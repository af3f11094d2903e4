/** Parses the YAML file, interpolates its values, and records the line of every key. */
import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type YAMLParseError, type YAMLWarning } from "yaml";
import { keyAt, typed } from "./throughline-file.ts";
import { type Origin, type Path, type Violation, violation, written } from "./violation.ts";

/** The result of reading a file. */
interface Reading {
  readonly value: unknown;
  /** The place of a value, or of the block that should contain it. */
  originOf(path: Path): Origin;
  /** Whether a key's value could not be interpolated. The violations name the reason. */
  isFaulty(path: string): boolean;
  /** Whether a line is malformed. The violations name the reason. */
  isBroken(line: number | undefined): boolean;
  readonly violations: readonly Violation[];
}

/** The state of one reading. */
interface Walk {
  readonly document: Document;
  readonly sources: Sources;
  readonly place: (offset: number) => Origin;
  /** Keyed by the path as JSON. */
  readonly origins: Map<string, Origin>;
  readonly faulty: Set<string>;
  readonly violations: Violation[];
  nodes: number;
}

/** Maximum number of values. Nested aliases could otherwise expand a few lines to billions of values. */
const mostNodes = 10_000;

/** Reads the text of a file. Values that can be parsed are returned even if others cannot. */
export function readDocument(
  text: string,
  options: { readonly file: string; readonly path: string; readonly environment: NodeJS.ProcessEnv },
): Reading {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const place = (offset: number): Origin => {
    const { line, col } = lines.linePos(offset);
    return { where: options.file, line: Math.max(1, line), column: Math.max(1, col), secret: false };
  };
  const sources = { environment: options.environment, folder: dirname(options.path) };
  const walk: Walk = { document, sources, place, origins: new Map(), faulty: new Set(), violations: [], nodes: 0 };
  const value = read(walk, document.contents, []);
  const faults = [...document.errors, ...document.warnings].map((fault) => formFault(walk, fault));
  // A malformed line is reported once. Violations by its content are suppressed.
  const broken = new Set(document.errors.filter(({ code }) => code !== twice).map(({ pos }) => place(pos[0]).line));
  return {
    value,
    originOf: (path) => originIn(walk, path),
    isBroken: (line) => line !== undefined && broken.has(line),
    isFaulty: (path) => walk.faulty.has(path),
    violations: [...faults, ...walk.violations],
  };
}

const twice = "DUPLICATE_KEY";

/** The parser's message without the quoted text at its end, which may be a secret. */
function formFault({ place, origins }: Walk, { code, message, pos }: YAMLParseError | YAMLWarning): Violation {
  const at = place(pos[0]);
  if (code !== twice)
    return violation(
      at,
      [],
      message.replace(/: "[\s\S]*"$/u, "").replace(/^./u, (first) => first.toLowerCase()),
    );
  const [path] = [...origins].find(([, { line, column }]) => line === at.line && column === at.column) ?? [];
  return violation(at, path === undefined ? [] : (JSON.parse(path) as Path), "is a duplicate key");
}

function originIn({ origins, place }: Walk, path: Path): Origin {
  for (let length = path.length; length > 0; length--) {
    const origin = origins.get(JSON.stringify(path.slice(0, length)));
    if (origin !== undefined) return origin;
  }
  return place(0);
}

function refuseAt(walk: Walk, path: Path, message: string): undefined {
  walk.faulty.add(written(path));
  walk.violations.push(violation(originIn(walk, path), path, message));
}

function read(walk: Walk, node: unknown, path: Path): unknown {
  walk.nodes += 1;
  if (walk.nodes > mostNodes) return walk.nodes === mostNodes + 1 ? refuseAt(walk, [], `has more than ${mostNodes} values`) : undefined;
  if (isAlias(node)) {
    const target = node.resolve(walk.document);
    return target === undefined ? refuseAt(walk, path, `names the anchor "${node.source}", which is not above it`) : read(walk, target, path);
  }
  if (isMap(node))
    return Object.fromEntries(
      node.items.map(({ key, value }) => {
        const name = isScalar(key) ? String(key.value) : String(key);
        mark(walk, [...path, name], key);
        return [name, read(walk, value, [...path, name])];
      }),
    );
  if (isSeq(node))
    return node.items.map((item, index) => {
      mark(walk, [...path, index], item);
      return read(walk, item, [...path, index]);
    });
  return scalar(walk, isScalar(node) ? node.value : null, path);
}

function mark({ origins, place }: Walk, path: Path, node: unknown): void {
  const offset = isNode(node) ? node.range?.[0] : undefined;
  if (offset !== undefined) origins.set(JSON.stringify(path), place(offset));
}

function scalar(walk: Walk, value: unknown, path: Path): unknown {
  const key = keyAt(path);
  // An empty block leaves all its keys at their defaults.
  if (value === null && (path.length === 0 || key?.type === "object")) return {};
  if (typeof value !== "string") return value;
  const { text, filled, faults } = interpolate(value, walk.sources);
  for (const fault of faults) refuseAt(walk, path, fault);
  if (faults.length > 0) return undefined;
  if (!filled) return text;
  walk.origins.set(JSON.stringify(path), { ...originIn(walk, path), secret: true });
  return typed(text, key);
}

/** The sources of interpolated values. */
interface Sources {
  readonly environment: NodeJS.ProcessEnv;
  /** The folder for relative paths. */
  readonly folder: string;
}

/** An interpolated text with its errors. Inserted values are not interpolated again. */
interface Filled {
  readonly text: string;
  /** Whether any value was inserted. */
  readonly filled: boolean;
  readonly faults: readonly string[];
}

/** Interpolates a text. */
function interpolate(text: string, sources: Sources): Filled {
  const faults: string[] = [];
  let result = "";
  let filled = false;
  let from = 0;
  for (let open = text.indexOf("${"); open !== -1; open = text.indexOf("${", from)) {
    const meant = open > from && text[open - 1] === "$";
    const close = meant ? open + 1 : closing(text, open + 2);
    if (close === -1) {
      faults.push("has a ${ without a closing }; write $${ for a literal ${");
      break;
    }
    result += meant ? `${text.slice(from, open - 1)}\${` : text.slice(from, open) + valueOf(text.slice(open + 2, close), sources, faults);
    filled ||= !meant;
    from = close + 1;
  }
  return { text: result + text.slice(from), filled, faults };
}

/** The index of the closing brace for a reference that starts at `from`; -1 if there is none. */
function closing(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text.startsWith("${", at)) depth++;
    else if (text[at] === "}" && depth-- === 0) return at;
  }
  return -1;
}

function valueOf(reference: string, sources: Sources, faults: string[]): string {
  if (reference.startsWith("file:")) return fileText(reference.slice("file:".length), sources, faults);
  const [, name, otherwise] = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/u.exec(reference) ?? [];
  if (name === undefined) {
    faults.push("has a ${…} that is not ${NAME}, ${NAME:-default} or ${file:path}; write $${ for a literal ${");
    return "";
  }
  const value = sources.environment[name];
  if (otherwise !== undefined && (value ?? "") === "") {
    const inner = interpolate(otherwise, sources);
    faults.push(...inner.faults);
    return inner.text;
  }
  if (value === undefined) faults.push(`names the variable ${name}, which is not set`);
  return value ?? "";
}

const largest = 1_048_576;

/** Reads a file without trailing line ends. Rejects pipes and devices, because reading them could block forever. */
function fileText(name: string, { folder }: Sources, faults: string[]): string {
  const path = resolve(folder, name);
  try {
    const file = statSync(path);
    if (file.isFile() && file.size <= largest) return readFileSync(path, "utf8").replace(/[\r\n]+$/u, "");
    faults.push(`names ${path}, which is ${file.isFile() ? `longer than ${largest} bytes` : "not a file"}`);
  } catch (error) {
    faults.push(`names ${path}, which cannot be read${error instanceof Error && "code" in error ? ` (${String(error.code)})` : ""}`);
  }
  return "";
}
