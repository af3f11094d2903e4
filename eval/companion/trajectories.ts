/** Conversations as data: what is said turn by turn, and what each turn must come to. */
import { readdirSync, readFileSync } from "node:fs";
import { z } from "zod";

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const turnShape = z.strictObject({
  say: z.string(),
  /** By place in the turn's output, such as `exercise_state.exercise_step`: the value, or a list of values of which one will do. */
  expect: z.record(z.string(), z.union([scalar, z.array(scalar)])).default({}),
  /** Patterns that the reply must match. */
  reply: z.array(z.string()).default([]),
  /** Patterns that it must not match. */
  never: z.array(z.string()).default([]),
});

const trajectoryShape = z.strictObject({ name: z.string(), incognito: z.boolean().default(false), turns: z.array(turnShape).nonempty() });

/** One conversation. */
export type Trajectory = z.infer<typeof trajectoryShape>;
export type Turn = Trajectory["turns"][number];

const folder = new URL("trajectories/", import.meta.url);

/** All conversations, by the name of their file. */
export const readTrajectories = (): ReadonlyMap<string, readonly Trajectory[]> =>
  new Map(
    readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .toSorted()
      .map(
        (name) => [name.slice(0, -".json".length), z.array(trajectoryShape).parse(JSON.parse(readFileSync(new URL(name, folder), "utf8")))] as const,
      ),
  );
