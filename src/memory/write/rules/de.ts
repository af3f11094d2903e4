import { german } from "../../text/locales/de.ts";
import data from "./de.data.json" with { type: "json" };
import { rulesFrom, type RuleLanguage } from "./phrase.ts";

/** Phrases of German. */
export const germanRules: RuleLanguage = rulesFrom(data, german);
