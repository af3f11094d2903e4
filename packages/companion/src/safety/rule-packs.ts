/** The companion's rule packs, from `packs/<language>.yaml`, with the word weights that `npm run fit:screen` fitted. */
import { type RulePack, wordWeights } from "throughline/safety";
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
import arabicWeights from "./weights/ar.json" with { type: "json" };
import germanWeights from "./weights/de.json" with { type: "json" };
import englishWeights from "./weights/en.json" with { type: "json" };
import spanishWeights from "./weights/es.json" with { type: "json" };
import frenchWeights from "./weights/fr.json" with { type: "json" };
import romanisedHindiWeights from "./weights/hi-latn.json" with { type: "json" };
import hindiWeights from "./weights/hi.json" with { type: "json" };
import indonesianWeights from "./weights/id.json" with { type: "json" };
import portugueseWeights from "./weights/pt.json" with { type: "json" };
import chineseWeights from "./weights/zh.json" with { type: "json" };

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

/** Word weights by language, as packs name it. `npm run fit:screen` fitted them on the project's own messages, which one author labeled. */
const weights: Readonly<Record<string, Parameters<typeof wordWeights>[0]>> = {
  ...{ en: englishWeights, es: spanishWeights, fr: frenchWeights, de: germanWeights, pt: portugueseWeights },
  ...{ hi: hindiWeights, "hi-Latn": romanisedHindiWeights, ar: arabicWeights, zh: chineseWeights, id: indonesianWeights },
};

/** Returns a pack with the weights of its language. */
export function weighted(pack: RulePack): RulePack {
  const own = weights[pack.language];
  return own === undefined ? pack : Object.freeze({ ...pack, weights: wordWeights(own) });
}
