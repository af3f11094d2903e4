/** The programs of other libraries in the migration guides do what the guides print. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { printsAsPromised } from "../../scripts/snippets/extract.ts";

const before = /^## Before\n[\s\S]*?<!-- no-run: `npm run interop` runs it[^\n]*\n```ts\n([\s\S]*?)^```\n+```text\n([\s\S]*?)^```/m;

test.each(["langgraph", "mastra"])(
  "docs/migrate/%s.md: the program before prints what the page says",
  (page) => {
    const [, code = "", promised = ""] = before.exec(readFileSync(new URL(`../../docs/migrate/${page}.md`, import.meta.url), "utf8")) ?? [];
    expect(code).not.toBe("");
    // Below this folder, where the packages are found.
    const folder = mkdtempSync(join(import.meta.dirname, "migration-"));
    try {
      writeFileSync(join(folder, "before.ts"), code);
      const { stdout, stderr, status } = spawnSync(process.execPath, ["before.ts"], { cwd: folder, encoding: "utf8", timeout: 55_000 });
      expect(status, stderr).toBe(0);
      expect(printsAsPromised(stdout, promised), stdout).toBe(true);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  60_000,
);
