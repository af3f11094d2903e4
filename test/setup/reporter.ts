import { DefaultReporter, type TestCase, type TestModule } from "vitest/node";

interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** How many tests were skipped for each reason that a test gave. */
  readonly reasons: ReadonlyMap<string, number>;
}

/** Counts tests; a file that does not load and an error outside of any test count as a failure each, so that they cannot hide. */
function tally(modules: readonly TestModule[], strayErrors: number): Tally {
  const counts = { passed: 0, failed: strayErrors, skipped: 0 };
  const reasons = new Map<string, number>();
  for (const module of modules) {
    const tests: readonly TestCase[] = [...module.children.allTests()];
    for (const test of tests) {
      const result = test.result();
      counts[result.state === "pending" ? "skipped" : result.state]++;
      const note = result.state === "skipped" ? result.note : undefined;
      if (note !== undefined) reasons.set(note, (reasons.get(note) ?? 0) + 1);
    }
    const anyFailed = tests.some((test) => test.result().state === "failed");
    if (module.state() === "failed" && !anyFailed) counts.failed++;
  }
  return { ...counts, reasons };
}

/** The lines that close a run: one per reason for skipping, then `N passed, N failed` alone on the last one. */
function closingLines({ passed, failed, skipped, reasons }: Tally): readonly string[] {
  const because = [...reasons].map(([reason, count]) => `${count} skipped: ${reason}`);
  return [...because, `${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`];
}

/** Vitest's own reporter with a closing line that people and machines read. */
export default class ClosingLineReporter extends DefaultReporter {
  #closing: readonly string[] = ["0 passed, 0 failed"];

  override onInit(vitest: Parameters<DefaultReporter["onInit"]>[0]): void {
    super.onInit(vitest);
    // Last of all, after what other parts of Vitest say while they close.
    if (!vitest.config.watch) process.on("exit", () => process.stdout.write(`${this.#closing.join("\n")}\n`));
  }

  override onTestRunEnd(...run: Parameters<DefaultReporter["onTestRunEnd"]>): void {
    super.onTestRunEnd(...run);
    const [modules, strayErrors] = run;
    const counts = tally(modules, strayErrors.length);
    this.#closing = closingLines(counts);
    // A run in which nothing ran proves nothing.
    if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1;
  }
}
