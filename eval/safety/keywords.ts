/** Two lists of words, of the kinds that many projects use instead of a gate: what the figures of the screen are to be read beside. */
import type { SafetyLevel } from "../../packages/throughline/src/safety/assessment.ts";
import type { Judge } from "./figures.ts";

const naivePhrases = [
  ...["suicide", "suicidal", "kill myself", "killing myself", "end my life", "take my life", "want to die", "better off dead"],
  ...["self-harm", "self harm", "hurt myself", "cut myself", "no reason to live", "don't want to live"],
];

/** An English list of phrases: there or not. */
export const naive: Judge = ({ text }) => (naivePhrases.some((phrase) => text.toLowerCase().includes(phrase)) ? 2 : 0);

interface Tier {
  readonly level: SafetyLevel;
  readonly words: RegExp;
}

/** From the gravest down; the first that matches decides. */
const tiers: readonly Tier[] = [
  { level: 3, words: /\b(?:kill(?:ing)? myself|end(?:ing)? (?:it|my life)|die)\b.{0,40}\b(?:tonight|now|today|tomorrow)\b/u },
  {
    level: 3,
    words: /\b(?:took|taken|swallowed) (?:all|the whole|a bunch of)\b.{0,30}\b(?:pills|tablets|bottle)\b|\bgoodbye (?:forever|everyone|world)\b/u,
  },
  { level: 2, words: /\b(?:kill(?:ing)? myself|suicid\w+|end(?:ing)? my life|tak(?:e|ing) my (?:own )?life|kms|unalive)\b/u },
  { level: 2, words: /\b(?:want(?:ed)? to|wanna) (?:die|be dead)\b|\bwish i (?:was|were) dead\b|\bbetter off dead\b/u },
  { level: 2, words: /\b(?:cut(?:ting)?|hurt(?:ing)?|burn(?:ed|ing)?) myself\b|\bself[- ]?harm\w*\b|\b(?:not|n't) want to (?:live|be alive)\b/u },
  { level: 2, words: /suicid|matarme|quiero morir|me tuer|envie de mourir|umbringen|will sterben|me matar|quero morrer|bunuh diri|ingin mati/u },
  { level: 2, words: /आत्महत्या|मरना चाहता|marna chahta|انتحار|أريد أن أموت|自杀|想死/u },
  { level: 1, words: /\b(?:hopeless|worthless|no way out|can't go on|what's the point|better off without me|disappear|burden)\b/u },
];

const idioms = /\b(?:dying (?:to|of|for)|died (?:laughing|of)|kill(?:ing)? (?:it|time|me)|to die for|my (?:phone|battery) died)\b/gu;

/** Expressions in tiers, with a veto for idioms, light repair of spelling, and a short list for other languages. */
export const tiered: Judge = ({ text }) => {
  const read = text.toLowerCase().replaceAll("’", "'").replaceAll("1", "i").replaceAll("0", "o").replaceAll(idioms, " ");
  return tiers.find(({ words }) => words.test(read))?.level ?? 0;
};
