/** No text that a person reads speaks of what the companion is not; names inside the program may. */
import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { agentInputSchema, resolveOwnerId, STAGE_LABELS } from "../../../packages/companion/src/contract.ts";
import { createCompanion } from "../../../packages/companion/src/create-companion.ts";
import { exerciseCatalog, exerciseLanguages } from "../../../packages/companion/src/exercises/exercise-definition.ts";
import { endEnvelope } from "../../../packages/companion/src/companion-runtime.ts";
import { exercisePhrases } from "../../../packages/companion/src/exercises/exercise-wording.ts";
import { phrases } from "../../../packages/companion/src/companion-gate.ts";
import { knowledgePages } from "../../../packages/companion/src/lookup/knowledge-base.ts";
import { phrasesIn } from "../../../packages/companion/src/lookup/lookup-answer.ts";
import { banks } from "../../../packages/companion/src/offline/say/offline-reply.ts";
import { plainPack } from "../support.ts";
import { withThread } from "./support.ts";

/** In each of the languages that the companion speaks. */
const forbidden =
  /therap|th[ée]rap|terap|treatment|diagnos|diagnós|tratamiento|tratamento|traitement|behandl|治疗|療法|疗法|诊断|علاج|تشخيص|इलाज|उपचार|निदान|थेरेपी|थेरपी|pengobatan|perawatan medis|\bilaaj\b/iu;

/** All texts in a value, whatever it is made of; keys are names, not texts. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

const sources: readonly (readonly [name: string, texts: readonly string[]])[] = [
  // What people may say to it is no text that they read.
  ["sentences of the gate", Object.values(phrases).flatMap(({ hears: _hears, asks: _asks, ...said }) => textsIn(said))],
  [
    "steps, names and reasons of exercises",
    exerciseCatalog.flatMap(({ display_name, rationale, steps, translations }) => textsIn({ display_name, rationale, steps, translations })),
  ],
  ["phrases around exercises", textsIn(exercisePhrases)],
  ["pages of the knowledge base", textsIn(knowledgePages)],
  ["phrases of lookup", exerciseLanguages.flatMap((language) => textsIn(phrasesIn(language)))],
  ["sentences of the offline rules", textsIn(banks)],
  ["labels of stages", textsIn(STAGE_LABELS)],
  ["the apology", textsIn(createCompanion().apology)],
];

describe("what people read", () => {
  it.each(sources)("%s", (_, texts) => {
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.filter((text) => forbidden.test(text))).toEqual([]);
  });

  it("the end of a session, and errors of wrong input", async () => {
    const said = textsIn(
      endEnvelope({
        ...{ episode: 1, finalized: true, summary: "s", detail: "d", themes: ["sleep"], mood_opened: "tense", mood_closed: "calm" },
        ...{ turn_count: 3, open_loops: ["a call"], resolved_threads: [] },
      }),
    );
    const errors = [agentInputSchema.safeParse({}).error?.message ?? ""];
    try {
      resolveOwnerId({});
    } catch (error) {
      errors.push(String(error));
    }
    expect(said.length + errors.length).toBeGreaterThan(5);
    expect([...said, ...errors].filter((text) => forbidden.test(text))).toEqual([]);
  });

  it("replies on every path, offline", () =>
    withThread({ safety: { packs: [plainPack] }, models: { control: undefined, response: undefined } as never }, async ({ say }) => {
      for (const message of [
        ...[
          "Good morning",
          "Are you a therapist?",
          "I need a diagnosis",
          "Is this therapy?",
          "can we do box breathing?",
          "why are we doing this?",
          "stop the exercise",
        ],
        ...["What do you remember about me?", "can you look up what anxiety is?", "there is no way out", "I want to die", "no", "I have to go now"],
      ]) {
        const { response_text } = await say(message);
        expect(response_text.trim(), message).not.toBe("");
        // Their own words may be said back, between marks.
        const own = response_text.replaceAll(/“[^”]*”/gu, "");
        expect(forbidden.test(own), `${message}: ${own}`).toBe(false);
      }
    }));

  it("help of the command line", async () => {
    const folder = new URL("../../../packages/server/src/cli/", import.meta.url);
    const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".ts"));
    expect(files.length).toBeGreaterThan(20);
    for (const name of files) {
      const text = await readFile(new URL(name, folder), "utf8");
      // Strings that hold a space are sentences; the others are names.
      const sentences = (text.match(/"[^"\n]*"|`[^`]*`/gu) ?? []).filter((one) => one.includes(" "));
      expect(
        sentences.filter((one) => /\btherap(?:y|ist|eutic)\b|\btreatment\b|\bdiagnos(?:is|es|e)\b/iu.test(one)),
        name,
      ).toEqual([]);
    }
  });
});
