/** Basic schemas: ids, times, JSON and pages. */
import { z } from "zod";
import type { Json, JsonObject } from "throughline/kernel";

/** Any JSON value. Values on the wire were parsed from JSON, so no check is needed. */
export const json = z.unknown() as unknown as z.ZodType<Json, Json>;
/** Any JSON object. */
export const jsonObject = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject, JsonObject>;
/** A merge patch (RFC 7396) of named values: null removes one, absent ones stay. */
export const mergePatch = jsonObject.describe("A merge patch (RFC 7396): null takes a value away, what is left out stays.");
/** Milliseconds since 1970-01-01 UTC. */
export const time = z.int().describe("Milliseconds since 1970-01-01 UTC.");
export const offset = z.int().min(0);
export const sessionId = z.string().describe("`ses_` and 26 characters.");
export const customerId = z.string().min(1).max(200).describe("The integration's own id of a customer.");
export const mode = z.enum(["auto", "manual"]).describe("Who answers: the agent, or a person.");

const wholeNumber = /^(0|[1-9][0-9]{0,15})$/;

/** A whole number as a query parameter, in plain digits. */
export const wholeQuery = (min: number, max: number): z.ZodType<number, number> =>
  z.preprocess((text: unknown) => (typeof text === "string" && wholeNumber.test(text) ? Number(text) : text), z.int().min(min).max(max)) as z.ZodType<
    number,
    number
  >;
/** An offset as a query parameter. */
export const offsetQuery = wholeQuery(0, Number.MAX_SAFE_INTEGER);
/** A comma-separated list of known values as a query parameter. */
export const listQuery = <const Item extends string>(items: readonly Item[]): z.ZodType<Item[], readonly Item[]> =>
  z.preprocess(
    (text: unknown) => (typeof text === "string" ? text.split(",").map((part) => part.trim()) : text),
    z.array(z.enum(items)).min(1),
  ) as z.ZodType<Item[], readonly Item[]>;
/** A comma-separated list of strings as a query parameter. */
export const textsQuery = (item: z.ZodType<string, string>, most: number): z.ZodType<string[], readonly string[]> =>
  z.preprocess(
    (text: unknown) => (typeof text === "string" ? text.split(",").map((part) => part.trim()) : text),
    z.array(item).min(1).max(most),
  ) as z.ZodType<string[], readonly string[]>;
/** `true` or `false` as a query parameter. */
export const flagQuery = z.preprocess((text: unknown) => (text === "true" ? true : text === "false" ? false : text), z.boolean()) as z.ZodType<
  boolean,
  boolean
>;

/** A page of a list. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    next_cursor: z.string().nullable().describe("Where to go on; null at the end."),
    damaged: z
      .array(z.string())
      .readonly()
      .optional()
      .describe("Rows that cannot be read and are left out, by what is damaged. Absent if there are none."),
    total: z.int().optional().describe("How many there are in all, where that is known."),
  });

/** Query parameters of a page. */
export const pageQuery = {
  limit: wholeQuery(1, 100).optional().describe("1 to 100; 100 if left out."),
  cursor: z.string().min(1).max(1000).optional().describe("The `next_cursor` of the page before."),
};
