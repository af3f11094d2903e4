import { describe, expect, it } from "vitest";
import { abortable, abortableItems } from "../../packages/throughline/src/kernel/deadline.ts";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import { errorCatalogue } from "../../packages/throughline/src/kernel/error-catalogue.ts";
import { seen, ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import { createIds, eventIdOf, executionIdOf, parseSessionId, turnIdOf, turnNumberOf } from "../../packages/throughline/src/kernel/id.ts";
import { assertJson, canonicalJson, deepFreeze, jsonEqual, notJson, type Json } from "../../packages/throughline/src/kernel/json.ts";
import { fixedClock, fixedIds, fixedRandom } from "../../packages/throughline/src/testing/test-clock.ts";

describe("errors", () => {
  it("carry code, sentence, hint, details, kind and cause", () => {
    const cause = new Error("inner");
    const error = new ThroughlineError("session.conflict", "Seen 3.", { details: { seen: 3 }, cause });
    expect(error).toMatchObject({ code: "session.conflict", message: "Seen 3.", kind: "conflict", retryable: true, cause });
    expect(error.hint).toBe(errorCatalogue["session.conflict"].hint);
    expect(error).toBeInstanceOf(Error);
  });
  it("are told by a marker, also from another copy of the package", () => {
    const foreign = { [Symbol.for("throughline.error")]: true, code: "store.full" };
    expect(ThroughlineError.is(foreign)).toBe(true);
    expect(ThroughlineError.is(foreign, "store.full", "store.busy")).toBe(true);
    expect(ThroughlineError.is(foreign, "store.busy")).toBe(false);
    expect(ThroughlineError.is(new Error("x"))).toBe(false);
    expect(ThroughlineError.is(null)).toBe(false);
  });
  it("as data have neither stack nor cause", () => {
    const data = JSON.stringify(new ThroughlineError("internal", "x", { cause: new Error("secret") }));
    expect(JSON.parse(data)).toEqual({ code: "internal", message: "x", hint: errorCatalogue.internal.hint });
  });
  it("from what is unknown hide what they do not know", () => {
    const error = ThroughlineError.from(new Error("password=hunter2"), "turn.failed");
    expect(error.code).toBe("turn.failed");
    expect(error.message).not.toContain("hunter2");
    const known = new ThroughlineError("store.full");
    expect(ThroughlineError.from(known)).toBe(known);
  });
  it.each(Object.entries(errorCatalogue))("%s has a meaning and a hint that are sentences", (_code, entry) => {
    for (const text of [entry.meaning, entry.hint]) expect(text).toMatch(/^[A-Z`].*\.$/);
  });
  it.each([
    [undefined, "undefined"],
    [() => 1, "a function"],
    [1n, "1n"],
    ["x".repeat(100), `"${"x".repeat(76)}...`],
    [Symbol("s"), "Symbol(s)"],
    [{ a: 1 }, '{"a":1}'],
  ])("show %s briefly", (value, shown) => expect(seen(value)).toBe(shown));
  it("survive showing a cycle", () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(seen(cycle)).toBe("[object Object]");
  });
});

describe("ids", () => {
  it("sort as they were made, also within a millisecond and when the clock steps back", () => {
    const clock = fixedClock();
    const ids = createIds({ clock });
    const made = Array.from({ length: 2_000 }, (_, index) => {
      if (index % 500 === 499) clock.advance(index % 1000 === 499 ? -5 : 7);
      return ids.next("session");
    });
    expect(made).toEqual(made.toSorted());
    expect(new Set(made).size).toBe(made.length);
  });
  it("are the same from the same clock and seed", () => {
    expect(fixedIds().next("session")).toBe(fixedIds().next("session"));
    expect(fixedIds(fixedClock(), 2).next("session")).not.toBe(fixedIds().next("session"));
  });
  it("hold the time in their first ten characters", () => {
    const early = createIds({ clock: fixedClock(1_000), random: fixedRandom() }).next("session");
    const late = createIds({ clock: fixedClock(2_000), random: fixedRandom() }).next("session");
    expect(early < late).toBe(true);
  });
  it("derive events, turns and executions", () => {
    const session = fixedIds().next("session");
    const turn = turnIdOf(session, 12);
    expect(turnNumberOf(turn)).toBe(12);
    expect(executionIdOf(turn)).toBe(turn.replace("trn_", "exe_"));
    expect(eventIdOf(session, 3)).toBe(`evt_${session.slice(4)}_3`);
  });
  it.each(["", "ses_", "ses_1", 7, null, "cus_01hzy3p9e8k4q5r6s7t8v9w0x1", "ses_../../etc/passwd0000000000"])(
    "refuse %j as a session id",
    (value) => {
      expect(() => parseSessionId(value)).toThrow(expect.objectContaining({ code: "session.not_found" }) as Error);
    },
  );
  it("make W3C trace ids", () => expect(createIds().trace()).toMatch(/^[0-9a-f]{32}$/));
});

describe("JSON", () => {
  const cycle: unknown[] = [];
  cycle.push({ deep: cycle });
  it.each<[string, unknown, string, string]>([
    ["undefined", { a: [1, undefined] }, "/a/1", "undefined"],
    ["NaN", { "a/b": Number.NaN }, "/a~1b", "NaN"],
    ["Infinity", Infinity, "", "Infinity"],
    ["a date", { at: new Date(0) }, "/at", "an instance of Date"],
    ["a map", new Map(), "", "an instance of Map"],
    ["a bigint", [1n], "/0", "1n"],
    ["a function", { f: () => 1 }, "/f", "a function"],
    ["a symbol", { s: Symbol("x") }, "/s", "Symbol(x)"],
    ["a cycle", cycle, "/0/deep", "a cycle"],
    ["holes", [1, , 3], "", "an array with holes"], // oxlint-disable-line no-sparse-arrays
  ])("is not %s", (_name, value, path, what) => {
    expect(notJson(value)).toEqual({ path, seen: what });
    expect(() => assertJson(value)).toThrow(expect.objectContaining({ code: "json.invalid" }) as Error);
  });
  it("is not nested deeper than the stack goes", () => {
    const nested = (depth: number): unknown => Array.from({ length: depth }).reduce((inner) => [inner], 1);
    expect(notJson(nested(512))).toBeUndefined();
    expect(notJson(nested(100_000))).toEqual({ path: "/0".repeat(512), seen: "a value nested deeper than 512 levels" });
  });
  it("may name the same object twice, and may have no prototype", () => {
    const shared = { a: 1 };
    expect(notJson([shared, shared])).toBeUndefined();
    expect(notJson(Object.assign(Object.create(null) as object, { a: null }))).toBeUndefined();
  });
  it("has one canonical text", () => {
    expect(canonicalJson({ b: [1, { d: null, c: "é" }], a: -0.5 })).toBe('{"a":-0.5,"b":[1,{"c":"é","d":null}]}');
  });
  it.each<[Json, Json, boolean]>([
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [[1, 2], [2, 1], false],
    [[], {}, false],
    [{ a: null }, {}, false],
    [null, {}, false],
    [{ a: 1 }, { b: 1 }, false],
    ["1", 1, false],
  ])("%j equals %j: %s", (left, right, equal) => expect(jsonEqual(left, right)).toBe(equal));
  it("freezes deeply, also in a cycle", () => {
    const value: { list: number[]; self?: unknown } = { list: [1] };
    value.self = value;
    deepFreeze(value);
    expect(Object.isFrozen(value.list)).toBe(true);
  });
});

describe("aborting", () => {
  it("does not wait for work that does not listen", async () => {
    const stop = new AbortController();
    const waiting = abortable(new Promise<never>(() => {}), stop.signal);
    stop.abort(new ThroughlineError("aborted"));
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    await expect(abortable(Promise.resolve(1), stop.signal)).rejects.toMatchObject({ code: "aborted" });
    await expect(abortable(Promise.resolve(1), new AbortController().signal)).resolves.toBe(1);
  });
  it("leaves a stream that hangs, and closes one that was left early", async () => {
    const stop = new AbortController();
    let closed = false;
    async function* hanging(): AsyncGenerator<number> {
      try {
        yield 1;
        yield 2;
      } finally {
        closed = true;
      }
    }
    const got: number[] = [];
    await expect(
      (async () => {
        for await (const item of abortableItems(hanging(), stop.signal)) {
          got.push(item);
          stop.abort(new ThroughlineError("aborted"));
        }
      })(),
    ).rejects.toMatchObject({ code: "aborted" });
    expect(got).toEqual([1]);
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(closed).toBe(true);
  });
});

describe("the fixed clock", () => {
  it("stands still until it is moved, and wakes whoever's time has come", async () => {
    const clock = fixedClock(1_000);
    const woken: string[] = [];
    const first = clock.sleep(10).then(() => woken.push("first"));
    const stop = new AbortController();
    const second = clock.sleep(20, stop.signal).catch(() => woken.push("aborted"));
    clock.advance(10);
    await first;
    expect([clock.now(), woken]).toEqual([1_010, ["first"]]);
    stop.abort();
    await second;
    expect(woken).toEqual(["first", "aborted"]);
  });
});

describe("the machine's clock", () => {
  it("sleeps as long as it is told", async () => {
    const before = systemClock.monotonic();
    await systemClock.sleep(5);
    expect(systemClock.monotonic() - before).toBeGreaterThan(3);
  });
  it.each([0, -1, Number.NaN])("wakes at once from %d milliseconds", async (ms) => {
    await systemClock.sleep(ms);
  });
  it.each([2 ** 31, Number.POSITIVE_INFINITY])("does not wake early from %d milliseconds, and wakes when it is told to", async (ms) => {
    const reason = new ThroughlineError("aborted");
    const stop = new AbortController();
    const slept = systemClock.sleep(ms, stop.signal);
    await systemClock.sleep(20);
    stop.abort(reason);
    await expect(slept).rejects.toBe(reason);
  });
});
