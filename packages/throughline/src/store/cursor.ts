import { ThroughlineError, seen } from "../kernel/error.ts";
import type { ListQuery } from "./port.ts";

/** The ordering key of a list's last item: a number or a text for each column. */
export type ListKey = readonly (number | string)[];

/** Returns the list that a query belongs to, with the types of its ordering key. */
function orderOf(query: ListQuery): readonly [list: string, ...types: ("number" | "string")[]] {
  if (query.of === "records") return ["records", "string"];
  if (query.of === "sessions" && query.by === "handover") return ["handovers", "number", "number"];
  return [query.of, "number"];
}

/** Returns an opaque cursor that continues `query` after the item with `key`. */
export function encodeCursor(query: ListQuery, key: ListKey): string {
  return Buffer.from(JSON.stringify([orderOf(query)[0], query.order ?? "asc", ...key])).toString("base64url");
}

/** Returns the content of a cursor, or undefined if it is not JSON. */
function partsOf(cursor: unknown): unknown {
  try {
    return typeof cursor === "string" ? (JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the key to continue after, or undefined without a cursor. Throws `cursor.invalid` for a cursor that was not issued for such a query. */
export function decodeCursor(query: ListQuery): ListKey | undefined {
  if (query.cursor === undefined) return undefined;
  const parts = partsOf(query.cursor);
  const types = orderOf(query).slice(1);
  const key = Array.isArray(parts) ? (parts.slice(2) as ListKey) : [];
  const isKey =
    key.length === types.length && key.every((part, index) => typeof part === types[index] && (typeof part === "string" || isPlace(part)));
  if (isKey && encodeCursor(query, key) === query.cursor) return key;
  throw new ThroughlineError("cursor.invalid", `cursor ${seen(query.cursor)} was not handed out for this list of ${query.of}.`);
}

const isPlace = (part: number | string): boolean => Number.isSafeInteger(part) && Number(part) >= 0;
