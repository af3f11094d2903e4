/** Reads what a model wrote before a person does: what must not be said is taken out, or the whole is refused. */
import type { SafetyLevel } from "../assessment.ts";
import type { ResourceLookup } from "../resources/resource.ts";

/** What is taken out of a text, sentence by sentence. */
export const removedKinds = ["number", "link", "emergency_text"] as const;
export type RemovedKind = (typeof removedKinds)[number];

/** What a text is refused for, as a whole: it is asked for once more, then the static reply is sent. */
export const blockedKinds = [
  ...["method_detail", "secrecy_promise", "human_claim", "contact_claim", "no_harm_promise", "refusal", "retention", "diagnosis", "questions"],
] as const;
export type BlockedKind = (typeof blockedKinds)[number];

/** What a text is held to. */
export interface GuardOptions {
  readonly level: SafetyLevel;
  /** What this turn may show: `allowedOf` a look-up, and the sources of a grounded answer. Nothing by default. */
  readonly allow?: Allowed;
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
export const allowedOf = ({ resources, emergency, directories }: ResourceLookup): Allowed => ({
  numbers: [
    ...resources.flatMap(({ phones, text, name }) => [...phones, ...(text === undefined ? [] : [text]), name]),
    ...emergency.map(({ number }) => number),
  ],
  links: [
    ...resources.flatMap(({ chat, website }) => [chat, website].filter((link) => link !== undefined)),
    ...directories.map(({ website }) => website),
  ],
});

/**
 * Holds a text to what may be said at a level. Sentences with a number or a link that is not allowed are taken out; what must not be said at all is
 * named in `blocked`. Guard a text before its placeholders are expanded. Linear in the length of the text.
 */
export function guard(text: string, { level, allow = { numbers: [], links: [] } }: GuardOptions): Guarded {
  const bare = level > 0 && allow.numbers.length === 0 && /\d{3}/u.test(text);
  return bare ? { text: "", removed: ["number"], blocked: [] } : { text, removed: [], blocked: [] };
}
