/** The languages that memory reads by default, as the settings of an agent say. */
import { createTextReader } from "../packages/throughline/src/memory/recall/language.ts";
import { chinese, english, german, spanish } from "../packages/throughline/src/memory/text/languages.ts";
import { createTokenizer } from "../packages/throughline/src/memory/text/tokenize.ts";

/** One for all memories: it keeps no text of any. */
export const reader = createTextReader(createTokenizer({ locales: [english, spanish, german, chinese] }));
