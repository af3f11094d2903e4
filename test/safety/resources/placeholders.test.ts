import { describe, expect, test } from "vitest";
import { english, hotlines } from "../../../packages/companion/src/safety/crisis-data.ts";
import { allowedOf, guard } from "../../../packages/throughline/src/safety/guard/guard.ts";
import {
  emptyLookup,
  expandPlaceholders,
  foundResources,
  lookupResources,
  renderResources,
} from "../../../packages/throughline/src/safety/resources/resource-lookup.ts";

const now = Date.parse("2026-12-01T12:00:00Z");
const us = lookupResources(hotlines, { regions: ["US"], now });
const nowhere = emptyLookup(hotlines, "no_location");

describe("placeholders", () => {
  test.each([
    "[[resources]]",
    "[[ Resources ]]",
    "{{resources}}",
    "[[RESOURCES]]",
    "[resources]",
    "[[crisis_resources]]",
    "［［resources］］",
    "[[[resources]]]",
  ])("%s is what the table has", (written) => {
    const { text, resources, unknown } = expandPlaceholders(`I hear you.\n\n${written}\n\nI am here.`, us, english);
    expect(text).toContain("- 988 Suicide & Crisis Lifeline: 988 · text 988");
    expect(text).not.toMatch(/[[\]{}]/u);
    expect({ resources, unknown }).toEqual({ resources: ["us-988", "us-crisis-text-line"], unknown: 0 });
  });
  test("the emergency number, or words where none is known", () => {
    expect(expandPlaceholders("Call [[emergency]] now.", us, english)).toMatchObject({ text: "Call 911 now.", emergency: true, resources: [] });
    expect(expandPlaceholders("Call [[emergency]] now.", nowhere, english).text).toBe("Call your local emergency number now.");
  });
  test("services are shown once, and unknown placeholders go", () => {
    const { text, unknown } = expandPlaceholders("[[resources]] and [[resources]] and [[phone_of_police]] .", us, english);
    expect(text.match(/988 Suicide/gu)).toHaveLength(1);
    expect(unknown).toBe(1);
    expect(text).not.toContain("[[");
  });
  test("without a place, directories", () => {
    const { text, directory, resources } = expandPlaceholders("[[resources]]", nowhere, english);
    expect(text).toContain("https://findahelpline.com");
    expect({ directory, resources }).toEqual({ directory: true, resources: [] });
  });
  test("a link in brackets is no placeholder", () => expect(expandPlaceholders("[resources](x)", us, english).text).toBe("[resources](x)"));
});

describe("what is shown", () => {
  test("stale rows carry their date, beside the directories", () => {
    const stale = renderResources(lookupResources(hotlines, { regions: ["US"], now: Date.parse("2027-07-01") }), english);
    expect(stale).toContain("as of 2026-11-20");
    expect(stale).toContain("findahelpline.com");
  });
  test("two countries of a name are told apart", () => {
    const both = renderResources(lookupResources(hotlines, { regions: ["IE", "GB"], now }), english);
    expect(both).toContain("(Ireland)");
    expect(both).toContain("(United Kingdom)");
    // Whoever is in the one without a service is not left with the other's.
    const georgia = renderResources(lookupResources(hotlines, { regions: ["GE", "US"], now }), english);
    expect(georgia.indexOf("988")).toBeGreaterThan(0);
    expect(georgia.slice(georgia.indexOf("no line for Georgia"))).toContain("findahelpline.com");
  });
  test("rows for the state name a phone or what to write instead", () =>
    expect(foundResources(us)).toEqual([
      { id: "us-988", name: "988 Suicide & Crisis Lifeline", phone: "988", website: "https://988lifeline.org", region: "US" },
      { id: "us-crisis-text-line", name: "Crisis Text Line", phone: "text HOME to 741741", website: "https://www.crisistextline.org", region: "US" },
    ]));
  test("what the table shows passes the guard with what the table allows, in every country, fresh or stale", () => {
    for (const country of new Set(hotlines.services.map((service) => service.country)))
      for (const day of ["2026-12-01", "2027-07-01"]) {
        const lookup = lookupResources(hotlines, { regions: [country], now: Date.parse(day) });
        const text = `Call ${expandPlaceholders("[[emergency]] now.\n\n[[resources]]", lookup, english).text}`;
        expect(guard(text, { level: 2, allow: allowedOf(lookup) })).toEqual({ text, removed: [], blocked: [] });
      }
  });
});
