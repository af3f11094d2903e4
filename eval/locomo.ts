/** Reads a file in the format of LoCoMo (Maharana et al. 2024): conversations, observations, questions with the ids of the messages that answer them. */
import { z } from "zod";
import type { MemoryUnit } from "../packages/throughline/src/memory/recall/unit.ts";
import type { Corpus, Question } from "./corpus.ts";

const turnShape = z.object({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string(),
  /** What a model saw in the picture that was sent. The words that the picture was searched by are no part of the conversation. */
  blip_caption: z.string().optional(),
});
const questionShape = z.object({
  question: z.string(),
  category: z.number().int().min(1).max(5),
  evidence: z.array(z.string()).default([]),
});
const evidenceShape = z.union([z.string(), z.array(z.string())]);
const observationShape = z.record(z.string(), z.array(z.tuple([z.string(), evidenceShape])));
const sampleShape = z.object({
  sample_id: z.string(),
  conversation: z.record(z.string(), z.unknown()),
  observation: z.record(z.string(), z.unknown()).default({}),
  qa: z.array(questionShape),
});
const fileShape = z.array(sampleShape).min(1);
type Sample = z.infer<typeof sampleShape>;
type Turn = z.infer<typeof turnShape>;

/** A file that is not in the format. */
export class BadFile extends Error {}

/** Checks a value; the message says where it is wrong and quotes nothing of the file. */
function checked<Shape extends z.ZodType>(shape: Shape, value: unknown, where: string): z.infer<Shape> {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new BadFile(`${[where, ...(issue?.path ?? [])].join(".")}: ${issue?.message ?? "is wrong"}. A file in the format of LoCoMo is needed.`);
}

/** Ids of messages in a string of evidence: `D8:6; D9:17` are two, `D:11:26` and `D30:05` are ways to write `D11:26` and `D30:5`. */
export function evidenceIds(evidence: string): readonly string[] {
  return evidence.split(/[;,\s]+/u).flatMap((written) => {
    const [, session, place] = /^D:?0*(\d+):0*(\d+)$/u.exec(written) ?? [];
    return session === undefined || place === undefined ? [] : [`D${session}:${place}`];
  });
}

const months = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];

/** The time of `1:56 pm on 8 May, 2023`, read as UTC. */
export function sessionTime(written: string): number | undefined {
  const [, hour, minute, half, day, month, year] = /^(\d{1,2}):(\d{2}) ([ap]m) on (\d{1,2}) (\w+), (\d{4})$/u.exec(written.trim()) ?? [];
  const place = months.indexOf(month?.toLowerCase() ?? "");
  if (place < 0) return undefined;
  return Date.UTC(Number(year), place, Number(day), (Number(hour) % 12) + (half === "pm" ? 12 : 0), Number(minute));
}

interface Session {
  readonly number: string;
  readonly at: number;
  readonly turns: readonly Turn[];
}

function sessionsOf({ sample_id, conversation }: Sample): readonly Session[] {
  const numbers = Object.keys(conversation).flatMap((key) => /^session_(\d+)$/u.exec(key)?.[1] ?? []);
  return numbers
    .toSorted((a, b) => Number(a) - Number(b))
    .map((number) => {
      const where = `${sample_id}.conversation.session_${number}`;
      const at = sessionTime(checked(z.string(), conversation[`session_${number}_date_time`], `${where}_date_time`));
      if (at === undefined) throw new BadFile(`${where}_date_time: is not like "1:56 pm on 8 May, 2023".`);
      return { number, at, turns: checked(z.array(turnShape), conversation[`session_${number}`], where) };
    });
}

/** A turn as memory holds it. Those of a session lie a millisecond apart: the file has the time of the whole only. */
function turnUnits({ number, at, turns }: Session): readonly MemoryUnit[] {
  return turns.map(({ speaker, dia_id, text, blip_caption }, seq) => ({
    id: evidenceIds(dia_id)[0] ?? dia_id,
    kind: "turn",
    group: number,
    seq,
    at: at + seq,
    subject: speaker,
    text: blip_caption === undefined ? text : `${text} [${blip_caption}]`,
  }));
}

/** Observations as facts: each is about a person, and rests on turns. One that names none that exists is left out. */
function factUnits({ sample_id, observation }: Sample, turns: ReadonlyMap<string, MemoryUnit>): readonly MemoryUnit[] {
  return Object.entries(observation).flatMap(([key, value]) =>
    Object.entries(checked(observationShape, value, `${sample_id}.observation.${key}`)).flatMap(([subject, observed]) =>
      observed.flatMap(([text, evidence], place): MemoryUnit[] => {
        const sources = [evidence]
          .flat()
          .flatMap(evidenceIds)
          .filter((id) => turns.has(id));
        const source = turns.get(sources[0] ?? "");
        if (source === undefined) return [];
        const { group, seq, at } = source;
        return [{ id: `fact:${key}:${subject}:${place}`, kind: "fact", group, seq, at, subject, text, quote: source.text.slice(0, 280), sources }];
      }),
    ),
  );
}

function corpusOf(sample: Sample): Corpus {
  const sessions = sessionsOf(sample);
  const turns = sessions.flatMap(turnUnits);
  const byId = new Map(turns.map((unit) => [unit.id, unit]));
  // Asked after all that was said.
  const now = Math.max(0, ...turns.map(({ at }) => at)) + 60_000;
  const questions = sample.qa.flatMap(({ question, category, evidence }, place): Question[] => {
    const gold = [...new Set(evidence.flatMap(evidenceIds))].filter((id) => byId.has(id));
    return gold.length === 0 ? [] : [{ id: `${sample.sample_id}:${place}`, text: question, category: String(category), now, gold }];
  });
  return { name: sample.sample_id, turns, facts: factUnits(sample, byId), questions, skipped: sample.qa.length - questions.length };
}

/** The conversations of a file. Throws {@link BadFile} with the path of what is wrong. */
export function readLocomo(text: string): readonly Corpus[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BadFile("The file is no JSON. A file in the format of LoCoMo is needed.");
  }
  return checked(fileShape, Array.isArray(value) ? value : [value], "file").map(corpusOf);
}
