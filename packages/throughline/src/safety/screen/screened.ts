/** Input and output of the screen, and the context from earlier messages. */
import type { RiskSubject, RiskType, SafetyLevel } from "../assessment.ts";

/** A safety question whose answer the screen reads. */
type SafetyQuestion = "suicide" | "plan" | "means" | "time" | "someone" | "willing";

/** Context of earlier messages. */
export interface ScreenContext {
  /** The last question of the assistant, if it was about safety. */
  readonly asked?: SafetyQuestion;
  /** The last question about danger that was answered with no, while the plan is open. `lately`: in the message before. */
  readonly denied?: { readonly question: SafetyQuestion; readonly lately: boolean };
  /** In a crisis, the person said how or with what. */
  readonly detailed?: boolean;
  /** Danger is only suspected so far, so that a time alone says nothing of when. */
  readonly doubtful?: boolean;
  /** The message says that the person will reach somebody, and its time is when. */
  readonly reaches?: boolean;
  /** The open plan is about another person, and so is what names nobody. */
  readonly about?: "other";
  /** The highest level of the turns in the window. */
  readonly highest?: SafetyLevel;
  /** Number of level 1 turns among the last ten. */
  readonly unclear?: number;
  /** The earlier language, as packs name it. It decides if a message fits several languages equally well. */
  readonly language?: string;
}

/** A concept found in a text. */
export interface ScreenMatch {
  /** Pack and concept, such as `en/wish_to_die`; never words. */
  readonly id: string;
  readonly strength: "hard" | "soft";
  /** Position in the original text. */
  readonly span: readonly [from: number, to: number];
}

/** Result of the screen, without a model. */
export interface Screened {
  readonly level: SafetyLevel;
  readonly matches: readonly ScreenMatch[];
  readonly risk_types: readonly RiskType[];
  readonly subject: RiskSubject;
  /** `degraded`: the text was too long to be read in full, or no pack covers its language. */
  readonly quality: "full" | "degraded";
  readonly why_degraded?: "too_long" | "language";
  /** The text contains words of distress, which raise no level by themselves. */
  readonly distress: boolean;
  readonly language?: string;
  /** The answer to the last question, if there was one. */
  readonly answer?: "yes" | "no" | "evasion";
  /** The question whose earlier no the text takes back. */
  readonly retracts?: SafetyQuestion;
  /** Unframed first-person concepts for the plan, such as `means_in_hand` and `time_near`. */
  readonly concepts: readonly string[];
}

/** Screens a text. Synchronous, linear in its length. A message takes a fraction of a millisecond; 4,000 characters of only grave sentences take 4 to 10. */
export interface Screen {
  (text: string, context?: ScreenContext): Screened;
  readonly versions: Readonly<Record<string, string>>;
  /** Returns the context of the messages before a text. */
  contextOf(before: readonly { readonly role: "user" | "assistant"; readonly text: string }[]): ScreenContext;
}

/** Turns in the window, and most messages that contain them. */
const turnsInWindow = 10;
const messagesInWindow = 2 * turnsInWindow;

/** Creates `contextOf`: the last safety question, the highest earlier level, and the number of unclear turns. */
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
