import { isPlainObject, type Json } from "./json.ts";

/**
 * Applies a merge patch (RFC 7396). Object members are merged, null removes a member, and any other value replaces the target. A patch therefore
 * cannot set null.
 */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isPlainObject(patch)) return patch;
  // A member may be named `__proto__`. A Map and Object.fromEntries define it as a member; an assignment would set the prototype.
  const merged = new Map<string, Json>(Object.entries(isPlainObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}
