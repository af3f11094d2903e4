import { wordWeights, type RulePack } from "throughline/safety";
import arabic from "./ar.json" with { type: "json" };
import german from "./de.json" with { type: "json" };
import english from "./en.json" with { type: "json" };
import spanish from "./es.json" with { type: "json" };
import french from "./fr.json" with { type: "json" };
import romanisedHindi from "./hi-latn.json" with { type: "json" };
import hindi from "./hi.json" with { type: "json" };
import indonesian from "./id.json" with { type: "json" };
import portuguese from "./pt.json" with { type: "json" };
import chinese from "./zh.json" with { type: "json" };

/** What words weigh, by language as packs name it: fitted by `npm run fit:screen` on messages of our own, which one author labelled. */
const weights: Readonly<Record<string, Parameters<typeof wordWeights>[0]>> = {
  ...{ en: english, es: spanish, fr: french, de: german, pt: portuguese },
  ...{ hi: hindi, "hi-Latn": romanisedHindi, ar: arabic, zh: chinese, id: indonesian },
};

/** A pack with the weights of its language. */
export function weighted(pack: RulePack): RulePack {
  const own = weights[pack.language];
  return own === undefined ? pack : Object.freeze({ ...pack, weights: wordWeights(own) });
}
