import { describe, expect, test } from "vitest";
import { BadFile, evidenceIds, readLocomo, sessionTime } from "../../eval/locomo.ts";

test.each([
  ["D8:6; D9:17", ["D8:6", "D9:17"]],
  ["D8:6, D9:17", ["D8:6", "D9:17"]],
  ["D9:1 D4:4 D4:6", ["D9:1", "D4:4", "D4:6"]],
  ["D:11:26", ["D11:26"]],
  ["D30:05", ["D30:5"]],
  ["D", []],
  ["", []],
])("memory.md 2: evidence %j names %j", (written, ids) => expect(evidenceIds(written)).toEqual(ids));

test.each([
  ["1:56 pm on 8 May, 2023", "2023-05-08T13:56:00.000Z"],
  ["12:09 am on 13 September, 2023", "2023-09-13T00:09:00.000Z"],
  ["12:30 pm on 1 January, 2022", "2022-01-01T12:30:00.000Z"],
])("%j is %s", (written, iso) => expect(new Date(sessionTime(written) ?? Number.NaN).toISOString()).toBe(iso));
test("a time in other words is none", () => expect(sessionTime("yesterday")).toBeUndefined());

const sample = {
  sample_id: "s",
  conversation: {
    speaker_a: "Ada",
    speaker_b: "Ben",
    session_1_date_time: "1:56 pm on 8 May, 2023",
    session_1: [
      { speaker: "Ada", dia_id: "D1:1", text: "I bought a kite.", query: "hidden words", blip_caption: "a red kite" },
      { speaker: "Ben", dia_id: "D1:2", text: "Nice!" },
    ],
    session_2_date_time: "2:00 pm on 9 May, 2023",
    session_10_date_time: "2:00 pm on 9 June, 2023",
    session_10: [{ speaker: "Ben", dia_id: "D10:1", text: "It flew away." }],
  },
  observation: {
    session_1_observation: {
      Ada: [
        ["Ada has a kite.", "D1:1"],
        ["Ada is happy.", ["D1:1", "D1:2"]],
        ["Ada is elsewhere.", "D7:7"],
      ],
    },
  },
  qa: [
    { question: "What did Ada buy?", answer: "a kite", evidence: ["D1:1; D10:01"], category: 1 },
    { question: "Without evidence?", evidence: [], category: 3 },
    { question: "Evidence that does not exist?", evidence: ["D99:1"], category: 3 },
    { question: "No evidence at all?", category: 5, adversarial_answer: "x" },
  ],
};

describe("a file of LoCoMo", () => {
  const [corpus] = readLocomo(JSON.stringify([sample]));

  test("becomes units: turns with their captions and never the hidden words of the search", () => {
    expect(corpus?.turns.map(({ id, group, seq, subject, text }) => [id, group, seq, subject, text])).toEqual([
      ["D1:1", "1", 0, "Ada", "I bought a kite. [a red kite]"],
      ["D1:2", "1", 1, "Ben", "Nice!"],
      ["D10:1", "10", 0, "Ben", "It flew away."],
    ]);
  });
  test("has facts that rest on turns, and none that rests on nothing", () => {
    expect(corpus?.facts.map(({ text, subject, sources }) => [text, subject, sources])).toEqual([
      ["Ada has a kite.", "Ada", ["D1:1"]],
      ["Ada is happy.", "Ada", ["D1:1", "D1:2"]],
    ]);
  });
  test("asks what has usable evidence, and counts the rest", () => {
    expect(corpus?.questions.map(({ category, gold }) => [category, gold])).toEqual([["1", ["D1:1", "D10:1"]]]);
    expect(corpus?.skipped).toBe(3);
  });
  test("may have no observations", () => {
    const { observation: _, ...bare } = sample;
    expect(readLocomo(JSON.stringify([bare]))[0]?.facts).toEqual([]);
  });

  test.each([
    ["no JSON", "{", "no JSON"],
    ["nothing", "[]", "file"],
    ["another shape", `[{"qa": 1}]`, "file.0.sample_id"],
    ["a session without a time", JSON.stringify([{ ...sample, conversation: { session_1: [] } }]), "session_1_date_time"],
    [
      "a turn without text",
      JSON.stringify([{ ...sample, conversation: { ...sample.conversation, session_1: [{ speaker: "Ada" }] } }]),
      "session_1.0.dia_id",
    ],
  ])("%s is refused, with the place", (_, text, place) => {
    expect(() => readLocomo(text)).toThrow(BadFile);
    expect(() => readLocomo(text)).toThrow(place);
  });
});
