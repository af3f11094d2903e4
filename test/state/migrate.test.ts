import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepFreeze, type JsonObject } from "../../packages/throughline/src/kernel/json.ts";
import { assertMigrations, defineMigration, type Migration, migrateDocument } from "../../packages/throughline/src/state/migrate-state.ts";
import { document } from "../kernel/arbitraries.ts";
import { codeOf, errorOf } from "./support.ts";

const step = (from: number, to: number): Migration =>
  defineMigration({ from, to, migrate: (before) => ({ ...before, path: `${(before["path"] as string | undefined) ?? from} ${to}` }) });

describe("migrating", () => {
  it("runs the steps in order, taking the longest that does not overshoot", () => {
    const steps = [step(3, 4), step(1, 2), step(2, 3), step(1, 3), step(3, 9)];
    expect(migrateDocument({}, 1, 4, steps)).toEqual({ path: "1 3 4" });
    expect(migrateDocument({}, 2, 3, steps)).toEqual({ path: "2 3" });
  });

  it("gives the document back when there is nothing to do", () => {
    const before = { a: 1 };
    expect(migrateDocument(before, 2, 2, [])).toBe(before);
  });

  it("refuses a document of a later version", () => {
    expect(errorOf(() => migrateDocument({}, 3, 2, []))).toMatchObject({
      code: "state.definition_newer",
      retryable: true,
      details: { from: 3, to: 2 },
    });
  });

  it("names the step that is missing", () => {
    expect(errorOf(() => migrateDocument({}, 1, 3, [step(1, 2)]))).toMatchObject({ code: "state.migration_missing", details: { from: 2, to: 3 } });
  });

  const results: readonly [name: string, migrate: (before: JsonObject) => unknown][] = [
    ["throws", () => expect.fail("boom")],
    ["changes its argument", (before) => Object.assign(before, { a: 2 })],
    ["changes it at depth", (before) => (before["list"] as number[]).push(2)],
    ["returns nothing", () => undefined],
    ["returns a list", () => []],
    ["returns a promise", () => Promise.resolve({})],
    ["returns what is not JSON", () => ({ at: new Date(0) })],
  ];
  it.each(results)("fails, the document as it was, when a migration %s", (_name, migrate) => {
    const before = { a: 1, list: [1] };
    expect(errorOf(() => migrateDocument(before, 1, 2, [{ from: 1, to: 2, migrate: migrate as never }]))).toMatchObject({
      code: "state.migration_failed",
      details: { from: 1, to: 2 },
    });
    expect(before).toEqual({ a: 1, list: [1] });
  });

  it("is pure: the same document gives the same result and stays as it is", () => {
    fc.assert(
      fc.property(document, (before) => {
        const copy = structuredClone(before);
        const frozen = deepFreeze(structuredClone(before));
        expect(migrateDocument(before, 1, 2, [step(1, 2)])).toEqual(migrateDocument(frozen, 1, 2, [step(1, 2)]));
        expect(before).toEqual(copy);
      }),
    );
  });
});

describe("declaring migrations", () => {
  const migrate = (before: JsonObject): JsonObject => before;
  it.each([
    ["a step back", { from: 2, to: 1, migrate }],
    ["a step nowhere", { from: 1, to: 1, migrate }],
    ["a fraction", { from: 1, to: 1.5, migrate }],
    ["no function", { from: 1, to: 2, migrate: {} }],
    ["an option that does not exist", { from: 1, to: 2, migrate, name: "x" }],
    ["no object", undefined],
  ])("refuses %s", (_name, migration) => {
    expect(codeOf(() => defineMigration(migration as never))).toBe("state.definition_invalid");
  });

  it("checks those of an agent against its version", () => {
    expect(() => assertMigrations(4, [step(1, 2), step(2, 4), step(1, 4)])).not.toThrow();
    expect(() => assertMigrations(1, [])).not.toThrow();
    expect(errorOf(() => assertMigrations(3, [step(1, 2), step(1, 2), step(2, 3)])).message).toContain("two steps from 1 to 2");
    expect(errorOf(() => assertMigrations(2, [step(1, 3)])).message).toContain("past the agent's version 2");
    expect(errorOf(() => assertMigrations(3, [step(1, 2)])).message).toContain("ends at version 2");
    expect(codeOf(() => assertMigrations(3, step(1, 3) as never))).toBe("agent.invalid");
  });
});
