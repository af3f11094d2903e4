/** Documents as the page reads them: the difference of two states as a patch, and the file of an export. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { WireJson, WireJsonObject } from "../../packages/client/src/client.ts";
import { changesBetween, patchOf } from "../../packages/inspector/src/parts/json-rows.ts";
import { previewOf } from "../../packages/inspector/src/screens/sessions/bundle-preview.ts";
import { applyPatch, parseOperations } from "../../packages/throughline/src/kernel/json-patch.ts";
import { bundleWith } from "../setup/sample-requests.ts";

// Names that need escapes, and look like indexes. The library refuses the names of prototypes.
const name = fc.constantFrom("a", "b", "a/b", "~", "~1", "", "0", "-", "é", "long name");
const { document } = fc.letrec<{ readonly value: WireJson; readonly document: WireJsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<WireJson>(null, true, 0, 1, "", "x", "y"),
    fc.array(tie("value"), { maxLength: 5 }),
    tie("document"),
  ),
  document: fc.dictionary(name, tie("value"), { maxKeys: 5 }),
}));

test("the patch of a difference turns the first state into the second", () => {
  fc.assert(
    fc.property(document, document, (before, after) => {
      const patch: unknown = JSON.parse(JSON.stringify(patchOf(changesBetween(before, after))));
      expect(applyPatch(before, parseOperations(patch))).toEqual(after);
    }),
    { numRuns: 2_000 },
  );
});

test("a bundle is shown with its sessions, before it is sent", () => {
  expect(previewOf(bundleWith("Nights"))).toEqual({
    ...{ customer: undefined, exportedAt: 1, events: 1, entries: 0 },
    sessions: [{ id: `ses_${"0".repeat(26)}`, title: "Nights", agent: "clerk", events: 1 }],
  });
});

test("a file that cannot be imported is refused with a reason", () => {
  const bundle = bundleWith("Nights");
  const lines = bundle.split("\n");
  const whole = { ...(JSON.parse(lines[0] ?? "") as object), exported_at: 1e300 };
  for (const [text, reason] of [
    ["\n \n", /empty/],
    ["%PDF-1.7", /not an export/],
    ['{"type":"event"}', /not an export/],
    ["[1]", /not an export/],
    [lines.with(1, lines[1]?.slice(0, 9) ?? "").join("\n"), /Line 2 of the file is damaged/],
    [lines.slice(0, -1).join("\n"), /was cut off/],
    [[JSON.stringify({ ...whole, redacted: true }), ...lines.slice(1)].join("\n"), /masked/],
  ] as const)
    expect(previewOf(text)).toMatch(reason);
  // A moment that no calendar has is left out.
  expect(previewOf([JSON.stringify(whole), ...lines.slice(1)].join("\n"))).toMatchObject({ exportedAt: undefined, events: 1 });
});
