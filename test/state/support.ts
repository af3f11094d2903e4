import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import type { ErrorCode } from "../../packages/throughline/src/kernel/error-catalogue.ts";

/** The ThroughlineError that `run` throws; fails the test when it throws none. */
export function errorOf(run: () => unknown): ThroughlineError {
  try {
    run();
  } catch (error) {
    if (ThroughlineError.is(error)) return error;
    throw error;
  }
  throw new Error("Nothing was thrown.");
}

/** The code of what `run` throws. */
export const codeOf = (run: () => unknown): ErrorCode => errorOf(run).code;
