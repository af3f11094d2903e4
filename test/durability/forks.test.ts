/** Laws of forks, over random conversations: a shared past, a law-abiding log, and futures that do not touch. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Event, type Session, type SessionId, type Store, openStore } from "../../packages/throughline/src/index.ts";
import { isSuperseded } from "../../packages/throughline/src/session/decide-command.ts";
import { evolveAll } from "../../packages/throughline/src/testing/given.ts";
import { decodeEvent, foldState } from "../../packages/throughline/src/session/fold.ts";
import { viewOf } from "../../packages/throughline/src/session/session-view.ts";
import type { StoredEvent } from "../../packages/throughline/src/store/port.ts";
import { newSqliteFile } from "../setup/database.ts";
import { converse, growingAgent, type Happening, happenings, renamedAgent, runtimeFor } from "./conversations.ts";

const stores = { memory: () => openStore(":memory:"), SQLite: () => openStore(newSqliteFile(), { durability: "relaxed" }) } as const;

async function storedLog(store: Store, session_id: SessionId): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (;;) {
    const page = await store.read({ session_id, min_offset: events.length, withdrawn: true, limit: 1000 });
    events.push(...(page?.events ?? []));
    if (page === undefined || page.next_offset > page.head) return events;
  }
}

/** What can be seen of a log up to an offset, but for whose it is. */
async function seen(store: Store, session_id: SessionId, at: number): Promise<unknown> {
  const loaded = (await store.load({ session_id, at, messages: 1000 }))!;
  const events = (await storedLog(store, session_id)).filter(({ offset }) => offset <= at);
  const anonymous = ({ session_id: _session, origin: _origin, id: _id, turn_id, ...rest }: StoredEvent): unknown => ({
    ...rest,
    turn: turn_id?.split("_").at(-1),
  });
  return { state: foldState(loaded).document, messages: loaded.messages.map(anonymous), events: events.map(anonymous) };
}

/** How often each accepted message was answered by a turn that has finished; those that were taken back are left out. */
function answersOf(events: readonly Event[]): ReadonlyMap<number, number> {
  const gone = (offset: number): boolean =>
    events.some((event) => event.kind === "session" && event.data.type === "withdrawn" && event.data.from <= offset && offset < event.offset);
  const accepted = events.filter((event) => event.kind === "message" && event.source === "customer" && !gone(event.offset));
  const finished = events.filter((event) => event.kind === "turn" && event.data.type === "ended" && !isSuperseded(event.data.outcome));
  const answers = events.flatMap((event) =>
    event.kind === "turn" && event.data.type === "started" && finished.some((end) => end.turn_id === event.turn_id) ? event.data.answers : [],
  );
  return new Map(accepted.map(({ offset }) => [offset, answers.filter((answered) => answered === offset).length]));
}

/** The law, judged from a log that nothing is under way in. */
async function expectLawful(store: Store, session_id: SessionId): Promise<void> {
  const events = (await storedLog(store, session_id)).map((stored) => decodeEvent(stored));
  expect(events.map(({ offset }) => offset)).toEqual(events.map((_, index) => index));
  const loaded = (await store.load({ session_id, messages: 0 }))!;
  expect(viewOf(loaded)).toEqual(evolveAll(events));
  expect([loaded.turns, loaded.waiting]).toEqual([[], []]);
  expect([...answersOf(events)].filter(([, times]) => times !== 1)).toEqual([]);
  for (const turn of new Set(events.flatMap(({ turn_id }) => (turn_id === undefined ? [] : [turn_id])))) {
    const of = events.filter((event) => event.turn_id === turn && event.kind === "turn").map(({ data }) => (data as { type: string }).type);
    const starts = of.filter((type) => type === "started").length;
    expect([turn, of.filter((type) => type === "ended").length]).toEqual([turn, starts]);
  }
}

/** A turn that is withdrawn while its model answers: what the call has spent is on record after the turn's end. */
const spentAfterItsEnd: readonly Happening[] = [
  { type: "send", text: "!", size: 2000 },
  { type: "post", text: "!", size: 0 },
  { type: "withdraw", turns: 1 },
  { type: "operator", text: "!" },
];

describe.each([
  ["memory", 12],
  ["SQLite", 4],
] as const)("%s: over random conversations", (kind, numRuns) => {
  test("a fork at any offset shares the past, keeps the law, and is idle", async () => {
    await fc.assert(
      fc.asyncProperty(happenings(12), fc.boolean(), async (list, newer) => {
        const store = await stores[kind]();
        const first = await runtimeFor(store, growingAgent);
        const session = await first.sessions.create({ agent: "laws" });
        await converse(session, list);
        await first.close();
        const runtime = await runtimeFor(store, newer ? renamedAgent : growingAgent, false);
        const parent = await runtime.sessions.get(session.id);
        const { head } = await parent.info();
        const before = await seen(store, parent.id, head);
        const forks: Session[] = [];
        for (let at = 0; at <= head; at++) {
          const fork = await parent.fork({ at });
          forks.push(fork);
          expect(await seen(store, fork.id, at)).toEqual(await seen(store, parent.id, at));
          await expectLawful(store, fork.id);
          expect(await fork.info()).toMatchObject({ mode: "auto", title: null, definition: newer ? 2 : 1, origin: { session_id: parent.id, at } });
          const { document } = await parent.state({ at, upgrade: true });
          expect((await fork.state()).document).toEqual(document);
        }
        // A fork at any offset of a fork, those among them that it wrote to end what was open.
        const of = forks[Math.floor(forks.length / 2)]!;
        for (let at = 0; at <= (await of.info()).head; at += 2) {
          const fork = await of.fork({ at });
          expect(await seen(store, fork.id, at)).toEqual(await seen(store, of.id, at));
          await expectLawful(store, fork.id);
        }
        expect(await seen(store, parent.id, head)).toEqual(before);
        await runtime.close();
        await store.close();
      }),
      { numRuns, examples: [[spentAfterItsEnd, false]] },
    );
  });

  test("the members of a tree of forks never see each other's future", async () => {
    const steps = fc.array(fc.record({ of: fc.nat(), at: fc.nat(), next: happenings(5) }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(happenings(6), steps, async (list, tree) => {
        const store = await stores[kind]();
        const runtime = await runtimeFor(store, growingAgent);
        const sessions = [await runtime.sessions.create({ agent: "laws" })];
        await converse(sessions[0]!, list);
        const looks: { readonly session: Session; readonly at: number; readonly view: unknown }[] = [];
        const look = async (session: Session): Promise<void> => {
          const { head } = await session.info();
          looks.push({ session, at: head, view: await seen(store, session.id, head) });
        };
        await look(sessions[0]!);
        for (const { of, at, next } of tree) {
          const parent = sessions[of % sessions.length]!;
          const fork = await parent.fork({ at: at % ((await parent.info()).head + 1) });
          sessions.push(fork);
          await look(fork);
          // Both go on, and so does every other one of the tree.
          await converse(fork, next);
          await converse(parent, next.slice(0, 2));
        }
        for (const { session, at, view } of looks) {
          const { withdrawn: _, ...now } = { withdrawn: 0, ...((await seen(store, session.id, at)) as object) };
          expect(now).toEqual(view);
        }
        for (const session of sessions) await expectLawful(store, session.id);
        const { session: root, forks } = await runtime.sessions.tree(sessions.at(-1)!.id);
        const ids = (node: { readonly session: { readonly id: string }; readonly forks: readonly never[] }): readonly string[] => [
          node.session.id,
          ...node.forks.flatMap(ids),
        ];
        expect([root.id, ...forks.flatMap((node) => ids(node as never))].toSorted()).toEqual(sessions.map(({ id }) => id).toSorted());
        await runtime.close();
        await store.close();
      }),
      { numRuns },
    );
  });
});
