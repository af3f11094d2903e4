/** A short run: the long ones are `npm run interleave`. */
import { expect, test } from "vitest";
import { emptyPostgresDatabase, newSqliteFile, noPostgres } from "../setup/database.ts";
import { type Figures, run } from "./run.ts";

const floor: Partial<Figures> = { deeds: 20, done: 10, answered: 3, delivered: 100, lost_answers: 1, resent: 1 };

async function play(location: string, rounds: number, seed: number): Promise<void> {
  const { figures, violations } = await run({ location, rounds, seed });
  expect(violations, `seed ${seed}`).toEqual([]);
  expect(figures).toMatchObject({ lost: 0, doubled: 0 });
  // A round in which nothing happened, or nothing was lost on the way, proves nothing.
  for (const [name, least] of Object.entries(floor)) expect(figures[name as keyof Figures], name).toBeGreaterThanOrEqual(least);
}

test("callers and readers of two servers and two workers, which are killed, lose nothing and see nothing twice on SQLite", () =>
  play(newSqliteFile(), 1, 20_261_121));

test.skipIf(noPostgres !== undefined)("the same on PostgreSQL", async () => play(await emptyPostgresDatabase(), 1, 20_261_122));
