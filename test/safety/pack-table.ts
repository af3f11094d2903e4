import { describe, expect, it } from "vitest";
import { createScreen, type RulePack, type SafetyPhrases } from "../../packages/throughline/src/safety.ts";

/** Messages of our own in one language, one to a line, by the level that a careful reader gives them. None is a person's. */
export interface PackTable {
  readonly pack: RulePack;
  readonly phrases: SafetyPhrases;
  /** In danger now: found at 2 or more. */
  readonly imminent: string;
  /** A wish to die, thoughts of suicide, self-harm. */
  readonly high: string;
  /** To be asked about: 2 is accepted. */
  readonly unclear: string;
  /** Idioms, games, fiction, work, what is past, what is taken back, ordinary sorrow. */
  readonly harmless: string;
  /** Answers to a question about thoughts of suicide. */
  readonly answers: { readonly yes: readonly string[]; readonly no: readonly string[]; readonly evasion: readonly string[] };
}

const lines = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** Holds a pack and its phrases to a table. */
export function holdToTable({ pack, phrases, answers, ...levels }: PackTable): void {
  const screen = createScreen([pack]);
  const found = (text: string): readonly [string, number] => [text, screen(text).level];
  describe(`the pack "${pack.language}"`, () => {
    it.each([
      ["finds danger that is near at 2 or more", levels.imminent, [2, 3]],
      ["finds a wish to die, thoughts of suicide and self-harm", levels.high, [2, 3]],
      ["asks where it is unclear", levels.unclear, [1, 2]],
      ["leaves alone what is harmless", levels.harmless, [0]],
    ] as const)("%s", (_title, text, accepted: readonly number[]) => {
      expect(
        lines(text)
          .map(found)
          .filter(([, level]) => !accepted.includes(level)),
      ).toEqual([]);
    });

    it.each(Object.entries(answers))("reads %s to a question about thoughts of suicide", (answer, texts) => {
      const level = { yes: 2, no: 0, evasion: 1 }[answer];
      expect(texts.map((text) => [text, screen(text, { asked: "suicide" }).answer, screen(text, { asked: "suicide" }).level])).toEqual(
        texts.map((text) => [text, answer, level]),
      );
    });

    it("knows its own questions about suicide, and no other, as such", () => {
      const asked = (text: string): boolean => screen.contextOf([{ role: "assistant", text }]).asked === "suicide";
      expect(phrases.ask_directly.filter((text) => !asked(text))).toEqual([]);
      expect([phrases.ask_location, ...phrases.ask_someone, ...phrases.ask_willing, ...phrases.ask_safe, phrases.disclosure].filter(asked)).toEqual(
        [],
      );
    });

    it("finds nothing in what is said to a person in a crisis that would start another", () => {
      expect([...phrases.coping, ...phrases.stay, phrases.human_care, phrases.disclosure].map(found).filter(([, level]) => level > 0)).toEqual([]);
    });
  });
}
