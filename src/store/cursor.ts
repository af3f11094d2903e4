import { ThroughlineError, seen } from "../kernel/error.ts";
import type { ListQuery } from "./port.ts";

/** What a page cursor holds: the list it belongs to, its direction and the key of the last item. */
const shape = /^(sessions|customers|turns) (asc|desc) ([1-9][0-9]{0,15})$/;

/** An opaque cursor that continues `query` after the item with `key`. */
export function encodeCursor(query: ListQuery, key: number): string {
  return Buffer.from(`${query.of} ${query.order ?? "asc"} ${key}`).toString("base64url");
}

/** The key to continue after; undefined without a cursor; `cursor.invalid` for one that was not handed out for such a query. */
export function decodeCursor(query: ListQuery): number | undefined {
  if (query.cursor === undefined) return undefined;
  const text = typeof query.cursor === "string" ? Buffer.from(query.cursor, "base64url").toString() : "";
  const parts = shape.exec(text);
  const same =
    parts !== null && parts[1] === query.of && parts[2] === (query.order ?? "asc") && encodeCursor(query, Number(parts[3])) === query.cursor;
  if (!same) throw new ThroughlineError("cursor.invalid", `cursor ${seen(query.cursor)} was not handed out for this list of ${query.of}.`);
  return Number(parts[3]);
}
