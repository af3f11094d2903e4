/** What must not reach a model is planted in a thousand memories, and looked for in every request. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { assembled } from "../../packages/throughline/src/context/assemble.ts";
import { proceduralRules, recalledMemory, recallToggle, sessionMemory } from "../../packages/throughline/src/context/stock-sections.ts";
import { persona, recentMessages, stateFields, variables } from "../../packages/throughline/src/context/section.ts";
import { arcEntryId, profileId, turnEntryId, type Standing, type Entry } from "../../packages/throughline/src/memory/entry.ts";
import { recall } from "../../packages/throughline/src/memory/recall/recall.ts";
import { variablesOf } from "../../packages/throughline/src/session/session-variables.ts";
import { arc, fact, sessionId, source, turn } from "../memory/write/entries.ts";
import { viewOf } from "../memory/recall/view.ts";

const canary = "c4nary";
const now = Date.UTC(2026, 10, 20);
const subjects = ["sister", "dog", "job", "garden", "cello", "exam"];

/** Ways to be of no concern to a model; the first is none. */
const standings = ["in force", "retracted", "superseded", "never recalled", "removed", "another owner's"] as const;
type Way = (typeof standings)[number];
const standing = (way: Way): Partial<Standing> =>
  way === "retracted"
    ? { retracted_at: 5 }
    : way === "superseded"
      ? { retracted_at: 5, superseded_by: "new" }
      : way === "never recalled"
        ? { never_recall: true }
        : {};

const planted = fc.record({
  kind: fc.constantFrom("fact", "turn", "arc"),
  way: fc.constantFrom(...standings),
  subject: fc.constantFrom(...subjects),
  sensitivity: fc.constantFrom("ordinary", "personal", "sensitive"),
});
type Planted = typeof planted extends fc.Arbitrary<infer Value> ? Value : never;

/** An entry, under its id; what no model may see says so. */
function entryOf({ kind, way, subject, sensitivity }: Planted, index: number): readonly [string, Entry] {
  const words = `my ${subject} ${way === "in force" ? "is well" : canary} number ${index}`;
  const common = { ...standing(way), sensitivity } as const;
  const at = now - (index + 1) * 86_400_000;
  if (kind === "turn") return [turnEntryId(sessionId, index + 1), turn(words, { ...common, source: { ...source(index + 1), at } })];
  if (kind === "arc")
    return [
      arcEntryId(sessionId, index + 1),
      arc({
        ...common,
        episode: index + 1,
        summary: `They spoke of ${words}.`,
        themes: [subject],
        open_loops: [words],
        started_at: at,
        ended_at: at,
      }),
    ];
  return [`fact${index}`, fact({ ...common, quote: words, object: { type: "Concern", id: words }, sources: [{ ...source(100 + index), at }] })];
}

it("nothing that was replaced, taken back, barred or removed, nor another's, reaches a request: a thousand memories", () => {
  let shown = 0;
  fc.assert(
    fc.property(
      fc.array(planted, { minLength: 2, maxLength: 7 }),
      fc.subarray(subjects, { minLength: 1 }),
      fc.record({ budget: fc.option(fc.integer({ min: 60, max: 400 }), { nil: undefined }), opening: fc.boolean(), recall_enabled: fc.boolean() }),
      (given, asked, { budget, opening, recall_enabled }) => {
        const entries = given.flatMap((one, index) => (one.way === "another owner's" ? [] : [entryOf(one, index)]));
        const rule = {
          id: "r",
          text: "You answer briefly.",
          evidence: [canary],
          sources: [],
          confidence: "high",
          authority: "person",
          added_at: 1,
        } as const;
        const profile = {
          type: "profile",
          recall_enabled,
          rules: [rule],
          archived: [{ ...rule, id: "old", text: `You say ${canary}.`, archived_at: 2 }],
        } as const;
        const view = viewOf({ ...Object.fromEntries(entries), [profileId]: profile });
        viewOf(Object.fromEntries(given.map((one, index) => entryOf({ ...one, way: "another owner's" }, index))));
        given.forEach((one, index) => {
          const [entry_id] = entryOf(one, index);
          if (one.way === "removed") view.apply({ version: 1_000 + index, entry_id, kind: one.kind, data: null, created_at: 0 });
        });
        const text = `How is my ${asked.join(" and my ")}?`;
        const memory = recall(
          view,
          { text, now, opening },
          { tokens: 600, items: 20, episodes: 2, episodeDays: 30, count: (line) => Math.ceil(line.length / 4) },
        );
        const parts = [
          persona("Be kind."),
          variables,
          stateFields("known", []),
          recalledMemory(),
          sessionMemory(),
          proceduralRules(),
          recallToggle(),
          recentMessages,
        ];
        const sources = {
          ...{ state: {} as never, variables: variablesOf({ version: 1, values: { tier: "gold" } }), memory, answers: [1] },
          // What somebody hands over besides is no part of a prompt.
          ...{ metadata: { secret: canary }, customer: { metadata: canary } },
          messages: [{ offset: 1, role: "user", source: "customer", text, is_trace: false, metadata: { secret: canary } }] as never,
        };
        const { request, record } = assembled(parts, sources, { prompt: budget === undefined ? {} : { budget } });
        expect(JSON.stringify(request)).not.toContain(canary);
        expect(JSON.stringify(record())).not.toContain(canary);
        if (JSON.stringify(request).includes("is well")) shown += 1;
      },
    ),
    { numRuns: 1_000, seed: 7 },
  );
  // The canary sings only where there is something to see.
  expect(shown).toBeGreaterThan(200);
});
