import type { PartOptions } from "./part.ts";
import { section, type Section } from "./section.ts";
import type { SessionStage } from "./session-stage.ts";

/** What an agent is told of each stage, unless it says otherwise. */
const usual: Readonly<Record<SessionStage, string>> = {
  opening: "The conversation has just begun. Make contact, find out what this is about, and ask at most one open question. Offer no method yet.",
  deepening:
    "They have begun to say what it is about. Stay with it: reflect what you hear, name what connects it, and let them go further before anything is suggested.",
  working: "They are working on it. Keep to what was begun, one step at a time, and look after each step how it went.",
  closing:
    "They are about to go. Say briefly what this came to and what is left open. Open nothing new, and ask no question that needs a long answer.",
};

/** Options of {@link stageGuidance}. */
export interface StageGuidanceOptions extends PartOptions {
  /** Texts of your own; a stage that is left out keeps its usual one, and an empty text says nothing. */
  readonly texts?: Readonly<Partial<Record<SessionStage, string>>>;
}

/** What to do at this stage of the conversation, for an agent whose `prompt.stage` has it inferred. Priority 20. */
export const stageGuidance = ({ texts = {}, ...options }: StageGuidanceOptions = {}): Section =>
  section<never>("stage of the conversation", ({ stage }) => (stage === undefined ? undefined : (texts[stage] ?? usual[stage])), {
    priority: 20,
    ...options,
    provenance: "instructions",
    changes: "every turn",
  });
