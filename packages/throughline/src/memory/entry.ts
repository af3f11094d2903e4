/** Entries of a user's long-term memory. The store keeps them in this form, one row per version. */
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

/** Location of a statement: an offset in a session's log. */
const sourceShape = object(
  {
    session_id: sessionId,
    offset: whole(),
    /** Time of the statement. */
    at: time,
  },
  "customer",
);
/** Location of a statement: an offset in a session's log. */
export interface Source extends Infer<typeof sourceShape> {}
const source: Descriptor<Source> = sourceShape;

/** Sensitivity decides which entries an agent may bring up unprompted, and how long entries are kept. */
export const sensitivities = ["ordinary", "personal", "sensitive"] as const;
/** Sensitivity of an entry. `sensitive` covers health, crises and secrets of third parties. */
export type Sensitivity = (typeof sensitivities)[number];

/** How certain the author of the entry was. */
export const confidences = ["low", "medium", "high"] as const;
/** How certain the author of the entry was. */
export type Confidence = (typeof confidences)[number];
const confidence = otherwise(literals(...confidences), "medium");

/** Author of the entry: the person (a correction or a preference, which outranks the others), an extraction, or a program. */
const authorities = ["person", "extraction", "program"] as const;
/** Author of an entry. */
export type Authority = (typeof authorities)[number];
const authority = otherwise(literals(...authorities), "extraction");

const standing = {
  /** Time at which the entry was written. */
  recorded_at: formerly(time, "created_at"),
  /** Time at which the entry was withdrawn or replaced. From then on it is history and is not recalled. */
  retracted_at: described(formerly(optional(time), "dormant_at"), "When it was withdrawn or replaced."),
  /** Id of the entry that replaced this one. */
  superseded_by: described(optional(text), "Id of the entry that took its place."),
  /** Never evicted, and preferred when space is short. */
  pinned: flag,
  /** Kept and shown in lists, but never shown to a model. */
  never_recall: described(flag, "Kept, shown in lists, and never given to a model."),
  sensitivity: otherwise(literals(...sensitivities), "ordinary"),
};
const standingObject = object(standing, "customer");
/** State that the user, or time, can change on any entry. */
export interface Standing extends Infer<typeof standingObject> {}

const entityShape = object(
  {
    /** From the vocabulary: `User`, `Person`, `Concern`, `Event`, `CopingStrategy`, `Goal`, `Session`, `Turn`, or an agent's own type. */
    type: text,
    /** 1 to 200 characters. The user is `{ type: "User", id: "user" }`. */
    id: formerly(text, "identifier"),
  },
  "customer",
);
/** Subject or object of a fact. */
export interface Entity extends Infer<typeof entityShape> {}
const entity: Descriptor<Entity> = entityShape;

const writeTiming = literals("immediate", "episode_end", "promotion");
/** When an entry was written: immediately, when its episode ended, or after enough repetitions. */
export type WriteTiming = Infer<typeof writeTiming>;

const fact = named(
  "Fact",
  object(
    {
      type: literals("fact"),
      ...standing,
      /** From the vocabulary: `loss`, `preference`, `coping_strategy`, `relationship`, `trigger`, `goal`, `context`, or an agent's own category. */
      category: text,
      subject: entity,
      /** From the vocabulary, such as `WORRIES_ABOUT`. */
      predicate: text,
      object: entity,
      /** A verbatim quote of the user, at most 280 characters. */
      quote: described(formerly(text, "evidence_quote"), "What the person said, word for word."),
      confidence,
      authority,
      /** Sources of the statement, oldest first. Each repetition adds one. */
      sources: described(filledList(source), "Where it was said, oldest first."),
      /** Start of the fact's validity in the world, if known. */
      valid_from: optional(time),
      /** End of the fact's validity in the world, if known. */
      valid_to: optional(time),
      // In older entries, the end of an episode was the end of a session.
      written: lenient(formerly(otherwise(writeTiming, "episode_end"), "write_timing")),
      /** Reason for writing the entry, at most 240 characters. */
      reason: formerly(otherwise(text, ""), "write_reason"),
      /** Version of the policy that admitted the entry. */
      policy: formerly(otherwise(text, ""), "policy_version"),
    },
    "customer",
  ),
);
/** A fact: subject, predicate, object, and the user's quote that supports it. */
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
      /** The speaker, if several people talk in one session. */
      speaker: optional(text),
      /**
       * Set for messages to the user. Queries such as "what did you tell me" find them, with a lower weight than the user's own messages. Absent for
       * messages of the user.
       */
      role: lenient(optional(literals("assistant"))),
      /** A text that predates structured entries. It is shown unchanged, and its location and time are unknown. */
      legacy: flag,
    },
    "customer",
  ),
);
/** A message of the user, verbatim. */
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
      /** Number of the user's messages. */
      turn_count: otherwise(whole(), 0),
      /** 2 to 4 sentences, at most 600 characters. */
      summary: text,
      /** At most 3 themes. */
      themes: formerly(texts, "primary_themes"),
      mood: formerly(optional(object({ opened: text, closed: text }, "customer")), "mood_arc"),
      open_loops: texts,
      resolved: formerly(texts, "resolved_threads"),
      goal: optional(text),
      /** The most frequent approach. */
      approach: formerly(optional(text), "approach_used"),
      /** Details of the approach. */
      approach_context: optional(record(text)),
      /** Highest level of the safety gate in the episode. The runtime counts it, never the author of the summary. */
      level: formerly(optional(number), "crisis_level_max"),
      policy: formerly(otherwise(text, ""), "policy_version"),
    },
    "customer",
  ),
);
/** Summary of an episode. */
export interface Arc extends Infer<typeof arc> {}

const ruleShape = named(
  "Rule",
  object(
    {
      id: text,
      /** Second person, at most 280 characters. */
      text: formerly(text, "rule"),
      /** At most 3 quotes of the user. */
      evidence: texts,
      sources: otherwise(list(source), []),
      confidence,
      authority,
      added_at: otherwise(time, 0),
      /** Time at which the rule was archived. */
      archived_at: formerly(optional(time), "dormant_at"),
      /** Reason for archiving: the id of another rule, `eviction`, or `person`. */
      superseded_by: optional(text),
      pinned: flag,
    },
    "customer",
  ),
);
/** A rule for how to talk with this user. */
export interface Rule extends Infer<typeof ruleShape> {}
/** One of a profile's rules. */
export const ruleEntry: Descriptor<Rule> = ruleShape;

const rules = otherwise(list(ruleEntry), []);
const profile = object(
  {
    type: literals("profile"),
    /** Whether the agent may bring up memories unprompted. False until the user enables it. */
    recall_enabled: lenient(formerly(otherwise(boolean, false), "proactive_recall_enabled")),
    /** At most 20 rules, oldest first. */
    rules,
    archived: formerly(rules, "archived_rules"),
  },
  "customer",
);
/** How to talk with this user: one entry per owner, always loaded completely. */
export interface Profile extends Infer<typeof profile> {}

/** Maximum number of active rules. A new rule replaces the oldest one that is not pinned. */
export const mostRules = 20;

const proposed = {
  quote: text,
  /** Offset of the turn. A wrong offset is corrected by searching for the quote. */
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
/** A proposed fact. Code rejects it unless its quote is a verbatim part of the turn at `offset`. */
export interface FactCandidate extends Infer<typeof factCandidate> {}
const ruleCandidate = object(
  {
    type: literals("rule"),
    /** Second person. */
    text,
    ...proposed,
  },
  "customer",
);
/** A proposed rule, based on a wish that the user expressed. */
export interface RuleCandidate extends Infer<typeof ruleCandidate> {}
/** A proposed fact or rule. */
export type Candidate = FactCandidate | RuleCandidate;

const buffer = object(
  {
    type: literals("buffer"),
    session_id: sessionId,
    episode: whole(),
    /** Candidates in the order of arrival. */
    held: otherwise(list<Candidate>(oneOf("type", [factCandidate, ruleCandidate])), []),
    /** Number of turns per approach. */
    approach_counts: otherwise(record(number), {}),
    /** The user wants nothing of the episode remembered. */
    private: flag,
  },
  "customer",
);
/** Candidates held until an episode ends. */
export interface Buffer extends Infer<typeof buffer> {}

/** A pending question to a user about their memory. `control/commands.ts` reads its members. */
export interface PendingEntry {
  readonly type: "pending";
  readonly [member: string]: unknown;
}

const vector = object({
  type: literals("vector"),
  /** Id of the entry that the vector represents. */
  of: text,
  /** Id of the provider. Only vectors of the same provider are compared. */
  provider: text,
  dimensions: number,
  /** Little-endian 32-bit floats, in base64. */
  data: text,
  /** Digest of the embedded text. An entry whose text has changed needs a new vector. */
  digest: text,
});
/** The vector of another entry. */
export interface Vector extends Infer<typeof vector> {}

const bar = object({
  type: literals("bar"),
  /** Hash of the normalized text under a key of the owner. See `write/bar.ts`. */
  hash: text,
  /** Random half of the key. Bars of an owner that were written one after another share it. */
  salt: text,
  /** The owner whose key produced the hash, if it differs from the owner of the memory. This happens when a bar is carried over to a customer. */
  owner_id: optional(text),
  recorded_at: time,
});
/** Blocks a forgotten text from being written again. It holds a keyed hash, which does not reveal the text. */
export interface Bar extends Infer<typeof bar> {}

/** All entry kinds of the store. Types, checks and the members that the service exposes derive from these declarations. */
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
/** Name of an entry kind. */
export type EntryKind = keyof typeof entries;
/** An entry of any kind. */
export type Entry = { [Kind in EntryKind]: Infer<(typeof entries)[Kind]> }[EntryKind];

/** The id of the owner's profile. */
export const profileId = "profile";
/** Returns the id of a remembered turn. It is the same on every attempt, so a message is remembered once. */
export const turnEntryId = (session: SessionId | string, offset: number): string => `turn:${session}:${offset}`;
/** The id of an episode's arc. */
export const arcEntryId = (session: SessionId | string, episode: number): string => `arc:${session}:${episode}`;
/** The id of an entry's vector. */
export const vectorEntryId = (entry: string): string => `vec:${entry}`;

/** A profile without rules. */
export const emptyProfile: Profile = Object.freeze({ type: "profile", recall_enabled: false, rules: [], archived: [] });

/** Tells whether an entry is active: neither withdrawn nor replaced. */
export const inForce = (entry: Pick<Standing, "retracted_at" | "superseded_by">): boolean =>
  entry.retracted_at === undefined && entry.superseded_by === undefined;

/** Entry types that recall can return. */
export type Recallable = Fact | RememberedTurn | Arc;

/** Returns a filter for entries of a type. */
export const isOf =
  <Type extends Entry["type"]>(type: Type) =>
  (kept: Kept<Entry>): kept is Kept<Extract<Entry, { readonly type: Type }>> =>
    kept.entry.type === type;

/** Tells whether recall can return an entry. */
export const isRecallable = (kept: Kept<Entry>): kept is Kept<Recallable> =>
  kept.entry.type === "fact" || kept.entry.type === "turn" || kept.entry.type === "arc";

/** Returns a key for the location of a statement. */
export const sourceKey = ({ session_id, offset }: Pick<Source, "session_id" | "offset">): string => `${session_id}:${offset}`;

/** An entry with its id and version. */
export interface Kept<Entry> {
  readonly entry_id: string;
  /** The owner's memory version that wrote the entry. Each write to the memory increases it. */
  readonly version: number;
  readonly entry: Entry;
}

/** A write to an owner's memory, as part of a commit. Null data removes the entry with all its versions. */
export interface EntryWrite {
  readonly entry_id: string;
  readonly kind: EntryKind;
  readonly data: JsonObject | null;
}

/** Maximum number of held candidates. The newest are kept. */
const mostHeld = 200;

/** The id of the buffer of a session's episode. */
export const bufferEntryId = (session: SessionId | string, episode: number): string => `buffer:${session}:${episode}`;

/** An empty buffer for a new episode. */
export const emptyBuffer = (session_id: SessionId, episode: number): Buffer => ({
  type: "buffer",
  session_id,
  episode,
  held: [],
  approach_counts: {},
});

/** Returns the buffer with more candidates. */
export const hold = (buffer: Buffer, candidates: readonly Candidate[]): Buffer => ({
  ...buffer,
  held: [...buffer.held, ...candidates].slice(-mostHeld),
});

/** Returns the buffer with one more turn counted for an approach. */
export const countApproach = (buffer: Buffer, approach: string): Buffer => ({
  ...buffer,
  approach_counts: { ...buffer.approach_counts, [approach]: (buffer.approach_counts[approach] ?? 0) + 1 },
});

/** Returns the most frequent approach, or undefined if none was counted. On a tie, the first by name wins. */
export function dominantApproach(counts: Readonly<Record<string, number>>): string | undefined {
  const [first] = Object.entries(counts).toSorted(([left, a], [right, b]) => b - a || (left < right ? -1 : 1));
  return first?.[0];
}
