import { type Locale, localeFrom } from "../locale.ts";
import data from "./zh.data.json" with { type: "json" };

/** Chinese: pairs of characters need no stemmer. Words in other scripts are left as they are. */
export const chinese: Locale = localeFrom(data, (word) => word);
