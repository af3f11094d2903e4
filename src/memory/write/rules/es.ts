import { spanish } from "../../text/locales/es.ts";
import data from "./es.data.json" with { type: "json" };
import { rulesFrom, type RuleLanguage } from "./phrase.ts";

/** Phrases of Spanish. */
export const spanishRules: RuleLanguage = rulesFrom(data, spanish);
