/** The parts of the prompt: whichever model answers, it knows this and the recent messages. */
import { section } from "throughline";
import type { Night } from "./nights.ts";
import type { DiaryState } from "./state.ts";

/** The section `diary`, as JSON. */
export interface Known {
  readonly user_name?: string;
  /** The newest fourteen. */
  readonly nights: readonly Night[];
  readonly streak?: number;
  readonly average_bedtime?: string;
  readonly goals: readonly string[];
}

export const diarySection = section<DiaryState>("diary", ({ state }) => {
  const { user_name, nights, streak, average_bedtime, goals } = state;
  const newest = nights.toSorted((left, right) => left.date.localeCompare(right.date)).slice(-14);
  return JSON.stringify({ user_name, nights: newest, streak, average_bedtime, goals });
});

/** What this turn has written down, one fact a line; left out when it is nothing. */
export const notedSection = section<DiaryState>("noted", ({ state }) => state.noted.join("\n"));
