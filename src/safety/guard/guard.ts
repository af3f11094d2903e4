/** Reads what a model wrote before a person does: what must not be said is taken out, or the whole is refused. */
import type { SafetyLevel } from "../assessment.ts";
import { withoutUnknownPlaceholders } from "../resources/placeholders.ts";
import type { ResourceLookup } from "../resources/resource.ts";
import { blockedIn, emergencyText } from "./blocks.ts";
import { fold } from "./fold.ts";
import { allowedLinks, linkSpans } from "./links.ts";
import { allowedRuns, numberSpans, romanSpans } from "./numbers.ts";
import { sentencesOf } from "./sentences.ts";
import type { Span } from "./sentences.ts";

/** What is taken out of a text, sentence by sentence. `emergency_text`: hotlines and emergency services, at level 1. */
export const removedKinds = ["number", "link", "emergency_text"] as const;
/** One of them. */
export type RemovedKind = (typeof removedKinds)[number];

/** What a text is refused for, as a whole: it is asked for once more, then the static reply is sent. `questions`: not exactly one at level 1, or more than one above. */
export const blockedKinds = [
  ...["method_detail", "secrecy_promise", "human_claim", "contact_claim", "no_harm_promise", "refusal", "retention", "diagnosis", "questions"],
] as const;
/** One of them. */
export type BlockedKind = (typeof blockedKinds)[number];

/** What a text is held to. */
export interface GuardOptions {
  readonly level: SafetyLevel;
  /** What this turn may show: `allowedOf` a look-up, and the sources of a grounded answer. Nothing by default. */
  readonly allow?: Allowed;
  /** A crisis is open: at level 1 too services may be named, and a reply asks one question at most. */
  readonly crisisOpen?: boolean;
  /** `minor`: romance is refused too. */
  readonly profile?: "adult" | "minor";
}

/** Numbers and links that may be shown, as the table writes them. */
export interface Allowed {
  readonly numbers: readonly string[];
  readonly links: readonly string[];
}

/** A text that may be shown, unless something is in `blocked`. */
export interface Guarded {
  /** Blank if nothing is left. */
  readonly text: string;
  /** Kinds, never words. */
  readonly removed: readonly RemovedKind[];
  readonly blocked: readonly BlockedKind[];
}

/** The numbers and links of a look-up: all that a reply of its turn may show. */
export const allowedOf = ({ resources, emergency, directories, stale }: ResourceLookup): Allowed => ({
  numbers: [
    ...resources.flatMap(({ id, name, phones, text = "", hours = "", audience = "", verified_at }) => [
      ...[name, ...phones, text, hours, audience],
      ...(stale.includes(id) ? [verified_at] : []),
    ]),
    ...emergency.map(({ number }) => number),
  ],
  links: [
    ...resources.flatMap(({ chat, website }) => [chat, website].filter((link) => link !== undefined)),
    ...directories.map(({ website }) => website),
  ],
});

/** Which sentences spans lie in, whole or in part. */
function touched(sentences: readonly Span[], spans: readonly Span[]): ReadonlySet<number> {
  const found = new Set<number>();
  let at = 0;
  for (const { start, end } of spans.toSorted((one, other) => one.start - other.start)) {
    while (at < sentences.length - 1 && (sentences[at]?.end ?? 0) <= start) at += 1;
    for (let index = at; index < sentences.length && (sentences[index]?.start ?? 0) < end; index += 1) found.add(index);
  }
  return found;
}

function questionsBlocked(text: string, { level, crisisOpen = false }: GuardOptions): boolean {
  const count = [...text.matchAll(/[?？؟⁇⁈⁉‽][?？؟⁇⁈⁉‽!！\s]*/gu)].length;
  return level === 1 && !crisisOpen ? count !== 1 : level > 0 && count > 1;
}

/** So often a text is read anew of which something was taken out; then nothing of it is left. */
const mostRounds = 4;

const unique = <Item>(items: readonly Item[]): readonly Item[] => [...new Set(items)];

/** Puts spaces in the place of spans, so that what follows does not read them again. */
function without(text: string, spans: readonly Span[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of spans.toSorted((one, other) => one.start - other.start)) {
    if (start < from) continue;
    parts.push(text.slice(from, start), " ".repeat(end - start));
    from = end;
  }
  return [...parts, text.slice(from)].join("");
}

/** Makes what follows be shown in another order: a number would be read backwards. */
const reordering = /[\u{202A}-\u{202E}\u{2066}-\u{2069}]/gu;

/** What is wrong with a text, sentence by sentence; also for a text that is still being written. */
export function inspect(text: string, { level, allow = { numbers: [], links: [] }, profile = "adult", crisisOpen = false }: GuardOptions): Guarded {
  const folded = fold(text);
  const sentences = sentencesOf(folded.text);
  const links = linkSpans(folded.text, { level, allowed: allowedLinks(allow.links) });
  const rest = without(folded.text, links.allowed);
  const numbers = numberSpans(rest, { level, allowed: allowedRuns(allow.numbers), sentences });
  const originals = sentences.map(({ start, end }) => ({ start: folded.at[start] ?? 0, end: folded.at[end] ?? text.length }));
  const withNumber = touched(sentences, numbers);
  const withRoman = touched(originals, level === 0 ? [] : romanSpans(text));
  const withLink = touched(sentences, links.refused);
  const kept: string[] = [];
  const removed: RemovedKind[] = [];
  for (const [at, original] of originals.entries()) {
    const kinds: readonly RemovedKind[] = [
      ...(withNumber.has(at) || withRoman.has(at) ? ["number" as const] : []),
      ...(withLink.has(at) ? ["link" as const] : []),
      ...(level === 1 && !crisisOpen && emergencyText.test(folded.text.slice(sentences[at]?.start, sentences[at]?.end))
        ? ["emergency_text" as const]
        : []),
    ];
    removed.push(...kinds);
    if (kinds.length === 0) kept.push(text.slice(original.start, original.end).replaceAll(reordering, ""));
  }
  return { text: kept.join(""), removed: unique(removed), blocked: blockedIn(folded.text, sentences, { level, profile }) };
}

/**
 * Holds a text to what may be said at a level. Sentences with a number or a link that is not allowed are taken out, at level 1 also those that name
 * hotlines; what must not be said at all is named in `blocked`. Guard a text before its placeholders are expanded: at level 1 those of services count as
 * such. Linear in the length of the text.
 */
export function guard(text: string, options: GuardOptions): Guarded {
  const { text: read, removed, blocked } = inspect(options.level > 0 ? withoutUnknownPlaceholders(text) : text, options);
  let kept = read;
  // What stood apart may be a number once the sentence between is gone.
  for (let rounds = 0, again = removed.length > 0; again; rounds += 1) {
    const next = inspect(kept, options);
    again = next.removed.length > 0;
    kept = rounds < mostRounds ? next.text : "";
  }
  kept = kept.trim();
  return { text: kept, removed, blocked: questionsBlocked(kept, options) ? [...blocked, "questions"] : blocked };
}
