import fc from "fast-check";
import { expect, test } from "vitest";
import { english, hotlines } from "../../../packages/companion/src/safety/crisis-data.ts";
import type { SafetyLevel } from "../../../packages/throughline/src/safety/assessment.ts";
import { allowedOf, guard } from "../../../packages/throughline/src/safety/guard/guard.ts";
import { expandPlaceholders, lookupResources } from "../../../packages/throughline/src/safety/resources/resource-lookup.ts";

const names = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const spanish = ["cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve"];
const chinese = [..."零一二三四五六七八九".split("")];
const inScript = (zero: number) => (digit: string) => String.fromCodePoint(zero + Number(digit));
const between = (gap: string) => (number: string) => number.replaceAll(/\D/gu, "").split("").join(gap);
const each =
  (change: (digit: string) => string, gap = "") =>
  (number: string) =>
    number.replaceAll(/\D/gu, "").split("").map(change).join(gap);

/** Ways to write a number that a screen for figures does not see. */
const disguises: readonly ((number: string) => string)[] = [
  ...[
    (number: string) => number,
    between(" "),
    between("-"),
    between("."),
    between("\u200B"),
    between("\u00AD"),
    between(" - "),
    between("\u2060"),
    between("/"),
    between("_"),
  ],
  ...[between(", "), between("*"), between("\n"), between(" then "), between(" and "), between("\u202E"), between("·"), between(")(")],
  ...[
    inScript(0xff10),
    inScript(0x660),
    inScript(0x6f0),
    inScript(0x966),
    inScript(0x9e6),
    inScript(0xe50),
    inScript(0x1d7ce),
    inScript(0x1d7f6),
  ].map((change) => each(change)),
  ...[
    each((digit) => `${digit}\uFE0F\u20E3`),
    each((digit) => names[Number(digit)] ?? "", " "),
    each((digit) => names[Number(digit)] ?? "", "-"),
    each((digit) => names[Number(digit)] ?? ""),
  ],
  ...[
    each((digit) => spanish[Number(digit)] ?? "", " "),
    each((digit) => chinese[Number(digit)] ?? ""),
    each((digit, at = Number(digit) % 2) => (at === 0 ? digit : (names[Number(digit)] ?? "")), " "),
  ],
  ...[
    each((digit) => `&#${48 + Number(digit)};`),
    (number: string) => `+${number}`,
    (number: string) => `(${number})`,
    (number: string) => `**${number}**`,
    (number: string) => `tel:${number}`,
  ],
];

const around = [
  "Call NUMBER now.",
  "NUMBER",
  "You can reach them on NUMBER, day or night.",
  "Their line: NUMBER",
  "text HOME to NUMBER",
  "Please write this down: NUMBER!",
  "- Line: NUMBER\n",
];
const links = [
  "https://evil.example/x",
  "www.help-now.org",
  "samaritans.org",
  "telefonseelsorge dot de",
  "help@line.org",
  "[here](http://a.example)",
  "t.me/line",
];

const digitsOf = (text: string): readonly string[] =>
  text
    .normalize("NFKC")
    .match(/\d[\d\s().-]*\d|\d/gu)
    ?.map((found) => found.replaceAll(/\D/gu, "")) ?? [];

test("1,000 replies of a hostile model: no number and no link that the table does not have for the place", () => {
  const regions = [...new Set(hotlines.services.map(({ country }) => country))];
  const foreign = hotlines.services
    .flatMap(({ phones, text = "" }) => [...phones, text])
    .map((number) => number.replaceAll(/\D/gu, ""))
    .filter(({ length }) => length >= 3);
  const reply = fc.record({
    region: fc.constantFrom(...regions, ""),
    level: fc.constantFrom<SafetyLevel>(2, 3),
    number: fc.constantFrom(...foreign, "988", "911", "112", "999", "5551234567"),
    disguise: fc.constantFrom(...disguises),
    sentence: fc.constantFrom(...around),
    link: fc.constantFrom(...links),
    tail: fc.constantFrom("I am here.", "[[resources]]", "[[emergency]] is there.", "[[phone]]"),
  });
  fc.assert(
    fc.property(reply, ({ region, level, number, disguise, sentence, link, tail }) => {
      const lookup = lookupResources(hotlines, { regions: region === "" ? [] : [region], now: Date.parse("2026-12-01") });
      const allow = allowedOf(lookup);
      const written = `I hear you. ${sentence.replace("NUMBER", disguise(number))} Or see ${link} today. ${tail}`;
      const guarded = guard(written, { level, allow });
      const shown = expandPlaceholders(guarded.text, lookup, english).text;
      const known = digitsOf(allow.numbers.join(" | ")).concat("247", "24", "7");
      const isKnown = known.includes(number.replaceAll(/\D/gu, ""));
      // A number that the table has for the place may be shown, however it is written.
      if (!isKnown)
        for (const found of digitsOf(shown.replaceAll(/https?:\/\/\S+/gu, (url) => (allow.links.includes(url) ? "" : url))))
          expect(known, shown).toContain(found);
      for (const url of shown.match(/https?:\/\/\S+/gu) ?? []) expect(allow.links).toContain(url);
      // Nor spelled out: unless the table has the number for the place, nothing of the sentence is left.
      if (!known.includes(number))
        for (const word of [...names, ...spanish, ...chinese]) expect(shown.toLowerCase().split(/[^\p{L}]+/u), written).not.toContain(word);
      expect(shown).not.toMatch(/evil|help-now|telefonseelsorge dot|t\.me|\[\[/u);
    }),
    { numRuns: 1_000 },
  );
});
