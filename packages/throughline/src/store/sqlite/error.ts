import { type ErrorCode, errorCatalogue } from "../../kernel/error-catalogue.ts";
import { ThroughlineError } from "../../kernel/error.ts";

/** Error codes for SQLite's primary result codes. */
const codes: Readonly<Record<number, ErrorCode>> = {
  5: "store.busy",
  6: "store.busy",
  11: "store.corrupt",
  13: "store.full",
  14: "store.unreachable",
  26: "store.corrupt",
};

/** Converts an error of `node:sqlite`. Other errors are returned unchanged. */
export function sqliteError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return error;
  // The low byte is the primary code. The other bytes refine it.
  const code = codes[error.errcode & 0xff] ?? "store.failed";
  return new ThroughlineError(code, `${errorCatalogue[code].meaning} (${path}: ${error.message}, SQLite code ${error.errcode})`, { cause: error });
}
