/** The companion's gate: which languages it reads, what it says in them, and where help can be found. */
import type { Model } from "throughline";
import {
  modelClassifier,
  safety,
  type SafetyClassifier,
  type RulePack,
  type SafetyOptions,
  type SafetyPhrases,
  type SafetySettings,
} from "throughline/safety";
import { asksForExercise } from "./exercises/asks-for-exercise.ts";
import { helpLinesAskedFor } from "./lookup/asks-for-help-line.ts";
import { offlineModelName } from "./offline/model.ts";
import { rulePacks } from "./safety/packs.ts";
import { arabic } from "./safety/phrases/ar.ts";
import { german } from "./safety/phrases/de.ts";
import { english } from "./safety/phrases/en.ts";
import { spanish } from "./safety/phrases/es.ts";
import { french } from "./safety/phrases/fr.ts";
import { romanisedHindi } from "./safety/phrases/hi-latn.ts";
import { hindi } from "./safety/phrases/hi.ts";
import { indonesian } from "./safety/phrases/id.ts";
import { portuguese } from "./safety/phrases/pt.ts";
import { chinese } from "./safety/phrases/zh.ts";
import { hotlines } from "./safety/resources.ts";
import { weighted } from "./safety/weights/weights.ts";

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
/** What is said in a crisis, English to everybody for whom there are no sentences in their own language. */
export const phrases: readonly SafetyPhrases[] = [
  ...[english, spanish, french, german, portuguese],
  ...[hindi, romanisedHindi, arabic, chinese, indonesian],
];

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
