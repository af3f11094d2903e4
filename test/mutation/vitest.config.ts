import { defineConfig } from "vitest/config";

// How the tests of one area run under Stryker: in its copy of the tree, without PostgreSQL, whose tests are skipped.
export default defineConfig({
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
