/** Forgets what the fixtures say is to be forgotten, and looks for what is left of it: in recall, and for whoever extracts the conversation again. */
import { snapshotOf } from "../packages/throughline/src/memory/control/snapshot-listing.ts";
import { planForget } from "../packages/throughline/src/memory/control/forget.ts";
import type { Bar } from "../packages/throughline/src/memory/entry.ts";
import { barCheck } from "../packages/throughline/src/memory/write/bar.ts";
import type { RetrievalWeights } from "../packages/throughline/src/memory/recall/weights.ts";
import type { EntryRow } from "../packages/throughline/src/store/port.ts";
import { entryOfFact, memoryOf, rowsOf } from "./fixture-memory.ts";
import { recalled } from "./fixture-run.ts";
import type { Fixture, FixtureQuery } from "./fixtures.ts";

/** Something that is still there. */
export interface Trace {
  readonly query: string;
  /** `recall`: a turn was given it. `extraction`: it could be written once more. `control`: it was not even found before it was forgotten, so that the other checks say nothing. */
  readonly where: "recall" | "extraction" | "control";
}

/** The rows after writes, as a store has them: of a removed entry only that it was removed. */
function rowsAfter(rows: readonly EntryRow[], writes: ReturnType<typeof planForget>["writes"], now: number): readonly EntryRow[] {
  const after = new Map(rows.map((row) => [row.entry_id, row]));
  let version = rows.length;
  for (const { entry_id, kind, data } of writes) {
    version += 1;
    after.set(entry_id, { version, entry_id, kind, data: JSON.parse(JSON.stringify(data)) as EntryRow["data"], created_at: now });
  }
  return [...after.values()].toSorted((a, b) => a.version - b.version);
}

function tracesOf(fixture: Fixture, { id, gold, text, now: asked }: FixtureQuery, weights: RetrievalWeights): readonly Trace[] {
  const now = Date.parse(asked);
  const facts = fixture.facts.filter((fact) => gold.includes(fact.id));
  const rows = rowsOf(fixture, now);
  const plan = planForget(
    snapshotOf(fixture.owner, rows),
    facts.map((fact) => entryOfFact(fixture, fact.id)),
    { now, salt: "a salt of the fixtures" },
  );
  const after = rowsAfter(rows, plan.writes, now);
  const view = memoryOf(after, weights);
  const isBarred = barCheck(
    [...view.of("bar")].map(({ entry }): Bar => entry),
    fixture.owner,
  );
  const isFree = barCheck([], fixture.owner);
  // Whoever asks in the very words of what was forgotten would find it, were it there.
  const questions = [text, ...facts.map(({ quote }) => quote)];
  const isFound = questions.some((question) =>
    recalled(view, question, now, weights).items.some((item) => facts.some(({ quote }) => item.text.includes(quote))),
  );
  const wasFound = facts.some(({ quote }) => recalled(memoryOf(rows, weights), quote, now, weights).items.some((item) => item.text.includes(quote)));
  return [
    ...(isFound ? [{ query: id, where: "recall" } as const] : []),
    ...(facts.every((fact) => isBarred(fact)) ? [] : [{ query: id, where: "extraction" } as const]),
    ...(facts.length > 0 && wasFound && !facts.some((fact) => isFree(fact)) ? [] : [{ query: id, where: "control" } as const]),
  ];
}

/** What is left of all that was to be forgotten; nothing, if all is well. */
export const forgotten = (fixtures: readonly Fixture[], weights: RetrievalWeights): readonly Trace[] =>
  fixtures.flatMap((fixture) =>
    fixture.queries.filter(({ class: name }) => name === "deletion").flatMap((query) => tracesOf(fixture, query, weights)),
  );
