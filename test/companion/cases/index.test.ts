/** Which cases are held: each of 1 to 60 and 97 to 115 has a test that says so in its title. */
import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const folder = new URL("./", import.meta.url);

/** Ids after "case" in the titles of tests. */
const idsIn = (text: string): readonly number[] =>
  (text.match(/\bcases? \d+(?:, \d+)*/gu) ?? []).flatMap((found) => (found.match(/\d+/gu) ?? []).map(Number));

it("every case has a test", async () => {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".test.ts") && name !== "index.test.ts");
  const titles = (await Promise.all(files.map((name) => readFile(new URL(name, folder), "utf8")))).flatMap((text) =>
    text.split("\n").filter((line) => !/^\s*(?:\/\*\*|\*|\/\/)/u.test(line)),
  );
  const held = new Set(titles.flatMap(idsIn));
  const listed = [...Array.from({ length: 60 }, (_, index) => index + 1), ...Array.from({ length: 19 }, (_, index) => index + 97)];
  expect(listed.filter((id) => !held.has(id))).toEqual([]);
});

it("every exercise that follows later is named among the deviations", async () => {
  const table = await readFile(new URL("../../../docs/deviations.md", folder), "utf8");
  const later = [
    ...["grounding_stop_technique", "grounding_muscle_relaxation", "thought_work_behavioral_experiment", "thought_work_continuum"],
    ...["behavioral_activation_tiny_action", "defusion_leaves_on_stream", "self_compassion_break", "emotion_regulation_improve"],
    "emotion_regulation_gratitude",
  ];
  expect(later.filter((id) => !table.includes(id))).toEqual([]);
});
