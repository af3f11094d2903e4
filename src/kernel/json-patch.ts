/** Validates and applies JSON Patches (RFC 6902). */
import { ThroughlineError, seen } from "./error.ts";
import { Draft } from "./json-draft.ts";
import { type Json, type JsonObject, isPlainObject, notJson } from "./json.ts";
import { parsePointer } from "./json-pointer.ts";

/** An RFC 6902 operation. */
export type PatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

/**
 * Applies a patch atomically: if it throws, `document` is unchanged. The result is deeply frozen and shares all untouched parts with `document`,
 * which are frozen, too. Throws `patch.invalid`, `patch.path_missing` or `patch.test_failed` with the operation's index and path.
 */
export function applyPatch(document: Json, operations: readonly PatchOperation[]): Json {
  const draft = new Draft(document);
  draft.apply(operations);
  return draft.finish();
}

/**
 * Applies several patches to an object, in order. They share one draft that is frozen once at the end. The cost thus depends on the size of the
 * patches, not on their number times the document's size. Throws what {@link applyPatch} throws, and `patch.invalid` if the result is not an object.
 */
export function foldPatches(base: JsonObject, patches: Iterable<readonly PatchOperation[]>): JsonObject {
  const draft = new Draft(base);
  for (const operations of patches) draft.apply(operations);
  const result = draft.finish();
  if (isPlainObject(result)) return result;
  throw new ThroughlineError("patch.invalid", `The patches turn the document into ${seen(result)}, which is no object.`);
}

/** Validates untrusted operations and returns them without unknown members. Throws `patch.invalid` with the index of the first malformed operation. */
export function parseOperations(value: unknown): readonly PatchOperation[] {
  if (!Array.isArray(value)) throw new ThroughlineError("patch.invalid", `A patch is an array of operations; saw ${seen(value)}.`);
  return value.map((item: unknown, index) => parseOperation(item, index));
}

function parseOperation(item: unknown, index: number): PatchOperation {
  if (!isPlainObject(item)) throw malformed(index, `is not an object: ${seen(item)}`);
  const { op } = item;
  const path = checkPointer(item, "path", index);
  if (op === "remove") return { op, path };
  if (op === "move" || op === "copy") return { op, from: checkPointer(item, "from", index), path };
  if (op !== "add" && op !== "replace" && op !== "test") throw malformed(index, `has an unknown \`op\`: ${seen(op)}`);
  if (!Object.hasOwn(item, "value")) throw malformed(index, `(${op}) has no \`value\``);
  const offence = notJson(item["value"]);
  if (offence !== undefined) throw malformed(index, `(${op}) has a \`value\` that is not JSON at ${seen(offence.path)}: ${offence.seen}`);
  return { op, path, value: item["value"] as Json };
}

function checkPointer(item: Record<string, unknown>, name: "path" | "from", index: number): string {
  const pointer = item[name];
  if (typeof pointer !== "string") throw malformed(index, `has no \`${name}\`: ${seen(pointer)}`);
  try {
    parsePointer(pointer);
  } catch (error) {
    throw ThroughlineError.is(error) ? malformed(index, `has a wrong \`${name}\`: ${error.message.replace(/\.$/, "")}`) : error;
  }
  return pointer;
}

function malformed(index: number, why: string): ThroughlineError {
  return new ThroughlineError("patch.invalid", `Operation ${index} ${why}.`, { details: { index } });
}
