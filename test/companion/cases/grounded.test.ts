/** What is looked up: cases 53 to 60, through the companion. That a sentence stands in its source is held by the tests of the lookup itself. */
import type { Model } from "throughline";
import { describe, expect, it } from "vitest";
import type { FoundSource, SearchProvider } from "../../../packages/companion/src/lookup/grounding.ts";
import { runAgent } from "../../../packages/companion/src/run-agent.ts";
import { calm, callOf, calling, plainPack, triaged } from "../support.ts";
import { breathing, numbersIn, sessionOf, shownTo, thread, usual, withThread, type Played, type PlayedOptions } from "./support.ts";

const question = "How long does caffeine stay in the body?";
const sentence = "Half of the caffeine in a drink is still in the body after about 5 hours.";
const source: FoundSource = {
  title: "Caffeine",
  url: "https://example.org/caffeine",
  text: `${sentence} It is in tea as well.`,
  quality: "reputable",
};

/** A provider that finds this, and what it was asked. */
function finding(found: readonly FoundSource[] | Error | "nothing ever") {
  const asked: string[] = [];
  const search: SearchProvider = {
    name: "shelf",
    search: (query) => {
      asked.push(query);
      if (found === "nothing ever") return new Promise(() => {});
      return found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
    },
  };
  return { search, asked };
}

const preflight = { status: "search", search_query: "caffeine in the body", answer: "", reasoning: "" };
const answered = (answer: string, url = source.url) => ({
  ...{ status: "answered", answer, sources: [{ title: "Caffeine", url }], source_quality: "official", reasoning: "" },
});
const answers = { triage: triaged({ route: "grounded_lookup", query: question }), lookup_preflight: preflight, lookup_answer: answered(sentence) };

const withLookup = (options: PlayedOptions, play: (played: Played) => Promise<void>): Promise<void> =>
  withThread({ ...options, answers: { ...answers, ...options.answers }, safety: { packs: [plainPack] } }, play);

const lookups = ({ calls }: Pick<Played, "calls">): readonly (string | undefined)[] =>
  calls.requests.map(callOf).filter((name) => name?.startsWith("lookup") === true);

describe("a question of fact", () => {
  it("case 53: is looked at, then searched for, then answered with its sources, and no model words the reply anew", () => {
    const { search, asked } = finding([source]);
    return withLookup({ search }, async (played) => {
      const output = await played.view(question);
      expect(output).toMatchObject({ route: "grounded_lookup", response_style: "grounded_lookup" });
      expect(output.grounded_lookup).toEqual({ query: "caffeine in the body", status: "answered" });
      expect(output.diagnostics).toMatchObject({ grounded_lookup_searched: true, grounded_lookup_by: "model", grounded_lookup_quality: "reputable" });
      expect(output.reply).toContain(sentence);
      expect(output.reply).toContain(source.url);
      expect(asked).toEqual(["caffeine in the body"]);
      expect(lookups(played)).toEqual(["lookup_preflight", "lookup_answer"]);
      expect(played.replies.requests).toHaveLength(0);
    });
  });

  it("is resolved by what was said before, of which at most four messages are shown", () => {
    const { search } = finding([source]);
    return withLookup(
      {
        search,
        answers: { triage: ({ messages }) => triaged(messages[0]?.text.includes("And how long") ? { route: "grounded_lookup", query: null } : {}) },
      },
      async ({ say, calls }) => {
        for (const message of ["one: a walk", "two: a cat", "three: a cup of tea"]) await say(message);
        await say("And how long does it stay in the body?");
        const asked = calls.requests.find((request) => callOf(request) === "lookup_preflight")?.messages[0]?.text ?? "";
        expect(asked).toContain("three: a cup of tea");
        expect(asked).not.toContain("one: a walk");
        expect(asked).toContain("And how long does it stay in the body?");
      },
    );
  });

  it("case 55: that no source can answer is not searched for, and what was said of it is said", () => {
    const { search, asked } = finding([source]);
    const refusal = "I do not know which doctor you mean.";
    return withLookup(
      { search, answers: { lookup_preflight: { ...preflight, status: "no_verified_answer", answer: refusal } } },
      async ({ view }) => {
        const output = await view(question);
        expect(output.grounded_lookup.status).toBe("no_verified_answer");
        expect(output.diagnostics["grounded_lookup_searched"]).toBe(false);
        expect(output.reply).toBe(refusal);
        expect(asked).toEqual([]);
      },
    );
  });

  it.each([
    ["fails at both calls", { lookup_preflight: new Error("gone"), lookup_answer: new Error("gone") }],
    ["answers no JSON", { lookup_preflight: "hm", lookup_answer: "hm" }],
  ])("case 56: is answered in the words of its source where the model %s", (_, failing) =>
    withLookup({ search: finding([source]).search, answers: failing }, async ({ view }) => {
      const output = await view(question);
      expect(output.grounded_lookup.status).toBe("answered");
      expect(output.reply).toContain(sentence);
      expect(output.diagnostics["grounded_lookup_by"]).toBe("quotation");
    }),
  );

  it("for which the search fails is said to have failed, and nothing is made up", () =>
    withLookup({ search: finding(new Error("down")).search }, async (played) => {
      const output = await played.view(question);
      expect(output.grounded_lookup.status).toBe("search_failed");
      expect(output).toMatchObject({ route: "grounded_lookup" });
      expect(numbersIn(output.reply)).toEqual([]);
      expect(lookups(played)).toEqual(["lookup_preflight"]);
    }));

  it("case 58: that only the model of the reply takes for one is looked up by its tool, and what that found is the reply", () =>
    withLookup(
      {
        answers: { triage: triaged({ tools: ["look_up"] }), lookup_answer: answered(sentence, "knowledge:caffeine") },
        reply: () => calling("look_up", { query: question }),
      },
      async ({ view }) => {
        const output = await view("I always wondered about coffee");
        expect(output).toMatchObject({ route: "grounded_lookup", response_style: "grounded_lookup", grounded_lookup: { status: "answered" } });
        expect(output.diagnostics).toMatchObject({ grounded_tool_selected: "look_up" });
        expect(output.reply).toContain("knowledge:caffeine");
      },
    ));
  it("case 58: that triage has found needs no tool of the model's: it is looked up in any case", () =>
    withLookup({ search: finding([source]).search, reply: () => usual }, async ({ view, replies }) => {
      expect((await view(question)).grounded_lookup.status).toBe("answered");
      expect(replies.requests).toEqual([]);
    }));

  it("is answered without a look at what is remembered", () =>
    withLookup({ search: finding([source]).search }, async (played) => {
      await sessionOf(played.companion);
      await played.companion.runtime.customers.memory(thread.user_id).remember({ quote: "Caffeine keeps me awake." });
      const output = await played.view(question);
      expect(output.diagnostics["retrieval_path"]).toBeUndefined();
      expect(
        played.calls.requests
          .filter((request) => callOf(request)?.startsWith("lookup"))
          .map(shownTo)
          .join(),
      ).not.toContain("keeps me awake");
    }));

  it.each([
    ["a number that stands nowhere", [source], answered("Half of the caffeine in a drink is still in the body after about 42 hours.")],
    ["a source that was not fetched", [source], answered(sentence, "https://example.com/other")],
    ["a help line", [source], answered("Call the caffeine helpline on 0800 123 456.")],
    ["nothing found", [], answered(sentence)],
    ["no answer in what was found", [source], { ...answered(""), status: "no_verified_answer" }],
  ] as const)("case 60: with %s is answered with no figure and no link", (_, found, lookup_answer) =>
    withLookup({ search: finding(found).search, answers: { lookup_answer } }, async ({ view }) => {
      const output = await view(question);
      expect(output.grounded_lookup.status).toBe("no_verified_answer");
      expect(numbersIn(output.reply)).toEqual([]);
      expect(output.reply).not.toMatch(/\d/u);
      expect(output.reply.length).toBeGreaterThan(20);
    }),
  );

  it.each([
    ["help lines, where no place was said", "Can you look up the number of a suicide hotline?", /findahelpline/u],
    ["how much of a medicine is too much", "How many sleeping pills are too many?", /pharmacist|doctor|medical/iu],
  ])("%s are not searched for", (_, message, said) => {
    const { search, asked } = finding([source]);
    return withLookup({ search, answers: { triage: triaged({ route: "grounded_lookup", query: message }) } }, async ({ view }) => {
      expect((await view(message)).reply).toMatch(said);
      expect(asked).toEqual([]);
    });
  });

  it("in the middle of an exercise is answered, and the exercise waits", () =>
    withLookup({ search: finding([source]).search }, async ({ say, view, state }) => {
      await breathing({ say });
      await say("done");
      expect(await view("Can you look up how long caffeine stays in the body?")).toMatchObject({ route: "grounded_lookup" });
      expect((await state())["exercise_state"]).toMatchObject({ exercise_step: 1 });
    }));

  it("one turn by itself looks up as well", async () => {
    const down: Model = {
      name: "down",
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("down")) }) }) as never,
    };
    const { search } = finding([source]);
    const output = await runAgent(
      { message: "Can you look up how long caffeine stays in the body?", session_id: "one" },
      { search, models: { response: down, classifier: calm }, safety: { packs: [plainPack] } },
    );
    expect(output.response_text).toContain(sentence);
  });
});
