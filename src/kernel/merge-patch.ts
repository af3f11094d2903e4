import { isPlainObject, type Json } from "./json.ts";

/**
 * A merge patch (RFC 7396) applied: members of objects are merged, null takes one away, whatever else stands in the place of what was there. So a patch cannot
 * set null.
 */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isPlainObject(patch)) return patch;
  // A member may be called `__proto__`, which only a definition leaves alone.
  const merged = new Map<string, Json>(Object.entries(isPlainObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}
