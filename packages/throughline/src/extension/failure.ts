import { ThroughlineError, type ErrorInfo } from "../kernel/error.ts";
import { type JsonObject, notJson } from "../kernel/json.ts";
import { causesOf, originOf } from "../kernel/log.ts";

/** Returns the error for an invalid value of a caller. `path` names the value. */
export const invalidAt = (
  code: "input.invalid" | "session.invalid" | "handover.invalid" | "state.invalid_value",
  path: string,
  message: string,
): ThroughlineError => new ThroughlineError(code, message, { details: { path } });

/** Returns the error for an invalid definition of an agent, or of a part of one. */
export const invalidAgent = (message: string): ThroughlineError => new ThroughlineError("agent.invalid", message);

/** Tells whether an error fails the turn. Errors such as an unreachable database or an outdated definition leave the turn for another attempt. */
export function isOwnFailure(error: unknown): boolean {
  if (!ThroughlineError.is(error)) return true;
  return (
    !error.code.startsWith("store.") &&
    !ThroughlineError.is(
      error,
      "aborted",
      "turn.fenced",
      "turn.stopped",
      "session.manual",
      "session.conflict",
      "session.not_found",
      "state.definition_newer",
      "agent.not_found",
    )
  );
}

/**
 * Returns an error of a stage or a model as the failure of its turn. An error that looks like a lost turn, such as `session.not_found` for another
 * session, becomes `other`. The turn would otherwise be retried forever.
 */
export const failureOf = (error: unknown, other: ThroughlineError): ThroughlineError =>
  ThroughlineError.is(error) && isOwnFailure(error) ? error : other;

/** Where errors come from: the turn's own work, or code of an extension. */
const origins = new WeakMap<object, "turn" | "extension">();

/** Marks an error as the turn's own, unless it comes from an extension. A turn can be given back because of its own errors without counting the attempt. */
export function ofTurn<Thrown>(error: Thrown): Thrown {
  if (typeof error === "object" && error !== null && !origins.has(error)) origins.set(error, "turn");
  return error;
}

/** Runs the turn's own work within a point of an extension. */
export async function own<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw ofTurn(error);
  }
}

/** Whether an error is a failure of the store in an extension's own code. The attempt counts, since the extension may use another store. */
export const isOfExtension = (error: unknown): boolean => typeof error === "object" && error !== null && origins.get(error) === "extension";

/**
 * Runs a point of an extension. Its exceptions become `extension.failed`, except for those that `failedIn` leaves unchanged. Their text may quote a
 * user, so only the cause has it, not the log.
 */
export async function named<Result>(extension: { readonly name: string }, signal: AbortSignal, point: () => Promise<Result>): Promise<Result> {
  try {
    return await point();
  } catch (error) {
    signal.throwIfAborted();
    throw failedIn(extension, error);
  }
}

/**
 * Returns an exception of an extension as an error that names the extension. Errors that fail the turn are returned unchanged, as are the turn's own
 * errors and those of a store. An error that only looks like a lost turn would otherwise be retried forever.
 */
export function failedIn({ name }: { readonly name: string }, error: unknown): ThroughlineError {
  if (ThroughlineError.is(error)) {
    if (!origins.has(error)) thrownAt(error, { extension: name });
    if (isOwnFailure(error) || origins.has(error)) return error;
    if (error.code.startsWith("store.")) {
      origins.set(error, "extension");
      return error;
    }
  }
  return new ThroughlineError("extension.failed", `Extension "${name}" failed.`, { cause: error, details: { extension: name } });
}

/** Where errors were thrown: the stage, model or extension. */
const places = new WeakMap<object, JsonObject>();

/** Records where an error was thrown, for the report to developers. The first place counts. Returns the error. */
export function thrownAt<Thrown>(error: Thrown, place: JsonObject): Thrown {
  if (typeof error === "object" && error !== null && !places.has(error)) places.set(error, place);
  return error;
}

/** Members of an error's details that name a part of an agent. */
const parts: ReadonlySet<string> = new Set(["stage", "tool", "hook", "point", "extension", "model", "field", "reducer"]);

/** Returns the names of the parts in which an error was thrown, from the error and its causes. */
export function placeOf(error: unknown): JsonObject {
  const found: Record<string, JsonObject[string]> = {};
  for (const one of causesOf(error)) {
    const details = ThroughlineError.is(one) ? one.details : {};
    const place = typeof one === "object" && one !== null ? places.get(one) : undefined;
    for (const [name, value] of Object.entries({ ...place, ...details })) if (parts.has(name)) found[name] ??= value;
  }
  return found;
}

/**
 * Returns a failed turn's error with the thrown error as its `cause`. The member is not enumerable, so JSON, structured clones and spreads leave it
 * out: it stays in this process.
 */
export const withCause = (error: ErrorInfo, thrown: unknown): ErrorInfo & { readonly cause?: unknown } =>
  Object.defineProperty({ ...error }, "cause", { value: originOf(thrown), enumerable: false });

/** Returns an error in the form that the log stores. Details that are not JSON, which only a stage or a model can add, are left out. */
export function storable(error: ThroughlineError): ErrorInfo {
  const { details, ...info } = error.toJSON();
  return details === undefined || notJson(details) !== undefined ? info : { ...info, details };
}
