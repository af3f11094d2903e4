import { chinese } from "../../text/locales/zh.ts";
import data from "./zh.data.json" with { type: "json" };
import { rulesFrom, type RuleLanguage } from "./phrase.ts";

/** Phrases of Chinese. */
export const chineseRules: RuleLanguage = rulesFrom(data, chinese);
