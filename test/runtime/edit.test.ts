/** Edits: what they return, what their event carries, and what a session costs to load that is only ever edited. */
import { describe, expect, it } from "vitest";
import { collect, started } from "./harness.ts";

describe.each(["memory", "sqlite"] as const)("%s", (kind) => {
  it("an edit says where it stands, and carries the integration's data", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    const { offset } = await session.edit({ seen: ["one"] }, { operator: "Ann", metadata: { ticket: 7 } });
    const [event] = await collect(session, { minOffset: offset });
    expect(event).toMatchObject({ offset, kind: "state", metadata: { ticket: 7 }, data: { writer: { type: "operator", name: "Ann" } } });
    expect(await session.edit({ seen: [] })).toEqual({ offset });
    expect((await session.info()).head).toBe(offset);
  });

  it("metadata that is none is refused before anything is written", async () => {
    const { sessions } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    for (const metadata of [[1], "x", { big: "x".repeat(65 * 1024) }]) {
      await expect(session.edit({ seen: ["one"] }, { metadata: metadata as never })).rejects.toThrow();
    }
    expect((await session.info()).head).toBe(0);
  });

  it("a session that is only ever edited loads what one checkpoint and its weight in patches are", async () => {
    const { sessions, store } = await started({ kind });
    const session = await sessions.create({ agent: "a1" });
    const entry = (turn: number): string => `${turn} ${"x".repeat(400)}`;
    for (let turn = 0; turn < 120; turn++) await session.edit({ seen: [entry(turn)] });
    const loaded = await store.load({ session_id: session.id, messages: 0 });
    const patches = loaded?.patches.reduce((sum, { bytes }) => sum + bytes + 256, 0) ?? 0;
    expect(loaded?.base.offset).toBeGreaterThan(0);
    expect(patches).toBeLessThanOrEqual(Math.max(loaded?.base.bytes ?? 0, 16 * 1024) + 1024);
    expect((await session.state()).document["seen"]).toEqual(Array.from({ length: 120 }, (_, turn) => entry(turn)));
    expect((await session.state({ at: 10 })).document["seen"]).toEqual(Array.from({ length: 10 }, (_, turn) => entry(turn)));
  });
});

describe("a preview of an edit", () => {
  it("is the patch that the edit commits, and commits nothing", async () => {
    const { sessions } = await started();
    const session = await sessions.create({ agent: "a1" });
    await session.edit({ seen: ["one"] });
    const { head } = await session.info();
    const preview = await session.previewEdit({ seen: ["two"], count: 2 });
    expect(preview.problems).toEqual([]);
    expect((await session.info()).head).toBe(head);
    const { offset } = await session.edit({ seen: ["two"], count: 2 }, { expectedOffset: preview.state_offset });
    const [event] = await collect(session, { minOffset: offset });
    expect(event?.kind === "state" && event.data.patch).toEqual(preview.patch);
    expect(await session.previewEdit({})).toEqual({ state_offset: offset, patch: [], problems: [] });
  });

  it("names every field that the edit would be refused for", async () => {
    const { sessions } = await started();
    const session = await sessions.create({ agent: "a1" });
    const { patch, problems } = await session.previewEdit({ count: "x", seen: ["one"], nothing: 1, message: "x" });
    expect(patch).toEqual([]);
    expect(problems.map(({ field, code }) => [field, code])).toEqual([
      ["count", "state.invalid_value"],
      ["nothing", "state.unknown_field"],
      ["message", "state.undeclared_write"],
    ]);
  });
});

describe("the last writer of a field", () => {
  it("is found over many changes of others, at the head and at an offset, also in a fork", async () => {
    const { sessions } = await started();
    const session = await sessions.create({ agent: "a1" });
    expect(await session.stateWriters()).toEqual({ offset: 0, fields: {} });
    const { offset: first } = await session.edit({ count: 1 }, { operator: "Ann" });
    const { offset: last } = await session.edit({ seen: ["one"] }, { operator: "Bob" });
    const ann = { offset: first, writer: { type: "operator", name: "Ann" } };
    const bob = { offset: last, writer: { type: "operator", name: "Bob" } };
    expect((await session.stateWriters()).fields).toEqual({ count: ann, seen: bob });
    expect((await session.stateWriters({ at: first })).fields).toEqual({ count: ann });
    const fork = await session.fork();
    const { offset: own } = await fork.edit({ count: 3 });
    expect((await fork.stateWriters()).fields).toEqual({ count: { offset: own, writer: { type: "operator" } }, seen: bob });
    for (let at = 0; at < 1_100; at++) await session.postCustom(at);
    await session.edit({ seen: ["two"] });
    expect((await session.stateWriters()).fields).toMatchObject({ count: ann });
    await expect(session.stateWriters({ at: 99_999 })).rejects.toThrow(/offset/u);
  });
});
