import type { RulePack } from "throughline/safety";

/** English. */
export const englishPack: RulePack = {
  language: "en",
  version: "2026-11-21.1",
  coverage: "English as it is written in chats, with text-speak, slips and disguised words.",
  support: "full",
  detect: { script: "Latin", words: ["i", "the", "and", "to", "you", "my", "is", "it", "of"] },
  words: { contrast: ["but"], self: ["i", "me", "my"] },
  abbreviations: { "i'm": "i am", im: "i am", kms: "kill myself", "don't": "do not", dont: "do not" },
  lexicon: ["suicide", "myself"],
  concepts: { wish_to_die: ["i ~2 want to die", { pattern: "want to die", strength: "soft" }], kill_self: ["kill|killing myself"] },
  frames: { negation: ["not", "never"], idiom: ["killing me"] },
};
