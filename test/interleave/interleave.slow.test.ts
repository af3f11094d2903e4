/** A short run: the long ones are `npm run interleave`. */
import { expect, test } from "vitest";
import { emptyPostgresDatabase, newSqliteFile, noPostgres } from "../setup/database.ts";
import { type Figures, run } from "./run.ts";

const floor: Partial<Figures> = { deeds: 20, done: 10, answered: 3, delivered: 100, lost_answers: 1, resent: 1 };

/** Rounds at most. On a busy machine little happens in one. */
const mostRounds = 6;

async function play(location: string, seed: number): Promise<void> {
  const sums: Record<string, number> = {};
  // Rounds in which nothing happened, or nothing was lost on the way, prove nothing.
  const missing = (): readonly string[] => Object.entries(floor).flatMap(([name, least]) => ((sums[name] ?? 0) < least ? [name] : []));
  for (let round = 0; round < mostRounds && missing().length > 0; round++) {
    const { figures, violations } = await run({ location, rounds: 1, seed: seed + round });
    expect(violations, `seed ${seed + round}`).toEqual([]);
    expect(figures).toMatchObject({ lost: 0, doubled: 0 });
    for (const name of Object.keys(floor)) sums[name] = (sums[name] ?? 0) + figures[name as keyof Figures];
  }
  expect(missing()).toEqual([]);
}

test("callers and readers of two servers and two workers, which are killed, lose nothing and see nothing twice on SQLite", () =>
  play(newSqliteFile(), 20_261_121));

test.skipIf(noPostgres !== undefined)("the same on PostgreSQL", async () => play(await emptyPostgresDatabase(), 20_261_122));
