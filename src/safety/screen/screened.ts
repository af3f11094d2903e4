/** What the screen receives and what it finds, and what earlier messages mean for it. */
import type { RiskSubject, RiskType, SafetyLevel } from "../assessment.ts";

/** What was said before, as far as the screen needs it. */
export interface ScreenContext {
  /** What the assistant has just asked, if it asked about safety. */
  readonly asked?: "suicide" | "plan" | "means" | "time" | "someone" | "willing";
  /** The highest level of the turns in the window. */
  readonly highest?: SafetyLevel;
  /** How many of the last ten turns had level 1. */
  readonly unclear?: number;
  /** Language that was spoken before, as packs name it: of words that many languages have it is still that one. */
  readonly language?: string;
}

/** A concept that was found. */
export interface ScreenMatch {
  /** Pack and concept, such as `en/wish_to_die`; never words. */
  readonly id: string;
  readonly strength: "hard" | "soft";
  /** Where it stands in the text as it was written. */
  readonly span: readonly [from: number, to: number];
}

/** What the screen finds in a text, without a model. */
export interface Screened {
  readonly level: SafetyLevel;
  readonly matches: readonly ScreenMatch[];
  readonly risk_types: readonly RiskType[];
  readonly subject: RiskSubject;
  /** `degraded`: the text was too long to be read whole, or is in no language that a pack covers. */
  readonly quality: "full" | "degraded";
  readonly why_degraded?: "too_long" | "language";
  /** Words of distress, which raise nothing by themselves. */
  readonly distress: boolean;
  readonly language?: string;
  /** How the text answers what was asked, where a question was asked. */
  readonly answer?: "yes" | "no" | "evasion";
  /** Concepts that were found in the first person and not framed away, for the plan: `means_in_hand`, `time_near` and so on. */
  readonly concepts: readonly string[];
}

/** Reads a text: synchronous, linear in its length. A message takes a fraction of a millisecond, 4,000 characters of nothing but grave sentences 4 to 10. */
export interface Screen {
  (text: string, context?: ScreenContext): Screened;
  readonly versions: Readonly<Record<string, string>>;
  /** What of the conversation before a text the screen needs to know. */
  contextOf(before: readonly { readonly role: "user" | "assistant"; readonly text: string }[]): ScreenContext;
}

/** Turns that are looked at, and messages that hold them at the most. */
const turnsInWindow = 10;
const messagesInWindow = 2 * turnsInWindow;

/** Reads messages before a text: what was asked last, how grave the turns before were, and how many of them were unclear. */
export function contextReader(
  screen: (text: string, context: ScreenContext) => Screened,
  asks: (text: string) => ScreenContext["asked"],
): Screen["contextOf"] {
  return (before) => {
    let context: ScreenContext = {};
    const levels: SafetyLevel[] = [];
    for (const { role, text } of before.slice(-messagesInWindow)) {
      if (role === "assistant") {
        const { asked: _, ...rest } = context;
        const asked = asks(text);
        context = asked === undefined ? rest : { ...rest, asked };
        continue;
      }
      levels.push(screen(text, context).level);
      const window = levels.slice(-turnsInWindow);
      context = {
        highest: window.reduce<SafetyLevel>((one, other) => (other > one ? other : one), 0),
        unclear: window.filter((level) => level === 1).length,
      };
    }
    return context;
  };
}
