/** Texts to remember, and questions about them: made by a seeded grammar, of the length and the repetitions of what people write. */
import type { MemoryUnit } from "../packages/throughline/src/memory/recall/unit.ts";
import { chance } from "./chance.ts";

/** A question and the unit that answers it. */
export interface KnownItem {
  readonly text: string;
  readonly now: number;
  readonly answer: string;
}

const onsets = [
  "b",
  "br",
  "c",
  "d",
  "dr",
  "f",
  "g",
  "gl",
  "h",
  "j",
  "k",
  "l",
  "m",
  "n",
  "p",
  "pl",
  "qu",
  "r",
  "s",
  "sh",
  "st",
  "t",
  "tr",
  "v",
  "w",
  "z",
];
const vowels = ["a", "e", "i", "o", "u", "ai", "ea", "oo"];
const codas = ["", "b", "ck", "d", "l", "m", "n", "nd", "p", "r", "rt", "s", "st", "t"];
const endings = ["", "", "", "s", "ed", "ing", "ly"];
const joints = "and I was with the of a to in my that for it but when we had been at so on because they from about".split(" ");
const frames = [
  "When did I last mention the",
  "What was it with my",
  "Who was there for the",
  "How did it go with the",
  "Why did I say that about",
] as const;

/** Words of the language: as many as a person's own vocabulary in years of messages. */
const wordCount = 12_000;
/** Words that carry meaning in one message, and words around them: about 210 characters together. */
const [content, around] = [16, 18];
const turnsOfEpisode = 24;
const day = 86_400_000;
const since = Date.UTC(2024, 0, 1);

const pick = <Item>(items: readonly Item[], next: () => number): Item | undefined => items[Math.floor(next() * items.length)];

/** Rank `r` comes as often as 1 / r (Zipf): some words are everywhere, most are rare. */
function zipf(next: () => number): number {
  return Math.min(wordCount - 1, Math.floor(wordCount ** next()) - 1);
}

const syllable = (next: () => number): string => `${pick(onsets, next)}${pick(vowels, next)}${pick(codas, next)}`;

function vocabulary(next: () => number): readonly string[] {
  const words = new Set<string>();
  while (words.size < wordCount) words.add(Array.from({ length: 1 + Math.floor(next() * 3) }, () => syllable(next)).join(""));
  return [...words];
}

/** What somebody said over years, and `questions` about it. The same for the same numbers. */
export function remembered(
  count: number,
  questions: number,
  seed = 7,
): { readonly units: readonly MemoryUnit[]; readonly asked: readonly KnownItem[] } {
  const next = chance(seed);
  const words = vocabulary(next);
  /** Ranks of the words that each message is about. */
  const said: number[][] = [];
  const units = Array.from({ length: count }, (_, place): MemoryUnit => {
    const meant = Array.from({ length: content }, () => zipf(next));
    said.push(meant);
    const spoken = [
      ...meant.map((rank) => `${words[rank]}${pick(endings, next)}`),
      ...Array.from({ length: around }, () => pick(joints, next) ?? ""),
    ];
    const order = spoken.map((word) => ({ word, key: next() })).toSorted((a, b) => a.key - b.key);
    const text = `${order.map(({ word }) => word).join(" ")}.`;
    const episode = Math.floor(place / turnsOfEpisode);
    return { id: `turn:${place}`, kind: "turn", group: `episode ${episode}`, seq: place % turnsOfEpisode, at: since + episode * day + place, text };
  });
  const now = since + (count / turnsOfEpisode + 1) * day;
  const asked = Array.from({ length: questions }, (): KnownItem => {
    const place = Math.floor(next() * count);
    const rare = (said[place] ?? []).toSorted((a, b) => b - a).slice(0, 8);
    const named = Array.from({ length: 3 }, () => words[pick(rare, next) ?? 0]);
    return { text: `${pick(frames, next)} ${named.join(" ")}?`, now, answer: `turn:${place}` };
  });
  return { units, asked };
}
