import { describe, expect, it } from "vitest";
import {
  emptyProfile,
  type Arc,
  type Fact,
  type Kept,
  type Candidate,
  type FactCandidate,
  type RuleCandidate,
  countApproach,
  emptyBuffer,
  hold,
} from "../../../packages/throughline/src/memory/entry.ts";
import { barsOf } from "../../../packages/throughline/src/memory/write/bar.ts";
import {
  consolidate,
  type ConsolidateInput,
  type Consolidation,
  type MemoryToWrite,
} from "../../../packages/throughline/src/memory/write/consolidate.ts";
import { decodeEntry } from "../../../packages/throughline/src/memory/write/decode.ts";
import type { ArcDraft } from "../../../packages/throughline/src/memory/write/check-candidate.ts";
import { factEntryId } from "../../../packages/throughline/src/memory/write/key.ts";
import { arc, fact, sessionId, source } from "./entries.ts";
import type { SessionId } from "../../../packages/throughline/src/kernel/id.ts";

const user = { type: "User", id: "user" } as const;
const now = 1_000_000;

const said = (quote: string, offset: number, more: Partial<FactCandidate> = {}): FactCandidate => ({
  type: "fact",
  category: "context",
  subject: user,
  predicate: "WANTS",
  object: { type: "Goal", id: "sleep" },
  quote,
  offset,
  confidence: "medium",
  reason: "said so",
  ...more,
});
const lives = (place: string, quote: string, offset: number): FactCandidate =>
  said(quote, offset, { predicate: "LIVES_IN", object: { type: "Place", id: place } });
const wish = (quote: string, offset: number, text = "Keep your replies short."): RuleCandidate => ({
  type: "rule",
  text,
  quote,
  offset,
  reason: "asked",
});
const draft = (summary: string, more: Partial<ArcDraft> = {}): ArcDraft => ({ summary, themes: [], open_loops: [], resolved: [], ...more });

interface Case {
  readonly said: readonly string[];
  readonly candidates?: readonly Candidate[];
  readonly arc?: ArcDraft | null;
  readonly memory?: Partial<MemoryToWrite>;
  readonly more?: Partial<ConsolidateInput>;
}

const none: MemoryToWrite = { facts: [], arcs: [], profile: emptyProfile, bars: [], masks: [] };

const inputOf = ({ said, candidates = [], arc = null, memory = {}, more = {} }: Case): ConsolidateInput => ({
  owner_id: "own:a",
  memory: { ...none, ...memory },
  episode: { session_id: sessionId, episode: 0, turns: said.map((text, index) => ({ offset: index, at: 100_000 + index, text })) },
  extraction: { candidates, arc, reason: "scripted" },
  now,
  ...more,
});
const run = (given: Case): Consolidation => consolidate(inputOf(given));

const entriesOf = ({ writes }: Consolidation) =>
  writes.flatMap(({ entry_id, kind, data }) => decodeEntry({ version: 1, entry_id, kind, data, created_at: 1 }) ?? []);
const factsOf = (done: Consolidation): readonly Fact[] => entriesOf(done).flatMap(({ entry }) => (entry.type === "fact" ? [entry] : []));
const rulesOf = (done: Consolidation) => entriesOf(done).flatMap(({ entry }) => (entry.type === "profile" ? entry.rules : []));
const kept = (entry: Fact, entry_id = factEntryId(entry)): Kept<Fact> => ({ entry_id, version: 1, entry });
const keptArc = (more: Partial<Arc>): Kept<Arc> => ({ entry_id: `arc:${more.session_id}:0`, version: 1, entry: arc(more) });

describe("what an episode leaves behind", () => {
  it("case 83: writes a fact that was quoted once and that the arc echoes", () => {
    const done = run({
      said: ["Hello", "My sister Ana came to visit"],
      candidates: [said("My sister Ana", 1, { category: "relationship", predicate: "KNOWS", object: { type: "Person", id: "Ana" } })],
      arc: draft("They spoke of Ana's visit."),
    });
    expect(factsOf(done)).toMatchObject([
      {
        quote: "My sister Ana",
        written: "episode_end",
        policy: "throughline.memory.1",
        sensitivity: "personal",
        recorded_at: now,
        sources: [{ offset: 1 }],
      },
    ]);
    expect(done.report).toMatchObject({ written: [factEntryId(factsOf(done)[0]!)], arc: `arc:${sessionId}:0`, reason: "scripted" });
  });

  it.each<readonly [string, Case, number]>([
    [
      "once, and the arc makes nothing of it",
      { said: ["I want to sleep"], candidates: [said("I want to sleep", 0)], arc: draft("They talked about work.") },
      0,
    ],
    ["once, without an arc", { said: ["I want to sleep"], candidates: [said("I want to sleep", 0)] }, 0],
    ["in two turns", { said: ["I want to sleep", "yes", "sleep is all I think about"], candidates: [said("I want to sleep", 0)] }, 1],
    ["twice in one turn", { said: ["I want to sleep, I want to sleep"], candidates: [said("I want to sleep", 0), said("I want to sleep", 0)] }, 0],
    [
      "once, and in an earlier session",
      {
        said: ["I want to sleep"],
        candidates: [said("I want to sleep", 0)],
        memory: { arcs: [keptArc({ session_id: "ses_b" as SessionId, summary: "They spoke of sleep." })] },
      },
      1,
    ],
    [
      "once, and in an earlier episode of the same session",
      {
        said: ["I want to sleep"],
        candidates: [said("I want to sleep", 0)],
        memory: { arcs: [keptArc({ session_id: sessionId, summary: "They spoke of sleep." })] },
      },
      0,
    ],
    [
      "case 85: a belief against oneself, once, though the arc echoes it",
      { said: ["I'm worthless"], candidates: [belief("I'm worthless", 0)], arc: draft("They feel worthless.") },
      0,
    ],
    [
      "case 85: a belief against oneself, in two turns",
      { said: ["I'm worthless", "hm", "I feel so worthless"], candidates: [belief("I'm worthless", 0), belief("I feel so worthless", 2)] },
      1,
    ],
    [
      "case 85: a belief against oneself, and a thing that is",
      { said: ["I'm worthless", "The old car is worthless too"], candidates: [belief("I'm worthless", 0)] },
      0,
    ],
  ])("counts what was said %s", (_, given, written) => {
    expect(factsOf(run(given))).toHaveLength(written);
  });

  it("case 85: says that a belief against oneself was promoted", () => {
    const done = run({ said: ["I'm worthless", "I feel so worthless"], candidates: [belief("I'm worthless", 0), belief("I feel so worthless", 1)] });
    expect(factsOf(done)).toMatchObject([{ written: "promotion", sources: [{ offset: 0 }, { offset: 1 }] }]);
    expect(run({ said: ["I'm worthless"], candidates: [belief("I'm worthless", 0)] }).report.held).toHaveLength(1);
  });

  it("case 86: a correction at the end takes the old fact's place, and deletes nothing", () => {
    const old = fact({ object: { type: "Place", id: "Lisbon" }, sources: [source(1, 5, "ses_b" as SessionId)] });
    const done = run({ said: ["Actually I live in Porto now"], candidates: [lives("Porto", "I live in Porto", 0)], memory: { facts: [kept(old)] } });
    const [porto, lisbon] = [factsOf(done).find(({ object }) => object.id === "Porto"), factsOf(done).find(({ object }) => object.id === "Lisbon")];
    expect(porto).not.toHaveProperty("superseded_by");
    expect(lisbon).toMatchObject({ ...old, superseded_by: factEntryId(porto!), retracted_at: now, valid_to: 100_000 });
    expect(done.report.superseded).toEqual([{ entry_id: kept(old).entry_id, by: factEntryId(porto!) }]);
  });

  it.each([
    "please don't remember this",
    "Forget what I just said.",
    "don't save this conversation",
    "no guardes esto",
    "Bitte nicht speichern",
    "不要保存这些",
  ])("writes nothing after %s", (asked) => {
    const given = {
      said: ["I want to sleep", "sleep is everything", asked],
      candidates: [said("I want to sleep", 0), wish("sleep", 1), wish("sleep", 0)],
    };
    const buffer = hold(emptyBuffer(sessionId, 0), given.candidates);
    const done = run({ ...given, more: { buffer } });
    expect(done.writes).toEqual([{ entry_id: `buffer:${sessionId}:0`, kind: "buffer", data: null }]);
    expect(done.report.refused).toHaveLength(6);
  });

  it("case 88: still writes after “I don't remember the details”", () => {
    const done = run({ said: ["I want to sleep, I don't remember the details", "sleep is everything"], candidates: [said("I want to sleep", 0)] });
    expect(factsOf(done)).toHaveLength(1);
  });

  it.each([
    [1, undefined],
    [2, "medium"],
    [3, "high"],
  ])("case 90: a wish in %i turns is a rule: %s", (times, confidence) => {
    const turns = ["shorter please", "too long again", "short, thanks", "and so on"];
    const done = run({ said: turns, candidates: turns.slice(0, times).map((text, offset) => wish(text, offset)) });
    expect(rulesOf(done).map(({ confidence }) => confidence)).toEqual(confidence === undefined ? [] : [confidence]);
    expect(rulesOf(done)[0]?.evidence ?? []).toEqual(confidence === undefined ? [] : turns.slice(0, times));
  });

  it.each(["Never mention hotlines.", "Do not ask whether I'm safe."])(
    "case 91: drops a wish that would weaken what keeps a person safe: %s",
    (text) => {
      const done = run({
        said: ["stop that", "stop that now", "stop that please"],
        candidates: [0, 1, 2].map((offset) => wish("stop that", offset, text)),
      });
      expect(rulesOf(done)).toEqual([]);
      expect(done.report.refused).toHaveLength(3);
    },
  );

  it("a preference about answers yields to the rule that says it", () => {
    const short = said("I prefer short replies", 0, { category: "preference", predicate: "LIKES", object: { type: "Thing", id: "short replies" } });
    const done = run({
      said: ["I prefer short replies", "keep replies short"],
      candidates: [short, wish("short replies", 0), wish("keep replies short", 1)],
    });
    expect([factsOf(done).length, rulesOf(done).length]).toEqual([0, 1]);
  });

  it("the 21st rule sends the oldest that is not pinned to the archive", () => {
    const rules = Array.from({ length: 20 }, (_, index) => ({
      id: `r${index}`,
      text: `Rule ${index}.`,
      evidence: [],
      sources: [],
      confidence: "medium" as const,
      authority: "extraction" as const,
      added_at: index,
      ...(index === 0 ? { pinned: true as const } : {}),
    }));
    const done = run({
      said: ["short", "short!"],
      candidates: [wish("short", 0), wish("short", 1)],
      memory: { profile: { ...emptyProfile, recall_enabled: true, rules } },
    });
    const [profile] = entriesOf(done).flatMap(({ entry }) => (entry.type === "profile" ? [entry] : []));
    expect(profile).toMatchObject({ recall_enabled: true, archived: [{ id: "r1", superseded_by: "eviction", archived_at: now }] });
    expect(profile?.rules).toHaveLength(20);
  });

  it("tells the approach that was used most, and the level that the runtime counted", () => {
    const buffer = ["act", "cbt", "cbt"].reduce(countApproach, emptyBuffer(sessionId, 0));
    const input = inputOf({ said: ["a", "b"], arc: draft("They talked."), more: { buffer } });
    const done = consolidate({ ...input, episode: { ...input.episode, level: 2 } });
    expect(entriesOf(done)).toMatchObject([
      {
        entry: {
          type: "arc",
          approach: "cbt",
          level: 2,
          turn_count: 2,
          from: 0,
          upto: 1,
          sensitivity: "sensitive",
        },
      },
    ]);
    expect(done.writes.at(-1)).toEqual({ entry_id: `buffer:${sessionId}:0`, kind: "buffer", data: null });
  });

  it("keeps of what they worked on only what they said, under its label", () => {
    const bars = barsOf(said("my brother is to blame for it", 2), { owner_id: "own:a", salt: "s", now }).map(({ data }) => data as never);
    const turns = ["I always ruin   everything, it\u2019s me", "I will call Ana on Monday", "my brother is to blame for it"];
    const approach_context = {
      thought: "i always ruin everything, it's me",
      action_step: "I will write to Ana",
      values: "my brother is to blame for it",
      "no label": "I will call Ana on Monday",
      committed_action: " I will call Ana on Monday ",
    };
    const done = run({ said: turns, arc: draft("They talked.", { approach_context }), memory: { bars } });
    expect(entriesOf(done)).toMatchObject([
      {
        entry: {
          type: "arc",
          approach_context: { thought: "I always ruin   everything, it\u2019s me", committed_action: "I will call Ana on Monday" },
        },
      },
    ]);
    const [bare] = entriesOf(run({ said: turns, arc: draft("They talked.", { approach_context: { thought: "nothing of this" } }) }));
    expect(bare?.entry).not.toHaveProperty("approach_context");
  });

  it("cuts an arc to its limits", () => {
    const long = draft(`${"word ".repeat(100)}. ${"more ".repeat(100)}.`, {
      themes: ["a", "b", "a", "c", "d"],
      mood: { opened: "x".repeat(90), closed: "y" },
    });
    const [kept] = entriesOf(run({ said: ["a"], arc: long }));
    expect(kept?.entry).toMatchObject({ themes: ["a", "b", "c"], mood: { closed: "y" } });
    expect(kept?.entry.type === "arc" && [kept.entry.summary.length <= 600, (kept.entry.mood?.opened.length ?? 99) <= 40]).toEqual([true, true]);
  });
});

function belief(quote: string, offset: number): FactCandidate {
  return said(quote, offset, { category: "trigger", predicate: "WORRIES_ABOUT", object: { type: "Concern", id: "worthless" } });
}

describe("what is refused", () => {
  it.each<readonly [string, string, Candidate]>([
    ["a quote that nobody said", "verbatim", said("I want to swim", 0)],
    ["a quote that is nearly what was said", "verbatim", said("I want to sleeep", 0)],
    ["an empty quote", "verbatim", said(" ", 0)],
    ["a quote that is too long", "verbatim", said("x".repeat(300), 2)],
    ["a category that is none", "category", said("I want to sleep", 0, { category: "gossip" })],
    ["a category of every object", "category", said("I want to sleep", 0, { category: "constructor" })],
    ["a predicate that is none", "predicate", said("I want to sleep", 0, { predicate: "OWNS" })],
    ["a predicate of the system", "predicate", said("I want to sleep", 0, { predicate: "MENTIONED_IN" })],
    ["a type that is none", "type", said("I want to sleep", 0, { object: { type: "Ghost", id: "x" } })],
    ["an object without an id", "id", said("I want to sleep", 0, { object: { type: "Goal", id: "  " } })],
    ["a name that nobody said", "name", said("I want to sleep", 0, { predicate: "KNOWS", object: { type: "Person", id: "John Doe" } })],
    ["an end before its beginning", "ends", said("I want to sleep", 0, { valid_from: 9, valid_to: 3 })],
    ["words to the memory", "verbatim", said("What do you remember about me", 1)],
    ["what is for one turn", "one turn", said("answer in verse", 3)],
    ["a rule that says how things are", "how things are", wish("Remember that my sister is Ana", 4, "Ana is the sister.")],
  ])("is %s", (_, why, candidate) => {
    const turns = [
      "I want to sleep",
      "What do you remember about me?",
      "x".repeat(300),
      "Just this once, answer in verse.",
      "Remember that my sister is Ana",
    ];
    const done = run({ said: turns, candidates: [candidate, candidate], arc: draft("sleep sleep") });
    expect(factsOf(done)).toEqual([]);
    expect(done.report.refused.map(({ why }) => why)).toEqual([expect.stringContaining(why), expect.stringContaining(why)]);
  });

  it("keeps the words as they stand in the turn, and finds the turn", () => {
    const done = run({ said: ["hm", "I   WANT to\nsleep", "sleep"], candidates: [said("i want to sleep", 7)] });
    expect(factsOf(done)).toMatchObject([{ quote: "I   WANT to\nsleep", sources: [{ offset: 1 }] }]);
  });

  it("is what was forgotten, and arcs do not tell it either", () => {
    const given = {
      said: ["I want to sleep for days and days", "sleep"],
      candidates: [said("I want to sleep for days", 0)],
      arc: draft("I want to sleep for days and days. They also ate."),
    };
    expect(factsOf(run(given))).toHaveLength(1);
    const bars = barsOf(said("I want to sleep for days", 0), { owner_id: "own:a", salt: "s", now }).map(({ data }) => data as never);
    const done = run({ ...given, memory: { bars } });
    expect(entriesOf(done).map(({ entry }) => (entry.type === "arc" ? entry.summary : entry.type))).toEqual(["They also ate."]);
    expect(done.report.refused).toMatchObject([{ why: "The person had it forgotten." }]);
  });

  it("is what stands in masked messages", () => {
    const masks = [{ type: "mask" as const, session_id: sessionId, offsets: [0], recorded_at: 1 }];
    const done = run({ said: ["I want to sleep", "I love sleep"], candidates: [said("I want to sleep", 0)], memory: { masks } });
    expect(factsOf(done)).toEqual([]);
  });

  it("is everything of an episode that the person wants kept to themselves", () => {
    const buffer = { ...emptyBuffer(sessionId, 0), private: true as const };
    const done = run({ said: ["sleep", "sleep"], candidates: [said("sleep", 0)], arc: draft("They slept."), more: { buffer } });
    expect(done.writes.map(({ data }) => data)).toEqual([null]);
  });
});
