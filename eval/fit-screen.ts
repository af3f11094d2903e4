/**
 * `npm run fit:screen -- --version 2026-11-21.1 [--check]`: fits the weights of words of the companion's packs on the messages of eval/safety/fitting and the
 * dev half of our own, one language by itself, and writes them beside the packs. `--check` writes nothing and prints what rules alone, and rules and words
 * together, make of messages that the weights were not fitted on: each fifth of them by the other four.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { packs } from "../packages/companion/src/companion-gate.ts";
import { createScreen, type RulePack, type WordWeights } from "../packages/throughline/src/safety.ts";
import { fit, samplesOf, type Sample } from "./safety/fit.ts";
import { labelledIn, ownMessages, type Labelled } from "./safety/labelled.ts";

const { values } = parseArgs({ options: { version: { type: "string", default: "unnamed" }, check: { type: "boolean", default: false } } });

const folder = new URL("safety/fitting/", import.meta.url);
const given = readdirSync(folder)
  .toSorted()
  .flatMap((name) => labelledIn(readFileSync(new URL(name, folder), "utf8"), name));
const dev = ownMessages().filter(({ split }) => split === "dev");

const isOf =
  (language: string) =>
  (message: Labelled): boolean =>
    message.language === language;

/** In the order of the terms, one a line, so that a change of few can be read. */
function written({ version, messages, bias, terms }: WordWeights): string {
  const lines = [...terms].map(([term, weights]) => `${JSON.stringify(term)}: ${JSON.stringify(weights)}`);
  return `{ "version": ${JSON.stringify(version)}, "messages": ${messages}, "bias": ${JSON.stringify(bias)}, "terms": {\n${lines.join(",\n")}\n} }\n`;
}

const parts = 5;

/** A message, and the level that a screen gives it. */
interface Read {
  readonly message: Labelled;
  readonly level: number;
}

function readBy(used: readonly RulePack[], messages: readonly Labelled[]): readonly Read[] {
  const screen = createScreen(used);
  return messages.map((message) => ({ message, level: screen(message.text, screen.contextOf(message.before)).level }));
}

/** Levels of messages of a language, each fifth of them by weights that were fitted without it. */
function crossed(
  language: string,
  messages: readonly Labelled[],
  { samples, others }: Record<"samples" | "others", readonly Sample[]>,
): readonly Read[] {
  return Array.from({ length: parts }, (_, part) => {
    const weights = fit([...samples.filter((_sample, at) => at % parts !== part), ...others], "check");
    return readBy(
      packs.map((pack) => (pack.language === language ? { ...pack, weights } : pack)),
      messages.filter((_message, at) => at % parts === part),
    );
  }).flat();
}

const share = (all: readonly boolean[]): string =>
  (all.length === 0 ? "–" : ((100 * all.filter(Boolean).length) / all.length).toFixed(1)).padStart(6);

function print(name: string, found: readonly Read[]): void {
  const at = (least: number, levels: (level: number) => boolean): string =>
    share(found.filter(({ message }) => levels(message.level)).map(({ level }) => level >= least));
  const grave = (level: number): boolean => level >= 2;
  const none = (level: number): boolean => level === 0;
  console.log(
    `${name.padEnd(24)} ${String(found.length).padStart(5)}  2–3 at ≥2 ${at(2, grave)}  at ≥1 ${at(1, grave)}  3 at ≥2 ${at(2, (level) => level === 3)}  0 at ≥1 ${at(1, none)}  0 at ≥2 ${at(2, none)}`,
  );
}

const all = { rules: [] as Read[], both: [] as Read[] };
const bare = packs.map(({ weights: _weights, ...pack }) => pack);
for (const { language } of packs) {
  const messages = given.filter(isOf(language));
  const samples = samplesOf(messages, packs);
  const others = samplesOf(dev.filter(isOf(language)), packs);
  if (samples.length === 0) continue;
  if (values.check) {
    const [rules, both] = [readBy(bare, messages), crossed(language, messages, { samples, others })];
    print(`${language}, rules`, rules);
    print(`${language}, and words`, both);
    if (language === "en") continue;
    all.rules.push(...rules);
    all.both.push(...both);
    continue;
  }
  const weights = fit([...samples, ...others], values.version);
  writeFileSync(new URL(`../packages/companion/src/safety/weights/${language.toLowerCase()}.json`, import.meta.url), written(weights));
  console.log(`${language}: ${weights.terms.size} terms from ${weights.messages} messages`);
}
if (values.check)
  for (const [name, found] of [
    ["others, rules", all.rules],
    ["others, and words", all.both],
  ] as const)
    print(name, found);
