/** Values of the runtime as bodies of answers: what the service has read is frozen, and what a schema describes is not. */
import type { JsonObject } from "../../kernel/json.ts";

/** A value whose members may be written, all the way down. */
export type Writable<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : { -readonly [Member in keyof Value]: Writable<Value[Member]> };

/** A copy of plain data that its reader may change. */
// The compiler cannot know that a copy is frozen nowhere.
export const writable = <Value>(value: Value): Writable<Value> => structuredClone(value) as Writable<Value>;

/** Plain data as JSON: members that are undefined are left out. */
export const jsonOf = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;
