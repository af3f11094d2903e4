/** What the gate of data files tells a translator. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compileData, type Compiled } from "../scripts/data/compile.ts";

const schema = {
  type: "object",
  required: ["name"],
  additionalProperties: false,
  properties: {
    name: { type: "string" },
    tone: { enum: ["warm", "plain"] },
    words: { type: "string", format: "rows" },
    asks: { type: "array", items: { type: "string", format: "regex" } },
    steps: { type: "object", additionalProperties: { $ref: "#/$defs/step" } },
  },
  $defs: { step: { type: "object", additionalProperties: false, properties: { say: { type: "string" } } } },
};

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "data-"));
  writeFileSync(join(folder, "words.schema.json"), JSON.stringify(schema));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const compile = (yaml: string, first = "# yaml-language-server: $schema=./words.schema.json\n"): Compiled => {
  writeFileSync(join(folder, "words.yaml"), first + yaml);
  return compileData(join(folder, "words.yaml"));
};
const faults = (yaml: string): readonly string[] => {
  const compiled = compile(yaml);
  return "faults" in compiled ? compiled.faults.map(({ line, message }) => `${line}: ${message}`) : [];
};

test("rows become lists, parts are put in their places, and each second-level member is a line of its own", () => {
  const compiled = compile(
    [
      "parts:",
      "  kin: (?:aunt|uncle)",
      "  my: my <<kin>>",
      "name: one",
      "words: |",
      "  want, ~2 # {die}",
      "  {want} it",
      "asks:",
      "  - who is <<my>>",
      "",
    ].join("\n"),
  );
  expect(compiled).toEqual({
    text: '{\n"name":"one",\n"words":[\n"want",\n"~2 # {die}",\n"{want} it"\n],\n"asks":[\n"who is my (?:aunt|uncle)"\n]\n}\n',
  });
});

test.each([
  ["an unknown member", "name: one\ntune: warm\n", "3: tune is no name that is known here; known are name, tone, words, asks, steps."],
  [
    "an unknown member further in",
    "name: one\nsteps:\n  first:\n    says: hi\n",
    "5: steps.first.says is no name that is known here; known are say.",
  ],
  ["a wrong value", "name: one\ntone: hot\n", '3: tone must be one of "warm", "plain", and is "hot".'],
  ["a wrong type", "name: 12\n", "2: name must be of type string, and is 12. A text that looks otherwise needs quotes."],
  ["a missing member", "tone: warm\n", '2: The file lacks "name".'],
  ["an unknown part", "name: <<me>>\n", "2: name names <<me>>, and `parts` has only nothing."],
  ["a broken pattern", "name: one\nasks:\n  - who\n  - (what\n", "5: asks[1] is no regular expression: /(what/u: Unterminated group."],
  [
    "a text cut by a comment",
    "name: one #2\n",
    '2: "#2" would be cut off as a comment. Put a text that has " #" in quotes, and a comment on a line of its own.',
  ],
])("names the line, the member and what was seen: %s", (_, yaml, message) => {
  expect(faults(yaml)).toEqual([message]);
});

test("a text that YAML reads as something else is told to be quoted", () => {
  expect(faults("name: one: two\n")).toEqual([expect.stringMatching(/^2: .*needs quotes\.$/u)]);
});

test("a file without a schema is refused", () => {
  expect(compile("name: one\n", "# words\n")).toEqual({ faults: [expect.objectContaining({ line: 1 })] });
});
