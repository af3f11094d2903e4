/** A sleep diary: stages take name, bedtimes and goals out of what is said into typed state, and rules answer. It needs no key and no network. */
import { clear, defineAgent, loop, persona, recentMessages, rules, stage, variables, withControl } from "throughline";
import { answers } from "./answers.ts";
import { careText, speaksOfSelfHarm } from "./care.ts";
import { extract } from "./extract.ts";
import { averageBedtime, streakOf } from "./nights.ts";
import { diarySection, notedSection } from "./prompt.ts";
import { Diary } from "./state.ts";

/** Comes first and answers by itself, whichever model is plugged in; the diary keeps nothing of such a message. */
const care = stage("care", { state: Diary, writes: [] }, ({ state }) =>
  speaksOfSelfHarm(state.message) ? withControl({ reply: careText }) : undefined,
);

const extraction = stage("extract", { state: Diary, writes: ["user_name", "nights", "goals", "noted"] }, ({ state, context }) => {
  const found = extract(state.message, context.now);
  const nights = found.nights.map((night) => ({ ...state.nights.find((known) => known.date === night.date), ...night }));
  const forget = new Set(found.forget);
  const noted = [
    ...(found.name === undefined ? [] : ["name"]),
    ...nights.map((night) => `night ${night.date}`),
    ...(found.goal === undefined ? [] : ["goal"]),
    ...[...forget].map((what) => `${what} forgotten`),
  ];
  return {
    noted,
    ...(found.name !== undefined ? { user_name: found.name } : forget.has("name") ? { user_name: clear() } : {}),
    ...(forget.has("nights") ? { nights: clear() } : nights.length > 0 ? { nights } : {}),
    ...(forget.has("goals") ? { goals: clear() } : found.goal === undefined ? {} : { goals: found.goal }),
  };
});

const counting = stage("streak", { state: Diary, writes: ["streak", "average_bedtime"] }, ({ state, context }) => {
  if (state.nights.length === 0) return { streak: clear(), average_bedtime: clear() };
  return { streak: streakOf(state.nights, context.now), average_bedtime: averageBedtime(state.nights) ?? clear() };
});

/** At a terminal the words come at a reader's pace. */
const pace = process.stdout.isTTY ? 25 : 0;

export const agent = defineAgent({
  name: "diary",
  version: 1,
  state: Diary,
  stages: [care, extraction, counting],
  reply: loop({ model: rules(answers, { name: "diary rules (offline, no language model)", pace }) }),
  sections: [
    persona("You keep a sleep diary. Be warm, brief and specific. Mention only what the diary holds. Diagnose nothing."),
    variables,
    diarySection,
    notedSection,
    recentMessages({ window: 12 }),
  ],
});
