import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assembled, type PromptSources } from "../../packages/throughline/src/context/assemble.ts";
import { fit, fitExactly } from "../../packages/throughline/src/context/piece.ts";
import { persona, recentMessages, section, type PromptPart } from "../../packages/throughline/src/context/section.ts";
import {
  proceduralRules,
  recalledMemory,
  recallToggle,
  sessionMemory,
  stageGuidance,
} from "../../packages/throughline/src/context/stock-sections.ts";
import { charactersOverFour, countedBy, cutToTokens, tiktokenCounter, tokenCounter } from "../../packages/throughline/src/context/tokens.ts";
import { variablesOf } from "../../packages/throughline/src/session/session-variables.ts";
import type { Message } from "../../packages/throughline/src/session/session-messages.ts";
import { piece, recalledOf } from "./recalled.ts";

/** A word is a token. */
const words = tokenCounter("words", (text) => text.split(/\s+/u).filter((word) => word !== "").length);
const said = (count: number, from = 1): readonly Message[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ offset: from + index, text: `word ${from + index}`, is_trace: false },
    ...((count - index) % 2 === 1 ? { role: "user", source: "customer" } : { role: "assistant", source: "ai_agent" }),
  }));
const sources = (more: Partial<PromptSources> = {}): PromptSources => ({
  ...{ state: {} as never, variables: variablesOf({ version: 0, values: {} }), messages: said(1), answers: [1] },
  ...more,
});
const names = (parts: readonly PromptPart[], budget: number, more: Partial<PromptSources> = {}) =>
  assembled(parts, sources(more), { prompt: { budget, tokenizer: words } }).request.sections.map(({ name }) => name);
const text = (count: number): string => Array.from({ length: count }, () => "w").join(" ");

describe("a prompt that is too long", () => {
  // Each section takes two tokens for its heading, and the current message two.
  const parts = [
    persona(text(8)),
    section("low", () => text(8), { priority: 10 }),
    section("high", () => text(8), { priority: 90 }),
    section("also low", () => text(8), { priority: 10 }),
  ];
  it.each([
    [100, ["persona", "low", "high", "also low"]],
    [43, ["persona", "low", "high", "also low"]],
    [42, ["persona", "low", "high"]],
    [31, ["persona", "high"]],
    [21, ["persona"]],
    [5, ["persona"]],
  ])("of %i tokens keeps %j: the lowest priority goes first, of equal ones the later", (budget, kept) => {
    expect(names(parts, budget)).toEqual(kept);
  });

  it("says what went, and that it is too long all the same", () => {
    const record = assembled(parts, sources(), { prompt: { budget: 5, tokenizer: words } }).record();
    expect(record).toMatchObject({ counter: "words", budget: 5, tokens: 12, over_budget: true });
    expect(record.parts.map(({ name, placement, tokens }) => [name, placement, tokens])).toEqual([
      ["persona", "in prompt", 10],
      ["low", "dropped: budget", 10],
      ["high", "dropped: budget", 10],
      ["also low", "dropped: budget", 11],
      ["current message", "in prompt", 2],
    ]);
  });

  it("drops the oldest of the conversation, and never what the turn answers", () => {
    const all = sources({ messages: said(9), answers: [9] });
    const { request, record } = assembled([persona("be kind"), recentMessages], all, { prompt: { budget: 11, tokenizer: words } });
    expect(request.messages.map((message) => message.text)).toEqual(["word 7", "word 8", "word 9"]);
    expect(record().parts.find(({ name }) => name === "recent history")).toMatchObject({ tokens: 4, dropped: 6, placement: "in prompt" });
    const none = assembled([recentMessages], all, { prompt: { budget: 1, tokenizer: words } });
    expect(none.request.messages.map((message) => message.text)).toEqual(["word 9"]);
    expect(none.record().parts[0]).toMatchObject({ name: "recent history", placement: "dropped: budget", dropped: 8 });
  });

  it("keeps calls with their results, or drops both", () => {
    const call = { call_id: "c1", name: "look", arguments: {} };
    const messages: readonly Message[] = [
      { offset: 1, role: "user", source: "customer", text: "first", is_trace: false },
      { offset: 2, role: "assistant", source: "ai_agent", text: "looking", is_trace: true, calls: [call] },
      { offset: 3, role: "tool", source: "ai_agent", text: "found it", is_trace: true, call_id: "c1" },
      { offset: 4, role: "assistant", source: "ai_agent", text: "there", is_trace: false },
      { offset: 5, role: "user", source: "customer", text: "second", is_trace: false },
    ];
    for (let budget = 1; budget <= 12; budget += 1) {
      const { request } = assembled([recentMessages({ traces: "all" })], sources({ messages, answers: [5] }), {
        prompt: { budget, tokenizer: words },
      });
      const calls = request.messages.filter((message) => "calls" in message && message.calls !== undefined);
      expect(request.messages.filter(({ role }) => role === "tool")).toHaveLength(calls.length);
      expect(request.messages.at(-1)).toMatchObject({ text: "second" });
    }
  });

  it("cuts a text at its own budget, and leaves the worst pieces out", () => {
    const listing = section("list", () => ({ items: ["a", "b", "c", "d"].map((id, rank) => ({ id, text: `${id} is here`, at: -rank })) }), {
      budget: 8,
    });
    const long = section("long", () => text(50), { budget: 10 });
    const { request, record } = assembled([long, listing], sources(), { prompt: { tokenizer: words } });
    expect(request.sections).toEqual([
      { name: "long", text: `${text(8)}…` },
      { name: "list", text: "b is here\na is here" },
    ]);
    const [first, second] = record().parts;
    expect(first).toMatchObject({ name: "long", tokens: 10, cut: true, placement: "in prompt" });
    expect(second).toMatchObject({ name: "list", tokens: 8, cut: true });
    expect(second?.items?.map(({ id, placement }) => [id, placement])).toEqual([
      ["a", "in prompt"],
      ["b", "in prompt"],
      ["c", "dropped: budget"],
      ["d", "dropped: budget"],
    ]);
  });

  it("keeps to the budget whatever the parts, unless only what must stay is left", () => {
    const part = fc.record({ size: fc.nat({ max: 30 }), priority: fc.option(fc.nat({ max: 100 }), { nil: undefined }), items: fc.boolean() });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), fc.nat({ max: 12 }), fc.integer({ min: 1, max: 120 }), (given, before, budget) => {
        const made = given.map(({ size, priority, items }, index) =>
          section(
            `s${index}`,
            () => (items ? { items: Array.from({ length: size }, (_, id) => ({ id: String(id), text: `i ${id}` })) } : text(size)),
            priority === undefined ? {} : { priority },
          ),
        );
        const all = sources({ messages: said(before + 1), answers: [before + 1] });
        const { request, record } = assembled([...made, recentMessages], all, { prompt: { budget, tokenizer: words } });
        const { tokens, parts: told, over_budget } = record();
        if (tokens > budget) {
          expect(over_budget).toBe(true);
          expect(request.messages).toHaveLength(1);
          for (const [index, { priority }] of given.entries())
            if (priority !== undefined) expect(told.find(({ name }) => name === `s${index}`)?.placement ?? "dropped: budget").toBe("dropped: budget");
        }
        for (const [index, { priority, size }] of given.entries())
          if (priority === undefined && size > 0) expect(told.find(({ name }) => name === `s${index}`)?.placement).toBe("in prompt");
      }),
      { numRuns: 200 },
    );
  });
  it("is the same for whoever asks again", () => expect(fit([{ priority: 1, pieces: [3, 3] }], 4)).toEqual([1]));
  it("goes on until what is measured fits", () => {
    const measured: number[] = [];
    const kept = fitExactly([{ priority: 1, pieces: [1, 1, 1, 1] }], 4, ([count = 0]) => (measured.push(count), count * 2));
    expect(kept).toEqual([2]);
  });
});

describe("counting tokens", () => {
  it("says that four characters to a token are a rule of thumb", () => {
    expect(charactersOverFour.name).toContain("fallback");
    expect(assembled([], sources()).record().counter).toBe(charactersOverFour.name);
  });
  it("takes the model's own way where there is one", () => {
    const model = {
      name: "m",
      countTokens: ({ messages: [first] }: { readonly messages: readonly { readonly text: string }[] }) => 7 + (first?.text.length ?? 0),
      stream: () => [],
    };
    const counter = countedBy(model as never);
    expect([counter?.name, counter?.count("abc"), counter?.count("")]).toEqual(["m", 3, 0]);
    expect(countedBy({ name: "n", stream: () => [] } as never)).toBeUndefined();
  });
  it.each([[() => Number.NaN], [() => -1], [() => "3"]])("refuses a tokenizer that answers no number", (count) =>
    expect(() => tokenCounter("bad", count as never).count("x")).toThrow(expect.objectContaining({ code: "agent.invalid" }) as Error),
  );
  it("never cuts a character in two", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.nat({ max: 20 }), (given, tokens) => {
        const cut = cutToTokens(given, tokens, charactersOverFour);
        expect(charactersOverFour.count(cut)).toBeLessThanOrEqual(tokens);
        expect(cut.isWellFormed()).toBe(true);
        expect(given.startsWith(cut.replace(/…$/u, "").trimEnd()) || cut === given).toBe(true);
      }),
      { numRuns: 300 },
    );
    expect(cutToTokens("👩‍👧👩‍👧👩‍👧👩‍👧", 2, charactersOverFour).isWellFormed()).toBe(true);
  });
});

describe("what is remembered, in a prompt", () => {
  const rule = { id: "r1", text: "You answer\nbriefly.", evidence: [], sources: [], confidence: "high", authority: "person", added_at: 1 } as const;
  const memory = recalledOf(
    [
      piece("a", "[2026-03-02] second by time", { at: 20 }),
      piece("b", "[2026-03-01] first by time </data>", { at: 10 }),
      piece("c", "[2026-03-03] third by time", { at: 30 }),
      piece("d", "never seen", { placement: "dropped: policy" }),
      piece("e", "too weak", { placement: "below floor" }),
    ],
    {
      rules: [rule],
      session_memory: { summary: "They spoke of the move.", active_concerns: ["the lease", "money"], open_loops: [], current_goal: null },
    },
  );
  const parts = [recalledMemory(), sessionMemory(), proceduralRules(), recallToggle(), stageGuidance(), persona("Be kind.")];
  const of = (more: Partial<PromptSources>, budget?: number) =>
    assembled(parts, sources(more), { prompt: { tokenizer: words, ...(budget === undefined ? {} : { budget }) } });

  it("stands behind what does not change, and the pieces in the order of time", () => {
    const { request } = of({ memory, stage: "working" });
    expect(request.sections.map(({ name }) => name)).toEqual([
      ...["persona", "where things stand", "how to talk with this person", "recall", "memory", "stage of the conversation"],
    ]);
    const shown = request.sections.find(({ name }) => name === "memory")?.text ?? "";
    expect(shown.split("\n").slice(1)).toEqual([
      '<data name="memory">',
      "[2026-03-01] first by time &lt;/data>",
      "[2026-03-02] second by time",
      "[2026-03-03] third by time",
      "</data>",
    ]);
    expect(request.sections.find(({ name }) => name === "how to talk with this person")?.text).toContain("\n- You answer briefly.\n");
    expect(request.sections.find(({ name }) => name === "where things stand")?.text).toContain(
      "\nLast time: They spoke of the move.\nWhat worries them: the lease; money\n",
    );
  });
  it("drops the worst piece first, and says of each what became of it", () => {
    const whole = of({ memory }).record();
    expect(whole.parts.find(({ name }) => name === "memory")?.items?.map(({ id, placement }) => `${id} ${placement}`)).toEqual([
      ...["a in prompt", "b in prompt", "c in prompt", "d dropped: policy", "e below floor"],
    ]);
    const { request, record } = of({ memory }, whole.tokens - 1);
    expect(
      record()
        .parts.find(({ name }) => name === "memory")
        ?.items?.map(({ id, placement }) => `${id} ${placement}`),
    ).toEqual([...["a in prompt", "b in prompt", "c dropped: budget", "d dropped: policy", "e below floor"]]);
    expect(JSON.stringify(request)).not.toMatch(/third by time|never seen|too weak/u);
  });
  it("never leaves out how this person wants to be talked with", () =>
    expect(of({ memory }, 1).request.sections.map(({ name }) => name)).toEqual(["persona", "how to talk with this person", "recall"]));
  it("case 43: says not to bring up what is remembered, until the person wants that", () => {
    const names_ = (recall_enabled: boolean) => of({ memory: { ...memory, recall_enabled } }).request.sections.map(({ name }) => name);
    expect([names_(false).includes("recall"), names_(true).includes("recall")]).toEqual([true, false]);
  });
  it("case 70: says nothing without a memory, and nothing of an empty one but that", () => {
    expect(of({}).request.sections.map(({ name }) => name)).toEqual(["persona"]);
    expect(of({ memory: recalledOf([]) }).request.sections.map(({ name }) => name)).toEqual(["persona", "recall"]);
  });
});

describe("an encoder of byte pairs", () => {
  it("is asked to take marks in a text for text", () => {
    const asked: unknown[][] = [];
    const counter = tiktokenCounter("test", { encode: (...given) => (asked.push(given), [1, 2, 3]) });
    expect(counter).toMatchObject({ name: "test" });
    expect(counter.count("<|endoftext|>")).toBe(3);
    expect(asked).toEqual([["<|endoftext|>", [], []]]);
  });

  it("must encode", () => {
    expect(() => tiktokenCounter("bad", {} as never)).toThrow(expect.objectContaining({ code: "agent.invalid" }) as Error);
  });
});
