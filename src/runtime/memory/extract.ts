import { abortable } from "../../kernel/abort.ts";
import { inForce } from "../../memory/entry.ts";
import type { MemorySettings } from "../../memory/settings.ts";
import type { MemoryView } from "../../memory/view.ts";
import type { Extraction } from "../../memory/write/extraction.ts";
import { rememberable } from "../../memory/write/policy.ts";
import { ruleExtractor } from "../../memory/write/rule-extractor.ts";
import type { EpisodeSaid } from "./episode-said.ts";

/** What an extractor finds in an episode. It is never shown what the person wants kept out, nor anything that was recalled. */
export async function extractionFor(
  { extractor }: MemorySettings,
  { said, view, signal }: { readonly said: EpisodeSaid; readonly view: MemoryView; readonly signal: AbortSignal },
): Promise<Extraction> {
  const { turns, privacy } = rememberable(said.turns);
  if (turns.length === 0)
    return { candidates: [], arc: null, reason: privacy === undefined ? "Nothing was said." : "The person asked not to remember it." };
  const known = [...view.of("fact")].flatMap(({ entry }) => (inForce(entry) ? [entry] : []));
  const used = extractor ?? ruleExtractor();
  return abortable(used.extract({ turns, replies: said.replies, known }, { signal }), signal);
}
