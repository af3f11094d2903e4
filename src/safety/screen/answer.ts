import type { SafetyLevel } from "../assessment.ts";
import type { ConceptId, FrameId } from "./pack.ts";
import type { Evidence } from "./evidence.ts";
import type { Meant } from "./framing.ts";
import type { ScreenContext, Screened } from "./screened.ts";

type Answer = NonNullable<Screened["answer"]>;

/** An answer is at the beginning of a message; what is said later is about something else. */
const wordsOfAnswer = 12;
/** A yes comes sooner than that: "…, I guess" at the end of a sentence about something else is none. */
const wordsOfYes = 5;

const isAnswer = (frame: FrameId): boolean => frame === "yes" || frame === "no" || frame === "evasion" || frame === "denial";

/** What answers a question about how, when or with what, by naming it. */
const named = new Set<ConceptId>(["means", "means_in_hand", "time_near", "lethal_place", "do_it", "plan", "kill_self", "preparation"]);

const asksForDetail = ({ asked }: ScreenContext): boolean => asked === "plan" || asked === "means" || asked === "time";

const names = (meant: readonly Meant[]): boolean => meant.some(({ concept, most, other }) => most > 0 && !other && named.has(concept));

/** How a text answers what was asked: whichever of yes, no and evasion comes first; what names a place or a time is a yes; anything else an evasion. */
export function answerOf({ frames }: Evidence, meant: readonly Meant[], context: ScreenContext): Answer | undefined {
  if (context.asked === undefined) return undefined;
  const [first] = frames
    .filter(({ frame, first: place }) => isAnswer(frame) && place < (frame === "yes" ? wordsOfYes : wordsOfAnswer))
    .toSorted((one, other) => one.from - other.from || other.to - one.to);
  if (first?.frame === "yes" || (first === undefined && asksForDetail(context) && names(meant))) return "yes";
  return first === undefined || first.frame === "evasion" ? "evasion" : "no";
}

/** What an answer means, by what was asked: yes to thoughts of suicide is a disclosure; yes to a plan, means or a time after it is imminent. */
export function levelOfAnswer(answer: Answer | undefined, meant: readonly Meant[], context: ScreenContext): SafetyLevel {
  const { asked, highest = 0 } = context;
  if (answer === undefined || asked === undefined || asked === "someone" || asked === "willing") return 0;
  if (answer === "evasion") return 1;
  if (answer === "no") return 0;
  return asked !== "suicide" && (highest >= 2 || names(meant)) ? 3 : 2;
}
