/** The types of JSON. They stand apart from what checks JSON, because errors hold JSON and a failed check throws an error. */

/** A JSON value without members or elements. */
export type JsonPrimitive = string | number | boolean | null;
/** A list of JSON values. */
export type JsonArray = readonly Json[];
/** A JSON object: values by name. */
export interface JsonObject {
  readonly [key: string]: Json;
}
/** A JSON value, frozen or treated as such. `undefined`, NaN, dates and class instances are not JSON. */
export type Json = JsonPrimitive | JsonArray | JsonObject;
