/** The file as data: its YAML with everything put in, and the line of every key. */
import { dirname } from "node:path";
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type YAMLParseError, type YAMLWarning } from "yaml";
import { interpolate, type Sources } from "./interpolate.ts";
import { keyAt } from "./keys.ts";
import { typed } from "./typed.ts";
import { type Origin, type Path, type Violation, violation, written } from "./violation.ts";

/** What was read. */
export interface Reading {
  readonly value: unknown;
  /** Where a value was written, or the block that it should stand in. */
  originOf(path: Path): Origin;
  /** Whether the value of a key, as it is written, is not there because it could not be put in, which is among the violations. */
  isFaulty(path: string): boolean;
  /** Whether a line cannot be read as it was meant, which is among the violations. */
  isBroken(line: number | undefined): boolean;
  readonly violations: readonly Violation[];
}

/** What one reading keeps in mind. */
interface Walk {
  readonly document: Document;
  readonly sources: Sources;
  readonly place: (offset: number) => Origin;
  /** By path, as JSON. */
  readonly origins: Map<string, Origin>;
  readonly faulty: Set<string>;
  readonly violations: Violation[];
  nodes: number;
}

/** More than any configuration has; aliases of aliases could otherwise make billions of a few lines. */
const mostNodes = 10_000;

/** Reads the text of a file. What can be understood is there even if the rest cannot. */
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
  // What is wrong with the form of a line is not told a second time as what is wrong with its content.
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

/** The parser's own words, without a piece of the text at their end: it may be a secret. */
function formFault({ place, origins }: Walk, { code, message, pos }: YAMLParseError | YAMLWarning): Violation {
  const at = place(pos[0]);
  if (code !== twice)
    return violation(
      at,
      [],
      message.replace(/: "[\s\S]*"$/u, "").replace(/^./u, (first) => first.toLowerCase()),
    );
  const [path] = [...origins].find(([, { line, column }]) => line === at.line && column === at.column) ?? [];
  return violation(at, path === undefined ? [] : (JSON.parse(path) as Path), "stands here a second time");
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
  // A block with nothing in it, or with remarks only, is one that leaves everything at its default.
  if (value === null && (path.length === 0 || key?.type === "object")) return {};
  if (typeof value !== "string") return value;
  const { text, filled, faults } = interpolate(value, walk.sources);
  for (const fault of faults) refuseAt(walk, path, fault);
  if (faults.length > 0) return undefined;
  if (!filled) return text;
  walk.origins.set(JSON.stringify(path), { ...originIn(walk, path), secret: true });
  return typed(text, key);
}
