/** What a turn is given of a memory, and what is said of each item: no store, no runtime. */
import { describe, expect, it } from "vitest";
import { turnEntryId, type Arc, type Fact, type RememberedTurn, type Entry } from "../../../packages/throughline/src/memory/entry.ts";
import { recall, recordOf, replay, type RecallLimits, type RecallRequest } from "../../../packages/throughline/src/memory/recall/recall.ts";
import { arc, fact, sessionId, source, turn } from "../write/entries.ts";
import { viewOf } from "./view.ts";

const day = 86_400_000;
const now = 200 * day;
const limits: RecallLimits = { tokens: 600, items: 20, episodes: 2, episodeDays: 30, count: (text) => Math.ceil(text.length / 4) };
const asked = (text: string, more: Partial<RecallRequest> = {}): RecallRequest => ({ text, now, opening: false, ...more });

const said = (offset: number, text: string, more: Partial<RememberedTurn> = {}): Record<string, RememberedTurn> => ({
  [turnEntryId(sessionId, offset)]: turn(text, { source: source(offset), ...more }),
});
const ana = (more: Partial<Fact> = {}): Fact =>
  fact({ category: "relationship", predicate: "KNOWS", object: { type: "Person", id: "Ana" }, quote: "my sister Ana plays the cello", ...more });
const placements = (
  entries: Record<string, Entry>,
  request: RecallRequest,
  some: Partial<RecallLimits> = {},
): readonly (readonly [string, string])[] =>
  recall(viewOf(entries), request, { ...limits, ...some }).items.map(({ entry_id, placement }) => [entry_id, placement]);

describe("facts and turns", () => {
  it("case 71: what is asked for by name is found, by words alone without an embedding model", () => {
    const found = recall(
      viewOf({ ana: ana(), job: fact({ object: { type: "Place", id: "Oslo" }, quote: "I moved to Oslo" }) }),
      asked("How is Ana?"),
      limits,
    );
    expect(found.working_memory).toEqual([
      expect.objectContaining({
        type: "semantic",
        entry_id: "ana",
        evidence_quote: "my sister Ana plays the cello",
        predicate: "KNOWS",
        object: "Ana",
      }),
    ]);
    expect(found.diagnostics).toMatchObject({ retrieval_path: "token_recall", semantic_hits: 1, semantic_store_size: 2 });
  });

  it("case 73: of 20 facts that were replaced and 5 in force, exactly the 5 are found", () => {
    const old = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`old${index}`, ana({ quote: `Ana tale ${index}`, superseded_by: "new0", retracted_at: 1 })]),
    );
    const live = Object.fromEntries(
      Array.from({ length: 5 }, (_, index) => [
        `new${index}`,
        ana({ object: { type: "Event", id: `tale ${index}` }, quote: `Ana told tale ${index}` }),
      ]),
    );
    const found = recall(viewOf({ ...old, ...live }), asked("What did Ana tell, which tale?"), limits);
    expect(found.items.map(({ entry_id }) => entry_id).toSorted()).toEqual(["new0", "new1", "new2", "new3", "new4"]);
    expect(found.diagnostics.semantic_store_size).toBe(5);
  });

  it("case 75: what does not match finds nothing, and the note says of how much", () => {
    const found = recall(viewOf({ a: ana(), b: fact({}) }), asked("quantum chromodynamics"), limits);
    expect(found.items).toEqual([]);
    expect(found.diagnostics.retrieval_note).toMatch(/^semantic 0 of 2, episodic 0 of 0, 0 rules, recall off, token_recall, 2 meaningful words$/);
  });

  it.each([
    ["nothing is remembered", {}, "skipped_empty_store"],
    ["only a profile", { profile: { type: "profile", recall_enabled: true, rules: [], archived: [] } as const }, "skipped_empty_store"],
    ["a turn", said(1, "Ana plays the cello"), "token_recall"],
  ] as const)("%s: the path of the recall says so", (_name, entries, path) => {
    expect(recall(viewOf(entries), asked("Ana"), limits).diagnostics.retrieval_path).toBe(path);
  });

  it.each(["token_recall_after_embed_error", "token_recall_after_embed_timeout"] as const)("case 78: %s recalls by words and says so", (path) => {
    const found = recall(viewOf(said(1, "Ana plays the cello")), asked("cello", { query: { path } }), limits);
    expect(found.diagnostics.retrieval_path).toBe(path);
    expect(found.lines).toHaveLength(1);
  });

  it("a fact that says most of a turn stands for it; a turn that says more than its facts stands for them", () => {
    const whole = { ...said(1, "My sister Ana plays the cello."), ana: ana({ sources: [source(1)] }) };
    expect(recall(viewOf(whole), asked("sister"), limits).items.map(({ kind }) => kind)).toEqual(["fact"]);
    const part = {
      ...said(1, "My sister Ana plays the cello and has just moved to a farm near Toledo with three horses and a very old donkey."),
      ana: ana({ sources: [source(1)] }),
    };
    expect(recall(viewOf(part), asked("sister"), limits).items.map(({ kind }) => kind)).toEqual(["turn"]);
  });

  it("a turn that is longer than half of the room is told where it speaks of what was asked, and its facts beside it; after a crash alike", () => {
    const filler = "The kettle was on and the rain went on and on. ".repeat(80);
    const letter = `${filler}My sister Ana plays the cello. ${filler}`;
    const view = viewOf({ ...said(1, letter), ana: ana({ sources: [source(1)] }) });
    const request = asked("What does my sister Ana play?");
    const found = recall(view, request, limits);
    expect(found.items.map(({ kind, placement }) => `${kind} ${placement}`).toSorted()).toEqual(["fact in prompt", "turn in prompt"]);
    const line = found.lines.find((text) => text.includes("kettle")) ?? "";
    expect(line).toMatch(/^\S+ "… .*My sister Ana plays the cello\..* …"$/);
    expect(limits.count(line)).toBeLessThanOrEqual(limits.tokens / 2 + 5);
    const again = replay(view, recordOf(found, undefined), { text: request.text, limits });
    expect(again.lines).toEqual(found.lines);
  });

  it("what was said twice in the same words is told once", () => {
    const entries = { ...said(1, "Ana plays the cello."), ...said(3, "ana plays the cello!") };
    expect(recall(viewOf(entries), asked("cello"), limits).items).toHaveLength(1);
  });

  it("what the prompt shows of the conversation anyway is not recalled besides", () => {
    const entries = { ...said(1, "Ana plays the cello."), ...said(9, "The cello was expensive.") };
    expect(placements(entries, asked("cello", { shown: { session_id: sessionId, from: 5 } }))).toEqual([[turnEntryId(sessionId, 1), "in prompt"]]);
  });
});

describe("what must not be told", () => {
  const text = "I live in Lisbon. The flat has a blue door.";
  it.each<[string, Partial<Fact>]>([
    ["was replaced", { superseded_by: "x", retracted_at: 5 }],
    ["is never recalled", { never_recall: true }],
    ["was withdrawn", { retracted_at: 5 }],
  ])("the words of a fact that %s go from its turn and from the arc that quotes it; the rest stays", (_name, standing) => {
    const entries = {
      ...said(1, text),
      lisbon: fact({ ...standing, quote: "I live in Lisbon", sources: [source(1)] }),
      [`arc:${sessionId}:0`]: arc({ summary: "I live in Lisbon. The flat has a blue door." }),
    };
    const found = recall(viewOf(entries), asked("Where is the flat with the blue door, Lisbon?", { opening: true }), limits);
    expect(JSON.stringify(found)).not.toContain("Lisbon");
    expect(found.lines.filter((line) => line.includes("blue door"))).toHaveLength(2);
  });

  it("a turn that is nothing but such words is not told at all", () => {
    const entries = { ...said(1, "I live in Lisbon."), lisbon: fact({ superseded_by: "x", retracted_at: 5, sources: [source(1)] }) };
    expect(recall(viewOf(entries), asked("Lisbon"), limits).items).toEqual([]);
  });

  it("something sensitive is for who speaks of it, and says that it was left out otherwise", () => {
    const entries = {
      ...said(1, "We had coffee with the neighbours on the terrace."),
      ...said(2, "My father died in the spring."),
      loss: fact({
        ...{ category: "loss", sensitivity: "sensitive", predicate: "EXPERIENCED", object: { type: "Event", id: "father died" } },
        ...{ quote: "My father died in the spring", sources: [source(2)] },
      }),
    };
    expect(placements(entries, asked("My father died."))).toContainEqual(["loss", "in prompt"]);
    const coffee = recall(viewOf(entries), asked("coffee with the neighbours"), limits);
    expect(coffee.items.find(({ entry_id }) => entry_id === "loss")?.placement ?? "dropped: policy").toBe("dropped: policy");
    expect(coffee.lines.join()).not.toContain("father");
  });
});

describe("the floor and the budget", () => {
  const entries = { ...said(1, "Ana plays the cello in the quartet of the town on Fridays."), ...said(2, "The bus was late.") };
  it("one weak word of many is below the floor: nothing is told, and each item says why", () => {
    const found = placements(entries, asked("Which unusual ceremonial instrument accompanied the expedition across glaciers late?"));
    expect(found.length).toBeGreaterThan(0);
    expect(new Set(found.map(([, placement]) => placement))).toEqual(new Set(["below floor"]));
  });

  it("what does not fit is dropped by rank, and says so", () => {
    const lessons = Array.from({ length: 10 }, (_, index) => said(index + 1, `The cello lesson number ${index} was about bowing.`));
    const many = Object.fromEntries(lessons.flatMap((lesson) => Object.entries(lesson)));
    const found = recall(viewOf(many), asked("cello lesson"), { ...limits, tokens: 50 });
    expect(found.items.filter(({ placement }) => placement === "dropped: budget").length).toBe(found.diagnostics.dropped_by_budget);
    expect(found.diagnostics.memory_tokens).toBeLessThanOrEqual(50);
    expect(found.diagnostics.dropped_by_budget).toBeGreaterThan(5);
  });

  it("lines are in the order of time, each with its day", () => {
    const found = recall(viewOf({ ...said(5, "cello today"), ...said(2, "cello before") }), asked("cello"), limits);
    expect(found.lines.map((line) => line.slice(0, 10))).toEqual(["1970-01-01", "1970-01-01"]);
    expect(found.lines.map((line) => line.includes("before"))).toEqual([true, false]);
  });
});

describe("episodes", () => {
  const old = (more: Partial<Arc> = {}): Record<string, Arc> => ({
    [`arc:${sessionId}:0`]: arc({ ended_at: now - 90 * day, summary: "They planned a trip to Oslo.", themes: ["travel"], ...more }),
  });
  it("case 80: when an episode begins the last one is told however old; later only what was found and is not older than 30 days", () => {
    const entries = { ...said(1, "The trip to Oslo is planned."), ...old() };
    const first = recall(viewOf(entries), asked("hello", { opening: true }), limits);
    expect(first.working_memory).toEqual([expect.objectContaining({ type: "episodic", is_catch_up: true, primary_themes: ["travel"] })]);
    expect(recall(viewOf(entries), asked("the trip to Oslo"), limits).working_memory.map(({ type }) => type)).toEqual(["semantic"]);
    const recent = recall(viewOf({ ...entries, ...old({ ended_at: now - 5 * day }) }), asked("the trip to Oslo"), limits);
    expect(recent.working_memory.map(({ type }) => type)).toEqual(["episodic", "semantic"]);
  });

  it("case 81: the episode that is told as a catch-up and found besides is told once", () => {
    const entries = { ...said(1, "The trip to Oslo is planned."), ...old({ ended_at: now - 5 * day }) };
    const found = recall(viewOf(entries), asked("the trip to Oslo", { opening: true }), limits);
    expect(found.working_memory.filter(({ type }) => type === "episodic")).toHaveLength(1);
  });

  it("two arcs with the same summary and themes are one", () => {
    const twin = {
      "arc:ses_00000000000000000000000002:0": arc({ ended_at: now - 4 * day, summary: "They planned a trip to Oslo.", themes: ["travel"] }),
    };
    const entries = { ...said(1, "The trip to Oslo is planned."), ...old({ ended_at: now - 5 * day }), ...twin };
    const found = recall(viewOf(entries), asked("the trip to Oslo", { opening: true }), limits);
    expect(found.working_memory.filter(({ type }) => type === "episodic")).toHaveLength(1);
  });

  it("where things stand is one thing, what was found another", () => {
    const worry = fact({
      category: "trigger",
      predicate: "WORRIES_ABOUT",
      object: { type: "Concern", id: "the exam" },
      quote: "I worry about the exam",
    });
    const entries = { worry, ...old({ open_loops: ["call the school", "book the train"], resolved: ["book the train"], goal: "pass" }) };
    const found = recall(viewOf(entries), asked("zzz"), limits);
    expect(found.session_memory).toEqual({
      summary: "They planned a trip to Oslo.",
      active_concerns: ["the exam"],
      open_loops: ["call the school"],
      current_goal: "pass",
    });
    expect(found.diagnostics.retrieval_note).toContain("semantic 0 of 1");
  });
});

describe("a turn that is resumed", () => {
  const entries = { ...said(1, "Ana plays the cello."), ...said(2, "The cello is old."), [`arc:${sessionId}:0`]: arc({ ended_at: now - day }) };
  it("is given the same again", () => {
    const view = viewOf(entries);
    const first = recall(view, asked("cello", { opening: true }), limits);
    const again = replay(view, recordOf(first, undefined), { text: "", limits });
    expect(again).toEqual(first);
  });

  it("is not given what was forgotten meanwhile", () => {
    const view = viewOf(entries);
    const record = recordOf(recall(view, asked("cello"), limits), undefined);
    view.apply({ version: 99, entry_id: turnEntryId(sessionId, 1), kind: "turn", data: null, created_at: 0 });
    expect(replay(view, record, { text: "", limits }).lines.join()).not.toContain("Ana");
    expect(JSON.stringify(record)).not.toMatch(/Ana|cello/);
  });
});
