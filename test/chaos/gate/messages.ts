/** What people write in the run: by how grave it is, some with the place where they are. None of it is anybody's. */
import type { Chooser } from "../../../packages/throughline/src/testing/test-clock.ts";

const texts = {
  calm: [
    "The rain has stopped at last",
    "We baked bread",
    "Which colour goes with green?",
    "Tell me something about lighthouses",
    "My sister has a new dog",
  ],
  unclear: [
    "I feel so alone and nothing matters any more",
    "Everyone would be better off without me",
    "I wish I could just disappear",
    "My friend says she wants to kill herself",
  ],
  grave: ["I want to die", "I keep thinking about killing myself", "I cut myself again last night"],
  imminent: [
    "I took all my pills an hour ago, goodbye everyone",
    "I am on the bridge now and I will jump",
    "I have the gun in my hand, tonight I will kill myself",
  ],
  answers: ["yes", "no", "I don't know", "No, nobody is here"],
} as const;

const places = ["I live in Canada", "I am in Germany", "I live in Japan", "I'm from India", "I live in Georgia", "I am in the United Kingdom"];

export interface Message {
  readonly text: string;
  /** A word in it that nothing else has: where that is found, somebody's words are. */
  readonly canary: string;
}

const letters = "bcdfghjkmnpqrstvwxz";

/** A name that no language has. */
function canaryOf(dice: Chooser): string {
  return `Qzv${Array.from({ length: 12 }, () => letters[dice.integer(0, letters.length - 1)]).join("")}`;
}

/** The next message of a conversation. */
export function messageOf(dice: Chooser): Message {
  const canary = canaryOf(dice);
  const kind = dice.one(["calm", "calm", "unclear", "unclear", "grave", "grave", "imminent", "imminent", "answers"] as const);
  const place = dice.chance(0.2) ? `${dice.one(places)}. ` : "";
  return { text: `${place}${dice.one(texts[kind])}. ${canary}`, canary };
}
