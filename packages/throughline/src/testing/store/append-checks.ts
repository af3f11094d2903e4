/** Checks of the commits of all sessions: which there are, in which order, and who hears of them. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { AppendRow, Store } from "../../store/port.ts";
import { append, check, expectError, forkOf, ids, message, newOwner, newSession, type StoreCheck, write } from "./fixtures.ts";

/** Returns commits without their positions. */
const placesOf = (appends: readonly AppendRow[]): readonly unknown[] =>
  appends.map(({ session_id, first_offset, head }) => [session_id, first_offset, head]);

/** Returns all commits from the beginning, in pages of a size. */
async function allAppends(store: Store, limit: number): Promise<readonly AppendRow[]> {
  const all: AppendRow[] = [];
  for (;;) {
    const { appends } = await store.appends({ after: all.at(-1)?.position ?? 0, limit });
    ok(appends.length <= limit, "A page has at most as many commits as its limit.");
    if (appends.length === 0) return all;
    all.push(...appends);
  }
}

/** The checks. */
export const appendChecks: readonly StoreCheck[] = [
  check("the commits of all sessions are listed once and in order, with their offsets", async (store) => {
    deepStrictEqual(await store.appends({}), { appends: [], last: 0 });
    const [one, other] = [await newSession(store), await newSession(store)];
    await append(store, one, { events: [message("a"), message("b")] });
    await append(store, other, { events: [message("c")] });
    await append(store, one, { header: { title: "no event" } });
    await write(store, { owner: { owner_id: await newOwner(store), name: "Ada" } });
    await append(store, one, { events: [message("d")] });
    const expected = [
      [one, 0, 0],
      [other, 0, 0],
      [one, 1, 2],
      [other, 1, 1],
      [one, 3, 3],
    ];
    for (const limit of [1, 2, 1000]) deepStrictEqual(placesOf(await allAppends(store, limit)), expected, `in pages of ${limit}`);
    const all = await allAppends(store, 1000);
    ok(
      all.every(({ position }, index) => Number.isSafeInteger(position) && position > (all[index - 1]?.position ?? 0)),
      "Positions increase from 1.",
    );
    const { appends, last } = await store.appends({ after: all[2]?.position ?? 0 });
    deepStrictEqual(appends, all.slice(3));
    strictEqual(last, all[4]?.position);
    deepStrictEqual(await store.appends({ after: last }), { appends: [], last });
  }),

  check("a repeated or refused commit is not listed again", async (store) => {
    const session_id = await newSession(store);
    const commit = { commit_id: ids.next("commit"), at: 1, session: { session_id, events: [message("a")] } };
    strictEqual((await store.commit(commit)).outcome, "committed");
    strictEqual((await store.commit(commit)).outcome, "committed");
    const late = { commit_id: ids.next("commit"), at: 1, session: { session_id, events: [message("b")], depends: { head: 0 } } };
    strictEqual((await store.commit(late)).outcome, "refused");
    strictEqual((await store.appends({})).appends.length, 2);
  }),

  check("a fork's commits are those of its own events", async (store) => {
    const origin = await newSession(store);
    await append(store, origin, { events: [message("a"), message("b")] });
    const fork = await forkOf(store, origin, { at: 1 });
    await append(store, fork, { events: [message("c")] });
    deepStrictEqual(placesOf((await store.appends({})).appends.slice(2)), [
      [fork, 2, 2],
      [fork, 3, 3],
    ]);
  }),

  check("commits of erased sessions are not listed, and their positions are not given again", async (store) => {
    const [kept, gone] = [await newSession(store), await newSession(store)];
    const before = await store.appends({});
    await store.erase({ session_id: gone });
    deepStrictEqual(placesOf((await store.appends({})).appends), [[kept, 0, 0]]);
    strictEqual((await store.appends({})).last, before.last);
    await append(store, kept, { events: [message("b")] });
    const { appends } = await store.appends({ after: before.last });
    deepStrictEqual(placesOf(appends), [[kept, 1, 1]]);
    ok((appends[0]?.position ?? 0) > before.last, "A reader behind the erased commit must not miss the next one.");
  }),

  check("invalid reads of all sessions are refused", async (store) => {
    await expectError(store.appends({ after: -1 }), "input.invalid");
    await expectError(store.appends({ after: 0.5 }), "input.invalid");
    await expectError(store.appends({ limit: 0 }), "input.invalid");
    await expectError(store.appends({ limit: 1001 }), "input.invalid");
  }),

  check("a listener hears of commits until it stops", async (store) => {
    const session_id = await newSession(store);
    let heard = 0;
    const hears = Promise.withResolvers<void>();
    const stop = await store.watchAppends(() => {
      heard += 1;
      hears.resolve();
    });
    await append(store, session_id, { events: [message("a")] });
    await hears.promise;
    stop();
    const before = heard;
    await append(store, session_id, { events: [message("b")] });
    strictEqual(heard, before, "A listener that has stopped hears nothing.");
  }),
];
