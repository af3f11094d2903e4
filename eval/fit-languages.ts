/**
 * `npm run fit:languages -- --version 2026-11-23.1`: fits the weights that tell covered languages from others, on the messages for fitting and the dev half
 * of the everyday ones against the sentences of eval/safety/languages/fitting.yaml, and writes them beside the packs. The same messages give the same weights.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { z } from "zod";
import { bitsOf, bucketsOf, spokenWords } from "../packages/throughline/src/safety/screen/language-weights.ts";
import { everydayMessages, fittingMessages } from "./safety/labelled.ts";

const { values } = parseArgs({ options: { version: { type: "string", default: "unnamed" } } });

const read = (name: string): unknown => parse(readFileSync(new URL(`safety/languages/${name}.yaml`, import.meta.url), "utf8"));
const others = z.record(z.string(), z.array(z.string())).parse(read("fitting"));
const short = z.array(z.array(z.string())).parse(read("short"));

/** Buckets of n-grams. */
const size = 2 ** 16;
/** Most messages of one language, so that English does not outweigh the others. */
const mostOfOne = 2_000;
const rounds = 6;
const rate = 0.6;

let state = 18;
const random = (): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};

interface Sample {
  /** Unknown words by the root of the number of words. */
  readonly unknown: number;
  readonly buckets: readonly number[];
  readonly target: 0 | 1;
  readonly weight: number;
}
const samples: Sample[] = [];
/** How many covered messages use a word. */
const counts = new Map<string, number>();
const leastUses = 2;
/** A message of the fit uses its words once by itself, so that its words must be in one more. */
const add = (words: readonly string[], target: 0 | 1, weight: number): void => {
  if (words.length === 0) return;
  const least = target === 0 ? leastUses + 1 : leastUses;
  const unknown = words.filter((word) => (counts.get(word) ?? 0) < least).length / Math.sqrt(words.length);
  samples.push({ buckets: bucketsOf(words, size), unknown, target, weight });
};
const part = (words: readonly string[], many: number): readonly string[] => {
  const first = Math.floor(random() * Math.max(1, words.length - many + 1));
  return words.slice(first, first + many);
};
const bare = (words: readonly string[]): readonly string[] =>
  words.map((word) => word.normalize("NFD").replaceAll(/\p{M}/gu, "").replaceAll("ł", "l").replaceAll("đ", "d").replaceAll("ı", "i"));

/** Some English messages are half in another language. What is mostly words of another list says nothing about English. */
const mostOfOther = 0.35;
const lists = Object.values(others).map((sentences) => new Set(sentences.flatMap(spokenWords)));
const isMixed = (text: string): boolean => {
  const words = spokenWords(text);
  return lists.some((list) => words.filter((word) => list.has(word)).length > mostOfOther * words.length);
};
const messages = [...fittingMessages(), ...everydayMessages().filter(({ split }) => split === "dev")];
const covered = Map.groupBy(
  messages.filter(({ language, text }) => language !== "zh" && !(language === "en" && isMixed(text))),
  ({ language }) => language,
);
for (const { text } of [...covered.values()].flat()) for (const word of new Set(spokenWords(text))) counts.set(word, (counts.get(word) ?? 0) + 1);
for (const text of short.flat()) for (const word of new Set(spokenWords(text))) counts.set(word, (counts.get(word) ?? 0) + leastUses);
for (const [, messages] of covered) {
  const step = Math.max(1, messages.length / mostOfOne);
  for (let place = 0; place < messages.length; place += step) {
    const words = spokenWords(messages[Math.floor(place)]?.text ?? "");
    add(words, 0, 1);
    for (const many of [1, 2, 2, 3, 4, 6]) add(part(words, many), 0, 0.5);
  }
}
for (const messages of short) for (const text of messages) add(spokenWords(text), 0, 3);

for (const [, sentences] of Object.entries(others)) {
  const all = sentences.map(spokenWords);
  const own = [...all, ...all.map(bare)];
  const frequent = all.at(-1) ?? [];
  const weight = 60 / own.length;
  for (const [place, words] of own.entries()) {
    if (place !== all.length - 1) add(words, 1, weight);
    for (const many of [2, 2, 3, 3, 4, 4, 6, 8]) add(part(words, many), 1, weight / 2);
  }
  for (let time = 0; time < 3 * frequent.length; time += 1) {
    const some = Array.from({ length: 2 + Math.floor(random() * 4) }, () => frequent[Math.floor(random() * frequent.length)] ?? "");
    add(time % 3 === 0 ? bare(some) : some, 1, 40 / frequent.length);
  }
}

const sum = (target: 0 | 1): number => samples.reduce((total, one) => total + (one.target === target ? one.weight : 0), 0);
const balance = [1, (sum(0) / sum(1)) * 0.7] as const;
const weights = new Float64Array(size);
const squares = new Float64Array(size).fill(1e-2);
let bias = 0;
let unknownWorth = 0;
for (let round = 0; round < rounds; round += 1) {
  for (let at = samples.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    const [one, two] = [samples[at], samples[other]];
    if (one !== undefined && two !== undefined) [samples[at], samples[other]] = [two, one];
  }
  for (const { buckets, unknown, target, weight } of samples) {
    const root = Math.sqrt(buckets.length);
    let score = bias + unknownWorth * unknown;
    for (const bucket of buckets) score += (weights[bucket] ?? 0) / root;
    const slope = (1 / (1 + Math.exp(-score)) - target) * weight * (balance[target] ?? 1);
    if (Math.abs(slope) < 1e-4) continue;
    bias -= 0.01 * slope;
    unknownWorth -= 0.01 * slope * unknown;
    for (const bucket of buckets) {
      const own = slope / root;
      squares[bucket] = (squares[bucket] ?? 0) + own * own;
      weights[bucket] = (weights[bucket] ?? 0) * (1 - 1e-5) - (rate * own) / Math.sqrt(squares[bucket] ?? 1);
    }
  }
}
const largest = weights.map(Math.abs).toSorted()[Math.floor(0.999 * size)] ?? 1;
const scale = largest / 127;
const steps = Int8Array.from(weights, (weight) => Math.max(-127, Math.min(127, Math.round(weight / scale))));
const known = new Uint8Array(2 ** 15);
for (const [word, times] of counts)
  if (times >= leastUses) for (const bit of bitsOf(word, known.length)) known[bit >> 3] = (known[bit >> 3] ?? 0) | (1 << (bit & 7));
const coded = (bytes: Int8Array | Uint8Array): string => Buffer.from(bytes.buffer).toString("base64");
const file = { version: values.version, bias, scale, steps: coded(steps), unknown: unknownWorth, known: coded(known) };
writeFileSync(new URL("../packages/companion/src/safety/languages.json", import.meta.url), `${JSON.stringify(file, undefined, 2)}\n`);
console.log(
  `${samples.length} samples, bias ${bias.toFixed(2)}, scale ${scale.toFixed(4)}, unknown ${unknownWorth.toFixed(2)}, words ${counts.size}`,
);
