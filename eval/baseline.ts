/** The figures that a change is held against: of our own fixtures query by query, of other people's data in sum. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";

const baselineShape = z.strictObject({
  weights: z.string(),
  /** Of every fixture's query: the place of each piece of gold, null where it was not found. */
  ranks: z.record(z.string(), z.array(z.number().int().positive().nullable())),
  ranking_sha256: z.string(),
  /** Aggregates of the development conversations of LoCoMo, in percent. */
  locomo_development: z.record(z.string(), z.number()).optional(),
});

/** The figures that a change is held against. */
export type Baseline = z.infer<typeof baselineShape>;

const place = new URL("baseline.json", import.meta.url);

/** What was measured last; undefined before the first time. */
export const readBaseline = (): Baseline | undefined =>
  existsSync(place) ? baselineShape.parse(JSON.parse(readFileSync(place, "utf8"))) : undefined;

/** Keeps new figures; those of LoCoMo stay if none are given. One line a query, so that a change can be read. */
export function writeBaseline(baseline: Baseline): void {
  const { ranks, ...rest } = baseline;
  const lines = Object.entries(ranks).map(([id, places]) => `    ${JSON.stringify(id)}: ${JSON.stringify(places).replaceAll(",", ", ")}`);
  const head = JSON.stringify(rest, undefined, 2).slice(0, -2);
  writeFileSync(place, `${head},\n  "ranks": {\n${lines.join(",\n")}\n  }\n}\n`);
}

/** Share of the gold that is among the first ten, from its places. */
export const recallOf = (ranks: readonly (number | null)[]): number => ranks.filter((rank) => rank !== null && rank <= 10).length / ranks.length;
