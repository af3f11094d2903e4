/** The rules that answer. They read the request alone, exactly what a language model would be sent: sections of the prompt and the messages. */
import type { ReplyRule, RuleInput } from "throughline";
import type { Known } from "./prompt.ts";
import { perhapsName } from "./names.ts";
import { lastNight, lengthOf, type Night } from "./nights.ts";

const known = (input: RuleInput): Known => JSON.parse(input.section("diary") ?? `{"nights":[],"goals":[]}`) as Known;
const noted = (input: RuleInput): readonly string[] => input.section("noted")?.split("\n") ?? [];

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;
const named = (name: string | undefined): string => (name === undefined ? "" : `, ${name}`);
const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function nightText(night: Night): string {
  const parts = [
    ...(night.bed === undefined ? [] : [`in bed at ${night.bed}`]),
    ...(night.asleep === undefined ? [] : [`asleep at ${night.asleep}`]),
    ...(night.woke === undefined ? [] : [`up at ${night.woke}`]),
  ];
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

/** What can be said about the nights so far. */
function summary({ nights, streak, average_bedtime }: Known): string {
  if (nights.length === 0) return "";
  const row = streak === undefined || streak < 2 ? "" : ` That makes ${streak} nights in a row.`;
  const average = average_bedtime === undefined || nights.length < 2 ? "" : ` On average your night begins at ${average_bedtime}.`;
  return `${row}${average}`;
}

const says =
  (pattern: RegExp, answer: (input: RuleInput, known: Known) => string): ReplyRule =>
  (input) =>
    pattern.test(input.text.trim()) ? answer(input, known(input)) : undefined;

const justNoted: ReplyRule = (input) => {
  const facts = noted(input);
  if (facts.length === 0) return undefined;
  const state = known(input);
  if (facts.includes("name forgotten")) return "Done: I no longer have your name. The nights stay; say so if they should go, too.";
  if (facts.includes("nights forgotten")) return "Done: the nights are gone from your diary.";
  if (facts.includes("goals forgotten")) return "Done: your goals are gone from your diary.";
  const told = facts.filter((fact) => fact.startsWith("night ")).map((fact) => state.nights.find((night) => fact === `night ${night.date}`));
  const night = told.findLast((entry) => entry !== undefined);
  const hello = facts.includes("name") ? `Nice to meet you${named(state.user_name)}.` : "";
  const goal = facts.includes("goal") ? `I wrote down your goal: ${state.goals.at(-1)}.` : "";
  const others = told.length > 1 ? ` (and ${plural(told.length - 1, "other night")})` : "";
  const thanks = hello === "" ? `Noted${named(state.user_name)}:` : "Noted:";
  const written = night === undefined ? "" : `${thanks} ${nightText(night)} on the night of ${night.date}${others}.${summary(state)}`;
  const next = night === undefined && goal === "" ? "When did you go to bed last night, and when did you wake up?" : "";
  return [hello, written, goal, next].filter((part) => part !== "").join(" ");
};

function everything(state: Known): string {
  const { user_name, nights, goals, streak, average_bedtime } = state;
  const last = lastNight(nights);
  const lines = [
    ...(user_name === undefined ? [] : [`your name is ${user_name}`]),
    ...(last === undefined ? [] : [`your last night in the diary is ${last.date}: ${nightText(last)}`]),
    ...(streak === undefined || streak === 0 ? [] : [`your streak is ${plural(streak, "night")}`]),
    ...(average_bedtime === undefined ? [] : [`on average your night begins at ${average_bedtime}`]),
    ...(goals.length === 0 ? [] : [`your ${goals.length === 1 ? "goal is" : "goals are"} to ${goals.join("; to ")}`]),
  ];
  return lines.length === 0 ? "Nothing yet. Tell me your name, or when you went to bed." : `This is all I know: ${lines.join("; ")}.`;
}

/** In order: the first rule that answers, wins. The last one always does. */
export const answers: readonly ReplyRule[] = [
  justNoted,
  says(/\bwhat (?:do|did) you (?:know|remember|have|write)\b|\bwhat(?:'s| is) in (?:my|the) diary\b|^what do you know/iu, (_input, state) =>
    everything(state),
  ),
  says(/\bwhat(?:'s|’s|s| is) my name\b|\bwho am i\b|\bdo you (?:know|remember) my name\b/iu, (_input, { user_name }) =>
    user_name === undefined ? "You have not told me your name yet." : `Your name is ${user_name}.`,
  ),
  says(/\bstreak\b|\bin a row\b/iu, (_input, { streak = 0, user_name }) =>
    streak === 0
      ? `There is no streak at the moment${named(user_name)}. One night is enough to begin one.`
      : `Your streak is ${plural(streak, "night")}${named(user_name)}.`,
  ),
  says(/\baverage\b|\busual bedtime\b/iu, (_input, { average_bedtime, nights }) =>
    average_bedtime === undefined
      ? "I have no bedtimes yet, so there is no average."
      : `Over ${plural(nights.length, "night")} your night begins at ${average_bedtime} on average.`,
  ),
  says(/\b(?:what|which|show|list|tell|remind)\b.*\bgoals?\b/iu, (_input, { goals }) =>
    goals.length === 0 ? "You have no goals in the diary yet." : `You want to ${goals.join("; to ")}.`,
  ),
  says(/\bhow (?:long|many hours)\b/iu, (_input, { nights, user_name }) => {
    const last = lastNight(nights);
    const length = last === undefined ? undefined : lengthOf(last);
    if (last === undefined || length === undefined) return "I would need to know when you fell asleep and when you woke up.";
    return `About ${length} on the night of ${last.date}${named(user_name)}: ${nightText(last)}.`;
  }),
  says(
    /\bwhen did i\b|\bhow did i sleep\b|\b(?:show|list)\b.*\bnights?\b|\blast (?:bedtime|night)\?|\bhow was\b.*\bnight\b/iu,
    (_input, { nights, user_name }) => {
      const last = lastNight(nights);
      return last === undefined
        ? "There is no night in the diary yet."
        : `The last night in your diary${named(user_name)} is ${last.date}: ${nightText(last)}.`;
    },
  ),
  says(
    /\b(?:didn['’]?t|did not|could(?:n['’]?t| not)|haven['’]?t|never)\b.*\b(?:sleep|slept|go to bed|fall asleep|closed? (?:my|an) eyes?)\b|\b(?:sleepless|insomnia|up all night|not a wink)\b/iu,
    (_input, { user_name }) =>
      `That sounds like a long night${named(user_name)}. I have written down no time for it. Be easy on yourself today; tell me about the next one when it comes.`,
  ),
  says(
    /\b(?:tired|exhausted|sleepy|knackered|worn out|(?:feel|feeling|am|i['’]m)(?: so| very| really)? (?:terrible|awful|bad|sad|down|low|anxious|stressed|lonely|ill|sick))\b/iu,
    (_input, state) =>
      `I am sorry to hear that${named(state.user_name)}. If you tell me when you went to bed and when you woke up, I keep it for you.`,
  ),
  says(
    /^(?:(?:hi|hello|hey|yo|hiya|howdy|good (?:morning|evening|afternoon)|morning|evening|moin|hallo)\b[\s,!.]*(?:there|again)?[\s,!.]*)$/iu,
    (_input, state) => {
      const last = lastNight(state.nights);
      if (last !== undefined)
        return `Hello again${named(state.user_name)}. Your last night here is ${last.date}: ${nightText(last)}. How was the one since?`;
      return state.user_name === undefined
        ? "Hello! I keep a sleep diary. What is your name, and when did you go to bed last night?"
        : `Hello ${state.user_name}. When did you go to bed last night?`;
    },
  ),
  says(/\b(?:thanks|thank you|thx|cheers)\b/iu, (_input, { user_name }) => `You are welcome${named(user_name)}.`),
  says(/^(?:bye|goodbye|good ?night|see you|ciao)\b/iu, (_input, { user_name }) => `Sleep well${named(user_name)}. Tell me about it tomorrow.`),
  says(
    /\b(?:who|what) are you\b|\bare you (?:an? )?(?:ai|bot|robot|human|real|person|language model|llm)\b|\bwhat can you do\b|\b(?:what|which) model\b|^help\b/iu,
    () =>
      "I am a sleep diary: a handful of rules that run on this machine, no language model. I keep your name, bedtimes, waking times and goals, and I count streaks.",
  ),
  ({ text }) => {
    const word = perhapsName(text);
    return word === undefined ? undefined : `If ${word} is your name, tell me so: "my name is ${word}".`;
  },
  says(
    /^(?!.*\?).*\b(?:bed|slept|asleep|woke|got up)\b/isu,
    () => 'I keep times. Which one was it? For example: "I went to bed at 23:40 and woke at 7".',
  ),
  ({ text }) =>
    `${sentence(text.trim().endsWith("?") ? "that is more than I can answer" : "I did not find anything for the diary in that")}: I am an offline rules engine, not a language model. ` +
    'I understand sentences such as "I\'m Ada", "I went to bed at 23:40" or "what do you know about me?". To talk with a real model, see examples/diary/README.md.',
];
