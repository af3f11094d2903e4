/** What is said around a looked-up answer, from `phrases/<language>.yaml`. */
import de from "./phrases/de.data.json" with { type: "json" };
import en from "./phrases/en.data.json" with { type: "json" };
import es from "./phrases/es.data.json" with { type: "json" };
import fr from "./phrases/fr.data.json" with { type: "json" };
import pt from "./phrases/pt.data.json" with { type: "json" };
import zh from "./phrases/zh.data.json" with { type: "json" };

/** As `phrases.schema.json` describes them. */
type LookupPhrases = typeof en;

const byLanguage: Readonly<Record<string, LookupPhrases>> = { en, es, de, fr, pt, zh };

/** The phrases of a language, English where there are none. */
export const phrasesIn = (language: string): LookupPhrases => byLanguage[language] ?? en;
