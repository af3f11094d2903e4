/** The sentences of each language. */
import type { OfflineLanguage } from "../words/language.ts";
import { german } from "./de.ts";
import { english } from "./en.ts";
import { spanish } from "./es.ts";
import { french } from "./fr.ts";
import { portuguese } from "./pt.ts";
import type { Sentences } from "./sentences.ts";
import { chinese } from "./zh.ts";

export const banks: Readonly<Record<OfflineLanguage, Sentences>> = { en: english, es: spanish, de: german, fr: french, pt: portuguese, zh: chinese };
