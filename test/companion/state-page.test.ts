import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createCompanion } from "../../packages/companion/src/create-companion.ts";
import { exerciseCatalog } from "../../packages/companion/src/exercises/exercise-definition.ts";
import { Companion, fieldGroups, fieldNotes } from "../../packages/companion/src/companion-state.ts";
import { withExercises } from "../../scripts/companion/exercises-table.ts";
import { statePage } from "../../scripts/companion/state-page.ts";
import { plainPack } from "./support.ts";

describe("docs/reference/companion-state.md", () => {
  const page = statePage(createCompanion({ safety: { packs: [plainPack] } }));
  it("is what the code says", () => expect(readFileSync("docs/reference/companion-state.md", "utf8")).toBe(page));
  it("has every field in one of nine groups, and the values of closed lists", () => {
    expect(Object.keys(fieldGroups)).toHaveLength(9);
    expect(Object.values(fieldGroups).flat().toSorted()).toEqual(Object.keys(Companion.fields).toSorted());
    for (const path of [
      "channel",
      "route",
      "exercise_state.exercise_therapeutic_approach",
      "turn_lifecycle.action",
      "grounded_lookup.status",
      "crisis.level",
    ])
      expect(page).toContain(`| \`${path}\` | `);
    expect(page).toContain("| `session_progress.guidance_permission` | `unknown`, `not_yet`, `granted`, `null` |");
  });
  it("tells of every field, and who writes it", () => {
    expect(Object.keys(fieldNotes).toSorted()).toEqual(Object.keys(Companion.fields).toSorted());
    for (const name of Object.keys(Companion.fields)) expect(page).toMatch(new RegExp(String.raw`\| \`${name}\` \|[^\n]*\| [^|\n]*\w[^|\n]* \|\n`));
  });
});

describe("the table of exercises in docs/reference/companion.md", () => {
  const page = readFileSync("docs/reference/companion.md", "utf8");
  it("is what the catalog says", () => expect(withExercises(page)).toBe(page));
  it("has a row for every exercise", () => {
    for (const { id, display_name } of exerciseCatalog) expect(page).toContain(`| ${display_name} (\`${id}\`) |`);
  });
  it("refuses a page without its marks", () => expect(() => withExercises("no table")).toThrow("has no marks"));
});
