import { describe, expect, it } from "vitest";
import { emptyProfile, inForce, type Kept, type Entry } from "../../../packages/throughline/src/memory/entry.ts";
import { barsOf } from "../../../packages/throughline/src/memory/write/bar.ts";
import { consolidate, type Consolidation, type MemoryToWrite } from "../../../packages/throughline/src/memory/write/consolidate.ts";
import { decodeEntry, encodeEntry } from "../../../packages/throughline/src/memory/write/decode.ts";
import { retractFrom } from "../../../packages/throughline/src/memory/write/retract.ts";
import { ruleExtractor } from "../../../packages/throughline/src/memory/write/rule-extractor.ts";
import type { EntryWrite } from "../../../packages/throughline/src/memory/entry.ts";
import type { SessionId } from "../../../packages/throughline/src/kernel/id.ts";
import { arc, fact, sessionId, source, turn } from "./entries.ts";

/** An owner's memory, as writes leave it. */
class Shelf {
  readonly entries = new Map<string, Kept<Entry>>();

  write(writes: readonly EntryWrite[]): void {
    for (const { entry_id, kind, data } of writes) {
      const kept = decodeEntry({ version: this.entries.size + 1, entry_id, kind, data, created_at: 1 });
      if (kept === undefined) this.entries.delete(entry_id);
      else this.entries.set(entry_id, kept);
    }
  }

  get memory(): MemoryToWrite {
    const all = [...this.entries.values()];
    const of = <Type extends Entry["type"]>(type: Type) =>
      all.flatMap(({ entry, ...kept }) => (entry.type === type ? [{ ...kept, entry: entry as Extract<Entry, { type: Type }> }] : []));
    return {
      facts: of("fact"),
      arcs: of("arc"),
      profile: of("profile")[0]?.entry ?? emptyProfile,
      bars: of("bar").map(({ entry }) => entry),
      masks: of("mask").map(({ entry }) => entry),
    };
  }

  get facts(): readonly string[] {
    return this.memory.facts.filter(({ entry }) => inForce(entry)).map(({ entry }) => `${entry.predicate} ${entry.object.id}`);
  }
}

const episode = (session: string, at: number, texts: readonly string[]) => ({
  session_id: session as SessionId,
  episode: 0,
  turns: texts.map((text, index) => ({ offset: index * 2, at: at + index, text })),
});

async function close(shelf: Shelf, session: string, at: number, texts: readonly string[]): Promise<Consolidation> {
  const closed = episode(session, at, texts);
  const extraction = await ruleExtractor().extract({ turns: closed.turns, replies: [], known: [] }, { signal: new AbortController().signal });
  const done = consolidate({ owner_id: "own:a", memory: shelf.memory, episode: closed, extraction, now: at + 100 });
  shelf.write(done.writes);
  return done;
}

const first = ["Hi, I live in Lisbon.", "I'm so worried about my exam next week.", "My sister Ana helps a lot, and I love painting."];

describe("episodes, one after another, without a model", () => {
  it("leave facts, follow a move, and write nothing twice", async () => {
    const shelf = new Shelf();
    await close(shelf, "ses_a", 1_000, first);
    expect(shelf.facts).toEqual(["LIVES_IN Lisbon", "WORRIES_ABOUT my exam", "KNOWS Ana", "LIKES painting"]);
    const again = await close(shelf, "ses_a", 1_000, first);
    expect(again.report).toMatchObject({ written: [], bumped: [], superseded: [] });
    await close(shelf, "ses_b", 9_000, ["I moved to Porto last month."]);
    expect(shelf.facts).toContain("LIVES_IN Porto");
    expect(shelf.facts).not.toContain("LIVES_IN Lisbon");
    expect(shelf.memory.facts).toHaveLength(5);
  });

  it("are the same whoever computes them, and merge what two computed at once", async () => {
    const [left, right] = [new Shelf(), new Shelf()];
    const [one, other] = [await close(left, "ses_a", 1_000, first), await close(right, "ses_a", 1_000, first)];
    expect(one).toEqual(other);
    left.write(other.writes);
    expect(left.facts).toEqual(right.facts);
  });

  it("do not bring back what was forgotten", async () => {
    const shelf = new Shelf();
    await close(shelf, "ses_a", 1_000, first);
    const ana = shelf.memory.facts.find(({ entry }) => entry.object.id === "Ana")!;
    shelf.write([{ entry_id: ana.entry_id, kind: "fact", data: null }, ...barsOf(ana.entry, { owner_id: "own:a", salt: "salt", now: 2_000 })]);
    await close(shelf, "ses_a", 1_000, first);
    await close(shelf, "ses_b", 5_000, [...first, "My sister Ana called again today."]);
    expect(shelf.facts).not.toContain("KNOWS Ana");
    expect(shelf.facts).toContain("LIKES painting");
  });

  it("leave nothing of a conversation that is not to be remembered", async () => {
    const shelf = new Shelf();
    await close(shelf, "ses_a", 1_000, [...first, "Please don't save anything from this conversation."]);
    expect(shelf.entries.size).toBe(0);
  });
});

const other = "ses_00000000000000000000000002" as SessionId;

describe("what was taken back", () => {
  it.each<readonly [string, Entry, "gone" | "changed" | "kept"]>([
    ["a turn after it", turn("x", { source: source(5) }), "gone"],
    ["a turn before it", turn("x", { source: source(4) }), "kept"],
    ["a turn of another session", turn("x", { source: source(9, 1, other) }), "kept"],
    ["a fact that rests on it", fact({ sources: [source(6)] }), "gone"],
    ["a fact that rests on more", fact({ sources: [source(2), source(6)] }), "changed"],
    ["a fact that the person wrote", fact({ sources: [source(6)], authority: "person" }), "kept"],
    ["an arc that tells of it", arc({ from: 1, upto: 9 }), "gone"],
    ["an arc of what was before", arc({ from: 1, upto: 4 }), "kept"],
    ["a bar", { type: "bar", hash: "h", salt: "s", recorded_at: 1 }, "kept"],
  ])("takes back or leaves %s", (_, entry, outcome) => {
    const writes = retractFrom([{ entry_id: "e", version: 1, entry }], sessionId, 5);
    // What stays in part is removed with its earlier versions first.
    expect(writes.map(({ data }) => (data === null ? "gone" : "changed"))).toEqual(
      { kept: [], gone: ["gone"], changed: ["gone", "changed"] }[outcome],
    );
  });

  it("takes vectors along, and puts back in force what it had replaced", () => {
    const old = fact({ superseded_by: "new", retracted_at: 9, valid_to: 8 });
    const entries: readonly Kept<Entry>[] = [
      { entry_id: "old", version: 1, entry: old },
      { entry_id: "new", version: 2, entry: fact({ object: { type: "Place", id: "Porto" }, sources: [source(7)] }) },
      { entry_id: "vec:new", version: 3, entry: { type: "vector", of: "new", provider: "p", dimensions: 1, data: "", digest: "" } },
    ];
    const shelf = new Shelf();
    shelf.write(retractFrom(entries, sessionId, 5));
    expect([...shelf.entries.values()]).toMatchObject([{ entry_id: "old", entry: fact({}) }]);
    expect(inForce(shelf.memory.facts[0]!.entry)).toBe(true);
    expect(retractFrom(entries, sessionId, 5).flatMap(({ entry_id, data }) => (data === null ? [entry_id] : []))).toEqual(["new", "vec:new"]);
  });

  it("takes rules and held candidates along, and leaves what the person saved", () => {
    const rule = { id: "r", text: "Be brief.", evidence: [], confidence: "medium" as const, added_at: 1 };
    const profile = {
      ...emptyProfile,
      rules: [
        { ...rule, sources: [source(6)], authority: "extraction" as const },
        { ...rule, id: "s", sources: [source(6)], authority: "person" as const },
      ],
    };
    const held = [2, 6].map((offset) => ({ type: "rule" as const, text: "x", quote: "x", offset, reason: "" }));
    const shelf = new Shelf();
    shelf.write(
      retractFrom(
        [
          { entry_id: "profile", version: 1, entry: profile },
          { entry_id: "b", version: 1, entry: { type: "buffer", session_id: sessionId, episode: 0, held, approach_counts: {} } },
        ],
        sessionId,
        5,
      ),
    );
    expect(shelf.memory.profile.rules.map(({ id }) => id)).toEqual(["s"]);
    expect(shelf.entries.get("b")?.entry).toMatchObject({ held: [{ offset: 2 }] });
  });

  it("takes a fact along that only the withdrawn words quote, though it was said elsewhere too", () => {
    const said = (text: string, where: ReturnType<typeof source>): Kept<Entry> => ({
      ...{ entry_id: `turn:${where.session_id}:${where.offset}`, version: 1 },
      entry: turn(text, { source: where }),
    });
    const [gone, stays] = [source(6), source(2, 1, other)];
    const quoted = (quote: string): Kept<Entry> => ({ entry_id: quote, version: 2, entry: fact({ quote, sources: [gone, stays] }) });
    const entries = [
      said("I live in Lisbon, by the canary shop", gone),
      said("Lisbon is where I live", stays),
      quoted("by the canary shop"),
      quoted("Lisbon is where I live"),
    ];
    const shelf = new Shelf();
    shelf.write(entries.map(({ entry_id, entry }) => encodeEntry(entry_id, entry)));
    shelf.write(retractFrom(entries, sessionId, 5));
    expect(shelf.memory.facts.map(({ entry }) => entry)).toMatchObject([{ quote: "Lisbon is where I live", sources: [stays] }]);
  });

  it("takes questions along that were asked in what goes, or name what goes", () => {
    const target = { kind: "turn", entry_id: "turn:gone", preview: "I saw a canary" };
    const asked = (session: SessionId, since: number, entry_id: string): Kept<Entry> => ({
      ...{ entry_id: `pending:${session}`, version: 1 },
      entry: { type: "pending", action: { type: "delete", target: { ...target, entry_id } }, language: "en", asked_at: 1, since },
    });
    const gone: Kept<Entry> = { entry_id: "turn:gone", version: 1, entry: turn("I saw a canary", { source: source(6) }) };
    const idsOf = (entries: readonly Kept<Entry>[]) => retractFrom(entries, sessionId, 5).map(({ entry_id }) => entry_id);
    expect(idsOf([asked(sessionId, 6, "turn:else")])).toEqual([`pending:${sessionId}`]);
    expect(idsOf([asked(other, 1, "turn:else")])).toEqual([]);
    expect(idsOf([gone, asked(other, 1, "turn:gone")])).toEqual(["turn:gone", `pending:${other}`]);
  });
});
