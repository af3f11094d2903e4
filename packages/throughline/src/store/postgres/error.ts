import { type ErrorCode, errorCatalogue } from "../../kernel/error-catalogue.ts";
import { ThroughlineError, unknownOutcome } from "../../kernel/error.ts";

/** SQLSTATE by its beginning, the longest first. */
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

/** Serialisation failure, deadlock, a key that another transaction took or a parent that it erased first: the repeated call finds what it did. */
const repeatable = new Set(["40001", "40P01", "23505", "23503"]);

/** No SQLSTATE begins with E; the codes of the operating system do, and some, such as EPIPE, are as long. */
const sqlState = /^(?!E)[0-9A-Z]{5}$/;

function stateOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && sqlState.test(code) ? code : undefined;
}

/** Whether the same statement should be run again at once, by the error of `pg`. */
export const wantsRepeat = (error: unknown): boolean => repeatable.has(stateOf(error) ?? "");

/** SQLSTATEs of a connection or a server that ends: the statement may have committed before. */
const endings = /^(?:08|57P|40003)/;

/**
 * An error of `pg` in Throughline's terms; `shown` is the location without its password. `writes`: the statement was sent and writes, so that without an
 * answer its outcome is unknown.
 */
export function postgresError(error: unknown, shown: string, { writes = false }: { readonly writes?: boolean } = {}): unknown {
  if (ThroughlineError.is(error) || !(error instanceof Error)) return error;
  const state = stateOf(error);
  // Without an SQLSTATE it is not the database that answered but the network, or `pg` that gave up waiting.
  const code = state === undefined ? "store.unreachable" : (states.find(([beginning]) => state.startsWith(beginning))?.[1] ?? "store.failed");
  const what = error.message === "" && error instanceof AggregateError ? error.errors.map(String).join("; ") : error.message;
  return new ThroughlineError(code, `${errorCatalogue[code].meaning} (${shown}: ${what}${state === undefined ? "" : `, SQLSTATE ${state}`})`, {
    cause: error,
    ...(writes && (state === undefined || endings.test(state)) ? { details: unknownOutcome } : {}),
  });
}
