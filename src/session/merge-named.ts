import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject, notJson, type JsonObject } from "../kernel/json.ts";
import { mergePatch } from "../kernel/json-patch.ts";
import type { NamedChange } from "./variables.ts";

/**
 * Converts a merge patch of named values to a change. Null unsets a name, and an object is merged into the existing object. Throws
 * `variables.invalid` if the patch is not a JSON object.
 */
export function changeOf(current: JsonObject, patch: unknown, what: "variables" | "metadata"): Required<NamedChange> {
  if (!isPlainObject(patch)) throw new ThroughlineError("variables.invalid", `A patch of ${what} is an object, got ${seen(patch)}.`);
  const offence = notJson(patch);
  if (offence !== undefined) {
    throw new ThroughlineError("variables.invalid", `The patch of ${what} is not JSON at "${offence.path}": ${offence.seen}.`, {
      details: { path: offence.path },
    });
  }
  const given = Object.entries(patch as JsonObject);
  const before = (name: string) => (Object.hasOwn(current, name) ? current[name] : undefined);
  return {
    set: Object.fromEntries(given.flatMap(([name, value]) => (value === null ? [] : [[name, mergePatch(before(name), value)]]))),
    unset: given.flatMap(([name, value]) => (value === null ? [name] : [])),
  };
}
