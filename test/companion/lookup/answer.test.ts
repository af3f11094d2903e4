/** Looking a question up: cases 53 to 60, and what a model must not get past the check. */
import { describe, expect, test } from "vitest";
import { lookUp, type LookedUp, type LookupGiven } from "../../../packages/companion/src/lookup/lookup-answer.ts";
import { knowledgeBase, knowledgePages } from "../../../packages/companion/src/lookup/knowledge-base.ts";
import type { SearchProvider } from "../../../packages/companion/src/lookup/grounding.ts";
import { scripted } from "../../../packages/throughline/src/model/scripted.ts";
import { guard } from "../../../packages/throughline/src/safety.ts";
import type { Json } from "../../../packages/throughline/src/kernel/json.ts";
import { hangMs } from "../../setup/limits.ts";

const titleOf = (format: Json | undefined): string =>
  typeof format === "object" && format !== null && "title" in format && typeof format["title"] === "string" ? format["title"] : "";

/** A model that answers each call as told, and what it was asked, in order. */
function answering(answers: Readonly<Record<string, Json | string>>) {
  const calls: string[] = [];
  const model = scripted((request) => {
    const title = titleOf(request.response_format);
    calls.push(title);
    const answer = answers[title] ?? "";
    return typeof answer === "string" ? answer : JSON.stringify(answer);
  });
  return { model, calls };
}

const search = { status: "search", search_query: "caffeine in the body", answer: "", reasoning: "a fact" };
const cite = [{ title: "Caffeine, sleep and anxiety", url: "knowledge:caffeine" }];
const answer = (text: string, sources: Json = cite): Json => ({
  status: "answered",
  answer: text,
  sources,
  source_quality: "official",
  reasoning: "found",
});
const given = (more: Partial<LookupGiven> = {}): LookupGiven => ({
  query: "How long does caffeine stay in the body?",
  before: [],
  language: "en",
  provider: knowledgeBase(),
  model: undefined,
  signal: AbortSignal.timeout(hangMs),
  ...more,
});
const look = (more: Partial<LookupGiven> = {}): Promise<LookedUp> => lookUp(given(more));

const failing: SearchProvider = { name: "down", search: async () => Promise.reject(new Error("down")) };
const silent: SearchProvider = { name: "silent", search: async () => new Promise(() => {}) };
const empty: SearchProvider = { name: "empty", search: async () => [] };

/** A provider that finds these pages, whatever is asked. */
const finding = (...pages: readonly { readonly url: string; readonly title?: string; readonly text?: string }[]): SearchProvider => ({
  name: "pages",
  search: async () =>
    pages.map(({ url, title = "Coffee", text = "Caffeine stays in the body for 5 hours. Caffeine stays in the body for 5 hours." }) => ({
      ...{ url, title, text, quality: "weak" as const },
    })),
});

describe("what can be cited", () => {
  const page = "https://example.org/coffee";
  test.each(["javascript:alert(1)", " DATA:text/html,x", "file:///etc/passwd", " "])("%s is no source", async (url) =>
    expect((await look({ provider: finding({ url }) })).status).toBe("no_verified_answer"),
  );
  test("a page is cited once, its title in one line, and a sentence said once", async () => {
    const { text } = await look({ provider: finding({ url: page, title: "Coffee\n- and more" }, { url: page }) });
    expect(text.split("\n\n")[0]).toMatch(/5 hours\.$/u);
    expect(text.match(/5 hours/gu)).toHaveLength(1);
    expect(text.split("\n").filter((line) => line.startsWith("- "))).toEqual([`- Coffee - and more (${page})`]);
  });
  test("a page without a title is cited by its address", async () =>
    expect((await look({ provider: finding({ url: page, title: " " }) })).text).toContain(`- ${page} (${page})`));
  test.each([
    ["¿qué es la ansiedad?", "es", "knowledge:anxiety-es"],
    ["was ist eine Panikattacke?", "de", "knowledge:panic-de"],
    ["c'est quoi le burn-out ?", "fr", "knowledge:burnout-fr"],
    ["o que é uma crise de pânico?", "pt", "knowledge:panic-pt"],
    ["apa itu serangan panik?", "id", "knowledge:panic-id"],
    ["burnout kya hota hai?", "hi-latn", "knowledge:burnout-hi-latn"],
    ["चिंता क्या होती है?", "hi", "knowledge:anxiety-hi"],
    ["什么是惊恐发作？", "zh", "knowledge:panic-zh"],
    ["ما هي نوبة الهلع؟", "ar", "knowledge:panic-ar"],
    ["what is a panic attack?", "en", "knowledge:panic"],
  ])("%s is answered in its language", async (query, language, url) => {
    const found = await look({ query, language });
    expect([found.status, found.sources[0]?.url]).toEqual(["answered", url]);
  });
  test.each(["define anxiety", "explain grief", "the definition of worry"])("%j is answered", async (query) =>
    expect((await look({ query })).status).toBe("answered"),
  );
});

describe("with a model", () => {
  test("case 53: a question of fact is searched for after it was looked at, and answered with its sources", async () => {
    const { model, calls } = answering({
      lookup_preflight: search,
      lookup_answer: answer("Half of the caffeine in a drink is still in the body after about 5 hours."),
    });
    const found = await look({ model });
    expect(calls).toEqual(["lookup_preflight", "lookup_answer"]);
    expect(found).toMatchObject({ status: "answered", by: "model", searched: true, query: "caffeine in the body" });
    expect(found.text).toContain("Sources:\n- Caffeine, sleep and anxiety (knowledge:caffeine)");
  });

  test("its word for the quality of a source counts nothing", async () => {
    const { model } = answering({
      lookup_preflight: search,
      lookup_answer: answer("Half of the caffeine in a drink is still in the body after about 5 hours."),
    });
    expect((await look({ model })).quality).toBe("weak");
  });

  test("case 55: what cannot be looked up is not searched for, and its words are said", async () => {
    const { model, calls } = answering({
      lookup_preflight: { status: "no_verified_answer", search_query: "", answer: "I do not know which doctor you mean.", reasoning: "unnamed" },
    });
    const found = await look({ model, query: "when does the doctor open" });
    expect(calls).toEqual(["lookup_preflight"]);
    expect(found).toMatchObject({ status: "no_verified_answer", searched: false, text: "I do not know which doctor you mean." });
  });

  test("case 60: a refusal that brings facts of its own is not said", async () => {
    const { model } = answering({
      lookup_preflight: { status: "no_verified_answer", search_query: "", answer: "Probably 42 hours, see https://example.com.", reasoning: "guess" },
    });
    expect((await look({ model })).text).not.toMatch(/\d|http/u);
  });

  test.each(["Nobody but us: I will keep this a secret.", "I am a real person, so ask me something else."])(
    "a refusal that no reply may say is not said: %s",
    async (said) => {
      const { model } = answering({ lookup_preflight: { status: "no_verified_answer", search_query: "", answer: said, reasoning: "" } });
      expect((await look({ model })).text).not.toContain(said);
    },
  );

  test("a page is not quoted, nor worded anew, with what no reply may say", async () => {
    const promise = "Caffeine stays in the body for 5 hours and this stays between you and me.";
    const provider = finding({ url: "https://example.org/coffee", text: promise });
    const { model } = answering({
      lookup_preflight: search,
      lookup_answer: answer(promise, [{ title: "Coffee", url: "https://example.org/coffee" }]),
    });
    for (const found of [await look({ provider }), await look({ provider, model })]) {
      expect(found).toMatchObject({ status: "no_verified_answer", fault: "unsayable", sources: [] });
      expect(found.text).not.toContain("between you and me");
    }
  });

  test("the companion's own pages hold nothing that no reply may say", () => {
    for (const { text } of knowledgePages) expect(guard(text, { level: 0 }).blocked).toEqual([]);
  });

  const refused: readonly (readonly [name: string, said: Json, fault: string])[] = [
    ["a number that stands nowhere", answer("Half of the caffeine in a drink is still in the body after about 12 hours."), "number"],
    ["a fact that stands nowhere", answer("Caffeine is harvested by elves in northern forests."), "not_contained"],
    [
      "a source that was not fetched",
      answer("Half of the caffeine in a drink is still in the body after about 5 hours.", [{ title: "X", url: "https://x.example" }]),
      "not_fetched",
    ],
    ["no source", answer("Half of the caffeine in a drink is still in the body after about 5 hours.", []), "not_fetched"],
    [
      "one sentence of two that stands nowhere",
      answer("Half of the caffeine in a drink is still in the body after about 5 hours. Decaf has twice as much."),
      "not_contained",
    ],
    ["a help line", answer("Caffeine makes people feel nervous, so call the helpline 0800 123 456."), "phone"],
    ["the reverse", answer("Caffeine does not block adenosine, a substance in the brain that makes us feel sleepy."), "negation"],
  ];
  test.each(refused)("case 60: an answer with %s is not said", async (_, said, fault) => {
    const { model } = answering({ lookup_preflight: search, lookup_answer: said });
    const found = await look({ model });
    expect(found).toMatchObject({ status: "no_verified_answer", by: "none", fault });
    expect(found.text).not.toMatch(/\d|elves|Decaf|helpline/u);
  });

  test("that finds no answer in the sources says none", async () => {
    const { model } = answering({
      lookup_preflight: search,
      lookup_answer: { status: "no_verified_answer", answer: "", sources: [], source_quality: "none", reasoning: "" },
    });
    expect(await look({ model })).toMatchObject({ status: "no_verified_answer", searched: true });
  });

  test.each([
    ["both calls", {}],
    ["the answer", { lookup_preflight: search }],
    ["the preflight", { lookup_preflight: "no json", lookup_answer: "{}" }],
  ])("that fails at %s is done without: the best source is quoted", async (_, answers) => {
    const found = await look({ model: answering(answers).model });
    expect(found).toMatchObject({ status: "answered", by: "quotation" });
    expect(found.text).toContain("Half of the caffeine in a drink is still in the body after about 5 hours");
  });
});

describe("without a model", () => {
  test("case 56: the best source is quoted word for word", async () => {
    const found = await look();
    expect(found).toMatchObject({ status: "answered", by: "quotation", quality: "weak" });
    expect(found.text).toMatch(/^This is what I found, word for word: .*about 5 hours.*\n\nSources:\n- .*knowledge:caffeine/su);
  });
  test.each([
    ["nothing is found", { provider: empty }, "no_verified_answer"],
    ["the search fails", { provider: failing }, "search_failed"],
    ["the search does not answer in time", { provider: silent, withinMs: 20 }, "search_failed"],
  ] as const)("%s: it says so and guesses nothing", async (_, more, status) => {
    const found = await look(more);
    expect(found).toMatchObject({ status, sources: [], by: "none" });
    expect(found.text).not.toMatch(/\d/u);
  });
  test("a turn that is stopped stops it", async () => {
    await expect(look({ provider: silent, signal: AbortSignal.abort(new Error("stopped")) })).rejects.toThrow("stopped");
  });
});

describe("what is never looked up", () => {
  test.each([
    ["suicide hotline number in Germany", /fixed list with sources/u],
    ["what's the crisis line here", /fixed list with sources/u],
    ["is 988 open at night?", /fixed list with sources/u],
    ["how many mg of melatonin can I take", /pharmacist/u],
    ["lethal dose of paracetamol", /pharmacist/u],
    ["how many pills are too many pills", /pharmacist/u],
    ["should I leave my husband", /depends on you/u],
    ["what's wrong with me", /depends on you/u],
  ])("%s", async (query, said) => {
    const provider: SearchProvider = { name: "spy", search: async () => Promise.reject(new Error("was searched")) };
    const found = await look({ query, provider });
    expect(found).toMatchObject({ status: "no_verified_answer", searched: false });
    expect(found.text).toMatch(said);
    expect(found.text).not.toMatch(/\d/u);
  });

  test("not in a model's words for it either", async () => {
    const { model, calls } = answering({ lookup_preflight: { ...search, search_query: "overdose amount of caffeine pills" } });
    expect(await look({ model })).toMatchObject({ status: "no_verified_answer", searched: false });
    expect(calls).toEqual(["lookup_preflight"]);
  });

  test.each(["es", "de", "fr", "pt", "zh"])("is refused in the language of the conversation: %s", async (language) => {
    const { text } = await look({ query: "suicide hotline", language });
    expect(text).not.toBe((await look({ query: "suicide hotline" })).text);
  });
});
