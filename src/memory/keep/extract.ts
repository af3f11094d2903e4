import { abortable } from "../../kernel/deadline.ts";
import { inForce } from "../entry.ts";
import type { MemorySettings } from "../settings.ts";
import type { MemoryView } from "../view.ts";
import type { Extraction, ExtractionInput } from "../write/extraction.ts";
import { factKey } from "../write/key.ts";
import { rememberable } from "../write/policy.ts";
import { ruleExtractor } from "../write/rule-extractor.ts";
import type { EpisodeSaid } from "./episode-said.ts";

/** What an extractor found, together with the words that it was shown. */
export interface Draft {
  readonly extraction: Extraction;
  readonly shown: Pick<ExtractionInput, "turns" | "replies" | "known">;
}

/** What an extractor may be shown of an episode now: neither what the person wants kept out, nor anything that was recalled. */
export function shownToExtractor({ turns, replies }: EpisodeSaid, view: MemoryView): Draft["shown"] {
  const known = [...view.of("fact")].flatMap(({ entry }) => (inForce(entry) ? [entry] : []));
  return { turns: rememberable(turns).turns, replies, known };
}

/**
 * Whether a draft may still be committed: the episode reads as it did, and every fact that the extractor was shown is in force. A draft that rests on
 * withdrawn, forgotten or erased words must be drafted again, since a summary tells them in words of its own.
 */
export function mayCommit({ shown }: Draft, now: Draft["shown"]): boolean {
  const wordsOf = ({ turns, replies }: Draft["shown"]): string => JSON.stringify([turns, replies]);
  if (wordsOf(shown) !== wordsOf(now)) return false;
  const inForceNow = new Set(now.known.map(factKey));
  return shown.known.every((fact) => inForceNow.has(factKey(fact)));
}

/** Asks the extractor; without words to show it is not asked. */
export async function draftOf(
  { extractor }: MemorySettings,
  { shown, said, signal }: { readonly shown: Draft["shown"]; readonly said: EpisodeSaid; readonly signal: AbortSignal },
): Promise<Draft> {
  if (shown.turns.length === 0) {
    const { privacy } = rememberable(said.turns);
    const reason = privacy === undefined ? "Nothing was said." : "The person asked not to remember it.";
    return { shown, extraction: { candidates: [], arc: null, reason } };
  }
  const used = extractor ?? ruleExtractor();
  return { shown, extraction: await abortable(used.extract(shown, { signal }), signal) };
}
