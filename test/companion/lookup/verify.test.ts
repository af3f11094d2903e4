/** What counts as standing in a source. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extractAnswer, faultOf, type FoundSource, numbersOf, sentencesOf } from "../../../packages/companion/src/lookup/grounding.ts";
import { knowledgeBase, knowledgePages } from "../../../packages/companion/src/lookup/knowledge-base.ts";
import { hangMs } from "../../setup/limits.ts";

const sleep: FoundSource = {
  title: "Sleep",
  url: "https://example.org/sleep",
  quality: "reputable",
  text: "Most adults feel best with about 7 to 9 hours of sleep a night. Long naps late in the day take away from sleep at night. Alcohol does not make sleep deeper. See https://example.org/more for 1,000 studies.",
};
const url = sleep.url;

describe("a claim", () => {
  const cases: readonly (readonly [text: string, fault: ReturnType<typeof faultOf>])[] = [
    ["Most adults feel best with about 7 to 9 hours of sleep a night.", undefined],
    ["Adults feel best with seven to nine hours of sleep.", undefined],
    ["Long naps late in the day take sleep away at night.", undefined],
    ["There are 1000 studies at https://example.org/more for sleep.", undefined],
    ["Most adults feel best with about 6 to 9 hours of sleep a night.", "number"],
    ["Most adults feel best with ten hours of sleep a night.", "number"],
    ["Alcohol makes sleep deeper.", "negation"],
    ["Long naps late in the day do not take away from sleep at night.", "negation"],
    ["Lavender oil under the pillow cures nightmares.", "not_contained"],
    ["Most adults feel best with 7 to 9 hours of sleep, see https://example.com/pills.", "link"],
    ["Call the sleep hotline at night.", "phone"],
    ["Adults feel best when they call 0800 111 0 111 at night.", "phone"],
    ["…", "blank"],
  ];
  test.each(cases)("%s -> %s", (text, fault) => {
    expect(faultOf({ text, source: url }, [sleep])).toBe(fault);
  });

  test("of a source that was not fetched is refused, however true", () => {
    expect(faultOf({ text: "Most adults feel best with about 7 to 9 hours of sleep a night.", source: "https://example.org/other" }, [sleep])).toBe(
      "not_fetched",
    );
  });
});

test("what is quoted stands in its source, for every page and whatever is asked of it", () => {
  const pages = knowledgePages.map(({ id, title, text }) => ({ title, url: `knowledge:${id}`, text, quality: "weak" as const }));
  fc.assert(
    fc.property(
      fc.constantFrom(...pages),
      fc.array(fc.constantFrom("how long", "sleep", "what is", "panic", "caffeine", "help", "grief", "why", "values"), { maxLength: 4 }),
      (page, words) => {
        for (const claim of extractAnswer(`${page.title} ${words.join(" ")}`, [page])) {
          expect(page.text).toContain(claim.text);
          expect(faultOf(claim, [page])).toBeUndefined();
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("every sentence of every page can be quoted, and none says what a companion does not say", () => {
  for (const { id, title, text } of knowledgePages) {
    const page: FoundSource = { title, url: `knowledge:${id}`, text, quality: "weak" };
    for (const sentence of sentencesOf(text)) expect(faultOf({ text: sentence, source: page.url }, [page]), sentence).toBeUndefined();
    expect(`${title} ${text}`).not.toMatch(/therap|treatment|diagnos/iu);
  }
});

test.each([
  ["about 1,000 people", ["1000"]],
  ["from 7.5 to nine hours", ["7.5", "9"]],
  ["one of them", []],
])("numbers of %s", (text, numbers) => {
  expect([...numbersOf(text)]).toEqual(numbers);
});

test.each([
  ["7.5 hours, e.g. at night. And more.", ["7.5 hours, e.g. at night.", "And more."]],
  ["睡眠很重要。每晚七小时。", ["睡眠很重要。", "每晚七小时。"]],
])("sentences of %s", (text, sentences) => {
  expect(sentencesOf(text)).toEqual(sentences);
});

describe("the knowledge base", () => {
  const signal = AbortSignal.timeout(hangMs);
  const first = async (query: string): Promise<string | undefined> => (await knowledgeBase().search(query, { limit: 3, signal }))[0]?.url;
  test.each([
    ["How long does caffeine stay in the body?", "knowledge:caffeine"],
    ["current sleep hygiene advice", "knowledge:sleep"],
    ["what is box breathing?", "knowledge:breathing"],
    ["what happens in a panic attack", "knowledge:panic"],
    ["are there stages of grief?", "knowledge:grief"],
    ["does writing a journal help", "knowledge:journaling"],
    ["how much should adults move each week", "knowledge:exercise-and-mood"],
    ["capital of France", undefined],
    ["who is the president", undefined],
    ["sleep patterns of dolphins in captivity", undefined],
    ["", undefined],
  ])("%s -> %s", async (query, found) => {
    expect(await first(query)).toBe(found);
  });

  test("refuses a page that is none, and one that is there twice", () => {
    const page = { id: "one", title: "One", keywords: [], text: "One thing." };
    for (const [pages, field] of [
      [[{ ...page, id: "No" }], "id"],
      [[{ ...page, text: " " }], "text"],
      [[{ ...page, title: "" }], "title"],
      [[page, page], "id"],
    ] as const)
      expect(() => knowledgeBase({ pages })).toThrow(expect.objectContaining({ code: "agent.invalid", details: { page: pages.at(-1)?.id, field } }));
  });
});
