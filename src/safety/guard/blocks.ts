/** What must not be said at all, from `blocks.yaml`: patterns for one folded sentence each. They recognize; they teach nothing. */
import type { SafetyLevel } from "../assessment.ts";
import data from "./blocks.data.json" with { type: "json" };
import type { BlockedKind } from "./guard.ts";
import type { Span } from "./sentences.ts";

interface Block {
  readonly kind: BlockedKind;
  /** From this level on. */
  readonly from: SafetyLevel;
  readonly pattern: RegExp;
  /** The sentence says the contrary, or reports what the person has said. */
  readonly unless?: RegExp;
}

const any = (patterns: readonly string[]): RegExp => new RegExp(patterns.join("|").normalize("NFC"), "u");

const kinds: readonly BlockedKind[] = [
  ...(["method_detail", "secrecy_promise", "human_claim", "contact_claim", "no_harm_promise", "refusal", "retention", "diagnosis"] as const),
];
const levels: readonly SafetyLevel[] = [0, 1, 2, 3];

const blocks: readonly Block[] = data.blocks.flatMap(({ kind: named, from: least, patterns, unless }) => {
  const kind = kinds.find((one) => one === named);
  const from = levels.find((one) => one === least);
  if (kind === undefined || from === undefined) return [];
  return [{ kind, from, pattern: any(patterns), ...(unless !== undefined && { unless: new RegExp(unless, "u") }) }];
});

const romance = any(data.romance);

/** Services and emergency help, which a question about what somebody meant does without. */
export const emergencyText = any(data.emergency);

/** What of a text must not be said at a level: kinds, each once. Linear: every pattern reads each sentence once, and gaps in patterns are bounded. */
export function blockedIn(
  text: string,
  sentences: readonly Span[],
  { level, profile }: { readonly level: SafetyLevel; readonly profile: "adult" | "minor" },
): readonly BlockedKind[] {
  const found = new Set<BlockedKind>();
  for (const { start, end } of sentences) {
    const sentence = text.slice(start, end);
    for (const { kind, from, pattern, unless } of blocks)
      if (level >= from && !found.has(kind) && pattern.test(sentence) && unless?.test(sentence) !== true) found.add(kind);
    if (profile === "minor" && romance.test(sentence)) found.add("retention");
  }
  return [...found];
}
