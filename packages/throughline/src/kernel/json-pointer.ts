/** JSON Pointers (RFC 6901). */
import { ThroughlineError, seen } from "./error.ts";

/** Keys that can reach an object's prototype. No pointer may contain them. */
const forbidden: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Whether a key may be a segment of a path: any key except `__proto__`, `constructor` and `prototype`. */
export const isSafeSegment = (segment: string): boolean => !forbidden.has(segment);

/** Escapes a segment for use in a pointer. */
export function escapeSegment(segment: string): string {
  return segment.includes("~") || segment.includes("/") ? segment.replaceAll("~", "~0").replaceAll("/", "~1") : segment;
}

/** Formats segments as a pointer: `["a/b", 0]` gives `/a~1b/0`. No segments give the pointer to the whole document. */
export function formatPointer(segments: readonly (string | number)[]): string {
  return segments.map((segment) => `/${escapeSegment(String(segment))}`).join("");
}

/** Parses a pointer to its segments. Throws `patch.invalid` if it is malformed or contains `__proto__`, `constructor` or `prototype`. */
export function parsePointer(pointer: string): readonly string[] {
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) throw invalidPointer(pointer, "does not begin with `/`");
  const segments = pointer.slice(1).split("/");
  return segments.map((raw) => {
    if (/~(?![01])/.test(raw)) throw invalidPointer(pointer, "has a `~` that is neither `~0` nor `~1`");
    const segment = raw.includes("~") ? raw.replaceAll("~1", "/").replaceAll("~0", "~") : raw;
    if (!isSafeSegment(segment)) throw invalidPointer(pointer, `goes through \`${segment}\``);
    return segment;
  });
}

/** Parses a segment as an index in an array of `length` elements. `-` is the end of the array. Returns undefined if the segment is not an index. */
export function parseIndex(segment: string, length: number): number | undefined {
  if (segment === "-") return length;
  return /^(?:0|[1-9]\d{0,15})$/.test(segment) ? Number(segment) : undefined;
}

function invalidPointer(pointer: string, why: string): ThroughlineError {
  return new ThroughlineError("patch.invalid", `The path ${seen(pointer)} ${why}.`, { details: { path: pointer } });
}
