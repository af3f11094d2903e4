import type { SafetyLevel } from "../assessment.ts";
import type { FrameId } from "./pack.ts";
import type { Evidence } from "./evidence.ts";
import type { ScreenContext, Screened } from "./screened.ts";

type Answer = NonNullable<Screened["answer"]>;

/** An answer is at the beginning of a message; what is said later is about something else. */
const wordsOfAnswer = 12;
/** A yes comes sooner than that: "…, I guess" at the end of a sentence about something else is none. */
const wordsOfYes = 5;

const isAnswer = (frame: FrameId): boolean => frame === "yes" || frame === "no" || frame === "evasion" || frame === "denial";

/** How a text answers what was asked: whichever of yes, no and evasion comes first; anything else is an evasion too. */
export function answerOf({ frames }: Evidence, { asked }: ScreenContext): Answer | undefined {
  if (asked === undefined) return undefined;
  const [first] = frames
    .filter(({ frame, first: place }) => isAnswer(frame) && place < (frame === "yes" ? wordsOfYes : wordsOfAnswer))
    .toSorted((one, other) => one.from - other.from || other.to - one.to);
  return first === undefined || first.frame === "evasion" ? "evasion" : first.frame === "yes" ? "yes" : "no";
}

/** What an answer means, by what was asked: yes to thoughts of suicide is a disclosure; yes to a plan, means or a time after it is imminent. */
export function levelOfAnswer(answer: Answer | undefined, { asked, highest = 0 }: ScreenContext): SafetyLevel {
  if (answer === undefined || asked === undefined || asked === "someone" || asked === "willing") return 0;
  if (answer === "evasion") return 1;
  if (answer === "no") return 0;
  return asked === "suicide" || highest < 2 ? 2 : 3;
}
