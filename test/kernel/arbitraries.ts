import fc from "fast-check";
import type { Json, JsonObject } from "../../packages/throughline/src/kernel/json.ts";

const key = fc.constantFrom("a", "b", "c", "d/e", "f~g", "", "0", "-", "é", "constructor");

/** JSON values that often have parts in common: few keys, few leaves. */
export const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json; leaf: Json }>((tie) => ({
  leaf: fc.oneof(fc.constantFrom<Json>(null, true, false, 0, 1, 2, "", "x", "y"), fc.integer(), fc.string({ maxLength: 5 })),
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    tie("leaf"),
    fc.array(tie("value"), { maxLength: 6 }),
    fc.dictionary(key, tie("value"), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value;

/** JSON objects without a key that a path may not go through. */
export const document: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.constantFrom("a", "b", "c", "d/e", "f~g", "0"),
  json.filter((value) => !JSON.stringify(value).includes("constructor")),
  { maxKeys: 5, noNullPrototype: true },
);
