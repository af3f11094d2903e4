/** Help lines that are asked for in an ordinary turn: those of the table for the country that was named, and no others. */
import { describe, expect, test } from "vitest";
import { asksForHelpLine } from "../../../packages/companion/src/lookup/help-line-requests.ts";
import { helpLines } from "../../../packages/companion/src/lookup/lookup-stage.ts";
import { hotlines } from "../../../packages/companion/src/safety/crisis-data.ts";

const now = Date.parse("2026-11-21T12:00:00Z");
const ask = (message: string, before: readonly { readonly role: "user" | "assistant"; readonly text: string }[] = []) =>
  helpLines({ message, before, language: "en", now });
const numbersOf = (country: string): readonly string[] => hotlines.services.filter((row) => row.country === country).flatMap(({ phones }) => phones);

describe("who asks for one", () => {
  test.each([
    "suicide hotline number please",
    "is there a crisis text line?",
    "hotline?",
    "I need a helpline",
    "what's the number of the Samaritans",
  ])("%s", (message) => {
    expect(asksForHelpLine(message)).toBe(true);
  });
  test.each([
    "I volunteer at a crisis line",
    "my mom works at a helpline",
    "the movie is about a suicide hotline, have you seen it?",
    "what is the source of anxiety?",
    "I ran 112 km this month, is that a lot?",
    "who should be my emergency contact?",
    "are you my lifeline?",
    "I have 911 emails waiting for me at work and no idea what to do",
  ])("%s: does not", (message) => {
    expect(asksForHelpLine(message)).toBe(false);
  });
});

describe("what is said", () => {
  test("without a country: the directories, and the question where they are", () => {
    const found = ask("suicide hotline number please");
    expect(found?.lookup.status).toBe("no_location");
    expect(found?.text).toMatch(/which country/u);
    expect(found?.text).toContain(hotlines.directories[0]?.website);
    expect(found?.text).not.toMatch(/\d{3}/u);
  });

  test("with one: its services, and every number is in the table for it", () => {
    const found = ask("I'm in Germany, what's the crisis line?");
    expect(found?.lookup).toMatchObject({ status: "found", regions: ["DE"] });
    const said = [...(found?.text ?? "").matchAll(/\d[\d ]{2,}\d/gu)].map(([number]) => number);
    expect(said.length).toBeGreaterThan(0);
    for (const number of said) expect(numbersOf("DE")).toContain(number);
  });

  test.each([
    ["do you have the crisis line for Spain?", ["ES"]],
    ["is there a suicide hotline in the United Kingdom", ["GB"]],
    ["is there a helpline for teenagers?", []],
  ])("%s: of %j", (message, regions) => {
    expect(ask(message)?.lookup.regions).toEqual(regions);
  });

  test("the bare name of a country answers the question, and only then", () => {
    const asked = [
      { role: "user", text: "I need a helpline" },
      { role: "assistant", text: ask("I need a helpline")?.text ?? "" },
    ] as const;
    expect(ask("Canada", asked)?.lookup.regions).toEqual(["CA"]);
    expect(ask("Canada")).toBeUndefined();
    expect(ask("I would rather talk about my sister", asked)).toBeUndefined();
  });
});
