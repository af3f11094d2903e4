/** JSON as rows of a tree, and the difference between two documents as operations of a JSON Patch. */
import type { WireJson, WireJsonObject } from "@throughline/client";

/** One row of a tree. */
export interface JsonRow {
  /** A JSON Pointer. */
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  readonly value: WireJson;
  /** How many members or items it has; undefined for a plain value. */
  readonly size: number | undefined;
  readonly open: boolean;
}

type Container = WireJsonObject | readonly WireJson[];

const isList = (value: WireJson): value is readonly WireJson[] => Array.isArray(value);
const isContainer = (value: WireJson): value is Container => typeof value === "object" && value !== null;
/** The members of an object, or the items of a list by index. */
const membersOf = (value: Container): readonly (readonly [string, WireJson])[] =>
  isList(value) ? value.map((item, index) => [String(index), item] as const) : Object.entries(value);

const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** The most rows of a tree. */
const mostRows = 50_000;

/** The rows of a document. `opened` holds the paths that a person opened or closed; others are open to the second level. */
export function rowsOf(document: WireJsonObject, opened: ReadonlyMap<string, boolean>): readonly JsonRow[] {
  const rows: JsonRow[] = [];
  const walk = (value: Container, path: string, depth: number): void => {
    for (const [name, member] of membersOf(value)) {
      if (rows.length >= mostRows) return;
      const own = `${path}/${escaped(name)}`;
      const size = isContainer(member) ? membersOf(member).length : undefined;
      const open = size !== undefined && size > 0 && (opened.get(own) ?? (depth < 1 && size <= 20));
      rows.push({ path: own, name, depth, value: member, size, open });
      if (open && isContainer(member)) walk(member, own, depth + 1);
    }
  };
  walk(document, "", 0);
  return rows;
}

/** One difference between two documents. */
export interface Change {
  readonly op: "add" | "remove" | "replace";
  readonly path: string;
  readonly before?: WireJson;
  readonly after?: WireJson;
}

/** Whether two values are equal. */
export function isEqual(left: WireJson | undefined, right: WireJson | undefined): boolean {
  if (left === right) return true;
  if (left === undefined || right === undefined || !isContainer(left) || !isContainer(right) || isList(left) !== isList(right)) return false;
  const [members, others] = [membersOf(left), new Map(membersOf(right))];
  return members.length === others.size && members.every(([name, value]) => others.has(name) && isEqual(value, others.get(name)));
}

/** The changes from one document to another, by path. A list that grew or shrank is compared without what is equal at both ends. */
export function changesBetween(before: WireJsonObject, after: WireJsonObject): readonly Change[] {
  const changes: Change[] = [];
  const compareObjects = (old: WireJsonObject, value: WireJsonObject, path: string): void => {
    const [olds, values] = [new Map(Object.entries(old)), new Map(Object.entries(value))];
    for (const [name, member] of olds) if (!values.has(name)) changes.push({ op: "remove", path: `${path}/${escaped(name)}`, before: member });
    for (const [name, member] of values) {
      const was = olds.get(name);
      if (was === undefined) changes.push({ op: "add", path: `${path}/${escaped(name)}`, after: member });
      else compare(was, member, `${path}/${escaped(name)}`);
    }
  };
  const compareLists = (old: readonly WireJson[], value: readonly WireJson[], path: string): void => {
    let start = 0;
    while (start < old.length && start < value.length && isEqual(old[start], value[start])) start += 1;
    let end = 0;
    while (end < old.length - start && end < value.length - start && isEqual(old[old.length - 1 - end], value[value.length - 1 - end])) end += 1;
    const [oldMiddle, middle] = [old.slice(start, old.length - end), value.slice(start, value.length - end)];
    const shared = Math.min(oldMiddle.length, middle.length);
    for (let index = 0; index < shared; index++) compare(oldMiddle[index] ?? null, middle[index] ?? null, `${path}/${start + index}`);
    // From the end, so that each index holds when the operations are applied in order.
    for (let index = oldMiddle.length - 1; index >= shared; index--)
      changes.push({ op: "remove", path: `${path}/${start + index}`, before: oldMiddle[index] ?? null });
    for (let index = shared; index < middle.length; index++)
      changes.push({ op: "add", path: `${path}/${start + index}`, after: middle[index] ?? null });
  };
  const compare = (old: WireJson, value: WireJson, path: string): void => {
    if (old === value) return;
    if (isContainer(old) && isContainer(value)) {
      if (isList(old) && isList(value)) return compareLists(old, value, path);
      if (!isList(old) && !isList(value)) return compareObjects(old, value, path);
    }
    changes.push({ op: "replace", path, before: old, after: value });
  };
  compareObjects(before, after, "");
  return changes;
}

/** The changes as a JSON Patch (RFC 6902). */
export const patchOf = (changes: readonly Change[]): readonly object[] =>
  changes.map(({ op, path, after }) => (op === "remove" ? { op, path } : { op, path, value: after }));
