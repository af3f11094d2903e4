import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** A file of the packages in the copy of the tree that Stryker made: their links in node_modules lead to the tree itself. */
const inCopy = (path: string): string => fileURLToPath(new URL(`../../packages/${path}`, import.meta.url));

// How the tests of one area run under Stryker: in its copy of the tree, without PostgreSQL, whose tests are skipped.
export default defineConfig({
  resolve: {
    alias: [
      { find: /^throughline$/, replacement: inCopy("throughline/src/index.ts") },
      { find: /^throughline\/(\w+)$/, replacement: inCopy("throughline/src/$1.ts") },
      { find: /^@throughline\/client$/, replacement: inCopy("client/src/client.ts") },
    ],
  },
  test: {
    include: (process.env["MUTATE_TESTS"] ?? "").split("\n"),
    provide: { postgres: { reason: "Mutation tests run without PostgreSQL." } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000, interval: 10 } },
    restoreMocks: true,
    unstubEnvs: true,
  },
});
