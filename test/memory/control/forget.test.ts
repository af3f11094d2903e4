import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planForget } from "../../../packages/throughline/src/memory/control/forget.ts";
import { maskedOffsets, withoutMasked } from "../../../packages/throughline/src/session/masks.ts";
import { pendingWrites } from "../../../packages/throughline/src/memory/control/commands.ts";
import { type EntryWrite, type Source, emptyBuffer, hold } from "../../../packages/throughline/src/memory/entry.ts";
import type { Message } from "../../../packages/throughline/src/session/session-messages.ts";
import { barCheck } from "../../../packages/throughline/src/memory/write/bar.ts";
import { encodeEntry } from "../../../packages/throughline/src/memory/write/decode.ts";
import { applied, arc, day, fact, owner, profileWrite, rule, session, snapshot, turnWrite } from "./build.ts";

const said = "my sister Ana lives in Lyon";
const candidate = (quote: string, offset: number) => ({ type: "rule", text: "Ask about her.", quote, offset, reason: "said" }) as const;

/** A memory in which one sentence stands wherever it can. */
const everywhere: readonly EntryWrite[] = [
  encodeEntry("fact:old", fact("my sister Ana lives in Nice", "Nice", { superseded_by: "fact:ana", retracted_at: day })),
  encodeEntry("fact:ana", fact(said, "Ana")),
  encodeEntry("fact:same", fact("Ana lives in Lyon", "Lyon")),
  encodeEntry("fact:job", fact("I work as a nurse", "nurse", { offset: 1 })),
  { entry_id: "vec:fact:ana", kind: "vector", data: { type: "vector", of: "fact:ana", provider: "p", dimensions: 1, data: "AAAA" } },
  turnWrite(`Well, ${said}. I work as a nurse.`, 1),
  turnWrite("The weather is fine.", 3),
  encodeEntry(
    "arc:told",
    arc("They work as a nurse. They told of their sister Ana and how far away she is.", {
      open_loops: ["visit Ana", "night shifts"],
      themes: ["work"],
    }),
  ),
  encodeEntry("arc:only", arc("They miss Ana.", { from: 1, upto: 2 })),
  encodeEntry("arc:other", arc(`They said again that ${said}. They slept well.`, { from: 40, upto: 50 })),
  profileWrite(rule("r1", "Ask about their family.", [said]), rule("r2", "Keep it short.", ["short please", said])),
  encodeEntry("buffer:1", hold(emptyBuffer(session, 1), [candidate(said, 1), candidate("I work as a nurse", 1)])),
  ...pendingWrites("other", {
    type: "pending",
    action: { type: "delete", target: { kind: "fact", entry_id: "fact:ana", preview: `“${said}”` } },
    language: "en",
    asked_at: day,
  }),
];
const rows = applied([], everywhere);
const options = { now: day + 1, salt: "0123456789abcdef0123456789abcdef" };
const forgotten = (ids: readonly string[], from = rows) => {
  const plan = planForget(snapshot(from), ids, options);
  return { plan, after: applied(from, plan.writes), memory: snapshot(applied(from, plan.writes)) };
};

describe("forgetting a fact", () => {
  const { plan, after, memory } = forgotten(["fact:ana"]);

  test("leaves its words nowhere, in no version", () => {
    const text = JSON.stringify(after);
    expect(text).not.toMatch(/Lyon|Nice|sister/);
    expect(memory.arcs.map(({ entry }) => entry.summary)).toEqual(["They slept well.", "They work as a nurse."]);
    expect(memory.arcs[1]?.entry).toMatchObject({ open_loops: ["night shifts"], themes: ["work"] });
  });

  test("leaves what does not rest on it", () => {
    expect(memory.facts.map(({ entry_id }) => entry_id)).toEqual(["fact:job"]);
    expect(memory.turns.map(({ entry }) => entry.text)).toEqual(["I work as a nurse.", "The weather is fine."]);
    expect(memory.profile.rules).toEqual([expect.objectContaining({ id: "r2", evidence: ["short please"] })]);
    expect(memory.profile.recall_enabled).toBe(true);
    expect(memory.buffers[0]?.entry.held.map(({ quote }) => quote)).toEqual(["I work as a nurse"]);
  });

  test("masks the message, and reports by place", () => {
    expect(memory.masks.map(({ entry }) => [entry.session_id, entry.offsets])).toEqual([[session, [1]]]);
    const { bars, vectors, ...counts } = plan.report;
    expect(counts).toEqual({
      ...{ facts: 3, turns: 0, arcs: 1, arcs_rewritten: 2, rules: 1, candidates: 1, pending: 1 },
      masked: [{ session_id: session, offsets: [1] }],
    });
    expect(vectors).toBeGreaterThanOrEqual(3);
    expect(bars).toBe(memory.bars.length);
  });

  test("bars it from being written again, in any of its forms", () => {
    const isBarred = barCheck(
      memory.bars.map(({ entry }) => entry),
      owner,
    );
    expect([isBarred(fact(said, "Ana")), isBarred({ text: said.toUpperCase() }), isBarred({ text: "I work as a nurse" })]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test("twice is once: nothing is left to be done", () => {
    const again = planForget(memory, ["fact:ana"], options);
    expect(again.writes).toEqual([]);
  });
});

describe("what else can be forgotten", () => {
  test("a turn takes the facts that rest on it alone, and leaves those that were said again", () => {
    const twice = fact("I work as a nurse", "nurse", {
      sources: [
        { session_id: session, offset: 1, at: day },
        { session_id: session, offset: 9, at: day },
      ],
    });
    const from = applied(rows, [encodeEntry("fact:job", twice), turnWrite("As I said, I work as a nurse.", 9)]);
    const { memory } = forgotten([`turn:${session}:1`], from);
    expect(memory.facts.map(({ entry_id, entry }) => [entry_id, entry.sources.map(({ offset }) => offset)])).toEqual([["fact:job", [9]]]);
    expect(JSON.stringify(memory.turns)).not.toContain("sister");
  });

  test("a fact whose words were said nowhere else goes with the turn that said them", () => {
    const sources = [1, 9].map((offset) => ({ session_id: session, offset, at: day })) as [Source, Source];
    const from = applied(rows, [
      encodeEntry("fact:job", fact("I work as a nurse", "nurse", { sources })),
      turnWrite("I nurse people, as you know.", 9),
    ]);
    expect(forgotten([`turn:${session}:1`], from).memory.facts).toEqual([]);
  });

  test("an arc takes all that was said in its episode, and masks it whole", () => {
    const { memory } = forgotten(["arc:told"]);
    expect(memory.facts).toEqual([]);
    expect(memory.turns).toEqual([]);
    expect(memory.masks[0]?.entry.offsets).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  test("a session takes everything of it, arcs and candidates as well", () => {
    const { memory, after } = forgotten([`session:${session}`]);
    expect([memory.facts, memory.turns, memory.arcs, memory.buffers.flatMap(({ entry }) => entry.held)]).toEqual([[], [], [], []]);
    expect(JSON.stringify(after)).not.toMatch(/Lyon|nurse|weather/);
  });

  test("a rule takes its evidence, and not the rules beside it", () => {
    const { memory } = forgotten(["profile/r2"]);
    expect(memory.profile.rules.map(({ id }) => id)).toEqual([]);
    const { memory: first } = forgotten(
      ["profile/r2"],
      applied([], [profileWrite(rule("r1", "Be warm.", ["be warm with me"]), rule("r2", "Keep it short.", ["short please"]))]),
    );
    expect(first.profile.rules.map(({ id }) => id)).toEqual(["r1"]);
  });

  test("whatever is forgotten, its words are in no row, and what shares none of them stays", () => {
    const words = ["apple", "river", "window", "garden", "silver", "planet", "thunder", "marble", "castle", "lantern", "meadow", "copper"];
    const quote = fc.shuffledSubarray(words, { minLength: 4, maxLength: 4 }).map((some) => `I like ${some.join(" ")} best`);
    const memories = fc.uniqueArray(quote, { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(memories, (quotes) => {
        const from = applied(
          [],
          quotes.flatMap((text, index) => [
            encodeEntry(`fact:${index}`, fact(text, `thing ${index}`, { offset: index })),
            turnWrite(`${text}.`, index),
          ]),
        );
        const { after, memory } = forgotten(["fact:0"], from);
        expect(JSON.stringify(after)).not.toContain(quotes[0]);
        expect(memory.facts.map(({ entry }) => entry.quote)).toEqual(quotes.slice(1));
        expect(memory.turns.map(({ entry }) => entry.text)).toEqual(quotes.slice(1).map((text) => `${text}.`));
      }),
      { numRuns: 50 },
    );
  });
});

describe("messages that said it", () => {
  const message = (offset: number, more: Partial<Message> = {}): Message => ({
    offset,
    role: "user",
    source: "customer",
    text: `m${offset}`,
    is_trace: false,
    ...more,
  });

  test("are left out, with the results of their calls; a result alone says that it was removed", () => {
    const calls = [{ call_id: "a", name: "t", arguments: {} }];
    const messages = [
      message(1),
      message(2, { role: "assistant", calls }),
      message(3, { role: "tool", call_id: "a" }),
      message(4, { role: "assistant", calls }),
      message(5, { role: "tool", call_id: "a" }),
    ];
    expect(withoutMasked(messages, new Set([1, 2, 5])).map(({ offset, text }) => [offset, text])).toEqual([
      [4, "m4"],
      [5, "[removed at the person's request]"],
    ]);
    expect(withoutMasked(messages, new Set())).toBe(messages);
  });

  test("are masked in forks as well, by the session that they were written in", () => {
    const fork = "ses_00000000000000000000000002" as typeof session;
    const masks = [{ type: "mask", session_id: session, offsets: [2], recorded_at: 0 }] as const;
    const events = [
      { session_id: fork, origin: session, offset: 2 },
      { session_id: fork, offset: 2 },
      { session_id: fork, origin: null, offset: 2 },
    ];
    expect(events.map((event) => maskedOffsets([event], masks).size)).toEqual([1, 0, 0]);
  });
});
