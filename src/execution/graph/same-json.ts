import { jsonEqual, type Json } from "../../kernel/json.ts";

/** Whether two values are the same as JSON, key order aside. */
export const sameJson = (left: unknown, right: unknown): boolean =>
  left !== undefined && right !== undefined && jsonEqual(left as Json, right as Json);
