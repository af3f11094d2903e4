import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { root } from "../../scripts/root.ts";

const folder = mkdtempSync(join(tmpdir(), "throughline-eval-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function run(args: readonly string[], text?: string): Ran {
  const file = join(folder, "data.json");
  if (text !== undefined) writeFileSync(file, text);
  const data = text === undefined ? [] : ["--data", file];
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "eval/memory.ts"), ...data, ...args], { encoding: "utf8" });
  return { code: status, out: stdout, err: stderr };
}

const sample = (name: string, pet: string): object => ({
  sample_id: name,
  conversation: {
    session_1_date_time: "1:56 pm on 8 May, 2023",
    session_1: [
      { speaker: "Ada", dia_id: "D1:1", text: `I bought a ${pet} called Zephyrine.` },
      { speaker: "Ben", dia_id: "D1:2", text: "Lovely weather today." },
    ],
    session_2_date_time: "2:00 pm on 9 June, 2023",
    session_2: [{ speaker: "Ben", dia_id: "D2:1", text: "My train to Porto was late." }],
  },
  qa: [
    { question: `What is the ${pet} of Ada called?`, evidence: ["D1:1"], category: 4 },
    { question: "Where was the train going?", evidence: ["D2:1"], category: 2 },
    { question: "What did Ben buy?", evidence: ["D1:1"], category: 5 },
  ],
});

describe("npm run eval:memory", () => {
  test("prints the figures of a file, their unit, and none of its text", () => {
    const { code, out, err } = run(["--json"], JSON.stringify([sample("one", "ferret"), sample("two", "tortoise")]));
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).not.toMatch(/zephyrine|ferret|tortoise|porto|ada\b/i);
    const printed = JSON.parse(out) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    for (const key of ["all", "answerable", "by_category", "sessions", "budget", "latency"]) expect(printed, key).toHaveProperty(key);
    expect(printed).toMatchObject({
      unit: "percent",
      answerable: { recall_at_5: 100, recall_at_10: 100, recall_at_20: 100, n: 4 },
      all: { n: 6 },
      by_category: { "1": { n: 0 }, "2": { n: 2 }, "5": { n: 2 } },
      sessions: { recall_at_5: 100, recall_at_10: 100 },
      budget: { "150": 100, "2400": 100, verbatim: { "600": 100 } },
      questions: { asked: 6, skipped: 0 },
      data: { name: "unverified", verified: false, conversations: 2 },
    });
    expect(printed["answerable"]).toHaveProperty("ci95.recall_at_10", [100, 100]);
  });

  test.each([
    ["a file that is no JSON", [], "{", "no JSON"],
    ["a file of another shape", [], `[{"sample_id":"secret words"}]`, "file.0.conversation"],
    ["only what was tuned on, when the rest is wanted", ["--held"], JSON.stringify([sample("conv-26", "dog")]), "held out"],
  ])("refuses %s, in one sentence", (_, args, text, said) => {
    const { code, out, err } = run(args, text);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(said);
    expect(err).not.toMatch(/secret words|\bat .*\.ts/);
  });

  test("holds the fixtures to what must not happen", () => {
    const { code, out } = run(["--fixtures", "--assert"]);
    expect(out).not.toContain("FAIL");
    expect(code).toBe(0);
  });
});
