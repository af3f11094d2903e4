/** What is ranked, and what ranking it gives. The index knows words, neighbours and dates; what an entry is to a person it does not know. */
import { inForce, turnEntryId, type Arc, type Fact, type Kept, type Recallable, type RememberedTurn } from "../entry.ts";

/** A piece of memory, as the index takes it. */
export interface MemoryUnit {
  readonly id: string;
  readonly kind: "fact" | "turn" | "arc";
  /** Units of one group, by `seq`, are each other's neighbours: what was said in one episode. */
  readonly group: string;
  /** Place in its group: the offset in the log. */
  readonly seq: number;
  /** When it was said, in milliseconds. */
  readonly at: number;
  /** Who says it, or whom it is about. */
  readonly subject?: string;
  /** Said to the person and not by them: weighted lower. */
  readonly role?: "assistant";
  readonly text: string;
  /** A fact's evidence: indexed with it, and not shown. */
  readonly quote?: string;
  /** A fact: the ids of the turns that it came from. An arc: none, its members are its group's turns. */
  readonly sources?: readonly string[];
}

/** What is asked of an index. */
export interface RankRequest {
  /** What was said, or asked. */
  readonly text: string;
  /** The time to read "yesterday" by. */
  readonly now: number;
  /** Names that units' subjects go by, each with the subject that it means: `{ mel: "Melanie" }`. Subjects themselves and their first names need none. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** At most so many, 50 by default. */
  readonly limit?: number;
}

/** A unit that was found. */
export interface RankedUnit {
  readonly id: string;
  /** All parts together: what the order rests on. */
  readonly score: number;
  /**
   * What it got for what, without the parts that are 0: `words`, `session`, `concept`, `subject`, `date`, `when`, `answer`, `question`, `source`, `fact`; a group:
   * `members`, `summary`.
   */
  readonly parts: Readonly<Record<string, number>>;
}

/** What was found, best first: by score, then the newer, then by id. */
export interface Ranking {
  readonly hits: readonly RankedUnit[];
  /** The best that the words of a unit and its neighbours got, with what their classes add: about 1 when everything in the question was found. 0 without hits. */
  readonly top: number;
  /** Whether a date or a subject that the question names was met by a hit: then the floor does not apply. */
  readonly anchored: boolean;
  /** Units that were looked at. */
  readonly candidates: number;
  /** How many words of the question carry meaning. */
  readonly words: number;
  /** Share of the evidence that speaks of the named subject; undefined if none is named. */
  readonly subjectShare?: number;
}

/** One owner's memory, ready to be searched. Never shared between owners. */
export interface MemoryIndex {
  /** Adds a unit, or puts it in the place of the one with its id. */
  add(unit: MemoryUnit): void;
  /** False if there is none. */
  remove(id: string): boolean;
  has(id: string): boolean;
  readonly size: number;
  /** About how much memory it takes. */
  readonly bytes: number;
  /** The best facts and turns (arcs are ranked by {@link rankGroups}): the same for the same units and request, in whatever order they were added. */
  rank(request: RankRequest): Ranking;
  /**
   * The groups (episodes) by id, ranked by their turns: 1, .5, .25 of the best three, plus what an arc's own summary says. Where a group's turns are not here, its
   * facts and arcs stand for them. Asked by the request that `rank` was asked last, it is nearly free.
   */
  rankGroups(request: RankRequest): readonly RankedUnit[];
}

/** The group of an episode: units of one are neighbours. */
export const episodeGroup = (session_id: string, episode: number): string => `${session_id}:${episode}`;

/** The unit of an entry; undefined for one that is never recalled: withdrawn, replaced, or kept from it by the person. */
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

/** Ids are read as words, so `CopingStrategy` and `night_shift` are cut where a person would. */
const spaced = (id: string): string => id.replaceAll("_", " ").replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, " ");

/** A fact has a group of its own beside those of the episodes: its neighbourhood is that of the turns it was drawn from, which lend it their score. */
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
