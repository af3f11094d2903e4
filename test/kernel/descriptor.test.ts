import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import * as d from "../../packages/throughline/src/kernel/descriptor.ts";
import type { SessionId } from "../../packages/throughline/src/kernel/id.ts";
import { declaredArbitrary } from "./declared-arbitrary.ts";

const part = d.variants("type", {
  text: d.object({ text: d.text }, "customer"),
  secret: d.object({ text: d.text }),
  trace: d.object({ text: d.text, at: d.toCustomers(d.time) }, "key"),
});
const operation = d.oneOf("op", [
  d.object({ op: d.literals("add", "test"), path: d.text, value: d.json }, "customer"),
  d.object({ op: d.literals("remove"), path: d.text }, "customer"),
]);
const note = d.object({
  role: d.toCustomers(d.literals("user", "assistant")),
  parts: d.toCustomers(d.list(part)),
  session: d.toKeys(d.optional(d.textOf<SessionId>())),
  title: d.toKeys(d.nullable(d.text)),
  counts: d.toKeys(d.record(d.number)),
  patch: d.toKeys(d.optional(d.list(operation))),
  internal: d.optional(d.jsonObject),
  pinned: d.toNobody(d.flag),
});
const whole: d.Infer<typeof note> = {
  role: "user",
  parts: [
    { type: "text", text: "hi" },
    { type: "secret", text: "hidden" },
    { type: "trace", text: "work", at: 5 },
  ],
  session: "ses_1" as SessionId,
  title: null,
  counts: { a: 1 },
  patch: [{ op: "remove", path: "/a" }],
  internal: { any: ["JSON"] },
  pinned: true,
};

it("types follow from the declaration", () => {
  expectTypeOf<d.Infer<typeof part>>().toEqualTypeOf<
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "secret"; readonly text: string }
    | { readonly type: "trace"; readonly text: string; readonly at: number }
  >();
  expectTypeOf<d.Infer<typeof note>["session"]>().toEqualTypeOf<SessionId | undefined>();
  // @ts-expect-error -- an absent member is left out, not undefined
  const undefinedMember: d.Infer<typeof note> = { ...whole, session: undefined };
  // @ts-expect-error -- a role is one of two
  const otherRole: d.Infer<typeof note> = { ...whole, role: "system" };
  expect([undefinedMember, otherRole]).toHaveLength(2);
});

describe("reading", () => {
  it("gives what was written, whatever it is", () =>
    fc.assert(
      fc.property(declaredArbitrary(note.node), (value) => {
        expect(d.decode(note, JSON.parse(JSON.stringify(value)))).toEqual({ ok: true, value });
      }),
    ));
  it("leaves out members that are not declared", () => expect(d.decode(note, { ...whole, unheard_of: 1 })).toEqual({ ok: true, value: whole }));

  it.each([
    ["no object", 5, "", "an object", "a value of type number"],
    ["a missing member", { ...whole, role: undefined }, "/role", "one of user, assistant", "nothing"],
    ["another literal", { ...whole, role: "my secret" }, "/role", "one of user, assistant", "a value of type string"],
    ["an item of another shape", { ...whole, parts: [{ type: "text", text: 1 }] }, "/parts/0/text", "a text", "a value of type number"],
    [
      "an option that there is not",
      { ...whole, parts: [{ type: "letter" }] },
      "/parts/0/type",
      "one of text, secret, trace",
      "a value of type string",
    ],
    ["no object among the options", { ...whole, parts: [[]] }, "/parts/0", "an object", "a list"],
    ["a value by name", { ...whole, counts: { "a/b": "1" } }, "/counts/a~1b", "a number", "a value of type string"],
    ["a number that JSON has not", { ...whole, counts: { a: Number.NaN } }, "/counts/a", "a number", "a value of type number"],
  ])("says where %s is, what was expected and what kind of value stands there", (_, value, path, expected, seen) =>
    expect(d.decode(note, value)).toEqual({ ok: false, mismatch: { path, expected, seen } }),
  );
  it("does not repeat what was said", () => expect(JSON.stringify(d.decode(note, { ...whole, role: "my secret" }))).not.toContain("my secret"));

  const grown = d.object({
    text: d.formerly(d.text, "rule", "words"),
    at: d.time,
    level: d.otherwise(d.number, 2),
    mode: d.lenient(d.formerly(d.otherwise(d.literals("a", "b"), "b"), "kind")),
    mark: d.flag,
    sources: d.filledList(d.text),
  });
  it("finds members under former names, and puts what is absent right", () =>
    expect(d.decode(grown, { words: "w", rule: null, at: "1970-01-01T00:00:01Z", level: null, kind: "z", mark: "yes", sources: ["s"] })).toEqual({
      ok: true,
      value: { text: "w", at: 1000, level: 2, mode: "b", sources: ["s"] },
    }));
  it("takes no empty list for a filled one, and no word for a time", () => {
    expect(d.decode(grown, { text: "w", at: 1, sources: [] })).toMatchObject({ mismatch: { path: "/sources", seen: "a list" } });
    expect(d.decode(grown, { text: "w", at: "soon", sources: ["s"] })).toMatchObject({ mismatch: { path: "/at", expected: "a time" } });
  });
});

describe("audiences", () => {
  it("a customer is shown what says so", () =>
    expect(d.shownTo(note, whole, "customer")).toEqual({ role: "user", parts: [{ type: "text", text: "hi" }] }));
  it("a key is shown that, and what is for keys", () => {
    const { internal: _internal, pinned: _pinned, ...shown } = whole;
    expect(d.shownTo(note, whole, "key")).toEqual({ ...shown, parts: [whole.parts[0], whole.parts[2]] });
  });
  it("a member that says nothing, or is not declared, is shown to nobody", () => {
    const closed = d.object({ text: d.text });
    expect(d.shownTo(closed, { text: "t", other: 1 }, "key")).toEqual({});
    expect(d.shownTo(note, { ...whole, unheard_of: 1 }, "key")).not.toHaveProperty("unheard_of");
    expect(d.shownTo(part, { type: "secret", text: "t" }, "key")).toBeUndefined();
    expect(d.shownTo(part, { type: "letter", text: "t" }, "key")).toBeUndefined();
  });
  it("whoever is shown an option is shown which it is, and never more than a wider audience", () =>
    fc.assert(
      fc.property(declaredArbitrary(note.node), (value) => {
        const customer = d.shownTo(note, value as object, "customer");
        expect(customer && d.shownTo(note, d.shownTo(note, value as object, "key") ?? {}, "customer")).toEqual(customer);
      }),
    ));
});
