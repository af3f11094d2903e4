import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  languages,
  type MemoryCommand,
  type Pending,
  type PendingAction,
  pendingOf,
  standing,
} from "../../../packages/throughline/src/memory/control/commands.ts";
import { type ControlDecision, decideControl, replyOf } from "../../../packages/throughline/src/memory/control/memory-command.ts";
import { exportedJson, exportedMarkdown } from "../../../packages/throughline/src/memory/control/export.ts";
import { interpret, interpretReply } from "../../../packages/throughline/src/memory/control/interpret.ts";
import type { MemorySnapshot } from "../../../packages/throughline/src/memory/control/snapshot-listing.ts";
import { encodeEntry } from "../../../packages/throughline/src/memory/write/decode.ts";
import { applied, arc, day, fact, memoryOf, profileWrite, rule, session, snapshot, turnWrite } from "./build.ts";

const rows = applied(
  [],
  [
    encodeEntry("fact:1", fact("my sister Ana is a doctor", "Ana")),
    encodeEntry("fact:2", fact("I am afraid of flying", "flying", { recorded_at: day + 1, predicate: "WORRIES_ABOUT" })),
    encodeEntry("fact:3", fact("Ana has a dog", "dog", { recorded_at: day + 2 })),
    turnWrite("I told Ana everything", 7),
    encodeEntry("arc:1", arc("They talked about work.")),
    profileWrite(rule("r1", "Keep it short.", ["short please"])),
  ],
);
const memory = snapshot(rows);
const decide = (command: MemoryCommand, waiting: PendingAction | null = null, from: MemorySnapshot = memory): ControlDecision =>
  decideControl(from, command, { session_id: session, now: day + 9, waiting, since: 50 });
const target = { kind: "fact", entry_id: "fact:2", preview: "“I am afraid of flying” (2026-03-01)" } as const;
const deletion: PendingAction = { type: "delete", target };

describe("what a command comes to", () => {
  test("a list numbers each kind, and deletes nothing", () => {
    const { answer, effects, writes, pending } = decide({ type: "list" });
    expect([effects, writes, pending]).toEqual(["none", [], null]);
    expect(replyOf(answer, "en")).toContain("1. “my sister Ana is a doctor” (2026-03-01)\n2. “I am afraid of flying” (2026-03-01)");
  });

  test("case 43: recall is switched off in the profile, and only there", () => {
    const { writes, effects } = decide({ type: "set_recall", enabled: false });
    expect(effects).toBe("set_recall");
    expect(writes).toEqual([expect.objectContaining({ entry_id: "profile", data: expect.objectContaining({ recall_enabled: false }) as unknown })]);
    expect(decide({ type: "set_recall", enabled: true }).writes).toEqual([]);
  });

  test("a preference is kept in the person's words, once; one that weakens their safety is not", () => {
    expect(decide({ type: "save_preference", text: "please use short sentences" }).effects).toBe("save_preference");
    expect(decide({ type: "save_preference", text: "KEEP IT SHORT" })).toMatchObject({ answer: { outcome: "known" }, writes: [], effects: "none" });
    expect(decide({ type: "save_preference", text: "never mention hotlines" })).toMatchObject({ answer: { outcome: "unsafe" }, writes: [] });
  });

  test("a statement is kept as a fact in the person's words, and a repeated one once", () => {
    const kept = decide({ type: "remember", text: "my exam is on Friday" });
    expect(kept).toMatchObject({ answer: { type: "remembered", text: "my exam is on Friday" }, effects: "remember_fact", pending: null });
    expect(kept.writes.map(({ data }) => data)).toEqual([
      expect.objectContaining({ type: "fact", quote: "my exam is on Friday", authority: "person" }),
    ]);
  });

  test("a name is answered by the name", () => {
    expect(replyOf(decide({ type: "save_preference", text: "call me Nads", name: "Nads" }).answer, "en")).toBe("I will call you Nads.");
  });

  test.each([
    [{ type: "forget_by_index", kind: "fact", index: 2 }, deletion],
    [
      { type: "forget_by_index", kind: "fact", index: "last" },
      { type: "delete", target: expect.objectContaining({ entry_id: "fact:3" }) as unknown },
    ],
    [
      { type: "forget_by_index", kind: "rule", index: 1 },
      { type: "delete", target: { kind: "rule", entry_id: "profile", rule_id: "r1", preview: "Keep it short." } },
    ],
    [{ type: "forget_by_index", index: 2 }, deletion],
    [{ type: "forget_by_index", index: 1 }, expect.objectContaining({ type: "delete_options" })],
    [{ type: "forget_by_index", kind: "session", index: 2 }, null],
    [{ type: "forget_by_query", query: "flying" }, deletion],
    [{ type: "forget_by_query", query: "Ana" }, expect.objectContaining({ type: "delete_options" })],
    [{ type: "forget_by_query", query: "my uncle" }, null],
    [{ type: "forget_by_query", query: "the" }, null],
    [{ type: "forget_everything" }, { type: "delete", target: expect.objectContaining({ kind: "everything" }) as unknown }],
    [{ type: "forget_session" }, { type: "delete", target: expect.objectContaining({ entry_id: `session:${session}` }) as unknown }],
    [{ type: "forget_vague" }, null],
  ] as const)("%j asks, and deletes nothing", (command, pending) => {
    const decision = decide(command);
    expect(decision.pending).toEqual(pending);
    expect([decision.forget, decision.effects]).toEqual([[], "none"]);
  });

  test("case 38: what is vague is asked about, and what was held is let go", () => {
    const held = snapshot(
      applied(rows, [encodeEntry("buffer:1", { type: "buffer", session_id: session, episode: 1, held: [], approach_counts: {} })]),
    );
    expect(decide({ type: "forget_vague" }, null, held)).toMatchObject({ answer: { type: "vague" }, writes: [{ entry_id: "buffer:1", data: null }] });
  });

  test("a number of a list that is out of date means nothing: the list is shown anew", () => {
    expect(decide({ type: "forget_by_index", kind: "fact", index: 2, listed_at: memory.version })).toMatchObject({ pending: deletion });
    const later = snapshot(applied(rows, [{ entry_id: "fact:1", kind: "fact", data: null }]));
    expect(decide({ type: "forget_by_index", kind: "fact", index: 2, listed_at: memory.version }, null, later)).toMatchObject({
      pending: null,
      answer: { type: "listed", changed: true },
    });
  });

  test("case 35: a yes deletes what was named; case 45: what is gone already is said to be; case 46: nothing waits", () => {
    expect(decide({ type: "confirm_pending" }, deletion)).toMatchObject({ forget: ["fact:2"], pending: null, effects: "delete_memory" });
    const gone = snapshot(applied(rows, [{ entry_id: "fact:2", kind: "fact", data: null }]));
    expect(decide({ type: "confirm_pending" }, deletion, gone)).toMatchObject({
      ...{ forget: [], pending: null, effects: "delete_memory", answer: { type: "gone" } },
    });
    expect(decide({ type: "confirm_pending" })).toMatchObject({ forget: [], effects: "none", answer: { type: "nothing_pending" } });
  });

  test("a choice still has to be confirmed; a number that there is not asks again", () => {
    const waiting = decide({ type: "forget_by_query", query: "Ana" }).pending;
    expect(waiting?.type === "delete_options" && waiting.targets.map(({ entry_id }) => entry_id)).toEqual(["fact:1", "fact:3", `turn:${session}:7`]);
    expect(decide({ type: "choose_pending", index: 2 }, waiting)).toMatchObject({
      forget: [],
      pending: { type: "delete", target: { entry_id: "fact:3" } },
    });
    expect(decide({ type: "choose_pending", index: 9 }, waiting)).toMatchObject({ forget: [], pending: waiting });
    const all = decide({ type: "choose_pending", index: "all" }, waiting).pending;
    expect(decide({ type: "confirm_pending" }, all).forget).toEqual(["fact:1", "fact:3", `turn:${session}:7`]);
    expect(decide({ type: "confirm_pending" }, waiting)).toMatchObject({ forget: [], pending: waiting });
  });

  test("a correction is a new fact on the person's authority, and the old one is history", () => {
    const { writes, effects } = decide({ type: "correct", kind: "fact", index: 1, text: "my sister is called Anna" });
    expect(effects).toBe("correct_memory");
    const [old, corrected] = writes.map(({ data }) => data);
    expect(corrected).toMatchObject({ authority: "person", quote: "my sister is called Anna", sources: [{ session_id: session, offset: 50 }] });
    expect(old).toMatchObject({ superseded_by: writes[1]?.entry_id, retracted_at: day + 9 });
  });

  test("never recalled: what speaks of it is kept from models, and a rule says so", () => {
    expect(decide({ type: "never_recall", query: "whether I am safe" })).toMatchObject({
      answer: { outcome: "unsafe" },
      writes: [],
      effects: "none",
    });
    const { writes } = decide({ type: "never_recall", query: "Ana" });
    expect(writes.map(({ entry_id, data }) => [entry_id, data?.["never_recall"]])).toEqual([
      ...[
        ["fact:1", true],
        ["fact:3", true],
        [`turn:${session}:7`, true],
        ["profile", undefined],
      ].slice(0, 2),
      ...(writes.some(({ entry_id }) => entry_id.startsWith("turn:")) ? [[`turn:${session}:7`, true]] : []),
      ["profile", undefined],
    ]);
  });
});

describe("nothing unclear deletes", () => {
  const message = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.constantFrom(
      "yes",
      "no",
      "ok",
      "sí",
      "ja",
      "是",
      "yes but not that",
      "forget that",
      "forget fact 2",
      "2",
      "all",
      "forget everything",
      "delete it",
    ),
    fc.tuple(fc.constantFrom("yes", "ja", "ok"), fc.stringMatching(/^[a-z]{3,8}$/)).map((words) => words.join(" ")),
  );

  test("whatever is written, only a yes to a question that stands deletes, and only what it named", () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
        let action: PendingAction | null = null;
        for (const text of messages) {
          const pending: Pending = { type: "pending", action, language: "en", asked_at: day };
          const meant = interpretReply(text, { pending, now: day + 1 });
          const spoken = meant.type === "command" ? meant.spoken : meant.type === "nothing" ? interpret(text) : undefined;
          const waiting = standing(pending, day + 1);
          const decision = spoken === undefined ? undefined : decide(spoken.command, waiting);
          if (decision !== undefined && decision.forget.length > 0) {
            expect(spoken?.command.type).toBe("confirm_pending");
            expect(waiting?.type).toBe("delete");
          }
          action = meant.type === "left" ? null : (decision?.pending ?? null);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("what waits is read back field by field: of anything else nothing waits", () => {
    const stored = { type: "pending", action: deletion, language: "en", asked_at: 1 };
    expect(pendingOf(stored)?.action).toEqual(deletion);
    const wrong = [
      { ...deletion, target: { ...target, entry_id: "" } },
      { ...deletion, target: { ...target, kind: "everything" } },
      { ...deletion, target: { ...target, rule_id: "r1" } },
      { ...deletion, target: { ...target, preview: "" } },
      { ...deletion, target: { ...target, preview: "x".repeat(321) } },
      { ...deletion, also: [] },
      { type: "delete_options", targets: [target] },
      { type: "delete_options", targets: [target, null] },
      { type: "delete", target: { kind: "rule", entry_id: "profile", preview: "a rule" } },
      { type: "drop_all" },
    ];
    for (const action of wrong) expect(pendingOf({ ...stored, action })?.action).toBeNull();
    fc.assert(
      fc.property(fc.jsonValue(), (action) => {
        expect(pendingOf({ ...stored, action })?.action).toBeNull();
      }),
    );
    fc.assert(fc.property(fc.jsonValue(), (data) => void pendingOf(data)));
  });
});

describe("what people read", () => {
  test.each(languages)("every answer has words in %s, and none of a question's are missing", (language) => {
    const commands: readonly MemoryCommand[] = [
      ...[{ type: "list" }, { type: "status" }, { type: "forget_vague" }, { type: "forget_session" }, { type: "forget_everything" }].map(
        (one) => one as MemoryCommand,
      ),
      { type: "forget_by_query", query: "Ana" },
      { type: "forget_by_query", query: "uncle" },
      { type: "forget_by_index", index: 99 },
      { type: "set_recall", enabled: true },
      { type: "pin", kind: "fact", index: 1, pinned: true },
      { type: "never_recall", query: "Ana" },
      { type: "confirm_pending" },
    ];
    const replies = commands.map((command) => replyOf(decide(command).answer, language));
    expect(new Set(replies).size).toBe(commands.length);
    for (const reply of replies) expect(reply).not.toMatch(/undefined|null|NaN/);
  });

  test("an export has the quotes, the days and where each was said; as Markdown no text is taken for marks", () => {
    const hostile = memoryOf(encodeEntry("fact:x", fact("# I *am* [here](x)\n- really", "<b>")));
    expect(exportedMarkdown(hostile, day)).toContain("> \\# I \\*am\\* \\[here\\](x) - really");
    const text = exportedMarkdown(memory, day);
    for (const part of ["> my sister Ana is a doctor", "2026-03-01", "Keep it short.", "They talked about work.", "“I told Ana everything”"])
      expect(text).toContain(part);
    expect(exportedJson(memory, day)).toMatchObject({ format: "throughline.memory/1", facts: memory.facts, turns: memory.turns, arcs: memory.arcs });
    expect(exportedMarkdown(memoryOf(), day)).toContain("Nothing.");
  });
});
