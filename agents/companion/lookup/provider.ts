/** Where facts are looked up. */

/** How far a source can be trusted, as its provider says. */
export const sourceQualities = ["official", "reputable", "weak", "none"] as const;
export type SourceQuality = (typeof sourceQualities)[number];

/** A text that was fetched: an answer may say what stands in it, and nothing else. */
export interface FoundSource {
  readonly title: string;
  /** Names it for citing; unique among the sources of a search. */
  readonly url: string;
  readonly text: string;
  readonly quality: SourceQuality;
}

/** Looks facts up. What it returns has been fetched: `text` is what stands there, not a summary that a model wrote. */
export interface SearchProvider {
  /** Shown to people and in `agent_config.search`: where answers come from. */
  readonly name: string;
  /** The best sources for a query, best first, at most `limit`; none where there are none. Throws if it cannot search. */
  search(query: string, options: { readonly limit: number; readonly signal: AbortSignal }): Promise<readonly FoundSource[]>;
}
