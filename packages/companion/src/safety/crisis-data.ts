/** Data of the companion's gate: the crisis phrases from `phrases/<language>.yaml`, and the table of services. */
import { resourceTable, type SafetyPhrases } from "throughline/safety";
import table from "./hotlines.json" with { type: "json" };
import arabic from "./phrases/ar.data.json" with { type: "json" };
import german from "./phrases/de.data.json" with { type: "json" };
import english from "./phrases/en.data.json" with { type: "json" };
import spanish from "./phrases/es.data.json" with { type: "json" };
import french from "./phrases/fr.data.json" with { type: "json" };
import romanisedHindi from "./phrases/hi-latn.data.json" with { type: "json" };
import hindi from "./phrases/hi.data.json" with { type: "json" };
import indonesian from "./phrases/id.data.json" with { type: "json" };
import portuguese from "./phrases/pt.data.json" with { type: "json" };
import chinese from "./phrases/zh.data.json" with { type: "json" };

export { arabic, german, english, spanish, french, romanisedHindi, hindi, indonesian, portuguese, chinese };

/** Phrases per language. English applies to all other languages. */
export const phrases: readonly SafetyPhrases[] = [
  ...[english, spanish, french, german, portuguese],
  ...[hindi, romanisedHindi, arabic, chinese, indonesian],
];

/**
 * Crisis services by country, as compiled on 2026-11-20 (CC0). Confirmed rows are shown; `hotlines.json` has their grade of evidence. No person has
 * verified any row. A deployment must do that and fill in `verified_by`.
 */
export const hotlines = resourceTable(table);
