/** Looks up facts in local pages, without a network and with reproducible results. */
import { ThroughlineError } from "throughline";
import { languageOf } from "../offline/words/folded-words.ts";
import { askingWords, type FoundSource, type SearchProvider, type SourceQuality, termsOf } from "./grounding.ts";
import ar from "./knowledge/ar.data.json" with { type: "json" };
import de from "./knowledge/de.data.json" with { type: "json" };
import english from "./knowledge/en.data.json" with { type: "json" };
import es from "./knowledge/es.data.json" with { type: "json" };
import fr from "./knowledge/fr.data.json" with { type: "json" };
import hiLatin from "./knowledge/hi-latn.data.json" with { type: "json" };
import hi from "./knowledge/hi.data.json" with { type: "json" };
import id from "./knowledge/id.data.json" with { type: "json" };
import pt from "./knowledge/pt.data.json" with { type: "json" };
import zh from "./knowledge/zh.data.json" with { type: "json" };

/** A page of facts. */
export interface KnowledgePage {
  /** Lowercase letters, digits and "-". The page is cited as `knowledge:<id>`. */
  readonly id: string;
  readonly title: string;
  /** Search words that the text may lack. */
  readonly keywords: readonly string[];
  readonly text: string;
  /** Default `weak`: general notes. */
  readonly quality?: SourceQuality;
  /** A question in another language does not find the page; default: questions in every language do. */
  readonly language?: string;
}

/** The companion's own pages: many in English, and those that are asked for most in nine other languages. A question finds pages of its language. */
export const knowledgePages: readonly KnowledgePage[] = Object.entries({
  ...{ en: english, de, es, fr, pt, zh, id, hi, "hi-latn": hiLatin, ar },
}).flatMap(([language, { pages }]) => pages.map((page: KnowledgePage) => ({ ...page, language })));

interface IndexedPage {
  readonly language: string | undefined;
  readonly source: FoundSource;
  readonly title: ReadonlySet<string>;
  readonly text: ReadonlySet<string>;
}

/** A word in the title names the subject of a page; a word in the text is only a mention. */
const titleWeight = 3;
/** Least share of the query that a page must cover, weighted by the rarity of each word. */
const leastCover = 0.5;

function checked(pages: readonly KnowledgePage[]): readonly KnowledgePage[] {
  for (const [index, { id, title, text }] of pages.entries()) {
    const wrong = (field: string, what: string): ThroughlineError =>
      new ThroughlineError("agent.invalid", `Knowledge page ${index} ("${id}"): ${field} ${what}.`, { details: { page: id, field } });
    if (!/^[a-z][a-z0-9-]{1,63}$/u.test(id)) throw wrong("id", 'must be lower case letters, digits and "-"');
    if (title.trim() === "") throw wrong("title", "must not be blank");
    if (text.trim() === "") throw wrong("text", "must not be blank");
    if (pages.findIndex((page) => page.id === id) < index) throw wrong("id", "is there twice");
  }
  return pages;
}

/**
 * Creates a search provider over pages of facts; default the companion's own. A page matches if it covers at least half of the query, where rare
 * words weigh more. Its title or keywords must also have one of the words. Throws `agent.invalid` with the page and the field.
 */
export function knowledgeBase({
  pages = knowledgePages,
  name = "knowledge base",
}: { readonly pages?: readonly KnowledgePage[]; readonly name?: string } = {}): SearchProvider {
  const given = checked(pages);
  let indexed: readonly IndexedPage[] | undefined;
  const index = (): readonly IndexedPage[] =>
    (indexed ??= given.map(({ id, title, keywords, text, quality = "weak", language }) => ({
      language,
      source: { title, url: `knowledge:${id}`, text, quality },
      title: termsOf(`${title} ${keywords.join(" ")}`),
      text: termsOf(text),
    })));
  return Object.freeze({
    name,
    search: async (query: string, { limit, signal }: { readonly limit: number; readonly signal: AbortSignal }) => {
      signal.throwIfAborted();
      const asked = languageOf(query);
      return ranked(
        query,
        index().filter(({ language }) => language === undefined || asked === undefined || language === asked),
      ).slice(0, limit);
    },
  });
}

function ranked(query: string, pages: readonly IndexedPage[]): readonly FoundSource[] {
  const all = [...termsOf(query)];
  const telling = all.filter((term) => !askingWords().has(term));
  const queryTerms = telling.length === 0 ? all : telling;
  const pagesWith = (term: string): number => pages.filter(({ title, text }) => title.has(term) || text.has(term)).length;
  const rarity = new Map(queryTerms.map((term) => [term, Math.log(1 + pages.length / (1 + pagesWith(term)))]));
  const weight = (terms: readonly string[]): number => terms.reduce((sum, term) => sum + (rarity.get(term) ?? 0), 0);
  const whole = weight(queryTerms);
  return pages
    .map(({ source, title, text }) => {
      const inTitle = weight(queryTerms.filter((term) => title.has(term)));
      const inAny = weight(queryTerms.filter((term) => title.has(term) || text.has(term)));
      return { source, inTitle, inAny };
    })
    .filter(({ inTitle, inAny }) => inTitle > 0 && inAny >= whole * leastCover)
    .toSorted((a, b) => b.inAny + titleWeight * b.inTitle - (a.inAny + titleWeight * a.inTitle))
    .map(({ source }) => source);
}
