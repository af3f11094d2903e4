/** What is remembered of a person: the entries of their long-term memory. Stored as they are here, one row a version. */
import {
  boolean,
  described,
  type Descriptor,
  filledList,
  flag,
  formerly,
  type Infer,
  json,
  lenient,
  list,
  literals,
  named,
  number,
  object,
  oneOf,
  optional,
  otherwise,
  record,
  text,
  textOf,
  time,
  whole,
} from "../kernel/descriptor.ts";
import type { SessionId } from "../kernel/id.ts";
import type { JsonObject } from "../kernel/json.ts";
import { maskEntry } from "../session/masks.ts";

const sessionId = described(textOf<SessionId>(), "`ses_` and 26 characters.");

/** Where something was said: an offset of a session's log. */
const sourceShape = object(
  {
    session_id: sessionId,
    offset: whole(),
    /** When it was said. */
    at: time,
  },
  "customer",
);
/** Where something was said: an offset of a session's log. */
export interface Source extends Infer<typeof sourceShape> {}
const source: Descriptor<Source> = sourceShape;

/** How careful one has to be with it: what an agent brings up by itself, and what is kept for how long, is decided by it. */
export const sensitivities = ["ordinary", "personal", "sensitive"] as const;
/** How careful one has to be with it. `sensitive`: health, crisis, third parties' secrets. */
export type Sensitivity = (typeof sensitivities)[number];

/** How sure whoever wrote it was. */
export const confidences = ["low", "medium", "high"] as const;
/** How sure whoever wrote it was. */
export type Confidence = (typeof confidences)[number];
const confidence = otherwise(literals(...confidences), "medium");

/** Who says so: the person (a correction or a preference, which outranks all else), an extraction, or a program. */
const authorities = ["person", "extraction", "program"] as const;
/** Who says so. */
export type Authority = (typeof authorities)[number];
const authority = otherwise(literals(...authorities), "extraction");

const standing = {
  /** When it was written down. */
  recorded_at: formerly(time, "created_at"),
  /** When it was withdrawn or replaced: from then on it is history and not recalled. */
  retracted_at: described(formerly(optional(time), "dormant_at"), "When it was withdrawn or replaced."),
  /** Id of the entry that took its place. */
  superseded_by: described(optional(text), "Id of the entry that took its place."),
  /** Never evicted, and preferred when there is too much. */
  pinned: flag,
  /** Kept, shown in lists, and never given to a model. */
  never_recall: described(flag, "Kept, shown in lists, and never given to a model."),
  sensitivity: otherwise(literals(...sensitivities), "ordinary"),
};
const standingObject = object(standing, "customer");
/** What a person, and time, can do to anything remembered. */
export interface Standing extends Infer<typeof standingObject> {}

const entityShape = object(
  {
    /** From the vocabulary: `User`, `Person`, `Concern`, `Event`, `CopingStrategy`, `Goal`, `Session`, `Turn`, or an agent's own. */
    type: text,
    /** 1 to 200 characters; the person themself is `{ type: "User", id: "user" }`. */
    id: formerly(text, "identifier"),
  },
  "customer",
);
/** What a fact is about, or what it says of that. */
export interface Entity extends Infer<typeof entityShape> {}
const entity: Descriptor<Entity> = entityShape;

const writeTiming = literals("immediate", "episode_end", "promotion");
/** When in the life of a conversation something was written: at once, when its episode ended, or when it had been said often enough. */
export type WriteTiming = Infer<typeof writeTiming>;

const fact = named(
  "Fact",
  object(
    {
      type: literals("fact"),
      ...standing,
      /** From the vocabulary: `loss`, `preference`, `coping_strategy`, `relationship`, `trigger`, `goal`, `context`, or an agent's own. */
      category: text,
      subject: entity,
      /** From the vocabulary, such as `WORRIES_ABOUT`. */
      predicate: text,
      object: entity,
      /** A verbatim piece of what the person said, at most 280 characters. */
      quote: described(formerly(text, "evidence_quote"), "What the person said, word for word."),
      confidence,
      authority,
      /** Where it was said, oldest first: each time that it was said again adds one. */
      sources: described(filledList(source), "Where it was said, oldest first."),
      /** Since when it holds in the world, as far as that is known. */
      valid_from: optional(time),
      /** Until when it holds in the world, as far as that is known. */
      valid_to: optional(time),
      // The end of an episode was the end of a session.
      written: lenient(formerly(otherwise(writeTiming, "episode_end"), "write_timing")),
      /** Why it was written, at most 240 characters. */
      reason: formerly(otherwise(text, ""), "write_reason"),
      /** Version of the rules that let it in. */
      policy: formerly(otherwise(text, ""), "policy_version"),
    },
    "customer",
  ),
);
/** A fact: who, what, and the words of the person that say so. */
export interface Fact extends Infer<typeof fact> {}

const turn = named(
  "RememberedTurn",
  object(
    {
      type: literals("turn"),
      ...standing,
      text,
      source,
      episode: whole(),
      /** Who spoke, where several people talk in one session. */
      speaker: optional(text),
      /** For what was said to the person: found by "what did you tell me", weighted lower than what they said. The person, if left out. */
      role: lenient(optional(literals("assistant"))),
      /** A text from before entries had a shape: it reads as it stands, and where and when it was said is not known. */
      legacy: flag,
    },
    "customer",
  ),
);
/** What a person said, word for word. */
export interface RememberedTurn extends Infer<typeof turn> {}

const texts = otherwise(list(text), []);
const arc = named(
  "Arc",
  object(
    {
      type: literals("arc"),
      ...standing,
      session_id: sessionId,
      episode: otherwise(whole(), 0),
      started_at: time,
      ended_at: time,
      /** Offset of the first message. */
      from: otherwise(whole(), 0),
      /** Offset of the last message. */
      upto: otherwise(whole(), 0),
      /** Messages of the person. */
      turn_count: otherwise(whole(), 0),
      /** 2 to 4 sentences, at most 600 characters. */
      summary: text,
      /** At most 3. */
      themes: formerly(texts, "primary_themes"),
      mood: formerly(optional(object({ opened: text, closed: text }, "customer")), "mood_arc"),
      open_loops: texts,
      resolved: formerly(texts, "resolved_threads"),
      goal: optional(text),
      /** The approach that was used most. */
      approach: formerly(optional(text), "approach_used"),
      /** What belongs to the approach. */
      approach_context: optional(record(text)),
      /** The highest level that a gate found in it, counted by the runtime and never by whoever writes the summary. */
      level: formerly(optional(number), "crisis_level_max"),
      policy: formerly(otherwise(text, ""), "policy_version"),
    },
    "customer",
  ),
);
/** A stretch of conversation, told in short. */
export interface Arc extends Infer<typeof arc> {}

const ruleShape = named(
  "Rule",
  object(
    {
      id: text,
      /** In the second person, at most 280 characters. */
      text: formerly(text, "rule"),
      /** The person's words, at most 3. */
      evidence: texts,
      sources: otherwise(list(source), []),
      confidence,
      authority,
      added_at: otherwise(time, 0),
      /** When it was taken out of force. */
      archived_at: formerly(optional(time), "dormant_at"),
      /** What took it out of force: the id of another rule, `eviction`, or `person`. */
      superseded_by: optional(text),
      pinned: flag,
    },
    "customer",
  ),
);
/** A rule of how to talk with this person. */
export interface Rule extends Infer<typeof ruleShape> {}
/** A rule, of which a profile holds several. */
export const ruleEntry: Descriptor<Rule> = ruleShape;

const rules = otherwise(list(ruleEntry), []);
const profile = object(
  {
    type: literals("profile"),
    /** Whether the agent may bring up by itself what it remembers; false until the person wants it. */
    recall_enabled: lenient(formerly(otherwise(boolean, false), "proactive_recall_enabled")),
    /** At most 20, oldest first. */
    rules,
    archived: formerly(rules, "archived_rules"),
  },
  "customer",
);
/** How to talk with this person: one entry an owner, loaded whole. */
export interface Profile extends Infer<typeof profile> {}

/** At most so many rules are in force; the oldest that is not pinned makes room. */
export const mostRules = 20;

const proposed = {
  quote: text,
  /** Offset of the turn; corrected by the quote if it is wrong. */
  offset: whole(),
  reason: otherwise(text, ""),
};
const factCandidate = object(
  {
    type: literals("fact"),
    category: text,
    subject: entity,
    predicate: text,
    object: entity,
    confidence,
    sensitivity: optional(literals(...sensitivities)),
    valid_from: optional(time),
    valid_to: optional(time),
    ...proposed,
  },
  "customer",
);
/** A fact that may be worth remembering. It is refused in code unless its quote is a verbatim piece of the turn at `offset`. */
export interface FactCandidate extends Infer<typeof factCandidate> {}
const ruleCandidate = object(
  {
    type: literals("rule"),
    /** In the second person. */
    text,
    ...proposed,
  },
  "customer",
);
/** A rule of how to talk with the person, that they have shown a wish for. */
export interface RuleCandidate extends Infer<typeof ruleCandidate> {}
/** A candidate. */
export type Candidate = FactCandidate | RuleCandidate;

const buffer = object(
  {
    type: literals("buffer"),
    session_id: sessionId,
    episode: whole(),
    /** Candidates, in the order in which they came. */
    held: otherwise(list<Candidate>(oneOf("type", [factCandidate, ruleCandidate])), []),
    /** How many turns were answered in which way. */
    approach_counts: otherwise(record(number), {}),
    /** The person wants nothing of the episode to be remembered. */
    private: flag,
  },
  "customer",
);
/** What is held back until an episode ends. */
export interface Buffer extends Infer<typeof buffer> {}

/** What a person has been asked about their memory. `control/pending.ts` reads the members. */
export interface PendingEntry {
  readonly type: "pending";
  readonly [member: string]: unknown;
}

const vector = object({
  type: literals("vector"),
  /** Id of the entry whose text it stands for. */
  of: text,
  /** Id of the provider: only vectors of one provider are compared. */
  provider: text,
  dimensions: number,
  /** Little-endian 32-bit floats, in base64. */
  data: text,
  /** Of the text that was embedded: an entry that says something else by now needs another vector. */
  digest: text,
});
/** A vector of another entry. */
export interface Vector extends Infer<typeof vector> {}

const bar = object({
  type: literals("bar"),
  /** Of the normalised text, under a key that is the owner's: see `write/bar.ts`. */
  hash: text,
  /** The random half of the key; all bars of an owner have the same, as far as they were written one after another. */
  salt: text,
  /** The owner whose key it was made with, if that is not whose memory it is in: it was carried over to a customer. */
  owner_id: optional(text),
  recorded_at: time,
});
/** What must not be written again: a keyed hash, which tells nobody what it was. */
export interface Bar extends Infer<typeof bar> {}

/** Every kind of entry, as the store keeps it: its type, its check and what of it the service shows follow from the declaration here. */
export const entries = {
  fact: fact as Descriptor<Fact>,
  turn: turn as Descriptor<RememberedTurn>,
  arc: arc as Descriptor<Arc>,
  profile: profile as Descriptor<Profile>,
  buffer: buffer as Descriptor<Buffer>,
  pending: record(json) as Descriptor<PendingEntry>,
  vector: vector as Descriptor<Vector>,
  mask: maskEntry,
  bar: bar as Descriptor<Bar>,
} as const;
/** A kind of entry. */
export type EntryKind = keyof typeof entries;
/** An entry of any kind. */
export type Entry = { [Kind in EntryKind]: Infer<(typeof entries)[Kind]> }[EntryKind];

/** The id of the owner's profile. */
export const profileId = "profile";
/** The id of a remembered turn: the same message is remembered once, however often that is tried. */
export const turnEntryId = (session: SessionId | string, offset: number): string => `turn:${session}:${offset}`;
/** The id of an episode's arc. */
export const arcEntryId = (session: SessionId | string, episode: number): string => `arc:${session}:${episode}`;
/** The id of an entry's vector. */
export const vectorEntryId = (entry: string): string => `vec:${entry}`;

/** A profile before the first rule. */
export const emptyProfile: Profile = Object.freeze({ type: "profile", recall_enabled: false, rules: [], archived: [] });

/** Whether an entry is in force: neither withdrawn nor replaced. */
export const inForce = (entry: Pick<Standing, "retracted_at" | "superseded_by">): boolean =>
  entry.retracted_at === undefined && entry.superseded_by === undefined;

/** What can be recalled. */
export type Recallable = Fact | RememberedTurn | Arc;

/** An entry with its id and version. */
export interface Kept<Entry> {
  readonly entry_id: string;
  /** Counts the writes to the owner's memory. */
  readonly version: number;
  readonly entry: Entry;
}

/** A write to an owner's memory, as a commit takes it. Null removes the entry with all its versions. */
export interface EntryWrite {
  readonly entry_id: string;
  readonly kind: EntryKind;
  readonly data: JsonObject | null;
}

/** At most so many candidates are held: the newest stay. */
const mostHeld = 200;

/** The id of the buffer of a session's episode. */
export const bufferEntryId = (session: SessionId | string, episode: number): string => `buffer:${session}:${episode}`;

/** A buffer at the beginning of an episode. */
export const emptyBuffer = (session_id: SessionId, episode: number): Buffer => ({
  type: "buffer",
  session_id,
  episode,
  held: [],
  approach_counts: {},
});

/** The buffer with more candidates. */
export const hold = (buffer: Buffer, candidates: readonly Candidate[]): Buffer => ({
  ...buffer,
  held: [...buffer.held, ...candidates].slice(-mostHeld),
});

/** The buffer after one more turn that was answered in this way. */
export const countApproach = (buffer: Buffer, approach: string): Buffer => ({
  ...buffer,
  approach_counts: { ...buffer.approach_counts, [approach]: (buffer.approach_counts[approach] ?? 0) + 1 },
});

/** The way in which most turns were answered, of several the first by name; undefined if none was counted. */
export function dominantApproach(counts: Readonly<Record<string, number>>): string | undefined {
  const [first] = Object.entries(counts).toSorted(([left, a], [right, b]) => b - a || (left < right ? -1 : 1));
  return first?.[0];
}
