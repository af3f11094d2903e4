/** A fenced block of a page. */
interface Fence {
  readonly language: string;
  readonly code: string;
  /** Line of the opening fence, counted from 1. */
  readonly line: number;
  /** The comment `<!-- … -->` right above it, if there is one. */
  readonly directive: string | undefined;
  /** Whether it stands right below the block before it: blank lines and at most one line of prose in between. */
  readonly follows: boolean;
}

/** Something to run and what it must print. */
export interface Snippet {
  readonly language: "ts" | "sh";
  readonly code: string;
  readonly line: number;
  /** What stdout must be; undefined if the page does not say. `…` stands for any text. */
  readonly expected: string | undefined;
  /** Name of the file that the reader saves it as. It is not run by itself: later blocks run it. */
  readonly file?: string;
}

/** What a page asks for; faults are directives that mean nothing. */
export interface Page {
  readonly snippets: readonly Snippet[];
  readonly faults: readonly string[];
}

const opening = /^\s*(`{3,}|~{3,})\s*([\w-]*)/;

/** The fenced blocks of a page, in order. */
function fencesOf(markdown: string): readonly Fence[] {
  const fences: Fence[] = [];
  const lines = markdown.split(/\r?\n/);
  let between: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, mark, language = ""] = opening.exec(lines[at] ?? "") ?? [];
    if (mark === undefined) {
      between.push((lines[at] ?? "").trim());
      continue;
    }
    const indent = (/^\s*/.exec(lines[at] ?? "") ?? [""])[0].length;
    const end = lines.findIndex((line, index) => index > at && line.trim().startsWith(mark) && line.trim().replaceAll(mark.charAt(0), "") === "");
    const close = end === -1 ? lines.length : end;
    const code = lines.slice(at + 1, close).map((line) => (line.slice(0, indent).trim() === "" ? line.slice(indent) : line));
    const prose = between.filter((line) => line !== "");
    const directive = /^<!--\s*(.*?)\s*-->$/.exec(prose.at(-1) ?? "")?.[1];
    fences.push({
      language,
      code: code.join("\n"),
      line: at + 1,
      directive,
      follows: fences.length > 0 && prose.length <= 1 && !prose[0]?.startsWith("#"),
    });
    between = [];
    at = close;
  }
  return fences;
}

/** What `// → …` comments promise: one line of output each, in the order of the code. */
function promisedByComments(code: string): string | undefined {
  const promises = [...code.matchAll(/\/\/ → ?(.*)$/gm)].map((match) => (match[1] ?? "").trimEnd());
  return promises.length === 0 ? undefined : promises.join("\n");
}

const joined = (texts: readonly (string | undefined)[]): string | undefined => {
  const known = texts.filter((text) => text !== undefined);
  return known.length === 0 ? undefined : known.join("\n");
};

/**
 * The snippets of a page. A `ts` block runs unless `<!-- no-run: reason -->` stands above it; `<!-- continues -->` makes it one program
 * with the block before, and `<!-- file: name.ts -->` only saves it, for the blocks below. An `sh` block runs if `<!-- run -->` stands above it. A `text`
 * block right below is the expected output.
 */
export function snippetsOf(markdown: string): Page {
  const fences = fencesOf(markdown);
  const snippets: Snippet[] = [];
  const faults: string[] = [];
  for (const [index, { language, code, line, directive }] of fences.entries()) {
    if (language !== "ts" && language !== "sh") continue;
    const reason = directive === undefined ? undefined : /^no-run(?::\s*(.*))?$/.exec(directive);
    if (reason) {
      if ((reason[1] ?? "") === "") faults.push(`line ${line}: no-run needs a reason`);
      continue;
    }
    const [, file] = /^file: ([\w.-]+)$/.exec(directive ?? "") ?? [];
    if (file !== undefined) {
      snippets.push({ language, code, line, expected: undefined, file });
      continue;
    }
    const next = fences[index + 1];
    const printed = next?.language === "text" && next.follows && next.directive === undefined ? next.code : undefined;
    const expected = printed ?? (language === "ts" ? promisedByComments(code) : undefined);
    const before = snippets.at(-1);
    if (directive === "continues" && before?.language === language && before.file === undefined) {
      snippets[snippets.length - 1] = { ...before, code: `${before.code}\n${code}`, expected: joined([before.expected, expected]) };
    } else if (directive === "continues") {
      faults.push(`line ${line}: continues, but there is no ${language} block before it`);
    } else if (language === "ts" || directive === "run") {
      snippets.push({ language, code, line, expected });
    }
  }
  return { snippets, faults };
}

const escape = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
const trimmedLines = (text: string): readonly string[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => line.trimEnd());

/** Several spaces within a line separate columns, whose widths depend on what is in them. */
const columns = (pattern: string): string => pattern.replaceAll(/(?<=\S) {2,}(?=\S)/gu, " {2,}");

/**
 * Whether printed text is what a page promises. `…` in a line stands for any text; a line that is only `…` for any lines; several spaces between words
 * for any number of them but one.
 */
export function printsAsPromised(printed: string, expected: string): boolean {
  const pattern = trimmedLines(expected).map((line) =>
    line.trim() === "…" ? "(?:.*\\n)*?" : `${line.split("…").map(escape).map(columns).join(".*?")}\\n`,
  );
  return new RegExp(`^${pattern.join("")}$`).test(`${trimmedLines(printed).join("\n")}\n`);
}
