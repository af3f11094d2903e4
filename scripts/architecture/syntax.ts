import { parseSync, Visitor } from "oxc-parser";
import type { Reach } from "./rooms.ts";

/** One import of a file, of whatever form: static, type, re-export, `import()`, `import("…").Type` or `require`. */
export interface Import {
  readonly line: number;
  /** Undefined if it is computed, so that nobody can tell where it leads. */
  readonly specifier: string | undefined;
  readonly reach: Reach;
}

/** What the rules need to know of a file. */
export interface FileSyntax {
  readonly imports: readonly Import[];
  /** Lines with a default export. */
  readonly defaultExports: readonly number[];
  /** Lines with the type `any`. */
  readonly anyTypes: readonly number[];
  /** Reads of the machine's time and randomness: the line and what was read. */
  readonly ambient: readonly { readonly line: number; readonly what: string }[];
  readonly classes: readonly { readonly line: number; readonly name: string }[];
  /** Names of exported types and classes that the file declares. */
  readonly exportedTypes: readonly string[];
  /** Names that the file exports from other files. */
  readonly passedOn: readonly { readonly line: number; readonly name: string; readonly original: string; readonly specifier: string }[];
}

const ambientCalls = new Set(["Date.now", "Math.random", "performance.now", "crypto.randomUUID", "crypto.getRandomValues", "Date"]);

/** Names of Node's modules that read the machine's time or randomness. */
const ambientImports = new Set(["randomUUID", "randomUUIDv7", "randomBytes", "randomInt", "getRandomValues", "webcrypto", "performance"]);

/** Parses one file; throws with path and place when it is not TypeScript. */
export function readSyntax(path: string, text: string): FileSyntax {
  const parsed = parseSync(path, text, { sourceType: "module", lang: path.endsWith(".mjs") ? "js" : path.endsWith(".tsx") ? "tsx" : "ts" });
  const broken = parsed.errors[0];
  if (broken !== undefined) throw new Error(`${path} cannot be parsed: ${broken.message}`);

  const lineOf = lineCounter(text);
  const imports: Import[] = [];
  const defaultExports: number[] = [];
  const anyTypes: number[] = [];
  const ambient: { line: number; what: string }[] = [];
  const classes: { line: number; name: string }[] = [];
  const exportedTypes: string[] = [];
  const passedOn: { line: number; name: string; original: string; specifier: string }[] = [];
  const add = (start: number, specifier: string | undefined, reach: Reach): void => void imports.push({ line: lineOf(start), specifier, reach });
  const dotted = (from: number, to: number): string => text.slice(from, to).replace(/^globalThis\.|\s|\?/g, "");

  new Visitor({
    ImportDeclaration(node) {
      const allTypes = node.specifiers.length > 0 && node.specifiers.every((item) => item.type === "ImportSpecifier" && item.importKind === "type");
      for (const item of node.source.value.startsWith("node:") ? node.specifiers : []) {
        const name = item.type === "ImportSpecifier" && item.imported.type === "Identifier" ? item.imported.name : undefined;
        if (name !== undefined && ambientImports.has(name)) ambient.push({ line: lineOf(node.start), what: `${name} of ${node.source.value}` });
      }
      add(node.start, node.source.value, node.importKind === "type" || allTypes ? "types" : "load");
    },
    ExportAllDeclaration(node) {
      add(node.start, node.source.value, node.exportKind === "type" ? "types" : "load");
    },
    ExportNamedDeclaration(node) {
      if (node.specifiers.some((item) => text.slice(item.exported.start, item.exported.end) === "default")) defaultExports.push(lineOf(node.start));
      const { declaration: declared } = node;
      if (declared?.type === "TSInterfaceDeclaration" || declared?.type === "TSTypeAliasDeclaration") exportedTypes.push(declared.id.name);
      if (declared?.type === "ClassDeclaration" && declared.id !== null) exportedTypes.push(declared.id.name);
      if (node.source === null) return;
      for (const { start, exported, local } of node.specifiers)
        passedOn.push({
          line: lineOf(start),
          name: text.slice(exported.start, exported.end),
          original: text.slice(local.start, local.end),
          specifier: node.source.value,
        });
      const allTypes = node.specifiers.length > 0 && node.specifiers.every((item) => item.exportKind === "type");
      add(node.start, node.source.value, node.exportKind === "type" || allTypes ? "types" : "load");
    },
    ExportDefaultDeclaration: (node) => void defaultExports.push(lineOf(node.start)),
    ImportExpression: (node) => add(node.start, literal(node.source), "lazy"),
    TSImportType: (node) => add(node.start, literal(node.source), "types"),
    TSImportEqualsDeclaration(node) {
      if (node.moduleReference.type === "TSExternalModuleReference") add(node.start, literal(node.moduleReference.expression), "load");
    },
    TSAnyKeyword: (node) => void anyTypes.push(lineOf(node.start)),
    ClassDeclaration(node) {
      if (node.id !== null) classes.push({ line: lineOf(node.start), name: node.id.name });
    },
    CallExpression(node) {
      const what = dotted(node.callee.start, node.callee.end);
      if (what === "require" || what === "require.resolve") add(node.start, literal(node.arguments[0]), "load");
      if (ambientCalls.has(what)) ambient.push({ line: lineOf(node.start), what });
    },
    NewExpression(node) {
      if (node.arguments.length === 0 && dotted(node.callee.start, node.callee.end) === "Date")
        ambient.push({ line: lineOf(node.start), what: "new Date()" });
    },
    MemberExpression(node) {
      const what = dotted(node.start, node.end);
      // Handing the function on, as in `{ now: Date.now }`, reads the time as well; a call is counted by the visitor above.
      if (what !== "Date" && ambientCalls.has(what) && !/^\s*(\?\.)?\(/.test(text.slice(node.end))) ambient.push({ line: lineOf(node.start), what });
    },
  }).visit(parsed.program);

  return { imports, defaultExports, anyTypes, ambient, classes, exportedTypes, passedOn };
}

/** The text of a string literal, or of a template without holes. */
function literal(node: unknown): string | undefined {
  if (typeof node !== "object" || node === null) return undefined;
  const { type, value, quasis } = node as {
    readonly type?: string;
    readonly value?: unknown;
    readonly quasis?: readonly { value: { cooked: string } }[];
  };
  if (type === "Literal" && typeof value === "string") return value;
  if (type === "TSLiteralType") return literal((node as { readonly literal?: unknown }).literal);
  return type === "TemplateLiteral" && quasis?.length === 1 ? quasis[0]?.value.cooked : undefined;
}

/** A function from an offset in `text` to its line, counted from 1. */
function lineCounter(text: string): (offset: number) => number {
  const starts = [0, ...[...text.matchAll(/\n/g)].map((match) => match.index + 1)];
  return (offset) => {
    const after = starts.findIndex((start) => start > offset);
    return after === -1 ? starts.length : after;
  };
}
