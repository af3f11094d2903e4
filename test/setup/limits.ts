/**
 * Milliseconds after which a test gives up on what it waits for. A limit ends what hangs and measures nothing, so that no test fails because the
 * machine is busy. Speed is measured by the benchmarks, and by tests whose title begins with `timing:`.
 */
export const hangMs = 60_000;
