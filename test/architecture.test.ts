import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { forbiddenImports, importCycles, tableFaults, typeCycles } from "../scripts/architecture/arrows.ts";
import { companionNameFaults, entryNameFaults, glossaryFaults, glossaryTypes, rootNameFaults } from "../scripts/architecture/names.ts";
import { rooms } from "../scripts/architecture/rooms.ts";
import { anyFaults, figuresOf, fileNameFaults, folderFaults, roomSizeFaults, styleFaults } from "../scripts/architecture/shape.ts";
import { type SourceFile, readTree, sourceFile } from "../scripts/architecture/tree.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const fake = (files: Readonly<Record<string, string>>): readonly SourceFile[] => Object.entries(files).map(([path, text]) => sourceFile(path, text));
const arrow = (path: string, text: string): readonly string[] => forbiddenImports(fake({ [path]: text }));
const style = (text: string, path = "packages/throughline/src/state/field.ts"): readonly string[] => styleFaults(fake({ [path]: text }));

describe("the house", () => {
  const files = readTree(root);
  const figures = JSON.stringify(figuresOf(files));

  test("has a table of rooms whose arrows all point down", () => expect(tableFaults()).toEqual([]));
  test("has only imports that the table allows", () => expect(forbiddenImports(files), figures).toEqual([]));
  test("has no import cycles", () => expect(importCycles(files), figures).toEqual([]));
  test("has no cycles of types besides the listed ones", () => expect(typeCycles(files), figures).toEqual([]));
  test("has no two files of one name besides the listed ones", () => expect(fileNameFaults(files), figures).toEqual([]));
  test("gives the companion's types names of their own", () => expect(companionNameFaults(files)).toEqual([]));
  test("uses next to no `any`", () => expect(anyFaults(files), figures).toEqual([]));
  test("has no default exports, no hidden clock and no vague names", () => expect(styleFaults(files), figures).toEqual([]));
  test("has at most 30 files in a folder", () => expect(folderFaults(files), figures).toEqual([]));
  test("has no room with more lines than are recorded", () => expect(roomSizeFaults(files), figures).toEqual([]));
  test("exports a name from two entries only for the same thing", () => expect(entryNameFaults(files)).toEqual([]));
  test("has at most 150 names in the root entry", () => expect(rootNameFaults(files)).toEqual([]));
  test("has one exported type for each type of the glossary", () => {
    const glossary = readFileSync(`${root}docs/reference/glossary.md`, "utf8");
    expect(glossaryTypes(glossary)).toEqual(expect.arrayContaining(["Agent", "ToolCall", "Commit"]));
    expect(glossaryFaults(files, glossary)).toEqual([]);
  });
  test("is really read: the kernel, the port and this file are among the files", () => {
    const paths = files.map((file) => file.path);
    expect(paths).toEqual(
      expect.arrayContaining(["packages/throughline/src/kernel/error.ts", "packages/throughline/src/store/port.ts", "test/architecture.test.ts"]),
    );
  });
});

describe("an arrow that the table does not allow is seen", () => {
  const upward = [
    ["a static import", `import { createRuntime } from "../runtime/runtime.ts";`],
    ["a type import", `import type { Runtime } from "../runtime/runtime.ts";`],
    ["an inline type import", `import { type Runtime } from "../runtime/runtime.ts";`],
    ["an import for its effect", `import "../runtime/runtime.ts";`],
    ["an import over several lines", `import {\n  createRuntime, // from "./here.ts"\n} from\n  "../runtime/runtime.ts";`],
    ["a re-export", `export { createRuntime } from "../runtime/runtime.ts";`],
    ["a re-export of types", `export type { Runtime } from "../runtime/runtime.ts";`],
    ["a re-export of everything", `export * from "../runtime/runtime.ts";`],
    ["a dynamic import", `export const later = () => import("../runtime/runtime.ts");`],
    ["a dynamic import in a template", "export const later = () => import(`../runtime/runtime.ts`);"],
    ["a type of an import", `export type Late = import("../runtime/runtime.ts").Runtime;`],
    ["a require", `export const now = require("../runtime/runtime.ts");`],
  ] as const;
  test.each(upward)("%s", (_form, text) => {
    expect(arrow("packages/throughline/src/state/field.ts", text)).toEqual([
      expect.stringMatching(/^packages\/throughline\/src\/state\/field\.ts:\d+: state → runtime/),
    ]);
  });

  test("text that only looks like an import is not one", () => {
    expect(
      arrow(
        "packages/throughline/src/state/field.ts",
        `// import "../runtime/a.ts";\nexport const text = 'import "../runtime/b.ts"';\n/* from "../runtime/c.ts" */`,
      ),
    ).toEqual([]);
  });
  test("a computed import", () =>
    expect(arrow("packages/server/src/cli/main.ts", "await import(process.argv[2]);")).toEqual([expect.stringContaining("computed import")]));
  test("siblings of one level", () =>
    expect(arrow("packages/throughline/src/tools/define-tool.ts", `import "../memory/recall.ts";`)).toHaveLength(1));
  test("context may see the types of memory, not its code", () => {
    expect(arrow("packages/throughline/src/context/section.ts", `import type { Entry } from "../memory/entry.ts";`)).toEqual([]);
    expect(arrow("packages/throughline/src/context/section.ts", `import { entry } from "../memory/entry.ts";`)).toEqual([
      expect.stringContaining("context → memory"),
    ]);
  });
  test("one port that imports another", () =>
    expect(arrow("packages/throughline/src/store/port.ts", `import type { Model } from "../model/model-port.ts";`)).toHaveLength(1));
  test("a port is not the room that its folder belongs to", () => {
    expect(arrow("packages/throughline/src/session/fold.ts", `import type { Row } from "../store/port.ts";`)).toEqual([]);
    expect(arrow("packages/throughline/src/session/fold.ts", `import { InMemoryStore } from "../store/in-memory.ts";`)).toEqual([
      expect.stringContaining("session → store"),
    ]);
  });
  test("an adapter that anything but an entry point, the command line or a test imports", () => {
    expect(arrow("packages/throughline/src/runtime/runtime.ts", `import "../store/sqlite/store.ts";`)).toHaveLength(1);
    expect(arrow("packages/throughline/src/store/postgres/postgres-store.ts", `import "../sqlite/store.ts";`)).toHaveLength(1);
    expect(arrow("packages/throughline/src/index.ts", `import "./store/sqlite/store.ts";`)).toHaveLength(1);
    expect(arrow("packages/throughline/src/sqlite.ts", `import "./store/sqlite/store.ts";`)).toEqual([]);
    expect(arrow("packages/server/src/cli/doctor.ts", `import "../../../throughline/src/store/sqlite/store.ts";`)).toHaveLength(1);
    expect(arrow("packages/server/src/cli/doctor.ts", `import { openSqliteStore } from "throughline/sqlite";`)).toEqual([]);
  });
  test("the main entry point reaches a database only by import()", () => {
    expect(arrow("packages/throughline/src/open-store.ts", `import { openSqlite } from "./store/sqlite/store.ts";`)).toHaveLength(1);
    expect(arrow("packages/throughline/src/open-store.ts", `export const open = () => import("./store/sqlite/store.ts");`)).toEqual([]);
    expect(arrow("packages/throughline/src/open-store.ts", `import type { Options } from "./store/sqlite/store.ts";`)).toEqual([]);
  });
  test("embedding models, imported by anything but the entry of memory, the command line or a test", () => {
    expect(arrow("packages/throughline/src/runtime/turn/turn.ts", `import "../../embedding/ollama.ts";`)).toHaveLength(1);
    expect(arrow("packages/throughline/src/memory/recall/dense.ts", `import type { A } from "../../embedding/ollama.ts";`)).toHaveLength(1);
    expect(arrow("packages/throughline/src/memory.ts", `import "./embedding/ollama.ts";`)).toEqual([]);
    expect(arrow("packages/throughline/src/embedding/embedding-servers.ts", `import { readFileSync } from "node:fs";`)).toEqual([
      expect.stringContaining("embedding → node:fs"),
    ]);
    expect(
      arrow(
        "packages/throughline/src/embedding/embedding-servers.ts",
        `import "../model/call/retry.ts"; import type { P } from "../memory/embed.ts";`,
      ),
    ).toEqual([]);
  });
  test("a library that an example is not for", () => {
    const text = `import { StateGraph } from "@langchain/langgraph";`;
    expect(arrow("examples/langgraph-saver/main.ts", text)).toEqual([]);
    expect(arrow("examples/diary/agent.ts", text)).toEqual([expect.stringContaining("package @langchain/langgraph")]);
    expect(arrow("examples/langgraph-saver/main.ts", `import { Agent } from "@openai/agents";`)).toHaveLength(1);
  });
  test("a third-party package outside its room", () => {
    expect(arrow("packages/throughline/src/store/postgres/pool.ts", `import pg from "pg";`)).toEqual([]);
    expect(arrow("packages/throughline/src/store/sqlite/pool.ts", `import pg from "pg";`)).toEqual([
      expect.stringContaining("store/sqlite → package pg"),
    ]);
    expect(arrow("packages/throughline/src/state/define.ts", `import { z } from "zod";`)).toEqual([expect.stringContaining("state → package zod")]);
    expect(arrow("packages/throughline/src/state/define.ts", `import type { StandardSchemaV1 } from "@standard-schema/spec";`)).toEqual([]);
  });
  test("a module of Node in a pure room", () => {
    expect(arrow("packages/throughline/src/session/decide-command.ts", `import { readFileSync } from "node:fs";`)).toEqual([
      expect.stringContaining("session → node:fs"),
    ]);
    expect(arrow("packages/throughline/src/store/in-memory/in-memory-store.ts", `import { DatabaseSync } from "node:sqlite";`)).toHaveLength(1);
    expect(arrow("packages/throughline/src/store/sqlite/sqlite-store.ts", `import { DatabaseSync } from "node:sqlite";`)).toEqual([]);
  });
  test("a file without a room", () =>
    expect(arrow("packages/throughline/src/magic/wand.ts", "export {};")).toEqual([expect.stringContaining("no room claims")]));
  test("an import that leaves src, or names the package from inside", () => {
    expect(arrow("packages/server/src/cli/main.ts", `import "../../../../scripts/check.ts";`)).toHaveLength(1);
    expect(arrow("packages/throughline/src/runtime/runtime.ts", `import "throughline";`)).toHaveLength(1);
  });
  test("a path from one package into another", () => {
    const server = "@throughline/server";
    expect(arrow("packages/server/src/server/app.ts", `import { Clock } from "../../../throughline/src/kernel/clock.ts";`)).toEqual([
      expect.stringContaining("of another package; import throughline by name"),
    ]);
    expect(arrow("packages/throughline/src/runtime/runtime.ts", `import "../../../server/src/server/app.ts";`)).toEqual([
      expect.stringContaining(`import ${server} by name`),
    ]);
    expect(arrow("packages/server/src/cli/main.ts", `import "../../../client/src/session.ts";`)).toEqual([
      expect.stringContaining("import @throughline/client by name"),
    ]);
    expect(
      arrow("packages/server/src/server/app.ts", `import "throughline"; import "throughline/internal"; import "../protocol/operations.ts";`),
    ).toEqual([]);
    expect(arrow("packages/server/src/server/app.ts", `import "throughline/testing";`)).toHaveLength(1);
    expect(arrow("packages/client/src/session.ts", `import type { Json } from "throughline";`)).toEqual([
      expect.stringContaining("client → package throughline"),
    ]);
  });
  test("testing, imported by anything but its entry point", () => {
    expect(arrow("packages/throughline/src/runtime/turn/turn.ts", `import "../../testing/clock.ts";`)).toHaveLength(1);
    expect(arrow("packages/server/src/cli/main.ts", `import "../../../throughline/src/testing/clock.ts";`)).toHaveLength(1);
    expect(arrow("packages/throughline/src/testing.ts", `export * from "./testing/clock.ts";`)).toEqual([]);
  });
  test("an agent or an example that looks inside the package", () => {
    expect(
      arrow("packages/companion/src/agent.ts", `import "throughline"; import "throughline/testing"; import "./tools.ts"; import "node:fs";`),
    ).toEqual([]);
    expect(arrow("packages/companion/src/agent.ts", `import "../../throughline/src/index.ts";`)).toHaveLength(1);
    expect(arrow("examples/first.ts", `import "pg";`)).toHaveLength(1);
  });
  test("a table whose arrows point up or nowhere", () => {
    const table = [...rooms, { name: "attic", level: 4, paths: ["packages/throughline/src/attic/"], may: ["runtime", "cellar", "memory"] }];
    expect(tableFaults(table)).toEqual([
      "attic (4) → runtime (6) points up",
      "attic → cellar: there is no such room",
      "attic (4) → memory (4) points up",
    ]);
  });
});

describe("a cycle is seen", () => {
  const cycle = (first: string): readonly string[] =>
    importCycles(
      fake({
        "packages/throughline/src/state/a.ts": first,
        "packages/throughline/src/state/b.ts": `export { c } from "./c.ts";`,
        "packages/throughline/src/state/c.ts": `import "./a.ts"; export const c = 1;`,
      }),
    );
  test("over three files", () =>
    expect(cycle(`import "./b.ts";`)).toEqual([
      "import cycle: packages/throughline/src/state/a.ts → packages/throughline/src/state/b.ts → packages/throughline/src/state/c.ts → packages/throughline/src/state/a.ts",
    ]));
  test("of a file with itself", () =>
    expect(cycle(`import "./a.ts";`)).toEqual(["import cycle: packages/throughline/src/state/a.ts → packages/throughline/src/state/a.ts"]));
  test("but types close none, for they are gone before anything loads", () => expect(cycle(`import type { c } from "./b.ts";`)).toEqual([]));
});

describe("a cycle of types is seen", () => {
  const two = fake({
    "packages/throughline/src/state/a.ts": `import type { b } from "./b.ts";`,
    "packages/throughline/src/state/b.ts": `import { a } from "./a.ts";`,
  });
  const found = [
    "cycle of types: packages/throughline/src/state/a.ts, packages/throughline/src/state/b.ts; move what they share into one of them, or merge them",
  ];

  test("of two files, one of which imports only types", () => expect(typeCycles(two)).toEqual(found));
  test("over a third file, with another file that only leads to it", () => {
    const files = {
      "packages/throughline/src/state/a.ts": `import type { b } from "./b.ts";`,
      "packages/throughline/src/state/b.ts": `import { c } from "./c.ts";`,
      "packages/throughline/src/state/c.ts": `export type { a } from "./a.ts";`,
      "packages/throughline/src/state/d.ts": `import type { a } from "./a.ts";`,
    };
    expect(typeCycles(fake(files))).toEqual([
      expect.stringContaining("packages/throughline/src/state/a.ts, packages/throughline/src/state/b.ts, packages/throughline/src/state/c.ts;"),
    ]);
  });
  test("unless all of it lies in listed folders", () => {
    expect(typeCycles(two, ["packages/throughline/src/state/"])).toEqual([]);
    expect(typeCycles(two, ["packages/throughline/src/state/a.ts"])).toEqual(found);
  });
  test("but two ways to one file are none", () => {
    const ways = {
      "packages/throughline/src/state/a.ts": `import "./b.ts"; import "./c.ts";`,
      "packages/throughline/src/state/b.ts": `import "./c.ts";`,
      "packages/throughline/src/state/c.ts": "export {};",
    };
    expect(typeCycles(fake(ways))).toEqual([]);
  });
});

describe("a name with two meanings is seen", () => {
  test("of two files", () => {
    const files = fake({
      "packages/throughline/src/state/a.ts": "",
      "packages/companion/src/a.ts": "",
      "test/a.ts": "",
      "packages/throughline/src/state/b.ts": "",
    });
    expect(fileNameFaults(files)).toEqual([
      "a.ts is the name of packages/throughline/src/state/a.ts and packages/companion/src/a.ts; rename one, so that each is found by its name",
    ]);
    expect(fileNameFaults(files, ["a.ts"])).toEqual([]);
  });

  test("of the companion and an entry", () => {
    const entry = { "packages/throughline/src/index.ts": `export type { Message } from "./session/messages.ts";` };
    const companion = (name: string): readonly string[] =>
      companionNameFaults(fake({ ...entry, "packages/companion/src/contract.ts": `export interface ${name} {}` }));
    expect(companion("Message")).toEqual([
      "packages/companion/src/contract.ts: Message is another type in packages/throughline/src/index.ts:1; rename it",
    ]);
    expect(companion("CompanionMessage")).toEqual([]);
  });

  const glossary = "| Word | Meaning | Type |\n|---|---|---|\n| **turn** | one cause | `Turn` |\n| **head** | `Head` of a log | |\n";
  const turn = "export interface Turn {}\n";
  test("in two entries", () => {
    const entries = (second: string): readonly string[] =>
      entryNameFaults(
        fake({ "packages/throughline/src/a.ts": `export type { Turn } from "./runtime/turn.ts";`, "packages/throughline/src/b.ts": second }),
      );
    expect(entries(`export type { Turn } from "../../client/src/turn.ts";`)).toEqual([
      "packages/throughline/src/b.ts:1: Turn is packages/client/src/turn.ts#Turn here, and packages/throughline/src/runtime/turn.ts#Turn in packages/throughline/src/a.ts:1; rename one",
    ]);
    expect(entries(`export type { WireTurn as Turn } from "./runtime/turn.ts";`)).toHaveLength(1);
    expect(entries(`export type { Turn } from "./runtime/turn.ts";`)).toEqual([]);
    expect(entries(`export type { Turn as ClientTurn } from "./client/turn.ts";`)).toEqual([]);
  });
  test("in the glossary, also if no type has it", () => {
    expect(glossaryFaults(fake({ "packages/throughline/src/runtime/turn/turn.ts": turn, "test/turn.ts": turn }), glossary)).toEqual([]);
    expect(
      glossaryFaults(
        fake({ "packages/throughline/src/runtime/turn/turn.ts": turn, "packages/client/src/turn.ts": "export class Turn {}" }),
        glossary,
      ),
    ).toHaveLength(1);
    expect(glossaryFaults(fake({ "packages/throughline/src/runtime/turn/turn.ts": "interface Turn {}" }), glossary)).toEqual([
      "docs/reference/glossary.md: Turn is no exported type",
    ]);
  });
});

describe("a file of the wrong shape is seen", () => {
  test("too many uses of any, but not the word in a text", () => {
    expect(anyFaults(fake({ "packages/throughline/src/state/a.ts": "export type A = any;\n" }))).toEqual([expect.stringContaining("uses of any")]);
    expect(anyFaults(fake({ "packages/throughline/src/state/a.ts": `export const any = "any"; // any\n` }))).toEqual([]);
  });
  test("a default export, in each form", () => {
    expect(style("export default 1;")).toEqual(["packages/throughline/src/state/field.ts:1: default export"]);
    expect(style("const a = 1;\nexport { a as default };")).toEqual(["packages/throughline/src/state/field.ts:2: default export"]);
    expect(style(`export { default } from "./a.ts";`)).toHaveLength(1);
  });
  test.each([
    "Date.now()",
    "Date . now ( )",
    "globalThis.Date.now()",
    "new Date()",
    "new Date",
    "Date()",
    "Math.random()",
    "performance.now()",
    "crypto.randomUUID()",
  ])("hidden time or randomness: %s", (text) => {
    expect(style(`export const value = ${text};`)).toHaveLength(1);
    expect(style(`export const value = ${text};`, "packages/throughline/src/kernel/clock.ts")).toEqual([]);
  });
  test("randomness imported from Node, but not hashing", () => {
    expect(style(`import { createHash, randomUUID } from "node:crypto";`)).toEqual([expect.stringContaining("randomUUID of node:crypto")]);
    expect(style(`import { createHash } from "node:crypto";`)).toEqual([]);
  });
  test("the clock handed on as a function", () => expect(style("export const now = Date.now;")).toHaveLength(1));
  test("a date made from a value is not hidden time", () => expect(style("export const at = (ms: number) => new Date(ms);")).toEqual([]));
  test("names that say nothing", () => {
    expect(style("export {};", "packages/throughline/src/state/utils/text.ts")).toHaveLength(1);
    expect(style("export {};", "packages/throughline/src/state/types.ts")).toHaveLength(1);
    expect(style("export class SessionManager {}")).toEqual([expect.stringContaining("class SessionManager")]);
  });
  test("a file that is not TypeScript fails with its path", () =>
    expect(() => sourceFile("packages/throughline/src/state/a.ts", "const = ;")).toThrow("packages/throughline/src/state/a.ts cannot be parsed"));
});

describe("a house that has outgrown itself is seen", () => {
  const many = (count: number): readonly SourceFile[] =>
    fake(Object.fromEntries(Array.from({ length: count }, (_, index) => [`packages/throughline/src/state/f${index}.ts`, "export {};\n"])));

  test("a folder with more than 30 files", () => {
    expect(folderFaults(many(30))).toEqual([]);
    expect(folderFaults(many(31))).toEqual([expect.stringContaining("packages/throughline/src/state: 31 files")]);
  });
  test("a room with more lines than are recorded for it", () => {
    expect(roomSizeFaults(many(3), { state: 3 })).toEqual([]);
    expect(roomSizeFaults(many(3), { state: 2 })).toEqual([expect.stringContaining("state: 3 lines, 2 are recorded")]);
    expect(roomSizeFaults(many(3), {})).toEqual([expect.stringContaining("state: 3 lines, 0 are recorded")]);
  });
  test("a client with more lines than are recorded, without those of generated files", () => {
    const client = (name: string): readonly SourceFile[] => fake({ [`packages/client/src/${name}`]: "export {};\n" });
    expect(roomSizeFaults(client("wire.ts"), { client: 0 })).toEqual([]);
    expect(roomSizeFaults(client("wired.ts"), { client: 0 })).toEqual([expect.stringContaining("client: 1 lines, 0 are recorded")]);
  });
  test("a root entry with more than 150 names, of values and types alike", () => {
    const entry = (count: number, path = "packages/throughline/src/index.ts"): readonly SourceFile[] => {
      const names = (prefix: string): string => Array.from({ length: count }, (_, index) => `${prefix}${index}`).join(", ");
      return fake({ [path]: `export { ${names("a")} } from "./state/a.ts";\nexport type { ${names("B")} } from "./state/b.ts";\n` });
    };
    expect(rootNameFaults(entry(75))).toEqual([]);
    expect(rootNameFaults(entry(76))).toEqual([expect.stringContaining("packages/throughline/src/index.ts: 152 names, at most 150")]);
    expect(rootNameFaults(entry(76, "packages/throughline/src/session.ts"))).toEqual([]);
  });
});
