/** The companion's gate: which languages it reads, what it says in them, and where help can be found. */
import type { Model } from "throughline";
import { modelClassifier, type RulePack, safety, type SafetyClassifier, type SafetyOptions, type SafetySettings } from "throughline/safety";
import { asksForExercise } from "./exercises/exercise-requests.ts";
import { helpLinesAskedFor } from "./lookup/help-line-requests.ts";
import { offlineModelName } from "./offline/offline-model.ts";
import { hotlines, phrases } from "./safety/crisis-data.ts";
import { rulePacks, weighted } from "./safety/rule-packs.ts";

/** What of the gate can be chosen; the rest is the companion's own. */
export type GateOptions = Partial<Omit<SafetyOptions, "classifier" | "styles">>;

/** A classifier, or a model that is asked to be one. */
export type ClassifierGiven = SafetyClassifier | Model;

/** The offline rules judge nothing that the screen does not see: with them the gate asks about what is unclear, and not about every sad message. */
const classifierOf = (given: ClassifierGiven): SafetyClassifier => {
  if ("classify" in given) return given;
  const classifier = modelClassifier({ model: given });
  return given.name === offlineModelName ? { ...classifier, limited: true } : classifier;
};

/** Languages that the screen reads, the one first that texts of no known language are read in. */
export const packs: readonly RulePack[] = rulePacks.map(weighted);
export { phrases };

/** The gate. Without a classifier it works by its rules alone, and asks about what they cannot tell. */
export const companionGate = (classifier: ClassifierGiven | undefined, options: GateOptions = {}): SafetySettings =>
  safety({
    packs,
    phrases,
    resources: hotlines,
    servicesAskedFor: helpLinesAskedFor,
    isRequest: asksForExercise,
    ...(classifier === undefined ? {} : { classifier: classifierOf(classifier) }),
    ...options,
    styles: { clarify: "clarifying", crisis: "crisis_response" },
  });
