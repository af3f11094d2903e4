/** The companion's gate: its languages, its crisis phrases and its table of crisis services. */
import type { Model } from "throughline";
import { modelClassifier, type RulePack, safety, type SafetyClassifier, type SafetyOptions, type SafetySettings } from "throughline/safety";
import { asidesOf, onlyLeaves } from "./exercises/exercise-cues.ts";
import { asksForExercise } from "./exercises/exercise-requests.ts";
import { helpLinesAskedFor } from "./lookup/help-line-requests.ts";
import { offlineModelName } from "./offline/offline-model.ts";
import { spokenIn } from "./offline/words/folded-words.ts";
import { hotlines, phrases } from "./safety/crisis-data.ts";
import { rulePacks, weighted } from "./safety/rule-packs.ts";

/** Options of the gate. The companion sets the others. */
export type GateOptions = Partial<Omit<SafetyOptions, "classifier" | "styles">>;

/** A classifier, or a model to use as one. */
export type ClassifierGiven = SafetyClassifier | Model;

/** The offline rules see no more than the screen does. With them, the gate asks about unclear messages, but not about every sad one. */
const classifierOf = (given: ClassifierGiven): SafetyClassifier => {
  if ("classify" in given) return given;
  const classifier = modelClassifier({ model: given });
  return given.name === offlineModelName ? { ...classifier, limited: true } : classifier;
};

/** Languages that the screen reads. The first pack also applies to texts in unknown languages. */
export const packs: readonly RulePack[] = rulePacks.map(weighted);
export { phrases };

/** Returns the language of a person's messages, newest first, as the packs name it. */
function spokenLanguage(texts: readonly string[]): string | undefined {
  const spoken = spokenIn(texts);
  return packs.find(({ language }) => language.toLowerCase() === spoken)?.language;
}

/** Tells whether the last reply was a step of an exercise that still runs. */
const runsExercise = (exercise: unknown): boolean =>
  typeof exercise === "object" &&
  exercise !== null &&
  "exercise_type" in exercise &&
  typeof exercise.exercise_type === "string" &&
  !("exercise_paused" in exercise && exercise.exercise_paused === true);

/** Creates the gate. Without a classifier, it uses rules alone and asks about messages that they cannot decide. */
export const companionGate = (classifier: ClassifierGiven | undefined, options: GateOptions = {}): SafetySettings =>
  safety({
    packs,
    phrases,
    resources: hotlines,
    servicesAskedFor: helpLinesAskedFor,
    // Right after a step, "I don't want to go on" is about the exercise.
    isLeaving: (text, state) => runsExercise(state["exercise_state"]) && onlyLeaves(text),
    // A memory command after the question of level 1 is done, and no second question asked.
    languageOf: spokenLanguage,
    isRequest: (text) => asksForExercise(text) || asidesOf(text).memory,
    ...(classifier === undefined ? {} : { classifier: classifierOf(classifier) }),
    ...options,
    styles: { clarify: "clarifying", crisis: "crisis_response" },
  });
