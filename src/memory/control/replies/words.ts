/** What a person is told about their memory, from `<language>.yaml`. */
import type { Language } from "../language.ts";
import de from "./de.data.json" with { type: "json" };
import en from "./en.data.json" with { type: "json" };
import es from "./es.data.json" with { type: "json" };
import zh from "./zh.data.json" with { type: "json" };

/** The texts of one language, as `replies.schema.json` describes them. */
export type ReplyWords = typeof en;

/** The texts of every language. */
export const replyWords: Readonly<Record<Language, ReplyWords>> = { en, es, de, zh };

/** A text with its placeholders filled in, each once: what is filled in is not read again. */
export const filled = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replaceAll(/\{(\w+)\}/gu, (placeholder, name: string) => String(values[name] ?? placeholder));

/** A text for one, or for another count. */
export const counted = ({ one, many }: { readonly one: string; readonly many: string }, count: number): string =>
  filled(count === 1 ? one : many, { count });
