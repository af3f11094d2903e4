import { type PatchOperation } from "./json-patch.ts";
import { type Json, type JsonObject, jsonEqual, escapeSegment, isSafeSegment } from "./json.ts";

/**
 * Returns the operations (add, remove, replace) from one JSON value to another. Their paths start with `path`. Equal references are skipped. Objects
 * are compared by key; arrays without their common start and end. If the operations would be larger than the new value, a single operation replaces
 * the value. The cost is linear in the size of the parts with different references.
 */
export function diff(before: Json, after: Json, path = ""): readonly PatchOperation[] {
  return before === after ? [] : (walk(before, after, path) ?? [{ op: "replace", path, value: after }]);
}

/** Returns the operations below `path`; undefined if replacing the whole value is better. */
function walk(before: Json, after: Json, path: string): PatchOperation[] | undefined {
  if (before === after) return [];
  if (typeof before !== "object" || typeof after !== "object" || before === null || after === null) return undefined;
  if (Array.isArray(before) !== Array.isArray(after)) return undefined;
  const operations: PatchOperation[] = [];
  const described = Array.isArray(before)
    ? walkArray(before, after as readonly Json[], path, operations)
    : walkObject(before as JsonObject, after as JsonObject, path, operations);
  return described && !outweighs(operations, path, after) ? operations : undefined;
}

function walkChild(before: Json, after: Json, path: string, into: PatchOperation[]): void {
  const operations = walk(before, after, path);
  if (operations === undefined) into.push({ op: "replace", path, value: after });
  else for (const operation of operations) into.push(operation);
}

/** Returns false if operations cannot express the change, because a path would contain a forbidden key. */
function walkObject(before: JsonObject, after: JsonObject, path: string, into: PatchOperation[]): boolean {
  for (const key of Object.keys(before)) {
    if (Object.hasOwn(after, key)) continue;
    if (!isSafeSegment(key)) return false;
    into.push({ op: "remove", path: `${path}/${escapeSegment(key)}` });
  }
  for (const key of Object.keys(after)) {
    const value = after[key] as Json;
    const known = Object.hasOwn(before, key);
    if (known && before[key] === value) continue;
    if (!isSafeSegment(key)) {
      if (known && jsonEqual(before[key] as Json, value)) continue;
      return false;
    }
    const childPath = `${path}/${escapeSegment(key)}`;
    if (known) walkChild(before[key] as Json, value, childPath, into);
    else into.push({ op: "add", path: childPath, value });
  }
  return true;
}

function walkArray(before: readonly Json[], after: readonly Json[], path: string, into: PatchOperation[]): boolean {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && jsonEqual(before[start] as Json, after[start] as Json)) start++;
  let tail = 0;
  while (tail < shorter - start && jsonEqual(before[before.length - 1 - tail] as Json, after[after.length - 1 - tail] as Json)) tail++;
  const beforeEnd = before.length - tail;
  const afterEnd = after.length - tail;
  const paired = Math.min(beforeEnd, afterEnd);
  for (let index = start; index < paired; index++) walkChild(before[index] as Json, after[index] as Json, `${path}/${index}`, into);
  for (let index = beforeEnd - 1; index >= paired; index--) into.push({ op: "remove", path: `${path}/${index}` });
  for (let index = paired; index < afterEnd; index++) {
    into.push({ op: "add", path: `${path}/${tail === 0 ? "-" : index}`, value: after[index] as Json });
  }
  return true;
}

/** Size of an operation as JSON, in bytes, without its path and value. */
const operationOverhead = 34;

/** Whether the operations are longer, as JSON, than one operation that replaces the value. */
function outweighs(operations: readonly PatchOperation[], path: string, value: Json): boolean {
  let weight = -operationOverhead - path.length;
  for (const operation of operations) {
    weight += operationOverhead + operation.path.length;
    if ("value" in operation) weight += sizeUpTo(operation.value, Number.POSITIVE_INFINITY);
  }
  return weight > 0 && sizeUpTo(value, weight) < weight;
}

/** Estimates the length of a value as JSON. Stops counting at `limit`, so a small change in a large value stays cheap. */
function sizeUpTo(value: Json, limit: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 5;
  let size = 2;
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) {
      if (size >= limit) return size;
      size += 1 + sizeUpTo(item, limit - size);
    }
    return size;
  }
  const object = value as JsonObject;
  for (const key of Object.keys(object)) {
    if (size >= limit) return size;
    size += key.length + 4 + sizeUpTo(object[key] as Json, limit - size);
  }
  return size;
}
