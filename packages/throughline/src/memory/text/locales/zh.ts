import { type Locale, localeFrom } from "../locale.ts";
import data from "./zh.data.json" with { type: "json" };

/** Chinese. Pairs of characters need no stemmer, and words in other scripts stay unchanged. */
export const chinese: Locale = localeFrom(data, (word) => word);
