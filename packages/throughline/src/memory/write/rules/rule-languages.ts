/** Phrases of the supplied languages. */
import en from "./en.data.json" with { type: "json" };
import es from "./es.data.json" with { type: "json" };
import de from "./de.data.json" with { type: "json" };
import zh from "./zh.data.json" with { type: "json" };
import { english } from "../../text/locales/en.ts";
import { rulesFrom, type RuleLanguage } from "./phrase.ts";
import { spanish } from "../../text/locales/es.ts";
import { german } from "../../text/locales/de.ts";
import { chinese } from "../../text/locales/zh.ts";

/** Phrases of English. */
export const englishRules: RuleLanguage = rulesFrom(en, english);

/** Phrases of Spanish. */
export const spanishRules: RuleLanguage = rulesFrom(es, spanish);

/** Phrases of German. */
export const germanRules: RuleLanguage = rulesFrom(de, german);

/** Phrases of Chinese. */
export const chineseRules: RuleLanguage = rulesFrom(zh, chinese);
