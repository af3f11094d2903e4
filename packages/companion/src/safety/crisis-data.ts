/** Data of the companion's gate: the crisis phrases from `phrases/<language>.yaml`, and the table of services. */
import { resourceTable, type SafetyPhrases } from "throughline/safety";
import table from "./hotlines.json" with { type: "json" };
import ar from "./phrases/ar.data.json" with { type: "json" };
import de from "./phrases/de.data.json" with { type: "json" };
import en from "./phrases/en.data.json" with { type: "json" };
import es from "./phrases/es.data.json" with { type: "json" };
import fr from "./phrases/fr.data.json" with { type: "json" };
import hiLatn from "./phrases/hi-latn.data.json" with { type: "json" };
import hi from "./phrases/hi.data.json" with { type: "json" };
import id from "./phrases/id.data.json" with { type: "json" };
import pt from "./phrases/pt.data.json" with { type: "json" };
import zh from "./phrases/zh.data.json" with { type: "json" };

// With these types, the package's declarations import no JSON.
export const arabic: SafetyPhrases = ar;
export const german: SafetyPhrases = de;
export const english: SafetyPhrases = en;
export const spanish: SafetyPhrases = es;
export const french: SafetyPhrases = fr;
export const romanisedHindi: SafetyPhrases = hiLatn;
export const hindi: SafetyPhrases = hi;
export const indonesian: SafetyPhrases = id;
export const portuguese: SafetyPhrases = pt;
export const chinese: SafetyPhrases = zh;

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
