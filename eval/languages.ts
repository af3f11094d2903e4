/** The languages that memory reads by default, as the settings of an agent say. */
import { createTextReader } from "../packages/throughline/src/memory/recall/language.ts";
import { german } from "../packages/throughline/src/memory/text/locales/de.ts";
import { english } from "../packages/throughline/src/memory/text/locales/en.ts";
import { spanish } from "../packages/throughline/src/memory/text/locales/es.ts";
import { chinese } from "../packages/throughline/src/memory/text/locales/zh.ts";
import { createTokenizer } from "../packages/throughline/src/memory/text/tokenize.ts";

/** One for all memories: it keeps no text of any. */
export const reader = createTextReader(createTokenizer({ locales: [english, spanish, german, chinese] }));
