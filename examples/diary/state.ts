/** What the diary keeps. */
import { appendUnique, defineState, input, reduced, turn, upsertBy, type StateOf } from "throughline";
import { z } from "zod";

const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);
const night = z.object({ date: z.iso.date(), bed: time.optional(), asleep: time.optional(), woke: time.optional() });

/** Every field that outlives a turn may be seen by the customer. */
export const Diary = defineState({
  message: input(z.string()),
  user_name: reduced(z.string().min(1).max(60), { show: "public" }),
  nights: reduced(z.array(night), { show: "public", initial: [], reduce: upsertBy<z.infer<typeof night>>("date") }),
  /** Nights in a row, up to last night. */
  streak: reduced(z.number().int().nonnegative(), { show: "public" }),
  /** When the nights begin on average. */
  average_bedtime: reduced(time, { show: "public" }),
  goals: reduced(z.array(z.string().max(120)), { show: "public", initial: [], reduce: appendUnique<string>() }),
  /** What this turn has written down, for the reply. */
  noted: turn(z.array(z.string()), { initial: [] }),
});

export type DiaryState = StateOf<typeof Diary>;
