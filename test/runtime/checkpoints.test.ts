/** When a checkpoint is written: as soon as the patches since the last one outweigh it and 16 KB. So a load reads at most twice the state. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  defineAgent,
  defineState,
  exportSession,
  importBundle,
  input,
  loop,
  reduced,
  scripted,
  stage,
  type Session,
  type Store,
} from "../../packages/throughline/src/index.ts";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import { emptyStore, started } from "./harness.ts";

const state = defineState({ message: input(z.string()), large: reduced(z.string()), small: reduced(z.string()) });

/** A value of `small`: two of them outweigh 16 KB, and 13 of them outweigh a state of 100 KB. */
const small = (number: string): string => number.padEnd(8 * 1024, "x");

/** A turn changes the state as an edit does. */
const write = stage("write", { state, writes: ["small"] }, ({ state: now }) => ({ small: small(now.message) }));
const agent = defineAgent({ name: "a1", version: 1, state, stages: [write], reply: loop({ model: scripted(() => "ok") }) });

const changes: Readonly<Record<string, (session: Session, number: number) => Promise<unknown>>> = {
  edits: (session, number) => session.edit({ small: small(String(number)) }),
  turns: (session, number) => session.send(String(number)),
};

/** Offset of the checkpoint that a load of the session begins with. */
const baseOf = async (store: Store, { id }: Session): Promise<number | undefined> => (await store.load({ session_id: id, messages: 0 }))?.base.offset;

describe.each(Object.entries(changes))("of a session that has %s", (_name, change) => {
  it("a small state has a checkpoint once its patches pass 16 KB", async () => {
    const { sessions, store } = await started({ agents: [agent] });
    const session = await sessions.create({ agent: "a1" });
    await change(session, 1);
    expect(await baseOf(store, session)).toBe(0);
    await change(session, 2);
    expect(await baseOf(store, session)).toBeGreaterThan(0);
  });

  it("a large state has none until its patches outweigh it", async () => {
    const { sessions, store } = await started({ agents: [agent] });
    const session = await sessions.create({ agent: "a1" });
    await session.edit({ large: "x".repeat(100 * 1024) });
    const first = await baseOf(store, session);
    for (let number = 1; number <= 11; number++) await change(session, number);
    expect(await baseOf(store, session)).toBe(first);
    for (let number = 12; number <= 14; number++) await change(session, number);
    expect(await baseOf(store, session)).toBeGreaterThan(first ?? 0);
  });
});

it("an imported session has checkpoints by the same rule", async () => {
  // Events of the same millisecond are imported with one commit, which has one checkpoint at its end.
  let now = 0;
  const clock = { ...systemClock, now: () => (now += 1) };
  const { sessions, store } = await started({ agents: [agent], clock });
  const session = await sessions.create({ agent: "a1" });
  await session.edit({ large: "x".repeat(100 * 1024) });
  for (let number = 1; number <= 11; number++) await session.edit({ small: small(String(number)) });
  const there = await emptyStore("memory");
  await importBundle(there, exportSession(store, session.id), { keepIds: true });
  const [before, after] = [await store.load({ session_id: session.id }), await there.load({ session_id: session.id })];
  expect(after?.base.offset).toBe(before?.base.offset);
  expect(after?.patches).toHaveLength(11);
});
