import type { Assessment } from "../../safety/assessment.ts";
import { combine } from "../../safety/combine.ts";
import { advancePlan } from "../../safety/crisis/advance.ts";
import { afterReply } from "../../safety/crisis/after-reply.ts";
import { nextStep } from "../../safety/crisis/next-step.ts";
import { contextFrom } from "../../safety/crisis/over.ts";
import type { CrisisPlan } from "../../safety/plan.ts";
import { bareStep, composeReply } from "../../safety/reply/compose.ts";
import { phrasesFor } from "../../safety/reply/phrases-for.ts";
import { emptyLookup } from "../../safety/resources/lookup.ts";
import type { SafetySettings } from "../../safety/settings.ts";
import { helpNear, statedIn } from "./help-near.ts";
import { lastWords } from "./last-words.ts";
import { screening } from "./screening.ts";

/** A message that no store takes. */
export interface UnsavedMessage {
  readonly text: string;
  /** Where the crisis stands, as far as this process knows it. */
  readonly plan: CrisisPlan | undefined;
  /** Whether the message itself is kept. */
  readonly saved: boolean;
  readonly now: number;
}

/** What is said to it, and where the crisis stands then. */
export interface UnsavedWords {
  readonly reply: string | undefined;
  readonly assessment: Assessment;
  readonly plan: CrisisPlan | undefined;
}

/**
 * What is said where no store can be read: to whoever is known to be in a crisis the next step of it, so that "yes" and "in Spain" are no new conversation; to
 * everybody else what a message by itself asks for.
 */
export function unsavedWords(safety: SafetySettings, message: UnsavedMessage): UnsavedWords {
  const { text, plan: before, saved, now } = message;
  const { screened } = screening(safety, text, contextFrom(before));
  const path = screened?.level === 3 ? "static" : "deterministic_only";
  const assessment = combine({ text, screened, path, plan: before, profile: safety.profile, now });
  const stated = statedIn(text, before);
  const plan = advancePlan(before, { assessment, screened, ...stated, now });
  const lookup =
    plan === undefined || plan.highest < 2
      ? emptyLookup(safety.resources, "not_attempted")
      : helpNear(safety, {
          regions: plan.regions,
          refused: plan.location_refused,
          now,
          riskTypes: assessment.risk_types,
          language: plan.language ?? assessment.language,
        });
  const { level } = assessment;
  const step = before === undefined || plan === undefined ? bareStep(level) : nextStep(plan, { assessment, lookup });
  const after =
    plan === undefined || level === 0
      ? plan
      : afterReply(plan, {
          step,
          resources: step.give.includes("resources") ? lookup.resources.map(({ id }) => id) : [],
          numbered: lookup.emergency.length > 0,
        });
  if (before === undefined || level === 0) return { reply: lastWords(safety, text, { saved, now }), assessment, plan: after };
  const phrases = phrasesFor(safety.phrases, plan?.language ?? screened?.language);
  return { reply: composeReply({ plan, step, assessment, lookup, phrases, watched: "nobody", saved }), assessment, plan: after };
}
