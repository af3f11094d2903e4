/** What a message says for the diary, without a model. */
import { readName } from "./names.ts";
import type { Night } from "./nights.ts";
import { readNights } from "./sleep.ts";

/** What was found; absent means that the message does not say. */
export interface Found {
  readonly name?: string;
  readonly nights: readonly Night[];
  readonly goal?: string;
  /** What the writer wants to be forgotten. */
  readonly forget: readonly ("name" | "nights" | "goals")[];
}

const aboutSleep =
  /\b(?:sleep|asleep|bed|wake|awake|get up|nap|rest|screens?|phone|coffee|caffeine|alcohol|read|lights|\d+ hours|(?:six|seven|eight|nine) hours)\b/iu;
const goalForms = [
  /\bmy goal is (?:to )?(?<goal>[^.!?\n]+)/iu,
  /(?<!\p{L})i(?:['’]m| am) (?:trying|aiming|hoping|planning) to (?<goal>[^.!?\n]+)/iu,
  /(?<!\p{L})i(?:['’]d| would) (?:like|love) to (?<goal>[^.!?\n]+)/iu,
  /(?<!\p{L})i (?:want|wish|plan|aim|hope) to (?<goal>[^.!?\n]+)/iu,
];

/** A goal, if it is one and about sleep. */
function readGoal(text: string): string | undefined {
  for (const form of goalForms) {
    const goal = form
      .exec(text)
      ?.groups?.["goal"]?.replace(/,? (?:please|thanks|and you|but)\b.*$/iu, "")
      .replace(/[\s,;:]+$/u, "");
    if (goal !== undefined && aboutSleep.test(goal) && !/^(?:know|tell|ask|talk|say|forget)\b/iu.test(goal) && goal.length <= 120) return goal;
  }
  return undefined;
}

/** What is asked of the diary, not told: "please forget my name", not "I always forget my name". */
const request = `(?:^|[.!?,;]\\s*|\\b(?:please|you|now|and|then)\\s+)(?:forget|delete|erase|remove|clear)`;

/** `now` is when the message is read, in milliseconds: it says which night "last night" was. */
export function extract(text: string, now: number): Found {
  const forget = (["name", "nights", "goals"] as const).filter((what) =>
    new RegExp(`${request}(?:(?: about)?(?: (?:all|of|the|my))* (?:${what}|everything))\\b`, "iu").test(text),
  );
  const refused = /\b(?:don['’]?t|do not|never) (?:forget|delete|erase|remove|clear)\b/iu.test(text);
  const name = readName(text);
  const goal = readGoal(text);
  return {
    nights: readNights(text, now),
    forget: refused ? [] : forget,
    ...(name === undefined ? {} : { name }),
    ...(goal === undefined ? {} : { goal }),
  };
}
