/** What a message is about, from a closed list: a reply names the subject without repeating private words, or getting them wrong. */
import type { OfflineLanguage } from "../words/language.ts";
import file from "./topics.data.json" with { type: "json" };

interface Topic {
  readonly cues: RegExp;
  readonly names: Readonly<Record<OfflineLanguage, string>>;
}

interface Topics {
  /** In the order in which they are looked for. */
  readonly topics: readonly Topic[];
  /** The same for Chinese. */
  readonly han: readonly { readonly cues: RegExp; readonly name: string }[];
}

let ready: Topics | undefined;

/** The topics, compiled with the first message. */
const compiled = (): Topics =>
  (ready ??= {
    topics: file.topics.map(({ cues, names }) => ({ cues: new RegExp(`(?<![\\p{L}\\p{N}])(?:${cues})(?![\\p{Script=Latin}\\p{N}])`, "u"), names })),
    han: file.han.map(({ cues, name }) => ({ cues: new RegExp(cues, "u"), name })),
  });

/** What a folded text is about, as it is called in a language; undefined where none of the list is heard. */
export function topicIn(text: string, language: OfflineLanguage): string | undefined {
  const { topics, han } = compiled();
  const found = topics.find(({ cues }) => cues.test(text));
  return found?.names[language] ?? (language === "zh" ? han.find(({ cues }) => cues.test(text))?.name : undefined);
}
