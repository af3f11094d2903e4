import { ThroughlineError, seen } from "./error.ts";

/** Options of a conditional change. */
export interface VersionOptions {
  /** The `version` that the change rests on; `request.precondition_failed`, with the one there is, if it is another by now. */
  readonly ifVersion?: number;
}

/** Refuses a change that was decided on another version. */
export function checkVersion({ ifVersion }: VersionOptions, version: number): void {
  if (ifVersion === undefined || ifVersion === version) return;
  if (!Number.isSafeInteger(ifVersion))
    throw new ThroughlineError("input.invalid", `ifVersion is a whole number, got ${seen(ifVersion)}.`, { details: { path: "ifVersion" } });
  throw new ThroughlineError("request.precondition_failed", `It is at version ${version}, not ${ifVersion}.`, { details: { version } });
}

/** Refuses members that mean nothing: a misspelt one would look as if it were done. */
export function checkMembers(given: object, known: readonly string[], call: string): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new ThroughlineError("input.invalid", `${call} has no ${seen(unknown)}; it has ${known.join(", ")}.`, { details: { path: unknown } });
}
