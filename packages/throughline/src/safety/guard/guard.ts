/** Checks a model's text before the person sees it, as a whole or as a stream. Forbidden content is removed, or the whole text is rejected. */
import type { SafetyLevel } from "../assessment.ts";
import { withoutUnknownPlaceholders } from "../resources/resource-lookup.ts";
import type { ResourceLookup } from "../resources/resource-table.ts";
import data from "./blocks.data.json" with { type: "json" };
import { fold, sentencesOf, type Span } from "./folded-text.ts";
import { allowedRuns, numberSpans, romanSpans } from "./guard-numbers.ts";

/** Content that is removed sentence by sentence. `emergency_text`: hotlines and emergency services, at level 1. */
export const removedKinds = ["number", "link", "emergency_text"] as const;
/** A kind of removed content. */
export type RemovedKind = (typeof removedKinds)[number];

/**
 * Reasons to reject a whole text. The model is then asked once more before the static reply is sent. `questions`: not exactly one at level 1, or more
 * than one above it.
 */
export const blockedKinds = [
  ...["method_detail", "secrecy_promise", "human_claim", "contact_claim", "no_harm_promise", "refusal", "retention", "diagnosis", "questions"],
] as const;
/** A reason to reject a text. */
export type BlockedKind = (typeof blockedKinds)[number];

/** The limits of a text. */
export interface GuardOptions {
  readonly level: SafetyLevel;
  /** Numbers and links that this turn may show: `allowedOf` a lookup, and the sources of a grounded answer. Default none. */
  readonly allow?: Allowed;
  /** A crisis is open. Services may then be named at level 1, and a reply asks at most one question. */
  readonly crisisOpen?: boolean;
  /** `minor`: romance is rejected too. */
  readonly profile?: "adult" | "minor";
}

/** Allowed numbers and links, as the table writes them. */
export interface Allowed {
  readonly numbers: readonly string[];
  readonly links: readonly string[];
}

/** The checked text. It may be shown if `blocked` is empty. */
export interface Guarded {
  /** Blank if nothing is left. */
  readonly text: string;
  /** Kinds, never words. */
  readonly removed: readonly RemovedKind[];
  readonly blocked: readonly BlockedKind[];
}

/** Returns the numbers and links of a lookup. A reply of its turn may show no others. */
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

/** Returns the indexes of the sentences that the spans overlap. */
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

/** Rounds of checking a text again after a removal. After the last round, nothing of the text is left. */
const mostRounds = 4;

const unique = <Item>(items: readonly Item[]): readonly Item[] => [...new Set(items)];

/** Replaces spans with spaces, so that later checks skip them. */
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

/** Characters that reverse the order of display. A reader would see a number backwards. */
const reordering = /[\u{202A}-\u{202E}\u{2066}-\u{2069}]/gu;

/** Checks a text sentence by sentence. The text may be incomplete. */
function inspect(text: string, { level, allow = { numbers: [], links: [] }, profile = "adult", crisisOpen = false }: GuardOptions): Guarded {
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
 * Checks a text against the limits of a level. Sentences with a number or link that is not allowed are removed. At level 1, so are sentences that
 * name hotlines. `blocked` names the reasons to reject the text. Guard a text before its placeholders are expanded: at level 1, a placeholder for
 * services counts as one. Linear in the length of the text.
 */
export function guard(text: string, options: GuardOptions): Guarded {
  const { text: read, removed, blocked } = inspect(options.level > 0 ? withoutUnknownPlaceholders(text) : text, options);
  let kept = read;
  // Parts that were separate can form a number once the sentence between them is removed.
  for (let rounds = 0, again = removed.length > 0; again; rounds += 1) {
    const next = inspect(kept, options);
    again = next.removed.length > 0;
    kept = rounds < mostRounds ? next.text : "";
  }
  kept = kept.trim();
  return { text: kept, removed, blocked: questionsBlocked(kept, options) ? [...blocked, "questions"] : blocked };
}

/** Releases a streamed text sentence by sentence. */
export interface GuardStream {
  /** Adds a part of the model's text. Returns the text that may be shown now. */
  push(delta: string): string;
  /**
   * Returns the rest that may be shown, and everything that was removed from the whole. After a blocked sentence nothing more is shown, but earlier
   * sentences already were.
   */
  end(): Guarded;
}

/** A text without a sentence end is checked in parts of this many characters. */
const longest = 4_000;

/**
 * Creates a guard for one streamed text at level 0. At higher levels, hold back the whole text and call `guard`. A sentence is released once the next
 * one has started, because a number may continue.
 */
export function guardStream(options: GuardOptions): GuardStream {
  let held = "";
  const removed = new Set<RemovedKind>();
  const blocked = new Set<BlockedKind>();
  const look = (text: string): string => {
    if (blocked.size > 0 || text === "") return "";
    const inspected = inspect(text, options);
    for (const kind of inspected.removed) removed.add(kind);
    for (const kind of inspected.blocked) blocked.add(kind);
    return blocked.size > 0 ? "" : inspected.text;
  };
  return {
    push: (delta) => {
      held += delta;
      // Without a new sentence end, nothing can be released, so most parts need no check.
      if (held.length < longest && !/[.!?…؟۔।॥。！？\n]/u.test(delta) && !/[.!?…؟۔।॥]["'”’»)\]]*\s*$/u.test(held.slice(0, -delta.length).slice(-4)))
        return "";
      const sentences = sentencesOf(held);
      const last = sentences.at(-1);
      let cut = last?.start ?? 0;
      if (cut === 0 && held.length > longest) cut = held.lastIndexOf(" ") + 1 || held.length;
      if (cut === 0) return "";
      const ready = held.slice(0, cut);
      held = held.slice(cut);
      return look(ready);
    },
    end: () => {
      const text = look(held);
      held = "";
      return { text, removed: [...removed], blocked: [...blocked] };
    },
  };
}

interface Block {
  readonly kind: BlockedKind;
  /** Applies from this level on. */
  readonly from: SafetyLevel;
  readonly pattern: RegExp;
  /** The sentence states the opposite, or reports the person's words. */
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

/** Services and emergency help. A question about the person's meaning needs neither. */
const emergencyText = any(data.emergency);

/** Returns the reasons to reject a text at a level, each once. Linear: every pattern reads each sentence once, and gaps in patterns are bounded. */
function blockedIn(
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

const generic =
  "com|org|net|gov|edu|mil|int|info|biz|io|app|dev|ai|chat|help|care|health|life|support|online|site|xyz|link|crisis|ngo|eu|world|live|space|foundation|page|web|club|center|centre|clinic|community";

/** Country domains. At level 0, one counts only with a path, a second level or a digit: `sleep.It helps` is a missing space. */
const country =
  "ac|ae|ar|at|au|be|bd|bg|br|bw|by|ca|ch|cl|cn|co|cr|cy|cz|de|dk|do|ec|ee|eg|es|fi|fr|gb|ge|gh|gr|hk|hr|hu|id|ie|il|in|ir|is|it|jm|jo|jp|ke|kr|kz|lb|li|lk|lt|lu|lv|ly|ma|me|mt|mu|mx|my|ng|nl|no|np|nz|pe|ph|pk|pl|pt|ro|rs|ru|sa|se|sg|si|sk|so|th|tr|tt|tv|tw|ua|uk|us|uy|vn|za";

const dot = String.raw`(?:\.|。|\s?[([{]\s?(?:\.|dot|punkt|punto|point|ponto|titik)\s?[)\]}]\s?|\s(?:dot|punkt|punto|point|ponto|titik|nokta|डॉट)\s|\s\.\s|点)`;

const scheme =
  /(?:\b(?:[a-z][a-z\d+-]{1,12}|hxxps?)\s?(?::|\[:\]|\(:\))\s?\/\/|\b(?:mailto|tel|sms|whatsapp|skype):|\bwww\d?\s?\.)\s?[^\s<>"'`]{1,2048}/gu;

const email = /[a-z\d._%+-]{1,64}\s?(?:@|[([]\s?at\s?[)\]])\s?[a-z\d-]{1,63}(?:(?:\.|\s?[([]?\s?dot\s?[)\]]?\s?)[a-z\d-]{1,63}){1,4}/gu;

const domain = new RegExp(
  String.raw`(?<![\p{L}\d@-])[\p{L}\d][\p{L}\d-]{0,62}(?:${dot}[a-z\d][a-z\d-]{0,62}){0,3}?${dot}(?:${generic}|${country})(?![\p{L}\d-])(?:/[^\s<>"'\x60]{0,2048})?`,
  "gu",
);

/** Any name with a dot and a path, whatever its ending: new domains appear every year. */
const pathed = /(?<![\p{L}\d@-])[\p{L}\d][\p{L}\d-]{0,62}(?:\.[\p{L}\d][\p{L}\d-]{0,62}){1,4}(?::\d{1,5})?\/[^\s<>"'`]{1,2048}/gu;

const certain = new RegExp(
  String.raw`(?:${generic})(?:/\S*)?$|/|\.(?:co|com|org|gov|net|ac|edu|or|go)\.[a-z]{2}$|\d[^.]*\.[a-z]{2}$|-[^.]*\.[a-z]{2}$`,
  "u",
);

const handle = /(?<![\p{L}\d.])@[a-z\d_]{3,30}/gu;

const canonical = (link: string): string =>
  link
    .toLowerCase()
    .replace(/^[a-z]{2,12}:\/\//u, "")
    .replace(/^www\./u, "")
    .replace(/[).,;:!?\]}>'"*_。]+$/u, "")
    .replace(/\/+$/u, "");

/** Returns the allowed links in comparable form: with their path, and as the host alone. */
const allowedLinks = (links: readonly string[]): ReadonlySet<string> =>
  new Set(links.flatMap((link) => [canonical(link), canonical(link).split("/")[0] ?? ""]));

/** Words that end like a domain but are not one. */
const noDomain = /^(?:e\.g|i\.e|a\.m|p\.m|u\.s|u\.k|node\.js|ph\.d|vs\.)$/u;

/** Returns the links of a folded text as allowed and refused spans. */
function linkSpans(
  text: string,
  { level, allowed }: { readonly level: SafetyLevel; readonly allowed: ReadonlySet<string> },
): { readonly allowed: readonly Span[]; readonly refused: readonly Span[] } {
  const good: Span[] = [];
  const refused: Span[] = [];
  const taken = new Uint8Array(text.length);
  for (const pattern of [scheme, email, domain, pathed, ...(level > 0 ? [handle] : [])])
    for (const { 0: found, index } of text.matchAll(pattern)) {
      if (pattern === domain && (noDomain.test(found) || (level === 0 && !certain.test(found)))) continue;
      const link = found.replace(/[)\].,;:!?*_]+$/u, "");
      const span = { start: index, end: index + link.length };
      if (taken[index] === 1) continue;
      taken.fill(1, span.start, span.end);
      if (allowed.has(canonical(link))) good.push(span);
      else refused.push(span);
    }
  return { allowed: good, refused };
}
