import type { SafetyLevel } from "../../safety/assessment.ts";
import { bareStep, composeReply } from "../../safety/reply/compose.ts";
import { phrasesFor } from "../../safety/reply/phrases-for.ts";
import { emptyLookup, lookupResources } from "../../safety/resources/lookup.ts";
import { findRegions } from "../../safety/resources/regions.ts";
import type { ResourceLookup } from "../../safety/resources/resource.ts";
import type { Screened } from "../../safety/screen/screened.ts";
import type { SafetySettings } from "../../safety/settings.ts";
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
  const lookup = level >= 2 ? placeOf(safety, { text, now, screened }) : emptyLookup(safety.resources, "not_attempted");
  return composeReply({ plan: undefined, step: bareStep(level), assessment, lookup, phrases, watched: "nobody", saved });
}

function placeOf(
  { resources, profile }: SafetySettings,
  { text, now, screened }: { readonly text: string; readonly now: number; readonly screened: Screened | undefined },
): ResourceLookup {
  try {
    const { language, risk_types: riskTypes = [] } = screened ?? {};
    return lookupResources(resources, { ...findRegions(text), now, profile, riskTypes, ...(language === undefined ? {} : { language }) });
  } catch {
    return emptyLookup(resources, "lookup_error");
  }
}
