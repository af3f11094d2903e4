/** The conversations that we wrote ourselves: six people who do not exist, what was remembered of them, and what is asked of it. */
import { readdirSync, readFileSync } from "node:fs";
import { z } from "zod";

/** What a query is an example of. */
export const queryClasses = [
  ...(["single", "list", "temporal_absolute", "temporal_relative", "update", "contradiction", "wrong_person", "foreign", "rule"] as const),
  ...(["preference", "statement", "typo", "assistant", "deletion", "export"] as const),
] as const;
/** What a query is an example of. */
export type QueryClass = (typeof queryClasses)[number];

const time = z.iso.datetime();
const entity = z.strictObject({ type: z.string().min(1), id: z.string().min(1).max(200) });

const fixtureShape = z.strictObject({
  owner: z.string(),
  language: z.enum(["en", "es", "de", "zh"]),
  about: z.string(),
  sessions: z.array(
    z.strictObject({
      id: z.string(),
      at: time,
      messages: z.array(z.strictObject({ role: z.enum(["user", "assistant"]), text: z.string().min(1).max(2000) })),
    }),
  ),
  facts: z.array(
    z.strictObject({
      id: z.string(),
      /** The message that says so: `n01:0` is the first of session `n01`. */
      turn: z.string(),
      category: z.string(),
      subject: entity,
      predicate: z.string(),
      object: entity,
      quote: z.string().min(1).max(280),
      superseded_by: z.string().optional(),
    }),
  ),
  rules: z.array(z.strictObject({ id: z.string(), turn: z.string(), text: z.string().min(1).max(280), quote: z.string() })),
  queries: z.array(
    z.strictObject({
      id: z.string(),
      class: z.enum(queryClasses),
      text: z.string().min(1),
      now: time,
      /** Facts, rules and messages that hold what is needed. What is to be deleted, for a deletion. */
      gold: z.array(z.string()),
    }),
  ),
});

/** One person, what was said with them, and what is asked. */
export type Fixture = z.infer<typeof fixtureShape>;
/** Something that is asked or said. */
export type FixtureQuery = Fixture["queries"][number];

const folder = new URL("fixtures/", import.meta.url);

/** All fixtures, by the names of their files. */
export const readFixtures = (): readonly Fixture[] =>
  readdirSync(folder)
    .toSorted()
    .map((name) => fixtureShape.parse(JSON.parse(readFileSync(new URL(name, folder), "utf8"))));
