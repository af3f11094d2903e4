/** The sentences of each language, from `<language>.yaml`. */
import type { OfflineLanguage } from "../words/language.ts";
import de from "./de.data.json" with { type: "json" };
import en from "./en.data.json" with { type: "json" };
import es from "./es.data.json" with { type: "json" };
import fr from "./fr.data.json" with { type: "json" };
import pt from "./pt.data.json" with { type: "json" };
import type { Sentences } from "./sentences.ts";
import zh from "./zh.data.json" with { type: "json" };

export const banks: Readonly<Record<OfflineLanguage, Sentences>> = { en, es, de, fr, pt, zh };
