/** Input and output types of ranking. The index knows words, neighbors and dates, but not the meaning of an entry. */
import { inForce, turnEntryId, type Arc, type Fact, type Kept, type Recallable, type RememberedTurn } from "../entry.ts";

/** A memory entry in the form that the index stores. */
export interface MemoryUnit {
  readonly id: string;
  readonly kind: "fact" | "turn" | "arc";
  /** Group of the unit, usually an episode. Turns of a group are neighbors, ordered by `seq`. */
  readonly group: string;
  /** Position in the group: the offset in the log. */
  readonly seq: number;
  /** Time of the statement in milliseconds. */
  readonly at: number;
  /** The speaker, or the subject of a fact. */
  readonly subject?: string;
  /** Set for messages to the user, which have a lower weight. */
  readonly role?: "assistant";
  readonly text: string;
  /** Quote of a fact. It is indexed but not shown. */
  readonly quote?: string;
  /** For a fact, the ids of its source turns. Absent for an arc, whose members are the turns of its group. */
  readonly sources?: readonly string[];
}

/** Query to an index. */
export interface RankRequest {
  /** Query text. */
  readonly text: string;
  /** Reference time for expressions such as "yesterday". */
  readonly now: number;
  /** Alternative names with their subjects: `{ mel: "Melanie" }`. Full names and first names need no alias. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Maximum number of results. Default 50. */
  readonly limit?: number;
}

/** A found unit. */
export interface RankedUnit {
  readonly id: string;
  /** Sum of all parts, used for the order. */
  readonly score: number;
  /**
   * Components of the score, without zeros: `words`, `session`, `concept`, `subject`, `date`, `when`, `answer`, `question`, `source`, `fact`. For a
   * group: `members`, `summary`.
   */
  readonly parts: Readonly<Record<string, number>>;
}

/** Results, best first: by score, then newer first, then by id. */
export interface Ranking {
  readonly hits: readonly RankedUnit[];
  /** Highest word score of a unit with its neighbors and classes. About 1 if every word of the query was found, 0 without hits. */
  readonly top: number;
  /** Whether a hit matches a date or subject that the query names. If so, the floor does not apply. */
  readonly anchored: boolean;
  /** Number of scored units. */
  readonly candidates: number;
  /** Number of meaningful words in the query. */
  readonly words: number;
  /** Share of the evidence about the named subject. Undefined if the query names none. */
  readonly subjectShare?: number;
}

/** Word index of one owner's memory. Never shared between owners. */
export interface MemoryIndex {
  /** Adds or replaces a unit. */
  add(unit: MemoryUnit): void;
  /** Removes a unit. Returns false if it does not exist. */
  remove(id: string): boolean;
  has(id: string): boolean;
  readonly size: number;
  /** Estimated size in bytes. */
  readonly bytes: number;
  /** Returns the best facts and turns; {@link rankGroups} ranks arcs. The result does not depend on the order in which units were added. */
  rank(request: RankRequest): Ranking;
  /**
   * Ranks groups (episodes) by id. The score is 1, 0.5 and 0.25 of the best three turns, plus the score of the arc's summary. If a group has no turns
   * in the index, its facts and arcs count instead. With the request of the last `rank` call it costs almost nothing.
   */
  rankGroups(request: RankRequest): readonly RankedUnit[];
}

/** Returns the group id of an episode. */
export const episodeGroup = (session_id: string, episode: number): string => `${session_id}:${episode}`;

/** Returns the unit of an entry. Returns undefined for an entry that is withdrawn, replaced or excluded from recall. */
export function unitOf({ entry_id, entry }: Kept<Recallable>): MemoryUnit | undefined {
  if (!inForce(entry) || entry.never_recall === true) return undefined;
  switch (entry.type) {
    case "turn":
      return turnUnit(entry_id, entry);
    case "fact":
      return factUnit(entry_id, entry);
    case "arc":
      return arcUnit(entry_id, entry);
  }
}

function turnUnit(id: string, { text, source, episode, speaker, role }: RememberedTurn): MemoryUnit {
  return {
    ...{ id, kind: "turn", group: episodeGroup(source.session_id, episode), seq: source.offset, at: source.at, text },
    ...(speaker === undefined ? {} : { subject: speaker }),
    ...(role === undefined ? {} : { role }),
  };
}

/** Splits ids such as `CopingStrategy` and `night_shift` into words. */
const spaced = (id: string): string => id.replaceAll("_", " ").replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, " ");

/** Facts have a separate group per session. Their neighborhood is that of their source turns, which contribute to their score. */
function factUnit(id: string, fact: Fact): MemoryUnit {
  const { category, subject, predicate, object, quote, sources } = fact;
  const [first] = sources;
  const turns = sources.map(({ session_id, offset }) => turnEntryId(session_id, offset));
  const about = subject.type === "User" ? "" : spaced(subject.id);
  return {
    ...{
      id,
      kind: "fact",
      group: `${first.session_id}:facts`,
      seq: first.offset,
      at: fact.valid_from ?? first.at,
    },
    text: [spaced(category), about, spaced(predicate.toLowerCase()), spaced(object.id)].filter((part) => part !== "").join(" "),
    quote,
    sources: turns,
    ...(about === "" ? {} : { subject: about }),
  };
}

function arcUnit(id: string, { session_id, episode, upto, ended_at, summary, themes }: Arc): MemoryUnit {
  return { id, kind: "arc", group: episodeGroup(session_id, episode), seq: upto, at: ended_at, text: [...themes, summary].join(". ") };
}
