import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** A file of the packages in the copy of the tree that Stryker made: their links in node_modules lead to the tree itself. */
const inCopy = (path: string): string => fileURLToPath(new URL(`../../packages/${path}`, import.meta.url));

/** The first failure ends the run of a mutant, so the files come first that noticed the mutant before it, then those that take least. */
class SoonestFailure extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = (file: TestSpecification): number => {
      const result = this.ctx.cache.getTestSpecificationResult(file);
      return result?.failed === true ? -1 : (result?.duration ?? 0);
    };
    return Promise.resolve(files.toSorted((left, right) => rank(left) - rank(right)));
  }
}

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
    sequence: { sequencer: SoonestFailure },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000, interval: 10 } },
    restoreMocks: true,
    unstubEnvs: true,
  },
});
