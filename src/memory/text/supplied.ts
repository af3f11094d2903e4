/** The languages that come with the package. */
import type { Locale } from "./locale.ts";
import { german } from "./locales/de.ts";
import { english } from "./locales/en.ts";
import { spanish } from "./locales/es.ts";
import { chinese } from "./locales/zh.ts";

/** English, Spanish, German and Chinese. A text that shows no language counts as English. */
export const suppliedLocales: readonly Locale[] = Object.freeze([english, spanish, german, chinese]);
