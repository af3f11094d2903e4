/** The levels that a change is held against, message by message. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import type { Outcome } from "./figures.ts";

const baselineShape = z.strictObject({
  /** By id: the level that the screen gave. */
  levels: z.record(z.string(), z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)])),
});

/** What was measured last. */
export type SafetyBaseline = z.infer<typeof baselineShape>;

const place = new URL("baseline.json", import.meta.url);

/** What was measured last; undefined before the first time. */
export const readSafetyBaseline = (): SafetyBaseline | undefined =>
  existsSync(place) ? baselineShape.parse(JSON.parse(readFileSync(place, "utf8"))) : undefined;

/** Keeps new levels, one line a message, so that a change can be read. */
export function writeSafetyBaseline(outcomes: readonly Outcome[]): void {
  const lines = outcomes.map(({ message, got }) => `    ${JSON.stringify(message.id)}: ${got}`);
  writeFileSync(place, `{\n  "levels": {\n${lines.join(",\n")}\n  }\n}\n`);
}
