import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { importedPackages } from "../scripts/api/packages.ts";
import { type Report, apiReport } from "../scripts/api/report.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "throughline-report-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The report of `index.d.ts` among the files. */
function report(files: Readonly<Record<string, string>>): Report {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return apiReport([{ name: "pkg", file: join(folder, "index.d.ts") }]);
}

test("names without a doc comment are told, also through re-exports", () => {
  const { undocumented, text } = report({
    "index.d.ts": `export * from "./a.ts";\nexport { inner as outer, type Plain } from "./b.ts";\nimport { late } from "./b.ts";\nexport { late };`,
    "a.d.ts": `/** Says hello. More of it. */\nexport declare function hello(name: string): void;\n// no doc comment\nexport declare const bare: number;`,
    "b.d.ts": `/** Deep inside. */\ndeclare const inner: 1;\nexport interface Plain { readonly a: 1 }\n/** */\nexport declare const late: 2;\nexport { inner };`,
  });
  expect(undocumented).toEqual(["pkg: Plain", "pkg: bare", "pkg: late"]);
  expect([...text.matchAll(/^### (.*)\n\n(.*)$/gm)].map(([, name, summary]) => `${name}: ${summary}`)).toEqual([
    "Plain: (undocumented)",
    "bare: (undocumented)",
    "hello: Says hello.",
    "late: (undocumented)",
    "outer: Deep inside.",
  ]);
});

test("the declaration is shown with all overloads, and without comments and private members", () => {
  const { text } = report({
    "index.d.ts": [
      `/** Opens. */\nexport declare function open(path: string): string;\nexport declare function open(path: number): number;`,
      `/** Lives. */\nexport declare class Life {\n    #private;\n    private secret;\n    /** How long. */\n    readonly years: number;\n}`,
    ].join("\n"),
  });
  expect(text).toContain("function open(path: string): string;\nexport declare function open(path: number): number;".replace("export declare ", ""));
  expect(text).toContain("class Life {\n  readonly years: number;\n}");
});

test("a change of a signature changes the report", () => {
  const before = report({ "index.d.ts": "/** One. */\nexport declare const one: 1;" }).text;
  expect(report({ "index.d.ts": "/** One. */\nexport declare const one: number;" }).text).not.toBe(before);
});

test("a name that leads nowhere, a default export and a whole foreign package are refused", () => {
  expect(() => report({ "index.d.ts": `export { gone } from "./a.ts";`, "a.d.ts": "export {};" })).toThrow("the declaration of gone cannot be found");
  expect(() => report({ "index.d.ts": "declare const x: 1;\nexport default x;" })).toThrow("default export");
  expect(() => report({ "index.d.ts": `export * from "zod";` })).toThrow("re-exports all of zod");
});

test("the packages that declarations import are told, in whichever file and form, and no module of Node", () => {
  const files = {
    "index.d.ts": `export * from "./a.ts";\nimport data from "./b.json";\nimport type { Hash } from "node:crypto";`,
    "a.d.ts": `import type { z } from "zod";\nexport declare const b: import("@scope/name/deep").B;\nexport { c } from "./c.js";`,
    "c.d.ts": `/// <reference types="pg" />\nexport declare const c: 1;`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const found = [...importedPackages(join(folder, "index.d.ts"))].map(([name, file]) => `${name} in ${basename(file)}`);
  expect(found.toSorted()).toEqual(["@scope/name in a.d.ts", "pg in c.d.ts", "zod in a.d.ts"]);
});
