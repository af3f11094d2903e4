/** Changes of several things at once: all of them, or none, and only on what was looked at. */
import { describe, expect, it } from "vitest";
import { createRuntime, scripted } from "../../packages/throughline/src/index.ts";
import type { SessionPatch } from "../../packages/throughline/src/session.ts";
import { mergePatch } from "../../packages/throughline/src/kernel/json-patch.ts";
import type { Json } from "../../packages/throughline/src/kernel/json.ts";
import { code, collect, echoAgent, gate, outline, started } from "./harness.ts";

describe("a merge patch", () => {
  // The examples of RFC 7396, appendix A.
  it.each<[Json | undefined, Json, Json]>([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [
      ["a", "b"],
      ["c", "d"],
      ["c", "d"],
    ],
    [{ a: "b" }, ["c"], ["c"]],
    [{ a: "foo" }, null, null],
    [{ a: "foo" }, "bar", "bar"],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [undefined, { a: { b: null } }, { a: {} }],
  ])("of %j with %j is %j", (target, patch, result) => expect(mergePatch(target, patch)).toEqual(result));

  it("leaves prototypes alone", () => {
    const patch = JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"a": 1}}') as Json;
    const merged = mergePatch({}, patch) as Record<string, unknown>;
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(Object.keys(merged)).toEqual(["__proto__", "constructor"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe.each(["memory", "sqlite"] as const)("%s: a patch of a session", (kind) => {
  it("B11, B13: changes everything in one commit; what is empty, false or 0 is a value, and null takes away", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({
      agent: "a1",
      title: "Old",
      labels: ["x"],
      metadata: { project: 1, p: "high", v: 1, team: "t", deep: { a: 1, b: 2 } },
    });
    const info = await session.patch({
      title: "",
      mode: "manual",
      metadata: { p: "", v: 0, team: null, missing: null, flag: false, list: [], deep: { a: null, c: {} } },
      labels: { add: ["y", "y"], remove: ["x", "z"] },
      consumers: { client: 3, other: 0 },
    });
    expect(info).toMatchObject({
      title: "",
      mode: "manual",
      handover: { status: "waiting" },
      labels: ["y"],
      consumers: { client: 3, other: 0 },
      version: 2,
    });
    expect(info.metadata.values).toEqual({ project: 1, p: "", v: 0, flag: false, list: [], deep: { b: 2, c: {} } });
    expect(outline(await collect(session))).toEqual(["session:created", "session:title", "session:mode", "session:title"]);
    expect(await session.patch({ title: null, consumers: { client: 0, other: null } })).toMatchObject({
      title: null,
      consumers: { client: 0 },
      version: 3,
    });
    expect(await session.info()).toEqual(await session.patch({}));
  });

  it("holds on the version that it names, and says which there is otherwise", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    await session.patch({ title: "A" }, { ifVersion: 0 });
    await expect(session.patch({ title: "B", mode: "manual" }, { ifVersion: 0 })).rejects.toMatchObject({
      code: "request.precondition_failed",
      details: { version: 1 },
    });
    expect(await session.info()).toMatchObject({ title: "A", mode: "auto", version: 1 });
    const codes = await Promise.all([1, 2, 3].map((n) => code(session.patch({ metadata: { n } }, { ifVersion: 1 }).then(() => Promise.reject(n)))));
    expect(codes.filter((one) => one === "request.precondition_failed")).toHaveLength(2);
    // Messages and what agents do are no changes of the header.
    await session.send("hello");
    expect((await session.info()).version).toBe(2);
    expect(await code(session.patch({ title: "C" }, { ifVersion: 1.5 }))).toBe("input.invalid");
  });

  it.each<[string, object]>([
    ["session.invalid", { title: "x".repeat(201), metadata: { a: 1 } }],
    ["session.invalid", { title: 7 }],
    ["session.invalid", { mode: "paused", title: "new" }],
    ["session.invalid", { labels: { add: [""] }, title: "new" }],
    ["session.invalid", { labels: ["x"], title: "new" }],
    ["session.invalid", { labels: { add: ["subagent"] } }],
    ["session.invalid", { consumers: { client: -1 }, title: "new" }],
    ["session.invalid", { consumers: { "": 1 } }],
    ["variables.invalid", { metadata: { a: Number.NaN }, title: "new" }],
    ["variables.invalid", { metadata: [], title: "new" }],
    ["variables.invalid", { metadata: { a: "x".repeat(70_000) }, mode: "manual" }],
    ["metadata.reserved", { metadata: { step_outputs: {} }, title: "new" }],
    ["input.invalid", { titel: "new" }],
    ["input.invalid", { labels: { added: ["x"] } }],
    ["variables.invalid", { title: "new", mode: "manual", metadata: "x" }],
  ])("B5, B10, B16: %s for what cannot be, and nothing of it is done: %j", async (expected, patch) => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1", title: "Old" });
    const before = await session.info();
    expect(await code(session.patch(patch as SessionPatch))).toBe(expected);
    expect(await session.info()).toEqual(before);
  });

  it("changes of one session by many at once are all kept", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    await Promise.all([
      ...[1, 2, 3].map((n) => session.patch({ metadata: { [`m${n}`]: n } })),
      session.setLabels({ add: ["l"] }),
      session.setConsumer("client", 4),
      session.setMetadata({ set: { s: 1 } }),
      session.setTitle("T"),
      session.setMode("manual"),
    ]);
    const { metadata, labels, consumers, title, mode, version } = await session.info();
    expect({ values: metadata.values, labels, consumers, title, mode }).toEqual({
      values: { m1: 1, m2: 2, m3: 3, s: 1 },
      ...{ labels: ["l"], consumers: { client: 4 }, title: "T", mode: "manual" },
    });
    expect(version).toBe(8);
  });

  it("of the mode cancels the turn at work in the same commit, also in another process", async () => {
    const [asked, held] = [gate(), gate()];
    const agent = echoAgent({ model: scripted(() => ({ text: "never", wait: async () => (asked.open(), held.opened) })) });
    const { sessions, store } = await started({ kind, agents: [agent] });
    const other = await createRuntime({ store, agents: [agent], work: false });
    const session = await sessions.create({ agent: "a1" });
    const sent = session.send("hello");
    await asked.opened;
    await (await other.sessions.get(session.id)).patch({ mode: "manual", title: "Taken", labels: { add: ["urgent"] } });
    held.open();
    expect(await sent).toMatchObject({ status: "stopped", reason: "manual" });
    await other.close();
  });
});

describe.each(["memory", "sqlite"] as const)("%s: a patch of a customer", (kind) => {
  it("changes name, variables and metadata in one commit, all or none", async () => {
    const { customers } = await started({ kind });
    const ada = await customers.create({ id: "ada", name: "Ada", variables: { tier: "gold", n: 3, deep: { a: 1, b: 2 } }, metadata: { crm: 1 } });
    const patched = await customers.patch("ada", {
      name: "",
      variables: { tier: null, n: 0, deep: { a: null }, gone: null },
      metadata: { crm: null, x: "" },
    });
    expect(patched).toMatchObject({ id: "ada", name: "", version: ada.version + 1 });
    expect([patched.variables.values, patched.metadata.values]).toEqual([{ n: 0, deep: { b: 2 } }, { x: "" }]);
    expect((await customers.patch("ada", { name: null })).name).toBeNull();
    expect(await customers.patch("ada", {})).toEqual(await customers.get("ada"));
    const before = await customers.get("ada");
    for (const wrong of [
      { name: "x".repeat(201), variables: { n: 1 } },
      { variables: { n: Number.NaN }, name: "B" },
      { nmae: "B" },
      { metadata: 7, name: "B" },
    ])
      expect(await code(customers.patch("ada", wrong as object))).toMatch(/^(input|variables)\.invalid$/);
    expect(await customers.get("ada")).toEqual(before);
    expect(await code(customers.patch("nobody", {}))).toBe("customer.not_found");
  });

  it("holds on the version that it names", async () => {
    const { customers } = await started({ kind });
    const { version } = await customers.create({ id: "ada" });
    const changed = await customers.patch("ada", { name: "Ada" }, { ifVersion: version });
    await expect(customers.patch("ada", { name: "Bob" }, { ifVersion: version })).rejects.toMatchObject({
      code: "request.precondition_failed",
      details: { version: changed.version },
    });
    expect((await customers.get("ada")).name).toBe("Ada");
  });
});

describe("an edit that names the offset it was decided on", () => {
  it("is refused once the state has changed, and not when something else has happened", async () => {
    const { sessions } = await started();
    const session = await sessions.create({ agent: "a1" });
    const { offset } = await session.state();
    await session.postCustom("not the state");
    await session.edit({ count: 0 }, { expectedOffset: offset });
    const { head } = await session.info();
    await expect(session.edit({ count: 1 }, { expectedOffset: offset })).rejects.toMatchObject({
      code: "session.conflict",
      details: { expected_offset: 0, state_offset: 2, head: 2 },
    });
    expect((await session.state()).document).toEqual({ count: 0 });
    expect(await code(session.edit({ count: 1 }, { expectedOffset: head + 1 }))).toBe("session.conflict");
    for (const wrong of [-1, 1.5, Number.NaN]) expect(await code(session.edit({ count: 1 }, { expectedOffset: wrong }))).toBe("input.invalid");
    const codes = await Promise.all([1, 2].map((count) => code(session.edit({ count }, { expectedOffset: head }).then(() => Promise.reject(count)))));
    expect(codes.filter((one) => one === "session.conflict")).toHaveLength(1);
  });

  it("state can be read as a view has it", async () => {
    const { sessions } = await started();
    const session = await sessions.create({ agent: "a1" });
    await session.edit({ count: 2 });
    expect(await session.state({ view: "internal" })).toMatchObject({ offset: 1, state_offset: 1, document: { count: 2 } });
    expect((await session.state({ view: "public" })).document).toEqual({});
    expect(await code(session.state({ view: "input" as "public" }))).toBe("input.invalid");
  });
});
