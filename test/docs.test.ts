import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { errorsPage } from "../scripts/errors/page.ts";
import { root } from "../scripts/root.ts";
import { printsAsPromised, snippetsOf } from "../scripts/snippets/extract.ts";
import { openBench } from "../scripts/snippets/run.ts";

const documents = existsSync(join(root, "docs"))
  ? readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((name) => `docs/${name}`)
  : [];
const pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "examples/diary/README.md", ...documents].filter(
  (name) => name.endsWith(".md") && existsSync(join(root, name)),
);

/** Everything that is wrong with a page: its directives, its types, and what its snippets do. */
function faultsOf(name: string, markdown: string): readonly string[] {
  const { snippets, faults } = snippetsOf(markdown);
  const bench = openBench(name);
  try {
    const all = [...faults, bench.compile(snippets), ...snippets.map((snippet) => bench.run(snippet))];
    return all.filter((fault) => fault !== undefined);
  } finally {
    bench.close();
  }
}

/** Relative links that lead nowhere. */
const deadLinks = (name: string, markdown: string): readonly string[] =>
  [...markdown.replaceAll(/^(`{3,}|~{3,})[\s\S]*?^\1/gm, "").matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)]
    .map((match) => match[1] ?? "")
    .filter((target) => !existsSync(join(root, dirname(name), decodeURI(target))));

describe("the pages", () => {
  test.each(pages)(
    "%s: its snippets compile, run and print what it says",
    (name) => {
      expect(faultsOf(name, readFileSync(join(root, name), "utf8"))).toEqual([]);
    },
    300_000,
  );
  test.each(pages)("%s: its links lead somewhere", (name) => {
    expect(deadLinks(name, readFileSync(join(root, name), "utf8"))).toEqual([]);
  });
  test("docs/errors.md is what the catalogue says", () => {
    expect(readFileSync(join(root, "docs/errors.md"), "utf8"), "run `npm run docs:errors`").toBe(errorsPage());
  });
});

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\`\n`;

describe("a page that says something else than what happens is caught", () => {
  const outcome = (markdown: string): readonly string[] => faultsOf("self test", markdown);

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
    expect(outcome(fence("ts", `const text: string = 1 as unknown as number;`))).toEqual([expect.stringContaining("TS2322")]));
  test("a shell block that fails or prints something else, in a folder of its own", () => {
    expect(outcome(`<!-- run -->\n${fence("sh", "echo hello > note.txt; cat note.txt; ls")}${fence("text", "hello\nnote.txt")}`)).toEqual([]);
    expect(outcome(`<!-- run -->\n${fence("sh", "echo hello")}${fence("text", "goodbye")}`)).toHaveLength(1);
    expect(outcome(`<!-- run -->\n${fence("sh", "false\ntrue")}`)).toHaveLength(1);
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
  });
  test("dead links are seen, live ones and code are not", () => {
    expect(deadLinks("docs/page.md", `[a](../LICENSE) [b](missing.md#part) [c](https://example.org/x) [d](#here)\n${fence("ts", "[x](y)")}`)).toEqual(
      ["missing.md"],
    );
  });
});
