import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  counter,
  defineAgent,
  defineMigration,
  defineState,
  input,
  loop,
  reduced,
  scripted,
  type Session,
} from "../../packages/throughline/src/index.ts";
import { code, collect, echo, echoAgent, gate, outline, started } from "./harness.ts";
import { hangMs } from "../setup/limits.ts";

async function talked(options: Parameters<typeof started>[0] = {}): Promise<{ readonly session: Session } & Awaited<ReturnType<typeof started>>> {
  const runtime = await started(options);
  const session = await runtime.sessions.create({ agent: "a1", title: "first", labels: ["vip"], metadata: { external_id: "x" } });
  await session.send("one");
  await session.send("two");
  return { ...runtime, session };
}

const texts = async (session: Session): Promise<readonly string[]> => (await session.messages()).map(({ text }) => text);

describe("a fork", () => {
  test("goes on from a point of the history, and neither sees the other's future", async () => {
    const { session, sessions } = await talked();
    const [, first] = await session.history();
    const fork = await session.fork({ at: first!.offset, title: "what if", labels: ["draft"] });
    await fork.send("three");
    expect(await texts(fork)).toEqual(["one", "re:one", "three", "re:three"]);
    expect(await texts(session)).toEqual(["one", "re:one", "two", "re:two"]);
    const info = await fork.info();
    expect(info).toMatchObject({ title: "what if", labels: ["draft"], mode: "auto", origin: { session_id: session.id, at: first!.offset } });
    expect(info.metadata.values).toEqual({});
    expect((await sessions.tree(fork.id)).forks.map((node) => node.session.id)).toEqual([fork.id]);
    expect((await sessions.get(fork.id)).id).toBe(fork.id);
  });

  test("has a history of its own that begins with the one it shares, read in one query", async () => {
    const { session, store } = await talked();
    const fork = await session.fork();
    await fork.send("three");
    let queries = 0;
    const list = store.list.bind(store);
    const counting = (query: Parameters<typeof list>[0]): ReturnType<typeof list> => {
      queries += 1;
      return list(query);
    };
    Object.assign(store, { list: counting });
    const points = await fork.history({ limit: 3 });
    expect(queries).toBe(1);
    expect(points.map(({ turn_id }) => turn_id)).toEqual([3, 2, 1].map((number) => `trn_${fork.id.slice(4)}_${number}`));
    expect((await fork.history({ before: points[1]!.offset })).map(({ offset }) => offset)).toEqual([points[2]!.offset]);
    expect(await code(fork.history({ limit: 0 }))).toBe("input.invalid");
    for (const { offset } of points.slice(1)) {
      expect(await fork.messages({ at: offset })).toEqual(await session.messages({ at: offset }));
      expect(await fork.state({ at: offset })).toEqual(await session.state({ at: offset }));
    }
  });

  test("in the middle of a turn ends it there as stopped, and its message has that outcome; the turn itself goes on", async () => {
    const held = gate();
    let pieces = 0;
    const model = scripted((request) => {
      const text = request.messages.findLast((message) => message.role === "user")?.text ?? "";
      if (text !== "slow") return `re:${text}`;
      return { text: ["re:", "slow"], wait: async () => (pieces++ === 0 ? undefined : held.opened) };
    });
    const { sessions } = await started({ agents: [echoAgent({ model })] });
    const session = await sessions.create({ agent: "a1" });
    const { offset } = await session.post("slow");
    // What the turn has done so far is on disk before the first piece of its reply leaves.
    for await (const event of session.events({ kinds: ["status"] })) if (event.kind === "status" && event.data.status === "typing") break;
    const next = await session.post("next");
    const fork = await session.fork();
    expect(await fork.pending()).toEqual({ turns: [], waiting: [], calls: [] });
    expect(await fork.outcome(offset)).toMatchObject({ status: "stopped", reason: "forked" });
    expect(await fork.outcome(next.offset)).toMatchObject({ status: "stopped", reason: "forked" });
    expect(outline(await collect(fork, { minOffset: (await fork.info()).origin!.at + 1 }))).toEqual([
      ...["session:forked", "status:cancelled", "turn:ended"],
      ...["turn:started", "status:cancelled", "turn:ended"],
    ]);
    held.open();
    expect(await session.outcome(offset)).toMatchObject({ status: "completed", reply: "re:slow" });
    expect(await session.outcome(next.offset)).toMatchObject({ status: "completed", reply: "re:next" });
    expect((await fork.send("mine")).reply).toBe("re:mine");
  });

  test("of a session that a person has is the agent's, and answers nothing that waited", async () => {
    const { session } = await talked();
    await session.setMode("manual");
    const { offset } = await session.post("hello?");
    const fork = await session.fork();
    expect((await fork.info()).mode).toBe("auto");
    expect(await fork.outcome(offset)).toMatchObject({ status: "stopped", reason: "forked" });
    expect((await session.pending()).waiting).toEqual([offset]);
    // The turn that answers nothing there is one like any other: it is where it says it is, and can be done again.
    const [ended] = (await fork.turns()).items;
    expect(ended).toMatchObject({ status: "ended", answers: [offset], outcome: { reason: "forked" } });
    expect((await fork.event(ended!.started_offset!)).data).toMatchObject({ type: "started" });
    const { turn_id } = await fork.retry(ended!.turn_id);
    expect(await fork.outcome(turn_id)).toMatchObject({ status: "completed", reply: "re:hello?" });
    expect((await fork.send("mine")).status).toBe("completed");
  });

  test("brings withdrawn messages back if it begins before they were taken back, and can take back what it shares for itself alone", async () => {
    const { session } = await talked();
    const { head } = await session.info();
    const second = (await session.messages())[2]!.offset;
    await session.withdraw({ from: second });
    const fork = await session.fork({ at: head });
    expect(await texts(session)).toEqual(["one", "re:one"]);
    expect(await texts(fork)).toEqual(["one", "re:one", "two", "re:two"]);
    await fork.withdraw({ from: await firstMessage(fork) });
    expect(await texts(fork)).toEqual([]);
    expect(await texts(session)).toEqual(["one", "re:one"]);
    expect(await code(fork.withdraw({ from: second + 1 }))).toBe("session.withdraw_splits_turn");
  });

  test("with a key is made once, and opened by it; a key of another session is refused", async () => {
    const runtime = await started();
    const session = await runtime.sessions.open({ agent: "a1", customer: "crm-1" });
    await session.send("one");
    const [one, two] = await Promise.all([session.fork({ key: "b" }), session.fork({ key: "b" })]);
    expect(two.id).toBe(one.id);
    expect((await runtime.sessions.open({ agent: "a1", customer: "crm-1", key: "b" })).id).toBe(one.id);
    expect(await code(session.fork({ key: "default" }))).toBe("session.exists");
    expect(await code(session.fork({ key: "b", at: 1 }))).toBe("session.exists");
    expect((await one.info()).customer_id).toBe("crm-1");
  });

  test("is refused outside the log, with a wrong header, and of what is not there", async () => {
    const { session, sessions } = await talked();
    const { head } = await session.info();
    for (const at of [head + 1, -1, 0.5, Number.NaN]) expect(await code(session.fork({ at }))).toBe("log.offset_invalid");
    expect(await code(session.fork({ title: "x".repeat(201) }))).toBe("session.invalid");
    expect(await code(session.fork({ labels: [""] }))).toBe("session.invalid");
    expect(await code(session.fork({ key: "" }))).toBe("session.invalid");
    await sessions.delete(session.id);
    expect(await code(session.fork())).toBe("session.not_found");
    expect(await code(sessions.tree(session.id))).toBe("session.not_found");
  });

  test("of an old state migrates it in its first commit; the past stays as it was", async () => {
    const { session, store, ...before } = await talked();
    await session.edit({ count: 3 });
    await before.close();
    const state = defineState({ message: input(z.string()), total: reduced(z.number(), { reduce: counter() }) });
    const migration = defineMigration({ from: 1, to: 2, migrate: ({ count }) => ({ total: count ?? 0 }) });
    const newer = defineAgent({ name: "a1", version: 2, state, reply: loop({ model: echo() }), migrations: [migration] });
    const runtime = await started({ store, agents: [newer] });
    const old = await runtime.sessions.get(session.id);
    const fork = await old.fork();
    expect(await fork.state()).toMatchObject({ definition: 2, document: { total: 3 } });
    const { at } = (await fork.info()).origin!;
    expect(await fork.state({ at })).toMatchObject({ definition: 1, document: { count: 3 } });
    expect((await old.info()).definition).toBe(1);
    expect((await fork.send("hello")).status).toBe("completed");
  });

  test("is followed from its first offset like any session, while it goes on", async () => {
    const { session } = await talked();
    const fork = await session.fork();
    const signal = AbortSignal.timeout(hangMs);
    const seen: number[] = [];
    const following = (async () => {
      for await (const event of fork.events({ signal })) {
        seen.push(event.offset);
        expect(event.session_id).toBe(fork.id);
        if (event.kind === "turn" && event.data.type === "ended" && event.origin === undefined) return;
      }
    })();
    await fork.send("three");
    await following;
    expect(seen).toEqual(seen.map((_, index) => index));
  });
});

const firstMessage = async (session: Session): Promise<number> => (await session.messages())[0]!.offset;
