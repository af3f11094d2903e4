import { type ErrorCode, errorCatalogue } from "../../kernel/error-catalogue.ts";
import { ThroughlineError, unknownOutcome } from "../../kernel/error.ts";

/** Error codes by the beginning of the SQLSTATE, longest first. */
const states: readonly (readonly [beginning: string, code: ErrorCode])[] = [
  ["53100", "store.full"],
  ["53300", "store.unreachable"],
  ["55P03", "store.busy"],
  ["57014", "store.busy"],
  ["57P", "store.unreachable"],
  ["3D000", "store.unreachable"],
  ["XX001", "store.corrupt"],
  ["XX002", "store.corrupt"],
  ["08", "store.unreachable"],
  ["28", "store.unreachable"],
];

/**
 * Serialization failure, deadlock, a key that another transaction took, or a parent row that it erased. The repeated call sees the other
 * transaction's changes.
 */
const repeatable = new Set(["40001", "40P01", "23505", "23503"]);

/** No SQLSTATE starts with E. Codes of the operating system do, and some, such as EPIPE, have the same length. */
const sqlState = /^(?!E)[0-9A-Z]{5}$/;

function stateOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && sqlState.test(code) ? code : undefined;
}

/** Whether the same statement should be repeated immediately after this error of `pg`. */
export const wantsRepeat = (error: unknown): boolean => repeatable.has(stateOf(error) ?? "");

/** SQLSTATEs of an ending connection or server. The statement may have committed before. */
const endings = /^(?:08|57P|40003)/;

/**
 * Converts an error of `pg`. `shown` is the location without its password. `writes`: the statement was sent and writes, so that without a response
 * its outcome is unknown.
 */
export function postgresError(error: unknown, shown: string, { writes = false }: { readonly writes?: boolean } = {}): unknown {
  if (ThroughlineError.is(error) || !(error instanceof Error)) return error;
  const state = stateOf(error);
  // Without an SQLSTATE the error comes from the network, or from a timeout of `pg`, not from the database.
  const code = state === undefined ? "store.unreachable" : (states.find(([beginning]) => state.startsWith(beginning))?.[1] ?? "store.failed");
  const what = error.message === "" && error instanceof AggregateError ? error.errors.map(String).join("; ") : error.message;
  return new ThroughlineError(code, `${errorCatalogue[code].meaning} (${shown}: ${what}${state === undefined ? "" : `, SQLSTATE ${state}`})`, {
    cause: error,
    ...(writes && (state === undefined || endings.test(state)) ? { details: unknownOutcome } : {}),
  });
}
