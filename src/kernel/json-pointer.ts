/** RFC 6901 pointers. */
import { ThroughlineError, seen } from "./error.ts";

/** Keys that reach an object's prototype in careless code; no pointer of ours may go through them. */
const forbidden: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Whether a key may be a segment of a path: anything but `__proto__`, `constructor` and `prototype`. */
export const isSafeSegment = (segment: string): boolean => !forbidden.has(segment);

/** One segment, escaped for use in a pointer. */
export function escapeSegment(segment: string): string {
  return segment.includes("~") || segment.includes("/") ? segment.replaceAll("~", "~0").replaceAll("/", "~1") : segment;
}

/** A pointer from its segments: `["a/b", 0]` is `/a~1b/0`, no segment at all is the whole document. */
export function formatPointer(segments: readonly (string | number)[]): string {
  return segments.map((segment) => `/${escapeSegment(String(segment))}`).join("");
}

/** The segments of a pointer. `patch.invalid` if it is malformed or goes through `__proto__`, `constructor` or `prototype`. */
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

/** The index that a segment names in an array of `length` elements, `-` being the end; undefined if it names none. */
export function parseIndex(segment: string, length: number): number | undefined {
  if (segment === "-") return length;
  return /^(?:0|[1-9]\d{0,15})$/.test(segment) ? Number(segment) : undefined;
}

function invalidPointer(pointer: string, why: string): ThroughlineError {
  return new ThroughlineError("patch.invalid", `The path ${seen(pointer)} ${why}.`, { details: { path: pointer } });
}
