/** Finding what a person means by a few words, in order to forget it: everything that has all of the words, and nothing that is only like it. */
import { createTokenizer } from "../text/tokenize.ts";
import type { ListedEntry } from "./owner-memory.ts";

/** Cuts a text into the words that carry meaning, made comparable. */
export type Terms = (text: string) => readonly string[];

let tokenizer: ReturnType<typeof createTokenizer> | undefined;

/** The words of the default languages. */
export const defaultTerms: Terms = (text) => (tokenizer ??= createTokenizer()).terms(text);

function textOf({ entry, text }: ListedEntry): string {
  if (!("type" in entry)) return [entry.text, ...entry.evidence].join("\n");
  if (entry.type === "turn") return entry.text;
  if (entry.type === "fact") return [entry.subject.id, entry.object.id, entry.quote].join("\n").replaceAll("_", " ");
  return [text, ...entry.themes, ...entry.open_loops, ...entry.resolved, entry.goal ?? ""].join("\n");
}

/**
 * The things in force that have all meaningful words of a query; none for a query without any. A turn whose words a fact among them quotes is the same thing said
 * twice, and left out.
 */
export function matching(
  listing: readonly ListedEntry[],
  query: string,
  { terms = defaultTerms }: { readonly terms?: Terms } = {},
): readonly ListedEntry[] {
  const wanted = new Set(terms(query));
  if (wanted.size === 0) return [];
  const found = listing.filter((one) => {
    if (!one.in_force) return false;
    const has = new Set(terms(textOf(one)));
    return [...wanted].every((term) => has.has(term));
  });
  const told = new Set(
    found.flatMap(({ entry }) =>
      "type" in entry && entry.type === "fact" ? entry.sources.map(({ session_id, offset }) => `${session_id}:${offset}`) : [],
    ),
  );
  return found.filter(({ entry }) => !("type" in entry && entry.type === "turn" && told.has(`${entry.source.session_id}:${entry.source.offset}`)));
}
