/** Messages with the level that a person gave them. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { z } from "zod";
import type { SafetyLevel } from "../../packages/throughline/src/safety/assessment.ts";
import { type ContextMessage, contextMessages } from "../../packages/server/src/cli/commands/safety-commands.ts";

/** A file that is not what it should be; the sentence says where. */
export class BadMessages extends Error {}

const lineShape = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  text: z.string(),
  level: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
  language: z.string().optional(),
  slice: z.string().optional(),
  scene: z.string().optional(),
  context: z.unknown().optional(),
});

/** `dev` may be looked at by those who write rules, `test` may not. */
export type Split = "dev" | "test";

/** One message, what was said before it, and its level. */
export interface Labelled {
  readonly id: string;
  readonly text: string;
  readonly level: SafetyLevel;
  readonly language: string;
  readonly slice: string;
  /** What messages of several languages tell alike; messages of one scene are in the same half, and the same part of a cross-validation. */
  readonly scene?: string;
  readonly before: readonly ContextMessage[];
  readonly split: Split;
}

/** Half of the messages, for ever the same half: adding one moves no other. */
export const splitOf = (id: string): Split => ((createHash("sha256").update(id).digest()[0] ?? 0) % 2 === 0 ? "dev" : "test");

function labelled(line: string, where: string): Labelled {
  let given: unknown;
  try {
    given = JSON.parse(line);
  } catch {
    throw new BadMessages(`${where} is no JSON.`);
  }
  const checked = lineShape.safeParse(given);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw new BadMessages(`${where}: ${issue?.path.join(".") ?? ""} ${issue?.message ?? "is wrong"}. A line has a text and a level from 0 to 3.`);
  }
  const { text, level, language = "unknown", slice = "none", context } = checked.data;
  const { scene } = checked.data;
  const id = String(checked.data.id ?? where);
  return { id, text, level, language, slice, ...(scene !== undefined && { scene }), before: contextMessages(context), split: splitOf(scene ?? id) };
}

/** The messages of a text with one JSON object a line; `name` is where they come from, for sentences about errors. */
export const labelledIn = (text: string, name: string): readonly Labelled[] =>
  text
    .replace(/^\u{feff}/u, "")
    .split("\n")
    .flatMap((line, place) => (line.trim() === "" ? [] : [labelled(line, `${name}:${place + 1}`)]));

/** Messages of a folder beside this file, in a fixed order. */
const messagesIn = (folder: "messages" | "everyday" | "fitting" | "sealed"): readonly Labelled[] => {
  const place = new URL(`${folder}/`, import.meta.url);
  return readdirSync(place)
    .filter((name) => name.endsWith(".jsonl"))
    .toSorted()
    .flatMap((name) => labelledIn(readFileSync(new URL(name, place), "utf8"), name));
};

/** Our own messages. */
export const ownMessages = (): readonly Labelled[] => messagesIn("messages");
/** Everyday talk, without danger. The weights are fitted on its dev half, too. */
export const everydayMessages = (): readonly Labelled[] => messagesIn("everyday");
/** Messages for fitting, many of them hard: each grave one beside one that sounds like it. */
export const fittingMessages = (): readonly Labelled[] => messagesIn("fitting");
/** Messages that are read once for a release, and for nothing else. */
export const sealedMessages = (): readonly Labelled[] => messagesIn("sealed");

const secondShape = z.object({
  set: z.enum(["everyday", "fitting", "sealed"]),
  id: z.string(),
  level: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
  confidence: z.enum(["high", "medium", "low"]),
});

/** What a second reader, who did not see the first labels, said of some messages. */
export const secondLabels = (): readonly z.infer<typeof secondShape>[] =>
  readFileSync(new URL("second-labels.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => secondShape.parse(JSON.parse(line)));
