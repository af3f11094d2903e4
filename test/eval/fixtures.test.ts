import { describe, expect, test } from "vitest";
import { readBaseline } from "../../eval/baseline.ts";
import { forgotten } from "../../eval/fixture-forget.ts";
import { memoryOf, rowsOf } from "../../eval/fixture-memory.ts";
import { answers, goldOf, recalled } from "../../eval/fixture-run.ts";
import { queryClasses, readFixtures } from "../../eval/fixtures.ts";
import { digestOf, fixtureReport } from "../../eval/gates.ts";
import { profileId } from "../../packages/throughline/src/memory/entry.ts";
import { defaultWeights } from "../../packages/throughline/src/memory/recall/weights.ts";

const fixtures = readFixtures();
const queries = fixtures.flatMap(({ queries }) => queries);
const repeated = (ids: readonly string[]): readonly string[] => ids.filter((id, place) => ids.indexOf(id) !== place);

describe.each(fixtures)("the fixture $owner", (fixture) => {
  const { owner, sessions, facts, rules } = fixture;
  const messages = new Map(
    sessions.flatMap(({ id, messages }) => messages.map((message, place): [string, typeof message] => [`${id}:${place}`, message])),
  );
  const lastAt = Math.max(...sessions.map(({ at }) => Date.parse(at)));

  test("is ten to fourteen sessions in the order of time", () => {
    expect(sessions.length).toBeGreaterThanOrEqual(10);
    expect(sessions.length).toBeLessThanOrEqual(14);
    const times = sessions.map(({ at }) => Date.parse(at));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });
  test("quotes word for word what the person said, and never the assistant", () => {
    const wrong = [...facts, ...rules].filter(({ turn, quote }) => {
      const said = messages.get(turn);
      return said?.role !== "user" || !said.text.includes(quote);
    });
    expect(wrong).toEqual([]);
  });
  test("names each thing once", () => {
    expect(repeated(sessions.map(({ id }) => id))).toEqual([]);
    expect(repeated([...facts, ...rules].map(({ id }) => id))).toEqual([]);
    expect(fixture.queries.filter(({ id }) => !id.startsWith(`${owner}-`))).toEqual([]);
  });
  test("replaces facts by later ones", () => {
    const order = [...messages.keys()];
    const wrong = facts.filter(({ turn, superseded_by }) => {
      const by = facts.find(({ id }) => id === superseded_by);
      return superseded_by !== undefined && (by === undefined || order.indexOf(by.turn) < order.indexOf(turn));
    });
    expect(wrong).toEqual([]);
  });
  test("asks for what there is, after it was said", () => {
    const known = new Set([...facts.map(({ id }) => id), ...rules.map(({ id }) => id), ...messages.keys()]);
    expect(fixture.queries.flatMap(({ gold }) => gold.filter((id) => !known.has(id)))).toEqual([]);
    for (const query of fixture.queries) {
      const ids = new Set(rowsOf(fixture, Date.parse(query.now)).map(({ entry_id }) => entry_id));
      const gold = goldOf(fixture, query).filter((id) => messages.has(id));
      expect(
        gold.filter((message) => !ids.has(`turn:${message}`)),
        query.id,
      ).toEqual([]);
      expect(Date.parse(query.now), query.id).toBeLessThan(lastAt + 7 * 86_400_000);
    }
  });
  test("has gold for everything but what is another's and what asks for all", () => {
    const without = fixture.queries.filter((query) => goldOf(fixture, query).length === 0).map(({ class: name }) => name);
    expect(without.filter((name) => name !== "foreign" && name !== "export")).toEqual([]);
  });
});

test("there are six people, about 250 facts and 200 queries, in four languages and every class", () => {
  expect(fixtures).toHaveLength(6);
  expect(new Set(fixtures.map(({ language }) => language))).toEqual(new Set(["en", "es", "de", "zh"]));
  const facts = fixtures.flatMap(({ facts }) => facts).length;
  expect(facts).toBeGreaterThanOrEqual(240);
  expect(facts).toBeLessThanOrEqual(300);
  expect(queries.length).toBeGreaterThanOrEqual(200);
  expect(repeated(queries.map(({ id }) => id))).toEqual([]);
  const counts = queryClasses.map((name) => queries.filter((query) => query.class === name).length);
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(6);
});

describe("on the fixtures", () => {
  const { gates } = fixtureReport(fixtures, defaultWeights, readBaseline());

  test.each(gates)("memory.md 12: $name: $value ($limit)", ({ ok }) => expect(ok).toBe(true));

  test("rankings do not depend on the order in which entries were read", () => {
    for (const fixture of fixtures) {
      const now = Date.parse("2026-07-01T00:00:00Z");
      const rows = rowsOf(fixture, now);
      const [forwards, backwards] = [memoryOf(rows, defaultWeights), memoryOf(rows.toReversed(), defaultWeights)];
      for (const { text } of fixture.queries) {
        expect(JSON.stringify(recalled(backwards, text, now, defaultWeights))).toBe(JSON.stringify(recalled(forwards, text, now, defaultWeights)));
      }
    }
  });
  test("every rule of how to talk with someone is there, whatever was said", () => {
    for (const fixture of fixtures) {
      const view = memoryOf(rowsOf(fixture, Date.parse("2026-07-01T00:00:00Z")), defaultWeights);
      expect(view.get(profileId)).toBeDefined();
      const { rules } = recalled(view, "…", 0, defaultWeights);
      expect(rules.map(({ id }) => id)).toEqual(fixture.rules.map(({ id }) => id));
    }
  });
  test("a ranking that changes in one place changes the digest", () => {
    const [first, ...rest] = answers(fixtures.slice(0, 1), defaultWeights);
    if (first === undefined) throw new Error("There are no answers.");
    const swapped = { ...first, found: first.found.toReversed() };
    expect(first.found.length).toBeGreaterThan(1);
    expect(digestOf([swapped, ...rest])).not.toBe(digestOf([first, ...rest]));
  });
});

describe("the gates can fail", () => {
  const english = fixtures.filter(({ language }) => language === "en");
  const [first] = english;
  if (first === undefined) throw new Error("There are no fixtures.");

  test("a floor that lets nothing through keeps too little, one that lets everything through rejects too little", () => {
    const failing = (floor: number): readonly string[] =>
      fixtureReport(english, { ...defaultWeights, floor }, undefined)
        .gates.filter(({ ok }) => !ok)
        .map(({ name }) => name);
    expect(failing(2)).toContain("own questions kept");
    expect(failing(0)).toContain("foreign questions rejected");
  });
  test("figures that were better are a drop", () => {
    const ranks = Object.fromEntries(queries.map(({ id, gold }) => [id, gold.map(() => 1)]));
    const { gates } = fixtureReport(
      fixtures,
      { ...defaultWeights, source: 0, fact: 0, session: 0, before: [], after: [] },
      { weights: "", ranks, ranking_sha256: "" },
    );
    expect(gates.filter(({ ok }) => !ok).map(({ name }) => name)).toContain("recall against the baseline");
  });
  test("something that cannot be forgotten is a trace", () => {
    const blind = { ...first, queries: first.queries.map((query) => (query.class === "deletion" ? { ...query, gold: [] } : query)) };
    expect(forgotten([blind], defaultWeights).map(({ where }) => where)).toContain("control");
  });
});
