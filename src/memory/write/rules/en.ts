import { english } from "../../text/locales/en.ts";
import data from "./en.data.json" with { type: "json" };
import { rulesFrom, type RuleLanguage } from "./phrase.ts";

/** Phrases of English. */
export const englishRules: RuleLanguage = rulesFrom(data, english);
