import { z } from "zod";
import { wholeQuery } from "./value.ts";

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

/** Parameters of a page. */
export const pageQuery = {
  limit: wholeQuery(1, 100).optional().describe("1 to 100; 100 if left out."),
  cursor: z.string().min(1).max(1000).optional().describe("The `next_cursor` of the page before."),
};
