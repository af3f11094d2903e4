/**
 * `npm run fit:trigrams`: counts the trigrams of letters in the messages for fitting and the dev half of the everyday ones, and writes those that tell
 * the Latin languages of the companion apart. The same messages give the same file.
 */
import { writeFileSync } from "node:fs";
import { trigramsOf, type Trigrams } from "../packages/companion/src/offline/words/trigrams.ts";
import { everydayMessages, fittingMessages } from "./safety/labelled.ts";

const languages = ["en", "es", "de", "fr", "pt", "id", "hi-latn"];
/** How many trigrams are kept, and how many steps there are for each unit of the natural logarithm. */
const kept = 4_000;
const perUnit = 16;
/** Most messages of one language, so that English does not outweigh the others. */
const mostOfOne = 2_000;

const messages = [...fittingMessages(), ...everydayMessages().filter(({ split }) => split === "dev")];
const counts = languages.map((wanted) => {
  const own = messages.filter(({ language }) => language.toLowerCase() === wanted);
  const step = Math.max(1, own.length / mostOfOne);
  const count = new Map<string, number>();
  for (let place = 0; place < own.length; place += step)
    for (const trigram of trigramsOf(own[Math.floor(place)]?.text ?? "")) count.set(trigram, (count.get(trigram) ?? 0) + 1);
  return count;
});
const all = [...new Set(counts.flatMap((count) => [...count.keys()]))].toSorted();
const totals = counts.map((count) => [...count.values()].reduce((sum, times) => sum + times, 0));
const shareOf = (trigram: string, place: number): number => ((counts[place]?.get(trigram) ?? 0) + 0.5) / ((totals[place] ?? 0) + 0.5 * all.length);

const weighed = all.map((trigram) => {
  const shares = languages.map((_, place) => shareOf(trigram, place));
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const logs = shares.map(Math.log);
  const middle = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  return {
    trigram,
    /** How much it tells: frequent, and in few languages. */
    worth: shares.reduce((sum, share) => sum + share * Math.abs(Math.log(share / mean)), 0),
    steps: logs.map((log) => Math.max(-127, Math.min(127, Math.round((log - middle) * perUnit)))),
  };
});
const chosen = weighed
  .toSorted((one, other) => other.worth - one.worth)
  .slice(0, kept)
  .toSorted((one, other) => (one.trigram < other.trigram ? -1 : 1));
const file: Trigrams = {
  languages,
  per_unit: perUnit,
  trigrams: chosen.map(({ trigram }) => trigram).join("|"),
  steps: Buffer.from(Int8Array.from(chosen.flatMap(({ steps }) => steps)).buffer).toString("base64"),
};
writeFileSync(new URL("../packages/companion/src/offline/words/trigrams.json", import.meta.url), `${JSON.stringify(file, undefined, 2)}\n`);
console.log(`${chosen.length} of ${all.length} trigrams, of ${totals.join(", ")} in all`);
