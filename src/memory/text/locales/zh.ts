import type { Locale } from "../locale.ts";
import { localeFrom } from "../locale-file.ts";
import data from "./zh.data.json" with { type: "json" };

/** Chinese: pairs of characters need no stemmer. Words in other scripts are left as they are. */
export const chinese: Locale = localeFrom(data, (word) => word);
