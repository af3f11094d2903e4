/** Asks all fixtures all their questions, through the recall that a turn makes. */
import { charactersOverFour } from "../packages/throughline/src/context/tokens.ts";
import { recall } from "../packages/throughline/src/memory/recall/recall.ts";
import type { Recalled, RecalledItem } from "../packages/throughline/src/memory/recalled.ts";
import type { RetrievalWeights } from "../packages/throughline/src/memory/recall/weights.ts";
import { memory } from "../packages/throughline/src/memory/memory-extension.ts";
import type { MemoryView } from "../packages/throughline/src/memory/view.ts";
import { entryOfFact, entryOfMessage, memoryOf, rowsOf } from "./fixture-memory.ts";
import type { Fixture, FixtureQuery, QueryClass } from "./fixtures.ts";
import { distinct } from "./metrics.ts";

/** What came of a query. */
export interface Answered {
  readonly id: string;
  readonly owner: string;
  readonly class: QueryClass;
  /** Place of each piece of gold among the evidence that was found, from 1; null where it was not found. */
  readonly ranks: readonly (number | null)[];
  /** The same among what is in the prompt. */
  readonly shown: readonly (number | null)[];
  /** Entries that were found, best first. */
  readonly found: readonly string[];
  /** Whether anything was given to the model. */
  readonly isKept: boolean;
  /** Facts that were replaced, and are shown all the same: by id, or by their words. */
  readonly superseded: readonly string[];
}

/** What a turn is given, under the limits that an agent has by default. */
export const recalled = (view: MemoryView, text: string, now: number, weights: RetrievalWeights): Recalled =>
  recall(view, { text, now, opening: false }, { ...memory(), weights, count: (line) => charactersOverFour.count(line) });

/** The messages that an item is evidence of. */
function evidenceOf(view: MemoryView, { entry_id }: RecalledItem): readonly string[] {
  const entry = view.recallable(entry_id)?.entry;
  if (entry?.type === "fact") return entry.sources.map(({ session_id, offset }) => `${session_id}:${offset}`);
  return entry?.type === "turn" ? [`${entry.source.session_id}:${entry.source.offset}`] : [];
}

/** The messages and rules that a query needs; what was replaced by then is not needed any more. */
export function goldOf(fixture: Fixture, { gold, now }: FixtureQuery): readonly string[] {
  const byId = new Map(rowsOf(fixture, Date.parse(now)).map(({ entry_id, data }) => [entry_id, data]));
  return distinct(
    gold.flatMap((id) => {
      const fact = fixture.facts.find((one) => one.id === id);
      if (fact === undefined) return [id];
      return byId.get(entryOfFact(fixture, id))?.["superseded_by"] === undefined ? [fact.turn] : [];
    }),
  );
}

/** Words that are told of a fact which was replaced. */
function supersededOf(view: MemoryView, items: readonly RecalledItem[]): readonly string[] {
  const replaced = [...view.of("fact")].filter(({ entry }) => entry.superseded_by !== undefined);
  return replaced
    .filter(({ entry_id, entry }) => items.some((item) => item.entry_id === entry_id || item.text.includes(entry.quote)))
    .map(({ entry_id }) => entry_id);
}

function answer(fixture: Fixture, view: MemoryView, query: FixtureQuery, weights: RetrievalWeights): Answered {
  const { items, rules } = recalled(view, query.text, Date.parse(query.now), weights);
  const semantic = items.filter(({ kind }) => kind !== "arc");
  const inPrompt = semantic.filter(({ placement }) => placement === "in prompt");
  const inForce = new Set(rules.map(({ id }) => id));
  const placesIn = (some: readonly RecalledItem[]): readonly (number | null)[] => {
    const evidence = distinct(some.flatMap((item) => [...evidenceOf(view, item)]));
    return goldOf(fixture, query).map((gold) => (inForce.has(gold) ? 1 : evidence.indexOf(gold) + 1 || null));
  };
  return {
    id: query.id,
    owner: fixture.owner,
    class: query.class,
    ranks: placesIn(semantic),
    shown: placesIn(inPrompt),
    found: semantic.map(({ entry_id }) => entry_id),
    isKept: inPrompt.length > 0,
    superseded: supersededOf(view, items),
  };
}

/** Memories of one fixture by the time that they are of. */
export function memoriesOf(fixture: Fixture, weights: RetrievalWeights): (now: string) => MemoryView {
  const views = new Map<string, MemoryView>();
  return (now) => {
    const view = views.get(now) ?? memoryOf(rowsOf(fixture, Date.parse(now)), weights);
    views.set(now, view);
    return view;
  };
}

/** What came of every query. */
export const answers = (fixtures: readonly Fixture[], weights: RetrievalWeights): readonly Answered[] =>
  fixtures.flatMap((fixture) => {
    const memories = memoriesOf(fixture, weights);
    return fixture.queries.map((query) => answer(fixture, memories(query.now), query, weights));
  });

/** What one person's questions get from the memory of another who speaks the same language. */
export interface Strayed {
  readonly asked: number;
  /** Questions that get nothing. */
  readonly rejected: number;
  /** Entries that are not the owner's, or say what only another one said. */
  readonly leaks: readonly string[];
}

/** Classes of queries that ask for what the person has said, without slips of the pen. Replies, which are remembered only if an agent wants it, are not among them. */
export const ownClasses: readonly QueryClass[] = [
  ...(["single", "list", "temporal_absolute", "temporal_relative", "update", "contradiction", "wrong_person"] as const),
];

/** Asks one person's memory what others would ask of theirs. */
function strayInto(fixture: Fixture, others: readonly Fixture[], weights: RetrievalWeights): Strayed {
  const now = fixture.queries.find(({ class: name }) => name === "single")?.now ?? "";
  const view = memoriesOf(fixture, weights)(now);
  const own = new Set([
    ...fixture.facts.map(({ id }) => entryOfFact(fixture, id)),
    ...fixture.sessions.flatMap(({ id, messages }) => messages.map((_, place) => entryOfMessage(`${id}:${place}`))),
  ]);
  const asked = others.flatMap(({ language, queries }) =>
    queries
      .filter(({ class: name }) => ownClasses.includes(name))
      .map(({ text }) => ({ language, items: recalled(view, text, Date.parse(now), weights).items })),
  );
  const ofLanguage = asked.filter(({ language }) => language === fixture.language);
  return {
    asked: ofLanguage.length,
    rejected: ofLanguage.filter(({ items }) => items.every(({ placement }) => placement !== "in prompt")).length,
    leaks: asked.flatMap(({ items }) => items.map(({ entry_id }) => entry_id)).filter((id) => !own.has(id)),
  };
}

/** Asks each memory what the others would ask of theirs. */
export function stray(fixtures: readonly Fixture[], weights: RetrievalWeights): Strayed {
  const all = fixtures.map((fixture) =>
    strayInto(
      fixture,
      fixtures.filter(({ owner }) => owner !== fixture.owner),
      weights,
    ),
  );
  return {
    asked: all.reduce((sum, { asked }) => sum + asked, 0),
    rejected: all.reduce((sum, { rejected }) => sum + rejected, 0),
    leaks: all.flatMap(({ leaks }) => leaks),
  };
}
