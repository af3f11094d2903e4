import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { lanes } from "./test/setup/lanes.ts";
import { hangMs } from "./test/setup/limits.ts";

/** A file of the test setup by its full path, so that the configuration also serves a run with another root. */
const setupFile = (name: string): string => fileURLToPath(new URL(`./test/setup/${name}`, import.meta.url));

// The many processes that tests start find their modules compiled: each takes a quarter of the time. Node names what it keeps by its content.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "throughline-compile-cache");

// Many tests let models, tools and stages fail on purpose. What they throw would fill the output; tests of the reports switch them on.
process.env["THROUGHLINE_ERRORS"] ??= "off";

// Vitest reads its configuration from a default export: the one place that has one.
export default defineConfig({
  test: {
    projects: lanes.map((lane) => ({ extends: true, test: lane })),
    // Starts one PostgreSQL for the whole run; without it the tests that need one are skipped with a reason.
    globalSetup: [setupFile("postgres.ts")],
    reporters: [setupFile("reporter.ts")],
    pool: "forks",
    maxWorkers: Math.min(4, availableParallelism()),
    testTimeout: 5 * hangMs,
    hookTimeout: 5 * hangMs,
    expect: { poll: { timeout: hangMs, interval: 10 } },
    restoreMocks: true,
    unstubEnvs: true,
  },
});
