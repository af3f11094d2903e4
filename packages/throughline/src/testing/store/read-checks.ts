/** Checks of `load`, `read` and `watch`. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { SessionId } from "../../kernel/id.ts";
import { type Json, byteLength, present } from "../../kernel/json.ts";
import { type LoadedSession, type Store, eventKinds } from "../../store/port.ts";
import {
  type StoreCheck,
  ids,
  check,
  sessionCheck,
  trace,
  event,
  message,
  asked,
  queue,
  variables,
  commitOf,
  write,
  append,
  ask,
  forkOf,
  expectError,
  newOwner,
  newSession,
  offsetsOf,
  never,
} from "./fixtures.ts";

/** Returns the folded state of a loaded session whose patches set `n`. */
function foldedNumber({ base, patches }: LoadedSession): Json | undefined {
  return patches.at(-1)?.data["n"] ?? base.state["n"];
}

/** Creates a session whose state at offset n is n for every odd n up to 9, with checkpoints at the given offsets. */
async function countingSession(store: Store, checkpoints: readonly number[]): Promise<SessionId> {
  const session_id = await newSession(store, { state: { n: 0 } });
  for (let n = 1; n <= 9; n += 2) {
    await append(store, session_id, { events: [event("state", { n }), message(`m${n}`)], ...(checkpoints.includes(n) ? { checkpoint: { n } } : {}) });
  }
  return session_id;
}

const loads: readonly StoreCheck[] = [
  check("the state at every offset is the fold up to it, whatever checkpoints there are", async (store) => {
    for (const checkpoints of [[], [5], [1, 3, 9]]) {
      const session_id = await countingSession(store, checkpoints);
      for (let at = 0; at <= 10; at++) {
        const loaded = await store.load({ session_id, at });
        ok(loaded !== undefined);
        strictEqual(foldedNumber(loaded), at === 0 ? 0 : at - ((at + 1) % 2), `at ${at} with checkpoints ${checkpoints.join()}`);
        strictEqual(loaded.base.offset, Math.max(0, ...checkpoints.filter((offset) => offset <= at)));
        ok(loaded.patches.every(({ offset }) => offset > loaded.base.offset && offset <= at));
      }
    }
  }),
  check("a state that the caller knows is not sent, as long as it is still the session's", async (store) => {
    const session_id = await newSession(store, { state: { n: 0 } });
    const first = await store.load({ session_id });
    ok(first?.state_id !== undefined);
    const base = { offset: 0, state: { mine: true }, bytes: 9, folded: { weight: 3, definition: 1 } };
    const known = { state_id: first.state_id, base };
    const loaded = async (): Promise<LoadedSession | undefined> => store.load({ session_id, known });
    deepStrictEqual(await loaded(), { ...first, base });
    await append(store, session_id, { events: [message("a")], header: { title: "t" } });
    deepStrictEqual((await loaded())?.base, base);
    deepStrictEqual((await store.load({ session_id, known, at: 0 }))?.base.state, { n: 0 });
    const result = await store.commit(commitOf({ session: { session_id, events: [event("state", { n: 1 }), message("b")] } }));
    ok(result.outcome === "committed" && result.left?.state_id !== undefined);
    const changed = await loaded();
    deepStrictEqual([changed?.base.state, changed?.patches.length], [{ n: 0 }, 1]);
    strictEqual(changed?.state_id, result.left.state_id);
    const kept = await store.load({ session_id, known: { state_id: result.left.state_id, base } });
    deepStrictEqual([kept?.base, kept?.patches], [base, []]);
    strictEqual(await store.load({ session_id: ids.next("session"), known }), undefined);
  }),
  check("conversation events that the caller knows are those that the store would read, whatever has happened since", async (store) => {
    const session_id = await newSession(store, { state: { n: 0 } });
    const events = ["a", "b", "c", "d", "e"].map((text) => message(text));
    await append(store, session_id, { events });
    const owner_id = (await store.open({ session_id }))?.owner_id;
    ok(owner_id !== undefined);
    const fork = await newSession(store, { owner_id, create: { fork: { session_id, at: 5 } } });
    const read = async (of: SessionId, messages: number): Promise<LoadedSession> => {
      const loaded = await store.load({ session_id: of, messages, log_id: true });
      ok(loaded !== undefined);
      return loaded;
    };
    const changes: readonly (readonly [string, SessionId, Parameters<typeof append>[2]])[] = [
      ["nothing but the header", session_id, { header: { title: "t" } }],
      ["one more event", session_id, { events: [message("f")] }],
      ["more events than are loaded", session_id, { events }],
      ["an event of another kind", session_id, { events: [event("status")] }],
      ["a redaction", session_id, { redact: [{ offset: 11, data: { parts: [] } }] }],
      ["a withdrawal", session_id, { events: [event("session", { type: "withdrawn", from: 10 })], withdraw_from: 10 }],
      ["a redaction of an event that a fork shares", session_id, { redact: [{ offset: 4, data: { parts: [] } }] }],
      ["a withdrawal in a fork", fork, { events: [message("g"), event("session", { type: "withdrawn", from: 3 })], withdraw_from: 3 }],
      ["a cut", session_id, { cut: { first_offset: 8, state: { n: 0 } } }],
    ];
    for (const [what, of, change] of changes) {
      const before = new Map<SessionId, LoadedSession>();
      for (const id of [session_id, fork]) before.set(id, await read(id, 4));
      await append(store, of, change);
      for (const [id, { log_id, state_id = "none", base, session, messages }] of before) {
        const log = { log_id: log_id ?? "", head: session.head, limit: 4, messages };
        for (const limit of [0, 3, 4, 6]) {
          const loaded = await store.load({ session_id: id, messages: limit, known: { state_id, base, log }, log_id: true });
          const expected = await read(id, limit);
          deepStrictEqual([loaded?.messages, loaded?.session, loaded?.log_id], [expected.messages, expected.session, expected.log_id], what);
        }
      }
    }
  }),
  check("another state at the same offset has another id, and a fork's state has one once it is its own", async (store) => {
    const stateIds: (string | undefined)[] = [];
    for (const n of [1, 2]) {
      const session_id = await newSession(store, { state: { n: 0 } });
      await append(store, session_id, { events: [event("state", { n })] });
      stateIds.push((await store.load({ session_id }))?.state_id);
      const fork = await forkOf(store, session_id, { at: 1 });
      strictEqual((await store.load({ session_id: fork }))?.state_id, undefined);
      await append(store, fork, { events: [event("state", { n: 9 })] });
      stateIds.push((await store.load({ session_id: fork }))?.state_id);
    }
    ok(stateIds.every((id) => id !== undefined));
    strictEqual(new Set(stateIds).size, 4);
  }),
  check("sizes are bytes of the encoded text", async (store) => {
    const session_id = await newSession(store, { state: { n: "é" } });
    await append(store, session_id, { events: [event("state", { n: "😀" })] });
    const before = await store.load({ session_id });
    deepStrictEqual([before?.base.bytes, before?.patches[0]?.bytes], [byteLength(`{"n":"é"}`), byteLength(`{"n":"😀"}`)]);
    await append(store, session_id, { checkpoint: { n: "😀😀" } });
    deepStrictEqual((await store.load({ session_id }))?.base, { offset: 1, state: { n: "😀😀" }, bytes: byteLength(`{"n":"😀😀"}`) });
  }),
  sessionCheck("a second checkpoint at an offset takes the first one's place", async (store, session_id) => {
    await append(store, session_id, { checkpoint: { n: 1 } });
    await append(store, session_id, { checkpoint: { n: 2 } });
    deepStrictEqual((await store.load({ session_id }))?.base.state, { n: 2 });
  }),
  sessionCheck("the last messages, tools and custom events are loaded in order, others not", async (store, session_id) => {
    for (let n = 0; n < 12; n++)
      await append(store, session_id, { events: [message(`m${n}`), event("status"), event("tool", { n }), event("custom")] });
    const offsets = async (messages?: number, at?: number): Promise<readonly number[] | undefined> =>
      (await store.load({ session_id, ...present({ messages, at }) }))?.messages.map(({ offset }) => offset);
    deepStrictEqual(await offsets(3), [45, 47, 48]);
    deepStrictEqual(await offsets(0), []);
    deepStrictEqual(await offsets(3, 9), [7, 8, 9]);
    strictEqual((await offsets())?.length, 20);
    strictEqual((await offsets(1000))?.length, 36);
  }),
  sessionCheck("an offset that is not in the log is refused with the ones that are", async (store, session_id) => {
    for (const at of [-1, 1, 0.5, Number.NaN, 1e300]) {
      const error = await expectError(store.load({ session_id, at }), "log.offset_invalid");
      deepStrictEqual(error.details, { first_offset: 0, head: 0 });
    }
    await expectError(store.load({ session_id, messages: -1 }), "input.invalid");
    strictEqual(await store.load({ session_id: ids.next("session") }), undefined);
  }),
  check("variables are loaded as they are in force, with their version", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    const session_id = await newSession(store, { owner_id });
    deepStrictEqual((await store.load({ session_id }))?.variables, variables(0));
    await write(store, {
      owner: {
        owner_id,
        variables: [
          { name: "tier", value: "gold" },
          { name: "n", value: 3 },
          { name: "none", value: null },
        ],
      },
    });
    await write(store, {
      owner: {
        owner_id,
        variables: [
          { name: "n", value: 4 },
          { name: "n", value: 5 },
        ],
      },
    });
    await write(store, { owner: { owner_id, name: "Ada" } });
    deepStrictEqual((await store.load({ session_id }))?.variables, variables(2, { n: 5, none: null, tier: "gold" }));
    await write(store, {
      owner: {
        owner_id,
        variables: [
          { name: "tier", value: undefined },
          { name: "unknown", value: undefined },
        ],
      },
    });
    deepStrictEqual((await store.load({ session_id }))?.variables, variables(3, { n: 5, none: null }));
    await write(store, { owner: { owner_id, variables: [{ name: "tier", value: { deep: [1] } }] } });
    deepStrictEqual((await store.load({ session_id }))?.variables.values["tier"], { deep: [1] });
  }),
];

const reads: readonly StoreCheck[] = [
  sessionCheck("D3 D5 reading is by offset, as a number", async (store, session_id) => {
    await append(store, session_id, { events: Array.from({ length: 12 }, (_, n) => message(`m${n}`)) });
    deepStrictEqual(await store.read({ session_id, min_offset: 0 }), await store.read({ session_id }));
    deepStrictEqual(await offsetsOf(store, session_id, { min_offset: 11 }), [11, 12]);
    deepStrictEqual(await offsetsOf(store, session_id, { min_offset: 2, max_offset: 4 }), [2, 3, 4]);
  }),
  sessionCheck("a page says where to read on", async (store, session_id) => {
    await append(store, session_id, { events: [message("1"), event("status"), message("3"), event("status"), event("status")] });
    const page = async (request: Omit<Parameters<Store["read"]>[0], "session_id">): Promise<unknown> => {
      const read = await store.read({ session_id, ...request });
      return [read?.events.map(({ offset }) => offset), read?.next_offset, read?.head];
    };
    deepStrictEqual(await page({ kinds: ["message"], limit: 1 }), [[1], 2, 5]);
    deepStrictEqual(await page({ kinds: ["message"], limit: 1, min_offset: 2 }), [[3], 4, 5]);
    deepStrictEqual(await page({ kinds: ["message"], limit: 1, min_offset: 4 }), [[], 6, 5]);
    deepStrictEqual(await page({ kinds: ["message"], limit: 2 }), [[1, 3], 4, 5]);
    deepStrictEqual(await page({ kinds: [] }), [[], 6, 5]);
    deepStrictEqual(await page({ max_offset: 2 }), [[0, 1, 2], 3, 5]);
    deepStrictEqual(await page({ min_offset: 4, max_offset: 2 }), [[], 4, 5]);
    deepStrictEqual(await page({ min_offset: 50 }), [[], 50, 5]);
    deepStrictEqual(await page({ min_offset: 2 ** 40 }), [[], 2 ** 40, 5]);
    deepStrictEqual(await page({ max_offset: 2 ** 40, min_offset: 5 }), [[5], 6, 5]);
  }),
  sessionCheck("D10 a trace id gives exactly its turn, the customer's message with it", async (store, session_id) => {
    const wanted = ids.trace();
    await ask(store, session_id, "a", { trace_id: wanted });
    await append(store, session_id, { events: [message("aside")] });
    await append(store, session_id, { events: [message("re", { turn: 1, source: "ai_agent" }), event("status", {}, { turn: 1 })], end_turns: [1] });
    await append(store, session_id, { events: [message("outside a turn", { trace_id: wanted })] });
    deepStrictEqual(await offsetsOf(store, session_id, { trace_id: wanted }), [1, 3, 4, 5]);
    deepStrictEqual(await offsetsOf(store, session_id, { trace_id: wanted, kinds: ["message"], source: "ai_agent" }), [3]);
    deepStrictEqual(await offsetsOf(store, session_id, { trace_id: "no trace id" as never }), []);
    deepStrictEqual(await offsetsOf(store, session_id, { source: "customer" }), [1, 2, 5]);
  }),
  sessionCheck("every kind can be read alone and together", async (store, session_id) => {
    await append(store, session_id, { events: eventKinds.map((kind) => event(kind)) });
    for (const [index, kind] of eventKinds.entries())
      deepStrictEqual(await offsetsOf(store, session_id, { min_offset: 1, kinds: [kind, kind] }), [index + 1]);
    deepStrictEqual(await offsetsOf(store, session_id, { min_offset: 1, kinds: ["tool", "message"] }), [1, 2]);
    deepStrictEqual((await offsetsOf(store, session_id, { kinds: eventKinds }))?.length, eventKinds.length + 1);
  }),
  sessionCheck("D8 what cannot be asked is refused", async (store, session_id) => {
    const wrong = [
      { kinds: ["bogus" as never] },
      { source: "bogus" as never },
      { limit: 0 },
      { limit: 1001 },
      { limit: 1.5 },
      { min_offset: -1 },
      { max_offset: Number.NaN },
    ];
    for (const request of wrong) await expectError(store.read({ session_id, ...request }), "input.invalid");
    strictEqual(await store.read({ session_id: ids.next("session") }), undefined);
    strictEqual(await store.read({ session_id: "anything\u0000at all" as never }), undefined);
  }),
  sessionCheck("a page holds at most a hundred events unless more are asked for", async (store, session_id) => {
    await append(store, session_id, { events: Array.from({ length: 150 }, () => event("status")) });
    strictEqual((await offsetsOf(store, session_id))?.length, 100);
    strictEqual((await offsetsOf(store, session_id, { limit: 1000 }))?.length, 151);
  }),
];

const withdrawals: readonly StoreCheck[] = [
  sessionCheck("D6 H1 H3 withdrawn events are hidden, and their offsets are not used again", async (store, session_id) => {
    await append(store, session_id, { events: [asked("1"), asked("2"), event("state", { n: 2 })], queue: queue() });
    await append(store, session_id, {
      events: [event("session", { type: "withdrawn", from: 2 }), event("state", { n: 1 })],
      withdraw_from: 2,
      fence: true,
    });
    deepStrictEqual(await offsetsOf(store, session_id), [0, 1, 4, 5]);
    deepStrictEqual(await offsetsOf(store, session_id, { withdrawn: true }), [0, 1, 2, 3, 4, 5]);
    const loaded = await store.load({ session_id });
    deepStrictEqual([loaded?.messages.map(({ offset }) => offset), loaded?.waiting], [[1], [{ offset: 1, turn: 1 }]]);
    deepStrictEqual(
      loaded?.patches.map(({ offset }) => offset),
      [3, 5],
    );
    await append(store, session_id, { events: [message("again")], withdraw_from: 50 });
    deepStrictEqual(await offsetsOf(store, session_id, { min_offset: 5 }), [5, 6]);
  }),
  sessionCheck("a view of the past shows what was withdrawn later", async (store, session_id) => {
    await append(store, session_id, { events: [message("1"), message("2")] });
    await append(store, session_id, { events: [event("session"), message("4")], withdraw_from: 2 });
    await append(store, session_id, { events: [event("session")], withdraw_from: 1 });
    const seen = async (at?: number): Promise<unknown> =>
      (await store.load({ session_id, ...present({ at }) }))?.messages.map(({ offset }) => offset);
    deepStrictEqual([await seen(1), await seen(2), await seen(3), await seen(4), await seen(5), await seen()], [[1], [1, 2], [1], [1, 4], [], []]);
  }),
  sessionCheck("a page is filled past withdrawn events", async (store, session_id) => {
    await append(store, session_id, { events: Array.from({ length: 5 }, () => message("m")) });
    await append(store, session_id, { events: [message("new"), message("newer")], withdraw_from: 1 });
    const page = await store.read({ session_id, limit: 2 });
    deepStrictEqual([page?.events.map(({ offset }) => offset), page?.next_offset], [[0, 6], 7]);
  }),
];

const watches: readonly StoreCheck[] = [
  sessionCheck("E6 a watch sees what is there and what comes", async (store, session_id) => {
    strictEqual(await store.watch(session_id, -1, never), 0);
    const coming = store.watch(session_id, 1, never);
    await append(store, session_id, { events: [message("1")] });
    await append(store, session_id, { events: [message("2")] });
    strictEqual(await coming, 2);
  }),
  check("a watch of a session that is not there yet waits for it", async (store) => {
    const [owner_id, session_id] = [await newOwner(store), ids.next("session")];
    const coming = store.watch(session_id, -1, never);
    await write(store, { session: { session_id, create: { owner_id, agent: "a", agent_version: 1 }, events: [event("session", { state: {} })] } });
    strictEqual(await coming, 0);
  }),
  sessionCheck("E8 a watch ends when its signal aborts, with the signal's reason", async (store, session_id) => {
    const controller = new AbortController();
    const reason = new Error("gone");
    const waiting = store.watch(session_id, 0, controller.signal).catch((error: unknown) => error);
    controller.abort(reason);
    strictEqual(await waiting, reason);
    strictEqual(await store.watch(session_id, -1, controller.signal).catch((error: unknown) => error), reason);
  }),
  sessionCheck("a watch of a session that is erased ends", async (store, session_id) => {
    const waiting = store.watch(session_id, 0, never);
    const { owner_id } = (await store.open({ session_id })) ?? {};
    const other = await newSession(store);
    const waitingToo = store.watch(other, 0, never);
    if (owner_id !== undefined) await store.erase({ owner_id });
    await store.erase({ session_id: other });
    deepStrictEqual(await Promise.all([waiting, waitingToo]), [-1, -1]);
    strictEqual(await store.watch(other, 0, never), -1);
  }),
  sessionCheck("many watchers all hear of one commit", async (store, session_id) => {
    const waiting = Promise.all(Array.from({ length: 20 }, () => store.watch(session_id, 0, never)));
    await append(store, session_id, { events: [message("1")] });
    deepStrictEqual(new Set(await waiting), new Set([1]));
  }),
  {
    name: "a closed store ends its watchers and refuses every call",
    async run(open) {
      const store = await open();
      const session_id = await newSession(store);
      const waiting = expectError(store.watch(session_id, 0, never), "store.closed");
      await store.close();
      await store.close();
      await waiting;
      const calls = [
        () => store.open({ session_id }),
        () => store.load({ session_id }),
        () => store.commit(commitOf({ session: { session_id } })),
        () => store.read({ session_id }),
        () => store.watch(session_id, 0, never),
        () => store.list({ of: "sessions" }),
        () => store.entries({ owner_id: ids.next("owner") }),
        () => store.claim({ kind: "next", worker: "w", lease_ms: 1 }),
        () => store.release({ session_id, epoch: 0, counted: true }),
        () => store.erase({ session_id }),
        () => store.migrate(),
      ];
      for (const call of calls) await expectError(call(), "store.closed");
    },
  },
  {
    name: "what is under way when a store closes is finished",
    async run(open) {
      const store = await open();
      const session_id = await newSession(store);
      const pending = store.commit(commitOf({ session: { session_id, events: [message("1", { trace_id: trace })] } }));
      await store.close();
      strictEqual((await pending).outcome, "committed");
    },
  },
];

export const readChecks: readonly StoreCheck[] = [...loads, ...reads, ...withdrawals, ...watches];
