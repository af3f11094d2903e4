import { describe, expect, test } from "vitest";
import { hotlines } from "../../../packages/companion/src/safety/crisis-data.ts";
import { checkTable, resourceTable } from "../../../packages/throughline/src/safety/resources/resource-table.ts";

const good = {
  version: "1",
  directories: [{ name: "d", website: "https://d.example" }],
  emergency: { AA: { number: "112", confirmed: true } },
  services: [
    {
      ...{
        id: "aa-line",
        country: "AA",
        name: "Line",
        kind: "suicide_prevention",
        primary: true,
        phones: ["116 123"],
        languages: ["en"],
        confirmed: true,
      },
      ...{ evidence_grade: "A", verified_at: "2026-11-20", verified_by: null, next_review_at: "2027-05-19", source: "somebody" },
    },
  ],
};
const day = (written: string): number => Date.parse(`${written}T00:00:00Z`);
const withRow = (overrides: object) => resourceTable({ ...good, services: [{ ...good.services[0], ...overrides }] });
const errors = (overrides: object, at = day("2026-12-01")): readonly string[] =>
  checkTable(withRow(overrides), at).map(({ severity, message }) => `${severity}: ${message}`);

describe("reading a table", () => {
  test("what is not a table is named by its place", () => {
    expect(() => resourceTable({ ...good, services: [{ ...good.services[0], phones: ["116 123", 988] }] })).toThrow("/services/0/phones/1");
    expect(() => resourceTable({ ...good, services: [{ ...good.services[0], next_review_at: "soon" }] })).toThrow("/services/0/next_review_at");
    expect(() => resourceTable({ ...good, emergency: { AA: { number: "" } } })).toThrow("/emergency/AA/number");
    expect(() => resourceTable([])).toThrow("an object");
  });
  test("what it does not know is left out", () => expect(resourceTable(good).services[0]).not.toHaveProperty("source"));
});

describe("looking a table over", () => {
  test("a sound row has nothing", () => expect(errors({})).toEqual([]));
  test.each([
    ["an own line past its review", {}, "2027-05-19", "error"],
    ["another line past its review", { primary: false }, "2027-05-19", "warning"],
    ["a review within 14 days", {}, "2027-05-05", "warning"],
  ])("%s", (_, overrides, at, severity) =>
    expect(errors(overrides, day(at))).toEqual([expect.stringMatching(new RegExp(`^${severity}: It is to be reviewed`, "u"))]),
  );
  test("15 days before, nothing is said", () => expect(errors({}, day("2027-05-04"))).toEqual([]));
  test.each([
    ["a short code with a country code", { phones: ["+44116123"] }, "nobody can dial it"],
    ["a shorter one", { phones: ["+1 988"] }, "nobody can dial it"],
    ["no way to reach it", { phones: [] }, "neither a phone"],
    ["reviews too far apart", { next_review_at: "2027-11-20" }, "180 at most"],
    ["an id that is none", { id: "AA Line" }, "small letters"],
    ["grade C is confirmed by nothing", { evidence_grade: "C" }, "confirms nothing"],
    ["a country by its name", { country: "Aaland" }, "two letters"],
  ])("%s", (_, overrides, message) => expect(errors(overrides).join()).toContain(message));
  test("ids and own lines are there once", () => {
    const twice = resourceTable({ ...good, services: [good.services[0], good.services[0]] });
    expect(checkTable(twice, day("2026-12-01")).map(({ message }) => message)).toEqual([
      "Another service has the same id.",
      "AA en has a primary line already.",
    ]);
  });
});

test("the table that is shipped has no errors on the day it was compiled, and says that no person has checked it", () => {
  expect(checkTable(hotlines, day("2026-11-21"))).toEqual([]);
  expect(hotlines.services).toHaveLength(131);
  expect(hotlines.services.every(({ verified_by }) => verified_by === null)).toBe(true);
  expect(checkTable(hotlines, day("2027-05-20")).some(({ severity }) => severity === "error")).toBe(true);
});
