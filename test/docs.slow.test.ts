import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorsPage } from "../scripts/errors/page.ts";
import { root } from "../scripts/root.ts";
import { type Snippet, printsAsPromised, snippetsOf } from "../scripts/snippets/extract.ts";
import { type Bench, compileAll, openBench } from "../scripts/snippets/run.ts";

const documents = existsSync(join(root, "docs"))
  ? readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((name) => `docs/${name}`)
  : [];
const pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "examples/diary/README.md", ...documents].filter(
  (name) => name.endsWith(".md") && existsSync(join(root, name)),
);

interface Opened {
  readonly snippets: readonly Snippet[];
  readonly faults: readonly string[];
  readonly bench: Bench;
}

/** A page with its programs where the compiler finds them. */
function opened(name: string, markdown: string): Opened {
  const bench = openBench(name);
  const { snippets, faults } = snippetsOf(markdown);
  bench.write(snippets);
  return { snippets, faults, bench };
}

/** Everything that is wrong with a page: its directives, its types, and what its snippets do. */
function faultsOf({ snippets, faults, bench }: Opened, types: string | undefined): readonly string[] {
  const all = [...faults, types, ...snippets.map((snippet) => bench.run(snippet))];
  return all.filter((fault) => fault !== undefined);
}

/** Relative links that lead nowhere. */
const deadLinks = (name: string, markdown: string): readonly string[] =>
  [...markdown.replaceAll(/^(`{3,}|~{3,})[\s\S]*?^\1/gm, "").matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)]
    .map((match) => match[1] ?? "")
    .filter((target) => !existsSync(join(root, dirname(name), decodeURI(target))));

describe("the pages", () => {
  const there = new Map<string, Opened>();
  const types = new Map<string, string | undefined>();
  // The compiler reads the whole house: once for all pages.
  beforeAll(() => {
    for (const name of pages) there.set(name, opened(name, readFileSync(join(root, name), "utf8")));
    const said = compileAll([...there.values()].map(({ bench }) => bench));
    pages.forEach((name, index) => types.set(name, said[index]));
  }, 300_000);
  afterAll(() => {
    for (const { bench } of there.values()) bench.close();
  });
  test.each(pages)(
    "%s: its snippets compile, run and print what it says",
    (name) => {
      expect(faultsOf(there.get(name)!, types.get(name))).toEqual([]);
    },
    300_000,
  );
  test.each(pages)("%s: its links lead somewhere", (name) => {
    expect(deadLinks(name, readFileSync(join(root, name), "utf8"))).toEqual([]);
  });
  test("the tutorial's program has at most 60 lines", () => {
    const files = new Map(there.get("docs/tutorial/index.md")!.snippets.flatMap(({ file, code }) => (file === undefined ? [] : [[file, code]])));
    const lines = ["agent.ts", "desk.ts"].map((file) => files.get(file)!.split("\n").length);
    expect(Math.min(...lines)).toBeGreaterThan(10);
    expect(lines.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(60);
  });
  test("the comparison's figures of storage stand in the tables of the benchmarks", () => {
    const between = (name: string, from: string, to: string): string => readFileSync(join(root, name), "utf8").split(from)[1]!.split(to)[0]!;
    const numbers = (text: string): readonly string[] => text.match(/\d[\d,]*(?:\.\d+)?(?= ms)|\d+,\d{3}(?:,\d{3})*/g) ?? [];
    const measured = between("docs/reference/benchmarks.md", "<!-- peers:begin -->", "<!-- peers:end -->");
    const told = numbers(between("docs/comparison.md", "## A long conversation", "LangGraph writes"));
    expect(told.length).toBeGreaterThan(20);
    expect(told.filter((number) => !measured.includes(` ${number} `))).toEqual(["1,000"]); // the turn itself, in the text
  });
  test("docs/reference/errors.md is what the catalogue says", () => {
    expect(readFileSync(join(root, "docs/reference/errors.md"), "utf8"), "run `npm run docs:errors`").toBe(errorsPage());
  });
});

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\`\n`;

describe("a page that says something else than what happens is caught", () => {
  const outcome = (markdown: string, options: { readonly compile?: boolean } = {}): readonly string[] => {
    const page = opened("self test", markdown);
    try {
      return faultsOf(page, options.compile === true ? compileAll([page.bench])[0] : undefined);
    } finally {
      page.bench.close();
    }
  };

  test("wrong output of a program, beside the right one", () => {
    const page = (said: string): string =>
      `# Page\n\n${fence("ts", `const answer: number = 6 * 7;\nconsole.log("it is", answer);`)}\nIt prints:\n\n${fence("text", said)}`;
    expect(outcome(page("it is 42"))).toEqual([]);
    expect(outcome(page("it is 41"))).toEqual([expect.stringContaining("--- the page says\nit is 41\n--- it prints\nit is 42")]);
  });
  test("wrong output promised by a comment", () => {
    expect(outcome(fence("ts", "console.log(1); // → 1\nconsole.log(2); // → 2"))).toEqual([]);
    expect(outcome(fence("ts", "console.log(1); // → 1\nconsole.log(3); // → 2"))).toHaveLength(1);
    expect(outcome(fence("ts", "console.log(1); // → 1\nconsole.log(2);"))).toHaveLength(1);
  });
  test("a program that throws", () =>
    expect(outcome(fence("ts", `throw new Error("no");`))).toEqual([expect.stringMatching(/line 1 ended with 1[\s\S]*Error: no/)]));
  test("a program that runs with wrong types", () =>
    expect(outcome(fence("ts", `const text: string = 1 as unknown as number;`), { compile: true })).toEqual([expect.stringContaining("TS2322")]));
  test("wrong types are said of the page that has them", () => {
    const pages = [opened("right", fence("ts", "const one: number = 1;")), opened("wrong", fence("ts", "const two: string = 2;"))];
    try {
      expect(compileAll(pages.map(({ bench }) => bench))).toEqual([undefined, expect.stringContaining("TS2322")]);
    } finally {
      for (const { bench } of pages) bench.close();
    }
  });
  test("a shell block that fails or prints something else, in a folder of its own", () => {
    expect(outcome(`<!-- run -->\n${fence("sh", "echo hello > note.txt; cat note.txt; ls")}${fence("text", "hello\nnote.txt")}`)).toEqual([]);
    expect(outcome(`<!-- run -->\n${fence("sh", "echo hello")}${fence("text", "goodbye")}`)).toHaveLength(1);
    expect(outcome(`<!-- run -->\n${fence("sh", "false\ntrue")}`)).toHaveLength(1);
  });
  test("files that a reader saves, each state of which is compiled, and a later block runs", () => {
    const file = (name: string, code: string): string => `<!-- file: ${name} -->\n${fence("ts", code)}`;
    const run = (said: string): string => `<!-- run -->\n${fence("sh", "node main.ts")}${fence("text", said)}`;
    const page = (first: string, second: string): string =>
      `${file("part.ts", first)}${file("main.ts", `import { z } from "zod";\nimport { part } from "./part.ts";\nconsole.log(z.number().parse(part));`)}` +
      `${run("1")}${file("part.ts", second)}${run("2")}`;
    const one = "export const part: number = 1;";
    expect(outcome(page(one, "export const part = 2;"), { compile: true })).toEqual([]);
    expect(outcome(page(one, "export const part = 3;"))).toEqual([expect.stringContaining("--- it prints\n3")]);
    expect(outcome(page("export const part: string = 1;", "export const part = 2;"), { compile: true })).toEqual([expect.stringContaining("TS2322")]);
  });
  test("a block that continues the one before is one program with it", () => {
    const page = `${fence("ts", "const base = 40;\nconsole.log(base); // → 40")}\nThen:\n\n<!-- continues -->\n${fence("ts", "console.log(base + 2); // → 42")}`;
    expect(outcome(page)).toEqual([]);
    expect(outcome(page.replace("→ 42", "→ 43"))).toHaveLength(1);
  });
});

describe("what is read from a page", () => {
  test("a block that opts out needs a reason", () => {
    expect(snippetsOf(`<!-- no-run: needs a key -->\n${fence("ts", "x")}`)).toEqual({ snippets: [], faults: [] });
    expect(snippetsOf(`<!-- no-run -->\n${fence("ts", "x")}`).faults).toEqual(["line 2: no-run needs a reason"]);
    expect(snippetsOf(`<!-- continues -->\n${fence("ts", "x")}`).faults).toEqual(["line 2: continues, but there is no ts block before it"]);
  });
  test("shell blocks run only where the page asks for it, other languages never", () => {
    expect(snippetsOf(fence("sh", "rm -rf x") + fence("json", "{}") + fence("", "x")).snippets).toEqual([]);
  });
  test("a text block is an output only right below its program", () => {
    expect(snippetsOf(`${fence("ts", "x")}\n# Next\n\n${fence("text", "y")}`).snippets).toEqual([expect.objectContaining({ expected: undefined })]);
    expect(snippetsOf(`${fence("ts", "x")}\none\ntwo\n\n${fence("text", "y")}`).snippets).toEqual([expect.objectContaining({ expected: undefined })]);
  });
  test("longer fences hold shorter ones, and indented blocks lose their indent", () => {
    expect(snippetsOf(`\`\`\`\`md\n${fence("ts", "inner")}\`\`\`\`\n- item\n\n  \`\`\`ts\n  outer\n    deep\n  \`\`\`\n`).snippets).toEqual([
      { language: "ts", code: "outer\n  deep", line: 8, expected: undefined },
    ]);
  });
  test("`…` stands for what varies", () => {
    expect(printsAsPromised("ses_01k9 opened\nend\n", "ses_… opened\nend")).toBe(true);
    expect(printsAsPromised("ses_01k9 closed\nend\n", "ses_… opened\nend")).toBe(false);
    expect(printsAsPromised("first\na\nb\nlast\n", "first\n…\nlast")).toBe(true);
    expect(printsAsPromised("first\nlast", "first\n…\nlast")).toBe(true);
    expect(printsAsPromised("first\na\nb", "first\n…")).toBe(true);
    expect(printsAsPromised("first\na\nb", "first\n…\nlast")).toBe(false);
    expect(printsAsPromised("a.b", "a+b")).toBe(false);
    expect(printsAsPromised("one\ntwo", "one")).toBe(false);
    expect(printsAsPromised("two lines\nhere", "two … here")).toBe(false);
    expect(printsAsPromised("ID    AGENT", "ID  AGENT")).toBe(true);
    expect(printsAsPromised("ID AGENT", "ID  AGENT")).toBe(false);
    expect(printsAsPromised("    ID", "  ID")).toBe(false);
  });
  test("dead links are seen, live ones and code are not", () => {
    expect(deadLinks("docs/page.md", `[a](../LICENSE) [b](missing.md#part) [c](https://example.org/x) [d](#here)\n${fence("ts", "[x](y)")}`)).toEqual(
      ["missing.md"],
    );
  });
});
