/** What is remembered of a person: the entries of their long-term memory. Stored as they are here, one row a version. */
import type { SessionId } from "../kernel/id.ts";
import type { JsonObject } from "../kernel/json.ts";

/** The kinds of entry, as the store keeps them. */
export const entryKinds = ["fact", "turn", "arc", "profile", "buffer", "pending", "vector", "mask", "bar"] as const;
/** A kind of entry. */
export type EntryKind = (typeof entryKinds)[number];

/** Where something was said: an offset of a session's log. */
export interface Source {
  readonly session_id: SessionId;
  readonly offset: number;
  /** When it was said. */
  readonly at: number;
}

/** How careful one has to be with it: what an agent brings up by itself, and what is kept for how long, is decided by it. */
export const sensitivities = ["ordinary", "personal", "sensitive"] as const;
/** How careful one has to be with it. `sensitive`: health, crisis, third parties' secrets. */
export type Sensitivity = (typeof sensitivities)[number];

/** How sure whoever wrote it was. */
export const confidences = ["low", "medium", "high"] as const;
/** How sure whoever wrote it was. */
export type Confidence = (typeof confidences)[number];

/** Who says so: the person (a correction or a preference, which outranks all else), an extraction, or a program. */
export const authorities = ["person", "extraction", "program"] as const;
/** Who says so. */
export type Authority = (typeof authorities)[number];

/** What a person, and time, can do to anything remembered. */
export interface Standing {
  /** When it was written down. */
  readonly recorded_at: number;
  /** When it was withdrawn or replaced: from then on it is history and not recalled. */
  readonly retracted_at?: number;
  /** Id of the entry that took its place. */
  readonly superseded_by?: string;
  /** Never evicted, and preferred when there is too much. */
  readonly pinned?: true;
  /** Kept, shown in lists, and never given to a model. */
  readonly never_recall?: true;
  readonly sensitivity: Sensitivity;
}

/** What a fact is about, or what it says of that. */
export interface Entity {
  /** From the vocabulary: `User`, `Person`, `Concern`, `Event`, `CopingStrategy`, `Goal`, `Session`, `Turn`, or an agent's own. */
  readonly type: string;
  /** 1 to 200 characters; the person themself is `{ type: "User", id: "user" }`. */
  readonly id: string;
}

/** When in the life of a conversation something was written: at once, when its episode ended, or when it had been said often enough. */
export type WriteTiming = "immediate" | "episode_end" | "promotion";

/** A fact: who, what, and the words of the person that say so. */
export interface Fact extends Standing {
  readonly type: "fact";
  /** From the vocabulary: `loss`, `preference`, `coping_strategy`, `relationship`, `trigger`, `goal`, `context`, or an agent's own. */
  readonly category: string;
  readonly subject: Entity;
  /** From the vocabulary, such as `WORRIES_ABOUT`. */
  readonly predicate: string;
  readonly object: Entity;
  /** A verbatim piece of what the person said, at most 280 characters. */
  readonly quote: string;
  readonly confidence: Confidence;
  readonly authority: Authority;
  /** Where it was said, oldest first: each time that it was said again adds one. */
  readonly sources: readonly [Source, ...Source[]];
  /** Since when and until when it holds in the world, as far as that is known. */
  readonly valid_from?: number;
  readonly valid_to?: number;
  readonly written: WriteTiming;
  /** Why it was written, at most 240 characters. */
  readonly reason: string;
  /** Version of the rules that let it in. */
  readonly policy: string;
}

/** What a person said, word for word. */
export interface RememberedTurn extends Standing {
  readonly type: "turn";
  readonly text: string;
  readonly source: Source;
  readonly episode: number;
  /** Who spoke, where several people talk in one session. */
  readonly speaker?: string;
  /** For what was said to the person: found by "what did you tell me", weighted lower than what they said. The person, if left out. */
  readonly role?: "assistant";
  /** A text from before entries had a shape: it reads as it stands, and where and when it was said is not known. */
  readonly legacy?: true;
}

/** A stretch of conversation, told in short. */
export interface Arc extends Standing {
  readonly type: "arc";
  readonly session_id: SessionId;
  readonly episode: number;
  readonly started_at: number;
  readonly ended_at: number;
  /** Offsets of the first and the last message. */
  readonly from: number;
  readonly upto: number;
  /** Messages of the person. */
  readonly turn_count: number;
  /** 2 to 4 sentences, at most 600 characters. */
  readonly summary: string;
  /** At most 3. */
  readonly themes: readonly string[];
  readonly mood?: { readonly opened: string; readonly closed: string };
  readonly open_loops: readonly string[];
  readonly resolved: readonly string[];
  readonly goal?: string;
  /** The approach that was used most, and what belongs to it. */
  readonly approach?: string;
  readonly approach_context?: Readonly<Record<string, string>>;
  /** The highest level that a gate found in it, counted by the runtime and never by whoever writes the summary. */
  readonly level?: number;
  readonly policy: string;
}

/** A rule of how to talk with this person. */
export interface Rule {
  readonly id: string;
  /** In the second person, at most 280 characters. */
  readonly text: string;
  /** The person's words, at most 3. */
  readonly evidence: readonly string[];
  readonly sources: readonly Source[];
  readonly confidence: Confidence;
  readonly authority: Authority;
  readonly added_at: number;
  /** When it was taken out of force, and by what: the id of another rule, `eviction`, or `person`. */
  readonly archived_at?: number;
  readonly superseded_by?: string;
  readonly pinned?: true;
}

/** How to talk with this person: one entry an owner, loaded whole. */
export interface Profile {
  readonly type: "profile";
  /** Whether the agent may bring up by itself what it remembers; false until the person wants it. */
  readonly recall_enabled: boolean;
  /** At most 20, oldest first. */
  readonly rules: readonly Rule[];
  readonly archived: readonly Rule[];
}

/** At most so many rules are in force; the oldest that is not pinned makes room. */
export const mostRules = 20;

/** A vector of another entry. */
export interface Vector {
  readonly type: "vector";
  /** Id of the entry whose text it stands for. */
  readonly of: string;
  /** Id of the provider: only vectors of one provider are compared. */
  readonly provider: string;
  readonly dimensions: number;
  /** Little-endian 32-bit floats, in base64. */
  readonly data: string;
  /** Of the text that was embedded: an entry that says something else by now needs another vector. */
  readonly digest: string;
}

/** Messages that no model is shown any more, because what they said was forgotten. */
export interface Mask {
  readonly type: "mask";
  readonly session_id: SessionId;
  readonly offsets: readonly number[];
  readonly recorded_at: number;
}

/** What must not be written again: a keyed hash, which tells nobody what it was. */
export interface Bar {
  readonly type: "bar";
  /** Of the normalised text, under a key that is the owner's: see `write/bar.ts`. */
  readonly hash: string;
  /** The random half of the key; all bars of an owner have the same, as far as they were written one after another. */
  readonly salt: string;
  /** The owner whose key it was made with, if that is not whose memory it is in: it was carried over to a customer. */
  readonly owner_id?: string;
  readonly recorded_at: number;
}

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
