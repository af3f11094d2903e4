import type { SafetyLevel } from "../../safety/assessment.ts";
import { bareStep, composeReply } from "../../safety/reply/compose.ts";
import { phrasesFor } from "../../safety/reply/phrases-for.ts";
import { emptyLookup } from "../../safety/resources/lookup.ts";
import type { SafetySettings } from "../../safety/settings.ts";
import { helpNear, statedIn } from "./help-near.ts";
import { screening } from "./screening.ts";

/**
 * What is said when nothing else can be: no model, no store, no state. Undefined where nothing was found and the message is kept: then the apology will
 * do. A screen that fails counts as unclear. `atLeast`: what was found before, such as by a classifier.
 */
export function lastWords(
  safety: SafetySettings,
  text: string,
  { saved, now, atLeast = 0 }: { readonly saved: boolean; readonly now: number; readonly atLeast?: SafetyLevel },
): string | undefined {
  const { screened } = screening(safety, text);
  const seen = screened?.level ?? 1;
  const level = seen > atLeast ? seen : atLeast;
  if (level === 0 && saved) return undefined;
  const phrases = phrasesFor(safety.phrases, screened?.language);
  const assessment = { level, subject: screened?.subject ?? ("self" as const) };
  const lookup =
    level >= 2
      ? helpNear(safety, { ...statedIn(text, undefined), now, riskTypes: screened?.risk_types ?? [], language: screened?.language })
      : emptyLookup(safety.resources, "not_attempted");
  return composeReply({ plan: undefined, step: bareStep(level), assessment, lookup, phrases, watched: "nobody", saved });
}
