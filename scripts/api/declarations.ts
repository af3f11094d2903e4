import { type ParseResult, parseSync } from "oxc-parser";

/** A name that a declaration file exports: declared there, or taken from another module. */
export type Exported =
  | { readonly kind: "declared"; readonly local: string }
  | { readonly kind: "from"; readonly specifier: string; readonly imported: string }
  | { readonly kind: "namespace"; readonly specifier: string };

/** What a name stands for: the text of its declarations (overloads have several), without comments, and its comment. */
export interface Declaration {
  readonly texts: readonly string[];
  /** The same with the comments of its members. */
  readonly commented: readonly string[];
  /** The whole comment, without its marks. */
  readonly comment: string | undefined;
  /** The first sentence of the comment. */
  readonly summary: string | undefined;
  /** The declaration file, or the package that it comes from. */
  readonly file: string;
}

/** The exports and declarations of one `.d.ts` file. */
export interface DeclarationFile {
  readonly exports: ReadonlyMap<string, Exported>;
  /** Modules that it re-exports whole. */
  readonly stars: readonly string[];
  readonly declarations: ReadonlyMap<string, Declaration>;
}

type Statement = ParseResult["program"]["body"][number];

/** The JSDoc comment that ends right before `start`; undefined if there is none, or an empty one. */
function commentBefore(start: number, text: string, comments: ParseResult["comments"]): string | undefined {
  const comment = comments.findLast((candidate) => candidate.end <= start);
  if (comment?.type !== "Block" || !comment.value.startsWith("*") || text.slice(comment.end, start).trim() !== "") return undefined;
  const prose = comment.value
    .replace(/^\*/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, "").trim());
  return prose.join("\n").trim() || undefined;
}

/** The first sentence of a comment. */
function sentenceOf(comment: string | undefined): string | undefined {
  const paragraph = comment?.split(/\n\s*\n|\n@|^@/)[0] ?? "";
  const [sentence = ""] = /^.*?[.!?](?=\s|$)|^.+$/s.exec(paragraph.replaceAll("\n", " ").trim()) ?? [];
  return sentence === "" ? undefined : sentence;
}

/** The names that a statement declares. */
function namesOf(statement: Statement): readonly string[] {
  if (statement.type === "VariableDeclaration") return statement.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []));
  const id: unknown = "id" in statement ? statement.id : undefined;
  return typeof id === "object" && id !== null && "name" in id && typeof id.name === "string" ? [id.name] : [];
}

/** A declaration as a reader wants it: without `export`, `declare`, private members, and the comments that are passed. */
function tidy(text: string, offset: number, comments: ParseResult["comments"]): string {
  const bare = comments.toReversed().reduce((rest, comment) => {
    const [from, to] = [comment.start - offset, comment.end - offset];
    return from < 0 || to > text.length ? rest : rest.slice(0, from) + rest.slice(to);
  }, text);
  const lines = bare
    .replace(/^(export )?(declare )?/, "")
    .split("\n")
    .map((line) => line.replace(/^(?: {4})+/, (indent) => " ".repeat(indent.length / 2)).trimEnd());
  return lines.filter((line) => line.trim() !== "" && !/^\s*(#private;|private )/.test(line)).join("\n");
}

const nameOf = (node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string => node.name ?? String(node.value);

/** The names that an import brings into a file, which it may export again. */
function importedNames(statement: Extract<Statement, { type: "ImportDeclaration" }>): readonly (readonly [string, Exported])[] {
  const specifier = statement.source.value;
  return statement.specifiers.map((item) => {
    if (item.type === "ImportNamespaceSpecifier") return [item.local.name, { kind: "namespace", specifier }];
    return [item.local.name, { kind: "from", specifier, imported: item.type === "ImportSpecifier" ? nameOf(item.imported) : "default" }];
  });
}

/** Reads one declaration file, as `tsc` writes it. */
export function readDeclarations(path: string, text: string): DeclarationFile {
  const { program, comments, errors } = parseSync(path, text, { lang: "dts", sourceType: "module" });
  if (errors[0] !== undefined) throw new Error(`${path} cannot be parsed: ${errors[0].message}`);
  const exports = new Map<string, Exported>();
  const stars: string[] = [];
  const declarations = new Map<string, Declaration>();
  const imports = new Map(program.body.flatMap((statement) => (statement.type === "ImportDeclaration" ? importedNames(statement) : [])));

  const declare = (names: readonly string[], { start, end }: Statement): void => {
    for (const name of names) {
      const known = declarations.get(name);
      const texts = [...(known?.texts ?? []), tidy(text.slice(start, end), start, comments)];
      const commented = [...(known?.commented ?? []), tidy(text.slice(start, end), start, [])];
      const comment = known?.comment ?? commentBefore(start, text, comments);
      declarations.set(name, { texts, commented, comment, summary: sentenceOf(comment), file: path });
    }
  };

  for (const statement of program.body) {
    if (statement.type === "ExportAllDeclaration") {
      if (statement.exported === null) stars.push(statement.source.value);
      else exports.set(nameOf(statement.exported), { kind: "namespace", specifier: statement.source.value });
    } else if (statement.type === "ExportNamedDeclaration") {
      const names = statement.declaration === null ? [] : namesOf(statement.declaration);
      declare(names, statement);
      for (const name of names) exports.set(name, { kind: "declared", local: name });
      for (const { local, exported } of statement.specifiers) {
        const from = statement.source === null ? undefined : { kind: "from" as const, specifier: statement.source.value, imported: nameOf(local) };
        exports.set(nameOf(exported), from ?? imports.get(nameOf(local)) ?? { kind: "declared", local: nameOf(local) });
      }
    } else if (statement.type === "ExportDefaultDeclaration") {
      throw new Error(`${path} has a default export; the public API has none.`);
    } else if (statement.type !== "ImportDeclaration") {
      declare(namesOf(statement), statement);
    }
  }
  return { exports, stars, declarations: new Map([...declarations].map(([name, one]) => [name, flattened(one, declarations)])) };
}

const inferred = /^(interface \w+) extends Infer<typeof (\w+)> \{\s*\}$|^(type \w+ =) Infer<typeof (\w+)>;$/;

/** A type that is inferred from a declared value, with the members that the value has: `tsc` writes them into the type of the value. */
function flattened(declaration: Declaration, all: ReadonlyMap<string, Declaration>): Declaration {
  const flat = (text: string): string => {
    const [, anInterface, ofInterface, aType, ofType] = inferred.exec(text) ?? [];
    const [, members] = /Descriptor<([\s\S]*)>;$/.exec(all.get(ofInterface ?? ofType ?? "")?.texts[0] ?? "") ?? [];
    if (members === undefined) return text;
    const named = members.replaceAll(/import\("[^"]+"\)\./g, "");
    return anInterface === undefined ? `${aType} ${named};` : `${anInterface} ${named}`;
  };
  return { ...declaration, texts: declaration.texts.map(flat), commented: declaration.commented.map(flat) };
}
