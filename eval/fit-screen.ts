/**
 * `npm run fit:screen -- --version 2026-11-23.1 [--check]`: fits the learned weights of the companion's screen on the messages of eval/safety/fitting and the
 * dev half of eval/safety/everyday, and writes them beside the packs. `--check` writes nothing and prints what rules alone, and rules and weights together,
 * make of messages that the weights were not fitted on, and what a quarter and a half of the messages give.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { packs } from "../packages/companion/src/companion-gate.ts";
import { createScreen, type LearnedWeights } from "../packages/throughline/src/safety.ts";
import { figuresOf, type Share } from "./safety/figures.ts";
import { everydayMessages, fittingMessages } from "./safety/labelled.ts";
import { cross, fitAll, kindOf, placed, type Read } from "./safety/recipe.ts";

const { values } = parseArgs({ options: { version: { type: "string", default: "unnamed" }, check: { type: "boolean", default: false } } });

const everyday = everydayMessages();
const some = placed([...fittingMessages(), ...everyday.filter(({ split }) => split === "dev")]);
const measured = everyday.filter(({ split }) => split === "test");

/** As the formatter would write it. */
function written({ version, messages, bias, scale, raises, steps }: LearnedWeights): string {
  const numbers = (some: readonly number[]): string => `[${some.join(", ")}]`;
  const members = [
    `"version": ${JSON.stringify(version)}`,
    `"messages": ${messages}`,
    `"bias": ${numbers(bias)}`,
    `"scale": ${numbers(scale)}`,
    `"raises": {\n${Object.entries(raises)
      .map(([language, some]) => `    ${JSON.stringify(language)}: ${numbers(some)}`)
      .join(",\n")}\n  }`,
    `"steps": ${JSON.stringify(Buffer.from(steps.buffer).toString("base64"))}`,
  ];
  return `{\n${members.map((member) => `  ${member}`).join(",\n")}\n}\n`;
}

function print(name: string, read: readonly Read[]): void {
  const { recall, any_flag, imminent, asked, false_flag, false_alarm, n } = figuresOf(read);
  const cell = ({ percent, of }: Share): string => (of === 0 ? "–" : percent.toFixed(1)).padStart(6);
  const grave = `2–3 at ≥2 ${cell(recall)}  at ≥1 ${cell(any_flag)}  3 at ≥2 ${cell(imminent)}  1 at ≥1 ${cell(asked)}`;
  console.log(`${name.padEnd(34)} ${String(n).padStart(5)}  ${grave}  0 at ≥1 ${cell(false_flag)}  at ≥2 ${cell(false_alarm)}`);
}

function printAll(title: string, read: readonly Read[], byLanguage: boolean): void {
  const kinds = Map.groupBy(read, ({ message }) => (kindOf(message) === "everyday" ? `everyday, ${message.split}` : kindOf(message)));
  for (const [kind, own] of kinds) {
    print(`${title}: ${kind}`, own);
    const languages = Map.groupBy(own, ({ message }) => message.language);
    if (byLanguage) for (const [language, these] of languages) print(`  ${language}`, these);
  }
}

if (values.check) {
  const screen = createScreen(packs.map(({ weights: _weights, ...pack }) => pack));
  printAll(
    "rules",
    [...some.map(({ message }) => message), ...measured].map((message) => ({
      message,
      got: screen(message.text, screen.contextOf(message.before)).level,
    })),
    false,
  );
  for (const [title, share] of [
    ["a quarter", 0.25],
    ["half", 0.5],
    ["all", 1],
  ] as const)
    printAll(title, cross(some, measured, share).read, share === 1);
} else {
  const { raises } = cross(some, []);
  const weights = fitAll(some, raises, values.version);
  const text = written(weights);
  writeFileSync(new URL("../packages/companion/src/safety/learned.json", import.meta.url), text);
  console.log(`${weights.messages} messages, ${(text.length / 1e6).toFixed(1)} MB`);
}
