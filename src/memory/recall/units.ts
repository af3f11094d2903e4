/** Entries as the index takes them. */
import { inForce, turnEntryId, type Arc, type Fact, type Kept, type Recallable, type RememberedTurn } from "../entry.ts";
import type { MemoryUnit } from "./unit.ts";

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
