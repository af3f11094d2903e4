/** Laws of the log and its fold, over random conversations. */
import { rm, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Event, type Session, type Store, openStore } from "../../packages/throughline/src/index.ts";
import type { JsonObject } from "../../packages/throughline/src/kernel/json.ts";
import { applyPatch } from "../../packages/throughline/src/kernel/json-patch.ts";
import { evolveAll } from "../../packages/throughline/src/testing/given.ts";
import { decodeEvent, foldState } from "../../packages/throughline/src/session/fold.ts";
import { type SessionView, viewOf } from "../../packages/throughline/src/session/session-view.ts";
import { migrateDocument } from "../../packages/throughline/src/state/migrate-state.ts";
import type { StoredEvent } from "../../packages/throughline/src/store/port.ts";
import { type Happening, converse, forgottenAgent, growingAgent, happenings, renamedAgent, runtimeFor, toRenamed } from "./conversations.ts";

async function withStore<Result>(kind: "memory" | "SQLite", work: (store: Store) => Promise<Result>): Promise<Result> {
  if (kind === "memory") return work(await openStore(":memory:"));
  const folder = await mkdtemp(join(tmpdir(), "throughline-laws-"));
  const store = await openStore(join(folder, "laws.db"), { durability: "relaxed" });
  try {
    return await work(store);
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Events up to an offset, withdrawn ones included, as they are stored. */
async function storedLog(store: Store, session: Session, upTo = Number.MAX_SAFE_INTEGER): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (;;) {
    const page = await store.read({ session_id: session.id, min_offset: events.length, max_offset: upTo, withdrawn: true, limit: 1000 });
    events.push(...(page?.events ?? []));
    if (page === undefined || page.next_offset > Math.min(page.head, upTo)) return events;
  }
}

/** State after each event, by the plain definition: apply each patch to what was there. */
function statesOf(events: readonly Event[]): readonly JsonObject[] {
  let state: JsonObject = {};
  return events.map((event) => {
    if (event.kind === "session" && event.data.type === "created") state = event.data.state;
    if (event.kind === "state") state = applyPatch(state, event.data.patch) as JsonObject;
    return state;
  });
}

/** Has a conversation in a new session, then looks at it. */
async function after<Result>(
  kind: "memory" | "SQLite",
  list: readonly Happening[],
  look: (talk: { readonly store: Store; readonly session: Session; readonly events: readonly Event[] }) => Promise<Result>,
): Promise<Result> {
  return withStore(kind, async (store) => {
    const runtime = await runtimeFor(store, growingAgent);
    const session = await runtime.sessions.create({ agent: "laws" });
    await converse(session, list);
    // Nobody works on the store any more, so that what comes next is the only thing that happens.
    await runtime.close();
    const events = (await storedLog(store, session)).map((stored) => decodeEvent(stored));
    return look({ store, session, events });
  });
}

/** Long enough for checkpoints, which chance alone does not promise. */
const longTalk: readonly Happening[] = Array.from({ length: 8 }, (_, number) => ({ type: "send", text: `${number}`, size: 6000 }));

/** JSON text has no −0: it reads as 0. */
const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);

/** A claim is no event, nor is queueing a turn without a message: the log tells of such turns when they begin. */
const shared = (view: SessionView): unknown => ({
  ...view,
  turns: view.turns.filter((turn) => turn.cause === "message").map(({ status: _status, ...turn }) => turn),
});

describe.each([
  ["memory", 25],
  ["SQLite", 8],
] as const)("%s: over random conversations", (kind, numRuns) => {
  test("state at every offset is the fold of the events up to it, with and without checkpoints", async () => {
    let checkpoints = 0;
    await fc.assert(
      fc.asyncProperty(happenings(25), async (list) => {
        await after(kind, list, async ({ store, session, events }) => {
          for (const [offset, expected] of statesOf(events).entries()) {
            const loaded = (await store.load({ session_id: session.id, at: offset, messages: 0 }))!;
            if (loaded.base.offset > 0) checkpoints += 1;
            expect(foldState(loaded).document).toEqual(expected);
          }
        });
      }),
      { numRuns, examples: [[longTalk]] },
    );
    expect(checkpoints).toBeGreaterThan(0);
  });

  test("replay needs nothing of the agent: not its reducers, not its fields", async () => {
    await fc.assert(
      fc.asyncProperty(happenings(12), async (list) => {
        await after(kind, list, async ({ store, session, events }) => {
          const forgetful = await runtimeFor(store, forgottenAgent, false);
          const same = await forgetful.sessions.get(session.id);
          for (const [offset, document] of statesOf(events).entries())
            expect(await same.state({ at: offset })).toEqual({ offset, state_offset: expect.any(Number) as number, definition: 1, document });
          await forgetful.close();
        });
      }),
      { numRuns: Math.ceil(numRuns / 2) },
    );
  });

  test("after a withdrawal from n the state is what it was at n − 1, and the past is what it was", async () => {
    let withdrawn = 0;
    await fc.assert(
      fc.asyncProperty(happenings(15), fc.nat(), async (list, choice) => {
        await after(kind, list, async ({ store, session, events }) => {
          const firsts = events.flatMap((event) =>
            event.kind === "turn" && event.data.type === "started" ? [Math.min(event.offset, ...event.data.answers)] : [],
          );
          const from = firsts[choice % Math.max(1, firsts.length)];
          if (from === undefined) return;
          const before = statesOf(events);
          const refused = await session.withdraw({ from }).then(
            () => false,
            () => true,
          );
          if (refused) return;
          withdrawn += 1;
          // What was taken back before from there on stays so: the withdrawal begins where that did.
          const begins = events.map((event) =>
            event.kind === "session" && event.data.type === "withdrawn" && event.offset >= from ? event.data.from : from,
          );
          expect((await session.state()).document).toEqual(before[Math.min(from, ...begins) - 1]);
          const now = statesOf((await storedLog(store, session)).map((stored) => decodeEvent(stored)));
          expect(now.slice(0, before.length)).toEqual(before);
          expect((await session.messages({ last: 1000 })).every((message) => message.offset < from)).toBe(true);
        });
      }),
      { numRuns, examples: [[longTalk, 3]] },
    );
    expect(withdrawn).toBeGreaterThan(0);
  });

  test("the fold of the log is the session's row, after every single thing that happens", async () => {
    await fc.assert(
      fc.asyncProperty(happenings(20), async (list) => {
        await withStore(kind, async (store) => {
          const runtime = await runtimeFor(store, growingAgent);
          const session = await runtime.sessions.create({ agent: "laws" });
          const compare = async (all: boolean): Promise<void> => {
            const loaded = (await store.load({ session_id: session.id, messages: 0 }))!;
            const view = evolveAll((await storedLog(store, session, loaded.session.head)).map((stored) => decodeEvent(stored)));
            if (all) expect(view).toEqual(viewOf(loaded));
            else expect(shared(view)).toEqual(shared(viewOf(loaded)));
          };
          await converse(session, list, () => compare(false));
          await compare(true);
          await runtime.close();
        });
      }),
      { numRuns },
    );
  });

  test("an event reads as it was written, whatever JSON and text it holds", async () => {
    await fc.assert(
      fc.asyncProperty(json, fc.string({ unit: "binary", maxLength: 40 }), async (value, words) => {
        await withStore(kind, async (store) => {
          const runtime = await runtimeFor(store, growingAgent, false);
          const session = await runtime.sessions.create({ agent: "laws" });
          await session.postCustom(value as never, { metadata: { value: value as never } });
          await session.postOperator(`said ${words}`);
          const [, custom, said] = (await storedLog(store, session)).map((stored) => decodeEvent(stored));
          expect(custom).toMatchObject({ kind: "custom", metadata: { value } });
          expect(custom?.data).toEqual({ value });
          expect(said?.data).toMatchObject({ parts: [{ type: "text", text: `said ${words}` }] });
          // Through JSON once more, as a backup or a webhook has it.
          for (const stored of await storedLog(store, session))
            expect(decodeEvent(JSON.parse(JSON.stringify(stored)) as StoredEvent)).toEqual(decodeEvent(stored));
          await runtime.close();
        });
      }),
      { numRuns: numRuns * 2 },
    );
  });

  test("migrating commutes with time travel", async () => {
    await fc.assert(
      fc.asyncProperty(happenings(12), async (list) => {
        await after(kind, list, async ({ store, session, events }) => {
          const before = statesOf(events);
          const migrated = (document: JsonObject): JsonObject => migrateDocument(document, 1, 2, [toRenamed]);
          const runtime = await runtimeFor(store, renamedAgent);
          const newer = await runtime.sessions.get(session.id);
          for (const [offset, document] of before.entries()) {
            expect(await newer.state({ at: offset })).toEqual({ offset, state_offset: expect.any(Number) as number, definition: 1, document });
            expect(await newer.state({ at: offset, upgrade: true })).toEqual({
              offset,
              state_offset: expect.any(Number) as number,
              definition: 2,
              document: migrated(document),
            });
          }

          // The next turn migrates first, as an event; what was before stays raw.
          expect((await newer.send("hello")).status).toBe("completed");
          const later = (await storedLog(store, session)).slice(events.length).map((stored) => decodeEvent(stored));
          const [migration, ...writes] = later.filter((event) => event.kind === "state");
          expect(migration?.data).toMatchObject({ writer: { type: "migration", from: 1, to: 2 }, definition: 2 });
          expect(later.findIndex((event) => event.kind === "turn")).toBeGreaterThan(later.findIndex((event) => event === migration));
          expect(await newer.state({ at: migration!.offset })).toMatchObject({
            offset: migration!.offset,
            definition: 2,
            document: migrated(before.at(-1)!),
          });
          expect(writes.map((event) => event.data.definition)).toEqual([2]);
          const last = before.length - 1;
          expect(await newer.state({ at: last })).toEqual({
            offset: last,
            state_offset: expect.any(Number) as number,
            definition: 1,
            document: before[last],
          });
          await runtime.close();
        });
      }),
      { numRuns: Math.ceil(numRuns / 2) },
    );
  });
});
