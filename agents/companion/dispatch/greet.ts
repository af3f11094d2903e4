/** The first words, where the companion speaks first. */
import { stage, withControl, type Stage } from "throughline";
import { Companion } from "../state.ts";

/** Who it is comes before anything else: nobody should find out later that they talk with a machine. */
export const greeting =
  "Hello. I am an AI companion: not a person, and no emergency service. You can tell me what is on your mind, try a short exercise with me, look something up, or ask what I remember of you. What would you like?";

/** Greets in fixed words, without a model. */
export const greetStage = (): Stage<typeof Companion> =>
  stage("greet", { state: Companion, writes: ["route", "response_style", "therapeutic_approach"] }, ({ context }) =>
    context.cause === "greeting"
      ? withControl({ reply: greeting, memory: "skip" }, {
          route: "therapeutic",
          response_style: "supportive",
          therapeutic_approach: "none",
        } as const)
      : undefined,
  );
