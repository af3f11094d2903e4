/** Conversations as data: what is said turn by turn, and what each turn must come to. */
import { readdirSync, readFileSync } from "node:fs";
import { planQuestions } from "../../packages/throughline/src/safety/crisis-plan.ts";
import { z } from "zod";

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const turnShape = z.strictObject({
  say: z.string(),
  /** Days that pass before it; the session of before has ended then. */
  after: z.number().positive().optional(),
  /** Whether it is in a new thread of the same person. */
  thread: z.literal("new").optional(),
  /** Whether the process ended before it, without closing. */
  crash: z.literal(true).optional(),
  /** By place in the turn's output, such as `exercise_state.exercise_step`: the value, or a list of values of which one will do. */
  expect: z.record(z.string(), z.union([scalar, z.array(scalar)])).default({}),
  /** The question of the plan that the reply asks, and no other; null for none. */
  asks: z
    .enum([...planQuestions, "location", "check_in"])
    .nullable()
    .optional(),
  /** Whether the reply lists services or directories, or names an emergency number. */
  helps: z.boolean().optional(),
  /** By place in the turn's assessment, such as `action`. Lists are joined with blanks. */
  record: z.record(z.string(), scalar).default({}),
  /** Patterns that the reply must match. */
  reply: z.array(z.string()).default([]),
  /** Patterns that it must not match. */
  never: z.array(z.string()).default([]),
});

const trajectoryShape = z.strictObject({
  name: z.string(),
  incognito: z.boolean().default(false),
  /** Texts that a model writes as crisis replies, in this order; prepared sentences without it. */
  writes: z.array(z.string()).optional(),
  turns: z.array(turnShape).nonempty(),
});

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
