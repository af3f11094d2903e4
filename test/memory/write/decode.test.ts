import fc from "fast-check";
import { entries as entryDeclarations, type Entry } from "../../../packages/throughline/src/memory/entry.ts";
import { declaredArbitrary } from "../../kernel/declared-arbitrary.ts";
import { describe, expect, it } from "vitest";
import type { EntryRow } from "../../../packages/throughline/src/store/port.ts";
import { decodeEntries, decodeEntry, encodeEntry, isUnreadable, readEntry } from "../../../packages/throughline/src/memory/write/decode.ts";
import { renderEntry } from "../../../packages/throughline/src/memory/write/render.ts";
import { arc, fact, sessionId, turn } from "./entries.ts";

const row = (kind: string, data: unknown, more: Partial<EntryRow> = {}): EntryRow =>
  ({ version: 1, entry_id: "e1", kind, data, created_at: 1000, ...more }) as EntryRow;

const entries: readonly Entry[] = [
  fact({}),
  fact({ valid_from: 5, valid_to: 9, retracted_at: 9, superseded_by: "fact:b", pinned: true, never_recall: true }),
  turn("I live in Lisbon"),
  turn("You could walk", { role: "assistant" }),
  arc({ mood: { opened: "sad", closed: "calm" }, goal: "sleep", approach: "cbt", approach_context: { thought: "all is lost" }, level: 2 }),
  {
    type: "profile",
    recall_enabled: true,
    rules: [{ id: "r1", text: "Keep it short.", evidence: ["short please"], sources: [], confidence: "high", authority: "person", added_at: 1 }],
    archived: [
      {
        id: "r0",
        text: "Be long.",
        evidence: [],
        sources: [],
        confidence: "low",
        authority: "extraction",
        added_at: 0,
        archived_at: 2,
        superseded_by: "eviction",
      },
    ],
  },
  {
    type: "buffer",
    session_id: sessionId,
    episode: 2,
    held: [{ type: "rule", text: "Keep it short.", quote: "short please", offset: 3, reason: "said so" }],
    approach_counts: { cbt: 2 },
  },
  { type: "vector", of: "turn:x:1", provider: "test", dimensions: 1, data: "AAAAAA==", digest: "d" },
  { type: "mask", session_id: sessionId, offsets: [1, 4], recorded_at: 5 },
  { type: "bar", hash: "abc", salt: "s", recorded_at: 5 },
  { type: "pending", action: { type: "delete" } },
];

describe("entries as they are stored", () => {
  it.each(entries.map((entry) => [entry.type, entry] as const))("reads a %s as it was written", (_, entry) => {
    const { kind, data } = encodeEntry("e1", entry);
    expect(decodeEntry(row(kind, data))).toEqual({ entry_id: "e1", version: 1, entry });
  });

  const declared = Object.entries(entryDeclarations).filter(([kind]) => kind !== "pending");
  it.each(declared)("a %s loses no member that is declared, whichever has a value", (kind, { node }) =>
    fc.assert(
      fc.property(declaredArbitrary(node), (entry) => {
        expect(decodeEntry(row(kind, entry))).toEqual({ entry_id: "e1", version: 1, entry });
      }),
    ),
  );

  it.each([
    ["a plain text", "fact", "Has a cat named Moss"],
    ["an object with a text", "turn", { text: "Has a cat named Moss" }],
    ["a text under a former kind", "semantic", "Has a cat named Moss"],
  ])("case 68: %s from before entries had a shape renders unchanged", (_, kind, data) => {
    const kept = decodeEntry(row(kind, data));
    expect(kept?.entry).toMatchObject({ type: "turn", legacy: true, recorded_at: 1000 });
    expect(kept?.entry.type === "turn" && renderEntry(kept.entry)).toBe("Has a cat named Moss");
  });

  it("reads the former shape of a fact", () => {
    const read = decodeEntry(
      row("semantic", {
        category: "loss",
        subject: { type: "User", identifier: "user" },
        predicate: "EXPERIENCED",
        object: { type: "Event", identifier: "death of father" },
        evidence_quote: "my dad died",
        confidence: "high",
        source_session_id: "s-1",
        source_turn_index: 4,
        created_at: "2025-01-02T00:00:00Z",
        dormant_at: null,
        user_visible: true,
        write_timing: "session_end",
        policy_version: "phase3_v1",
      }),
    );
    const at = Date.UTC(2025, 0, 2);
    expect(read?.entry).toMatchObject({ quote: "my dad died", object: { id: "death of father" }, recorded_at: at, written: "episode_end" });
    expect(read?.entry).toMatchObject({ sources: [{ session_id: "s-1", offset: 4, at }], policy: "phase3_v1" });
    expect(read?.entry).not.toHaveProperty("retracted_at");
  });

  it.each([
    ["dormant", { dormant_at: "2025-02-01T00:00:00Z" }, Date.UTC(2025, 1, 1)],
    ["hidden", { user_visible: false }, 1000],
  ])("takes what was %s for withdrawn", (_, more, retracted_at) => {
    const former = { category: "loss", subject: { type: "User", identifier: "user" }, predicate: "HAS", object: { type: "Thing", identifier: "x" } };
    const data = { ...former, evidence_quote: "x", source_session_id: "s", source_turn_index: 0, ...more };
    expect(decodeEntry(row("semantic", data))?.entry).toMatchObject({ retracted_at });
  });

  it("reads the former shape of arcs and profiles", () => {
    const former = {
      session_id: "s",
      summary: "They talked.",
      primary_themes: ["work"],
      mood_arc: { opened: "low", closed: "calm" },
      crisis_level_max: 1,
    };
    expect(decodeEntry(row("episodic", former))?.entry).toMatchObject({ type: "arc", themes: ["work"], mood: { opened: "low" }, level: 1 });
    const rule = { id: "r", rule: "Be brief.", evidence: [], confidence: "medium", source: "explicit_user", added_at: 3 };
    expect(decodeEntry(row("procedural", { proactive_recall_enabled: true, rules: [rule], archived_rules: [] }))?.entry).toMatchObject({
      type: "profile",
      recall_enabled: true,
      rules: [{ text: "Be brief.", authority: "person" }],
    });
  });

  it.each([
    ["a kind that is not known", "dream", {}, "kind"],
    ["a fact without a quote", "fact", { ...fact({}), quote: undefined }, "/quote"],
    ["a source that is none", "turn", { ...turn("x"), source: { offset: 1 } }, "/source/session_id"],
    ["a confidence that is none", "fact", { ...fact({}), confidence: "very" }, "/confidence"],
    ["a number as data", "arc", 5, "an object"],
    ["a number that is none", "mask", { session_id: "s", offsets: ["1"], recorded_at: 1 }, "/offsets/0"],
  ])("says what is wrong with %s, and does not throw", (_, kind, data, why) => {
    const read = readEntry(row(kind, data));
    expect(read !== undefined && isUnreadable(read) ? read.why : undefined).toContain(why);
    expect(decodeEntry(row(kind, data))).toBeUndefined();
  });

  it("does not repeat what an unreadable entry says", () => {
    const read = readEntry(row("fact", { ...fact({}), confidence: "my secret" }));
    expect(JSON.stringify(read)).not.toContain("my secret");
  });

  it("keeps the last version of each entry, and none that was removed", () => {
    const at = (version: number, entry_id: string, data: unknown) => row("turn", data, { version, entry_id });
    const rows = [at(1, "a", turn("first")), at(2, "b", turn("b")), at(3, "a", turn("second")), at(4, "b", null), at(5, "c", { text: 1 })];
    const { entries, unreadable } = decodeEntries(rows);
    expect(entries).toEqual([{ entry_id: "a", version: 3, entry: turn("second") }]);
    expect(unreadable.map(({ entry_id }) => entry_id)).toEqual(["c"]);
  });
});
