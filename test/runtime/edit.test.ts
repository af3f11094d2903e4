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
