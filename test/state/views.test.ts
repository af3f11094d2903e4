import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { PatchOperation } from "../../packages/throughline/src/kernel/json-patch.ts";
import { applyDelta } from "../../packages/throughline/src/state/apply.ts";
import { defineState } from "../../packages/throughline/src/state/define.ts";
import { decodeState } from "../../packages/throughline/src/state/document.ts";
import { input, loaded, reduced, turn } from "../../packages/throughline/src/state/field.ts";
import { beginTurn, withMessages } from "../../packages/throughline/src/state/state-turn.ts";
import { fieldsOf, outputOf, project, publicOf, publicOperations, viewSchema } from "../../packages/throughline/src/state/views.ts";

const Diary = defineState({
  message: input(z.string()),
  locale: input(z.string().default("en"), { show: "output" }),
  user_name: reduced(z.string(), { show: "public", start: true }),
  secret: reduced(z.string()),
  since: reduced(z.date(), { show: "public", codec: { encode: (value) => value.getTime(), decode: (json) => new Date(json as number) } }),
  "a/b": reduced(z.number(), { show: "public" }),
  memory: loaded(z.array(z.string())),
  answer: turn(v.string(), { show: "output" }),
});
const begun = beginTurn(Diary, decodeState(Diary, {}), { input: { message: "hi" } }).state;
const state = applyDelta(Diary, begun, { user_name: "Ada", secret: "s", since: new Date(7), answer: "yes", memory: ["m"] }).state;

describe("views", () => {
  it("are derived from the declaration", () => {
    expect(fieldsOf(Diary, "input")).toEqual(["message", "locale", "user_name"]);
    expect(fieldsOf(Diary, "internal")).toEqual(Object.keys(Diary.fields));
    expect(fieldsOf(Diary, "output")).toEqual(["locale", "user_name", "since", "a/b", "answer"]);
    expect(fieldsOf(Diary, "public")).toEqual(["user_name", "since", "a/b"]);
  });

  it("have JSON Schemas", () => {
    expect(viewSchema(Diary, "input")).toEqual({
      type: "object",
      properties: { message: { type: "string" }, locale: { type: "string", default: "en" }, user_name: { type: "string" } },
      required: ["message"],
      additionalProperties: false,
    });
    expect(viewSchema(Diary, "output")).toMatchObject({
      properties: { locale: { type: "string" }, user_name: { type: "string" }, since: {}, answer: {} },
      required: [],
    });
    expect(viewSchema(Diary, "internal")).toMatchObject({ required: ["message", "messages"] });
  });

  it("have JSON Schemas of what a schema takes for input, and of what it returns otherwise", () => {
    const Filled = defineState({ place: input(z.object({ city: z.string().default("Rome") }), { show: "output" }) });
    expect(viewSchema(Filled, "input")).not.toMatchObject({ properties: { place: { required: ["city"] } } });
    expect(viewSchema(Filled, "output")).toMatchObject({ properties: { place: { required: ["city"] } } });
  });

  it("project a state to JSON that can leave the process", () => {
    expect(project(Diary, state, "public")).toEqual({ user_name: "Ada", since: 7 });
    expect(project(Diary, state, "output")).toEqual({ locale: "en", user_name: "Ada", since: 7, answer: "yes" });
    expect(project(Diary, withMessages(Diary, state, [{ role: "user", text: "hi" }]), "internal")).toEqual({
      message: "hi",
      locale: "en",
      user_name: "Ada",
      secret: "s",
      since: 7,
      memory: ["m"],
      answer: "yes",
      messages: [{ role: "user", text: "hi" }],
    });
    expect(
      JSON.stringify([project(Diary, state, "public"), project(Diary, state, "output"), outputOf(Diary, state), publicOf(Diary, state)]),
    ).not.toContain('"s"');
  });

  it("give values as stages read them", () => {
    expect(publicOf(Diary, state)).toEqual({ user_name: "Ada", since: new Date(7) });
    expect(outputOf(Diary, state)).toEqual({ locale: "en", user_name: "Ada", since: new Date(7), answer: "yes" });
  });
});

describe("public operations", () => {
  const cases: readonly [name: string, operations: readonly PatchOperation[], shown: readonly PatchOperation[]][] = [
    ["on public fields", [{ op: "add", path: "/user_name", value: "A" }], [{ op: "add", path: "/user_name", value: "A" }]],
    ["below public fields, names escaped", [{ op: "remove", path: "/a~1b/0" }], [{ op: "remove", path: "/a~1b/0" }]],
    [
      "not on others",
      [
        { op: "add", path: "/secret", value: "s" },
        { op: "test", path: "/answer", value: 1 },
        { op: "remove", path: "/message" },
      ],
      [],
    ],
    [
      "not on undeclared ones",
      [
        { op: "add", path: "/toString", value: 1 },
        { op: "add", path: "/user_names", value: 1 },
      ],
      [],
    ],
    [
      "not what comes from a field that is not shown",
      [
        { op: "copy", from: "/secret", path: "/user_name" },
        { op: "move", from: "/secret", path: "/user_name" },
      ],
      [],
    ],
    ["what moves out of sight is gone", [{ op: "move", from: "/user_name", path: "/secret" }], [{ op: "remove", path: "/user_name" }]],
    ["what moves within sight moves", [{ op: "move", from: "/user_name", path: "/a~1b" }], [{ op: "move", from: "/user_name", path: "/a~1b" }]],
    [
      "a replacement of everything is cut down",
      [{ op: "replace", path: "", value: { user_name: "A", secret: "s", "a/b": 1 } }],
      [{ op: "replace", path: "", value: { user_name: "A", "a/b": 1 } }],
    ],
  ];
  it.each(cases)("are shown %s", (_name, operations, shown) => {
    expect(publicOperations(Diary, operations)).toEqual(shown);
  });
});
