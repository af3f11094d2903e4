import { describe, expect, test } from "vitest";
import { hotlines } from "../../../packages/companion/src/safety/crisis-data.ts";
import { emptyLookup, lookupResources } from "../../../packages/throughline/src/safety/resources/resource-lookup.ts";
import type { CrisisResource, ResourceTable } from "../../../packages/throughline/src/safety/resources/resource-table.ts";

const now = Date.parse("2026-12-01T12:00:00Z");
const look = (regions: readonly string[], options: Partial<Parameters<typeof lookupResources>[1]> = {}) =>
  lookupResources(hotlines, { regions, now, ...options });

const row = (id: string, overrides: Partial<CrisisResource> = {}): CrisisResource => ({
  ...{
    id,
    country: "AA",
    name: id,
    kind: "suicide_prevention",
    primary: false,
    phones: ["123 456"],
    hours: "24/7",
    languages: ["en"],
    audience: "all",
  },
  ...{ confirmed: true, evidence_grade: "A", verified_at: "2026-11-20", verified_by: null, next_review_at: "2027-05-01" },
  ...overrides,
});
const tableOf = (...services: readonly CrisisResource[]): ResourceTable => ({
  version: "t",
  services,
  emergency: {},
  directories: hotlines.directories,
});
const idsOf = (services: readonly CrisisResource[], options: Partial<Parameters<typeof lookupResources>[1]> = {}): readonly string[] =>
  lookupResources(tableOf(...services), { regions: ["AA"], now, ...options }).resources.map(({ id }) => id);

describe("statuses", () => {
  test("case 25: a stated place with a confirmed line is found, the country's own first", () => {
    const found = look(["US"]);
    expect(found.status).toBe("found");
    expect(found.resources.map(({ id }) => id)).toEqual(["us-988", "us-crisis-text-line"]);
    expect(found.emergency).toEqual([{ region: "US", number: "911" }]);
    expect(found.location).toBe("United States");
  });
  test("case 26: who would rather not say is given no country, whatever was said before", () => {
    const refused = look(["US"], { refused: true });
    expect(refused).toMatchObject({ status: "location_refused", regions: [], resources: [], emergency: [], location: "" });
  });
  test("no place: directories alone", () =>
    expect(look([])).toMatchObject({ status: "no_location", resources: [], directories: hotlines.directories }));
  test("case 28: a country without a confirmed line, or without any, has none", () => {
    expect(look(["JM"])).toMatchObject({ status: "no_verified_results", resources: [], regions: ["JM"], location: "Jamaica" });
    expect(look(["ZZ"]).status).toBe("no_verified_results");
    expect(idsOf([row("a", { phones: [] })])).toEqual([]);
  });
  test("case 31: a look-up that failed shows directories", () =>
    expect(emptyLookup(hotlines, "lookup_error")).toMatchObject({ status: "lookup_error", resources: [], directories: hotlines.directories }));
  test("a country's own line past its review is stale; another's alone is marked", () => {
    expect(look(["US"], { now: Date.parse("2027-06-01") })).toMatchObject({ status: "stale", stale: ["us-988", "us-crisis-text-line"] });
    const services = [row("a", { primary: true }), row("b", { next_review_at: "2026-11-30" })];
    expect(lookupResources(tableOf(...services), { regions: ["AA"], now })).toMatchObject({ status: "found", stale: ["b"] });
    expect(look(["US"], { now: Number.NaN }).status).toBe("stale");
  });
});

describe("who is shown what", () => {
  test("at most five, confirmed ones alone", () => {
    expect(idsOf(Array.from({ length: 9 }, (_, at) => row(`r${at}`)))).toHaveLength(5);
    expect(idsOf([row("a", { confirmed: false }), row("b")])).toEqual(["b"]);
  });
  test("a child's line is not the first for a grown person, and never the only one", () => {
    const child = row("child", { kind: "youth", audience: "children", primary: true });
    expect(idsOf([child, row("all")])).toEqual(["all", "child"]);
    expect(idsOf([child])).toEqual([]);
    expect(idsOf([child], { profile: "minor" })).toEqual(["child"]);
    expect(look(["BG"]).status).toBe("no_verified_results");
  });
  test("a crisis line in the person's language comes before one that does not speak it", () => {
    expect(look(["BE"], { language: "fr" }).resources[0]?.id).toBe("be-prevention-suicide");
    expect(look(["BE"], { language: "nl" }).resources[0]?.id).toBe("be-1813");
    expect(look(["FR"], { language: "en" }).resources[0]?.id).toBe("fr-3114");
  });
  test("services for one matter are shown to whoever is in it, and to nobody else", () => {
    const services = [row("own", { primary: true }), row("ed", { kind: "eating_disorder" }), row("home", { kind: "domestic_violence" })];
    expect(idsOf(services, { riskTypes: ["suicide"] })).toEqual(["own"]);
    expect(idsOf(services, { riskTypes: ["eating_disorder"] })).toEqual(["own", "ed"]);
    expect(idsOf(services, { riskTypes: ["abuse"] })).toEqual(["own", "home"]);
  });
  test("a name of two places shows both, and never a third", () => {
    const both = look(["IE", "GB"]);
    expect(new Set(both.resources.map(({ country }) => country))).toEqual(new Set(["IE", "GB"]));
    expect(both.emergency.map(({ number }) => number)).toEqual(["112", "999"]);
  });
  test("no country is shown another's line", () => {
    for (const country of new Set(hotlines.services.map((service) => service.country)))
      for (const found of look([country]).resources) expect(found).toMatchObject({ country, confirmed: true });
  });
  test("an emergency number that nobody confirmed is not shown", () => expect(look(["KR"]).emergency).toEqual([]));
});
