import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  nextStage,
  sessionStages,
  stageAtFirst,
  stageOf,
  type SessionStage,
  type StageEvidence,
} from "../../packages/throughline/src/context/session-stage.ts";

const story = "My sister has not called me since the funeral and I keep thinking that it is my fault.";
const more = "Every evening I pick up the phone and then I put it down again because I am afraid she hangs up.";

interface Case {
  readonly what: string;
  readonly said: readonly string[];
  readonly evidence?: StageEvidence;
  readonly stage: SessionStage;
}

const cases: readonly Case[] = [
  { what: "nothing was said", said: [], stage: "opening" },
  { what: "a greeting", said: ["hi"], stage: "opening" },
  { what: "a long first message is still a first message", said: [story], stage: "opening" },
  { what: "a greeting, then what it is about", said: ["hello there", story], stage: "deepening" },
  { what: "four short messages", said: ["hi", "ok", "not great", "tired"], stage: "deepening" },
  { what: "asking what to do after what it is about", said: ["hi", story, "What can I do about that"], stage: "working" },
  { what: "asking what to do at once", said: ["What can I do?"], stage: "opening" },
  { what: "an exercise runs", said: ["hi"], evidence: { exercise: true }, stage: "working" },
  { what: "four messages of substance", said: ["hi", story, more, story, more], stage: "working" },
  { what: "work goes on through short answers", said: ["hi", story, "how can I call her", "ok", "yes", "done"], stage: "working" },
  { what: "a farewell", said: ["hi", story, "I have to go, bye!"], stage: "closing" },
  { what: "thanks after work", said: ["hi", story, "how can I call her", "thank you"], stage: "closing" },
  { what: "thanks in an answer to a question", said: ["hi", story, "how can I call her", "thanks"], evidence: { asked: true }, stage: "working" },
  { what: "thanks before work", said: ["hi", story, "thanks"], stage: "deepening" },
  { what: "thanks within an exercise", said: ["hi", story, "thanks"], evidence: { exercise: true }, stage: "working" },
  { what: "a farewell with a question is none yet", said: ["hi", story, "bye for now, or should I stay?"], stage: "deepening" },
  {
    what: "goodbye told as a story",
    said: ["hi", "She never said goodbye to me and that is what I cannot stop thinking about at night"],
    stage: "deepening",
  },
  { what: "one more word after a farewell", said: ["hi", story, "bye", "ok"], stage: "closing" },
  { what: "something new after a farewell", said: ["hi", story, "bye", more], stage: "deepening" },
  { what: "another topic in the middle of work", said: ["hi", story, "how can I call her", "By the way, my job"], stage: "deepening" },
  {
    what: "Spanish",
    said: ["hola", "Mi hermana no me llama desde el funeral y pienso todo el tiempo que es culpa mía", "¡Hasta mañana!"],
    stage: "closing",
  },
  {
    what: "German",
    said: ["Hallo", "Meine Schwester ruft seit der Beerdigung nicht mehr an und ich denke immer ich bin schuld", "Gute Nacht, bis später"],
    stage: "closing",
  },
  {
    what: "German, work",
    said: ["Hallo", "Meine Schwester ruft seit der Beerdigung nicht mehr an und ich denke immer ich bin schuld", "Was kann ich tun"],
    stage: "working",
  },
  { what: "French", said: ["bonjour", "À bientôt !"], stage: "closing" },
  { what: "Chinese", said: ["你好", "我妹妹自从葬礼以后就没有给我打过电话我一直觉得是我的错", "晚安"], stage: "closing" },
  { what: "Chinese, work", said: ["你好", "我妹妹自从葬礼以后就没有给我打过电话我一直觉得是我的错", "我该怎么办"], stage: "working" },
];

describe("where an episode stands", () => {
  it.each(cases)("$what: $stage", ({ said, evidence, stage }) => expect(stageOf(said, evidence)).toBe(stage));

  it("goes back only to deepening, and only after a farewell or for another topic", () => {
    const message = fc.oneof(
      fc.constantFrom("hi", "ok", story, more, "bye", "thanks", "what can I do", "by the way", "我该怎么办"),
      fc.string({ maxLength: 80 }),
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 30 }), (said) => {
        let progress = stageAtFirst;
        for (const text of said) {
          const next = nextStage(progress, text);
          const back = sessionStages.indexOf(next.stage) < sessionStages.indexOf(progress.stage);
          if (back) {
            expect(next.stage).toBe("deepening");
            expect(progress.stage === "closing" || next.substantive <= 1).toBe(true);
          }
          expect(next.turns).toBe(progress.turns + 1);
          progress = next;
        }
      }),
      { numRuns: 300 },
    );
  });
});
