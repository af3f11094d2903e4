/** The companion's gate: which languages it reads, what it says in them, and where help can be found. */
import type { Model } from "throughline";
import { modelClassifier, safety, type SafetyClassifier, type SafetyOptions, type SafetySettings } from "throughline/safety";
import { englishPack } from "./safety/packs/en.ts";
import { english } from "./safety/phrases/en.ts";
import { hotlines } from "./safety/resources.ts";

/** What of the gate can be chosen; the rest is the companion's own. */
export type GateOptions = Partial<Omit<SafetyOptions, "classifier" | "styles">>;

/** A classifier, or a model that is asked to be one. */
export type ClassifierGiven = SafetyClassifier | Model;

const classifierOf = (given: ClassifierGiven): SafetyClassifier => ("classify" in given ? given : modelClassifier({ model: given }));

/** Languages that the screen reads, the fallback first. */
export const packs = [englishPack] as const;
/** What is said in a crisis, English to everybody who is not spoken to in their own language yet. */
export const phrases = [english] as const;

/** The gate. Without a classifier it works by its rules alone, and asks about what they cannot tell. */
export const companionGate = (classifier: ClassifierGiven | undefined, options: GateOptions = {}): SafetySettings =>
  safety({
    packs,
    phrases,
    resources: hotlines,
    ...(classifier === undefined ? {} : { classifier: classifierOf(classifier) }),
    ...options,
    styles: { clarify: "clarifying", crisis: "crisis_response" },
  });
