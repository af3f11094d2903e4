/** JSON Patch (RFC 6902). */
import { seen, ThroughlineError } from "./error.ts";
import { deepFreeze, isPlainObject, type Json, jsonEqual, type JsonObject, notJson, parseIndex, parsePointer } from "./json.ts";

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

type Container = Json[] | Record<string, Json>;

/**
 * A mutable working copy of a document. The draft copies a container on the first write to it and owns the copy from then on. Thirty thousand appends
 * to one list therefore copy the list once. Patching frozen values would copy it each time.
 */
class Draft {
  #root: Json;
  readonly #owned = new Set<Json>();
  /** Whether the base is frozen: then only what is new is frozen at the end. */
  readonly #wasFrozen: boolean;
  readonly #added: Json[] = [];

  constructor(base: Json) {
    this.#root = base;
    this.#wasFrozen = Object.isFrozen(base);
  }

  /** Applies operations in order. If one fails, it throws and leaves the draft half-written; discard the draft then. */
  apply(operations: readonly PatchOperation[]): void {
    for (const [index, operation] of operations.entries()) {
      try {
        this.#apply(operation);
      } catch (error) {
        throw error instanceof Failure ? error.at(index, operation) : error;
      }
    }
  }

  /** Returns the document, deeply frozen. The draft must not be used afterwards. */
  finish(): Json {
    if (!this.#wasFrozen) return deepFreeze(this.#root);
    for (const container of this.#owned) Object.freeze(container);
    for (const value of this.#added) deepFreeze(value);
    return this.#root;
  }

  #apply(operation: PatchOperation): void {
    const path = parsePointer(operation.path);
    switch (operation.op) {
      case "add":
        return this.#add(path, operation.value);
      case "replace":
        return this.#replace(path, operation.value);
      case "remove":
        return this.#remove(path);
      case "test":
        return this.#test(path, operation.value);
      case "move":
        return this.#move(operation.from, operation.path);
      case "copy": {
        const value = this.#read(parsePointer(operation.from));
        this.#disown(value);
        return this.#add(path, value);
      }
      default:
        throw new Failure("patch.invalid", `is no operation of RFC 6902: ${seen((operation as { op: unknown }).op)}`);
    }
  }

  #add(path: readonly string[], value: Json): void {
    this.#added.push(value);
    const last = path.at(-1);
    if (last === undefined) {
      this.#root = value;
      return;
    }
    const parent = this.#openParent(path);
    if (!Array.isArray(parent)) {
      parent[last] = value;
      return;
    }
    const index = parseIndex(last, parent.length);
    if (index === undefined || index > parent.length) throw noSuch(last, parent);
    if (index === parent.length) parent.push(value);
    else parent.splice(index, 0, value);
  }

  #replace(path: readonly string[], value: Json): void {
    this.#added.push(value);
    const last = path.at(-1);
    if (last === undefined) {
      this.#root = value;
      return;
    }
    const parent = this.#openParent(path);
    member(parent, last);
    assign(parent, last, value);
  }

  #remove(path: readonly string[]): void {
    const last = path.at(-1);
    if (last === undefined) {
      this.#root = null;
      return;
    }
    const parent = this.#openParent(path);
    member(parent, last);
    if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else delete parent[last];
  }

  #test(path: readonly string[], expected: Json): void {
    const found = this.#read(path);
    if (!jsonEqual(found, expected)) throw new Failure("patch.test_failed", `expects ${seen(expected)}; saw ${seen(found)}`);
  }

  #move(from: string, to: string): void {
    const source = parsePointer(from);
    const value = this.#read(source);
    if (from === to) return;
    if (to.startsWith(`${from}/`)) throw new Failure("patch.invalid", `moves ${seen(from)} into itself`);
    this.#remove(source);
    this.#add(parsePointer(to), value);
  }

  #read(path: readonly string[]): Json {
    let value = this.#root;
    for (const segment of path) value = member(value, segment);
    return value;
  }

  /** Returns the container of the path's last segment. The draft owns it and all containers above it. */
  #openParent(path: readonly string[]): Container {
    if (!isContainer(this.#root)) throw noSuch(path[0] ?? "", this.#root);
    let parent = this.#own(this.#root);
    this.#root = parent;
    for (const segment of path.slice(0, -1)) {
      const child = member(parent, segment);
      if (!isContainer(child)) throw noSuch(path.at(-1) ?? "", child);
      const copy = this.#own(child);
      assign(parent, segment, copy);
      parent = copy;
    }
    return parent;
  }

  #own(value: JsonObject | readonly Json[]): Container {
    if (this.#owned.has(value)) return value as Container;
    const copy: Container = Array.isArray(value) ? value.slice() : { ...(value as JsonObject) };
    this.#owned.add(copy);
    return copy;
  }

  /** Gives up ownership of a container that is about to be referenced twice. The next write through either reference then copies it. */
  #disown(value: Json): void {
    if (!isContainer(value) || !this.#owned.delete(value)) return;
    for (const child of Object.values(value)) this.#disown(child);
  }
}

/** Why an operation failed. The draft adds the operation's index and path. */
class Failure extends Error {
  readonly code: "patch.invalid" | "patch.path_missing" | "patch.test_failed";

  constructor(code: Failure["code"], message: string) {
    super(message);
    this.code = code;
  }

  at(index: number, operation: PatchOperation): ThroughlineError {
    const { op, path } = operation;
    return new ThroughlineError(this.code, `Operation ${index}, ${seen(op)} at ${seen(path)}, ${this.message}.`, { details: { index, path } });
  }
}

const isContainer = (value: Json): value is JsonObject | readonly Json[] => typeof value === "object" && value !== null;

function member(container: Json, segment: string): Json {
  if (Array.isArray(container)) {
    const index = parseIndex(segment, container.length);
    if (index !== undefined && index < container.length) return container[index] as Json;
  } else if (isContainer(container) && Object.hasOwn(container, segment)) {
    return (container as JsonObject)[segment] as Json;
  }
  throw noSuch(segment, container);
}

function assign(container: Container, segment: string, value: Json): void {
  if (Array.isArray(container)) container[Number(segment)] = value;
  else container[segment] = value;
}

function noSuch(segment: string, container: Json): Failure {
  const place = Array.isArray(container) ? `a list of ${container.length}` : isContainer(container) ? "an object" : seen(container);
  return new Failure("patch.path_missing", `finds no ${seen(segment)} in ${place}`);
}

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
