import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createCompanion } from "../../packages/companion/src/create-companion.ts";
import { Companion, fieldNotes } from "../../packages/companion/src/companion-state.ts";
import { statePage } from "../../scripts/companion/state-page.ts";
import { plainPack } from "./support.ts";

describe("docs/reference/companion-state.md", () => {
  const page = statePage(createCompanion({ safety: { packs: [plainPack] } }));
  it("is what the code says", () => expect(readFileSync("docs/reference/companion-state.md", "utf8")).toBe(page));
  it("tells of every field, and who writes it", () => {
    expect(Object.keys(fieldNotes).toSorted()).toEqual(Object.keys(Companion.fields).toSorted());
    for (const name of Object.keys(Companion.fields)) expect(page).toMatch(new RegExp(String.raw`\| \`${name}\` \|[^\n]*\| [^|\n]*\w[^|\n]* \|\n`));
  });
});
