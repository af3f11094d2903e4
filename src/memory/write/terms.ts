/** The terms of a text that carry meaning, in English, Spanish, German and Chinese: what is compared where the words need not be the same. */
import { chinese } from "../text/locales/zh.ts";
import { english } from "../text/locales/en.ts";
import { german } from "../text/locales/de.ts";
import { spanish } from "../text/locales/es.ts";
import { createTokenizer, type Tokenizer } from "../text/tokenize.ts";

let tokenizer: Tokenizer | undefined;

/** Stems without stop words. The tokenizer is made when it is first needed: most processes that load this write nothing. */
export const meaningful = (text: string): readonly string[] =>
  (tokenizer ??= createTokenizer({ locales: [english, spanish, german, chinese] })).terms(text);
