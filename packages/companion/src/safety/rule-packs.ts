/** The companion's rule packs, from `packs/<language>.yaml`, with the weights that `npm run fit:screen` and `npm run fit:languages` fitted. */
import { languageWeights, learnedWeights, type RulePack } from "throughline/safety";
import spoken from "./languages.json" with { type: "json" };
import learned from "./learned.json" with { type: "json" };
import arabic from "./packs/ar.data.json" with { type: "json" };
import german from "./packs/de.data.json" with { type: "json" };
import english from "./packs/en.data.json" with { type: "json" };
import spanish from "./packs/es.data.json" with { type: "json" };
import french from "./packs/fr.data.json" with { type: "json" };
import romanisedHindi from "./packs/hi-latn.data.json" with { type: "json" };
import hindi from "./packs/hi.data.json" with { type: "json" };
import indonesian from "./packs/id.data.json" with { type: "json" };
import portuguese from "./packs/pt.data.json" with { type: "json" };
import chinese from "./packs/zh.data.json" with { type: "json" };

/** Patterns of a concept, as in the file. */
interface Patterns {
  readonly hard?: readonly string[];
  readonly soft?: readonly string[];
}

/** A pack, as `pack.schema.json` describes it. */
interface PackFile extends Pick<RulePack, "language" | "version" | "coverage" | "words" | "abbreviations" | "lexicon" | "frames"> {
  readonly support: string;
  readonly negation?: string;
  readonly detect: { readonly words?: readonly string[]; readonly script?: string };
  readonly concepts: { readonly [Concept in keyof RulePack["concepts"]]: Patterns };
}

const scripts = ["Latin", "Arabic", "Devanagari", "Han"] as const;

function packFrom({ support, negation, detect: { words, script: named }, concepts, ...rest }: PackFile): RulePack {
  const script = scripts.find((one) => one === named);
  return Object.freeze<RulePack>({
    ...rest,
    support: support === "full" ? "full" : "partial",
    ...(negation !== undefined && { negation: negation === "around" ? "around" : "before" }),
    detect: { ...(words !== undefined && { words }), ...(script !== undefined && { script }) },
    concepts: Object.fromEntries(
      Object.entries(concepts).map(([concept, { hard = [], soft = [] }]) => [
        concept,
        [...hard, ...soft.map((pattern) => ({ pattern, strength: "soft" as const }))],
      ]),
    ),
  });
}

export const arabicPack = packFrom(arabic);
export const germanPack = packFrom(german);
export const englishPack = packFrom(english);
export const spanishPack = packFrom(spanish);
export const frenchPack = packFrom(french);
export const romanisedHindiPack = packFrom(romanisedHindi);
export const hindiPack = packFrom(hindi);
export const indonesianPack = packFrom(indonesian);
export const portuguesePack = packFrom(portuguese);
export const chinesePack = packFrom(chinese);

/** All packs. The first one also applies to texts in unknown languages. */
export const rulePacks: readonly RulePack[] = [
  ...[englishPack, spanishPack, frenchPack, germanPack, portuguesePack],
  ...[hindiPack, romanisedHindiPack, arabicPack, chinesePack, indonesianPack],
];

/** The learned weights. `npm run fit:screen` fitted them on the project's own messages. */
const weights = learnedWeights(learned);

/** The weights that tell the languages of the packs from others. */
const languages = languageWeights(spoken);

/** Returns a pack with the learned weights and the language weights. */
export const weighted = (pack: RulePack): RulePack => Object.freeze({ ...pack, weights, languages });
