/** Commands that are sent again under their key: done once, and answered as the first time, whatever has happened since. */
import { describe, expect, it, onTestFinished } from "vitest";
import { createRuntime, openStore, type Runtime, type Session, type Store } from "../../packages/throughline/src/index.ts";
import { emptyPostgresDatabase, newSqliteFile, noPostgres } from "../setup/database.ts";
import { code, collect, echoAgent, started } from "./harness.ts";

type Key = { readonly idempotencyKey?: string };

interface Command {
  readonly name: string;
  /** Brings a new session to where the command has something to do. */
  readonly before?: (session: Session) => Promise<unknown>;
  readonly run: (session: Session, key: Key) => Promise<unknown>;
  /** The same about something else; undefined for a command that is about nothing. */
  readonly other?: (session: Session, key: Key) => Promise<unknown>;
  /** Brings the session to where the command could not be decided, or would do something else. */
  readonly after?: (session: Session) => Promise<unknown>;
  /** Its keys are not those of the session's commands. */
  readonly ownKeys?: boolean;
}

const manual = (session: Session): Promise<unknown> => session.setMode("manual");
const auto = (session: Session): Promise<unknown> => session.setMode("auto");
const said = (session: Session): Promise<unknown> => session.send("hello");

const commands: readonly Command[] = [
  { name: "post", run: (s, key) => s.post("hi", { ...key }), other: (s, key) => s.post("ho", { ...key }), after: manual },
  {
    name: "postOperator",
    run: (s, key) => s.postOperator("hi", key),
    other: (s, key) => s.postOperator("hi", { ...key, onBehalfOfAgent: true }),
    after: said,
  },
  { name: "postCustom", run: (s, key) => s.postCustom({ a: 1 }, key), other: (s, key) => s.postCustom({ a: null }, key), after: said },
  { name: "postStatus", run: (s, key) => s.postStatus("typing", key), other: (s, key) => s.postStatus("ready", key), after: said },
  {
    name: "startTurn",
    before: said,
    run: (s, key) => s.startTurn(key),
    other: (s, key) => s.startTurn({ ...key, cause: "greeting" }),
    after: manual,
  },
  { name: "setMode", run: (s, key) => s.setMode("manual", key), other: (s, key) => s.setMode("auto", key), after: auto },
  { name: "setMode to what it is", run: (s, key) => s.setMode("auto", key), other: (s, key) => s.setMode("manual", key), after: manual },
  { name: "handOver", run: (s, key) => s.handOver({ alert: 2, ...key }), other: (s, key) => s.handOver({ alert: 3, ...key }), after: auto },
  {
    name: "assign",
    before: manual,
    run: (s, key) => s.assign({ operator: "ann", ...key }),
    other: (s, key) => s.assign({ operator: "bob", ...key }),
    after: auto,
  },
  {
    name: "unassign",
    before: (s) => s.handOver({ operator: "ann" }),
    run: (s, key) => s.unassign(key),
    other: (s, key) => s.unassign({ ...key, from: "ann" }),
    after: auto,
  },
  {
    name: "handBack",
    before: manual,
    run: (s, key) => s.handBack({ summary: "all is well", state: { count: 1 }, resume: true, ...key }),
    other: (s, key) => s.handBack({ summary: "all is well", state: { count: 0 }, resume: true, ...key }),
    after: manual,
  },
  { name: "stop", run: (s, key) => s.stop("enough", key), other: (s, key) => s.stop("more", key), after: said },
  {
    name: "withdraw",
    before: said,
    run: (s, key) => s.withdraw({ from: 1, ...key }),
    other: (s, key) => s.withdraw({ from: 2, ...key }),
    after: said,
  },
  { name: "withdraw of nothing", run: (s, key) => s.withdraw({ from: 7, ...key }), other: (s, key) => s.withdraw({ from: 8, ...key }), after: said },
  { name: "edit", run: (s, key) => s.edit({ count: 0 }, key), other: (s, key) => s.edit({ count: 1 }, key), after: (s) => s.edit({ count: 2 }) },
  { name: "edit of nothing", run: (s, key) => s.edit({}, key), other: (s, key) => s.edit({ count: 1 }, key), after: (s) => s.edit({ count: 2 }) },
  {
    name: "edit as expected",
    run: (s, key) => s.edit({ count: 1 }, { expectedOffset: 0, ...key }),
    other: (s, key) => s.edit({ count: 1 }, { expectedOffset: 1, ...key }),
    after: (s) => s.edit({ count: 2 }),
  },
  { name: "endEpisode", run: (s, key) => s.endEpisode(key), after: (s) => s.endEpisode() },
  { name: "setTitle", run: (s, key) => s.setTitle("", key), other: (s, key) => s.setTitle(null, key), after: (s) => s.setTitle("other") },
  {
    name: "patch",
    run: (s, key) => s.patch({ title: "A", mode: "manual", metadata: { n: 0 } }, { ...key, ifVersion: 0 }).then(() => undefined),
    other: (s, key) => s.patch({ title: "A", mode: "manual", metadata: { n: "" } }, key),
    after: (s) => s.patch({ title: "B", mode: "auto", metadata: { n: 1 } }),
  },
  {
    name: "identify",
    run: (s, key) => s.identify({ customer: "ada", ...key }),
    other: (s, key) => s.identify({ customer: "ada", carry: true, ...key }),
    after: said,
  },
  {
    name: "fork",
    ownKeys: true,
    before: said,
    run: async (s, key) => (await s.fork({ at: 1, ...key })).id,
    other: (s, key) => s.fork({ at: 2, ...key }),
    after: said,
  },
];

const quiet = async (session: Session): Promise<void> => {
  const { turns } = await session.pending();
  for (const { turn_id } of turns) await session.outcome(turn_id);
};
const logOf = async (session: Session): Promise<readonly string[]> =>
  (await collect(session, { withdrawn: true })).map((event) => JSON.stringify(event));

/** What holds of a command that comes with a key. */
async function usedOnce(
  { sessions, store }: Runtime & { readonly store: Store },
  { before, run, other, after, ownKeys = false }: Command,
): Promise<void> {
  const session = await sessions.create({ agent: "a1" });
  await before?.(session);
  const key = { idempotencyKey: "k-1" };
  const first = await run(session, key);
  await quiet(session);
  const log = await logOf(session);
  const info = await session.info();
  expect(await run(session, key)).toEqual(first);
  expect(await logOf(session)).toEqual(log);
  if (other !== undefined) expect(await code(other(session, key))).toBe("session.idempotency_mismatch");
  if (!ownKeys) expect(await code(session.postCustom("another command", key))).toBe("session.idempotency_mismatch");
  expect(await session.info()).toEqual(info);

  await after?.(session);
  const later = await logOf(session);
  const restarted = await createRuntime({ store, agents: [echoAgent()], work: false });
  expect(await run(await restarted.sessions.get(session.id), key)).toEqual(first);
  expect(await logOf(session)).toEqual(later);
  await restarted.close();
  // Another session knows nothing of it (C23).
  const elsewhere = await sessions.create({ agent: "a1" });
  await before?.(elsewhere);
  await run(elsewhere, key);
  await quiet(elsewhere);
}

describe("a key", () => {
  it.each(commands)("C21, C23: of $name is used once", async (command) => usedOnce(await started(), command));
});

const databases = {
  sqlite: () => openStore(newSqliteFile()),
  ...(noPostgres === undefined ? { postgres: async () => openStore(await emptyPostgresDatabase()) } : {}),
};

describe.each(Object.entries(databases))("on %s a key", (_kind, openIt) => {
  const open = async (): Promise<Runtime & { readonly store: Store }> => {
    const store = await openIt();
    onTestFinished(() => store.close());
    return started({ store });
  };

  it("of any command is used once", async () => {
    const runtime = await open();
    for (const command of commands) await usedOnce(runtime, command);
  });

  it("of one command that many send at once is used once", async () => {
    const { sessions, customers } = await open();
    const session = await sessions.create({ agent: "a1" });
    const all = async <Result>(run: () => Promise<Result>): Promise<readonly Result[]> => [
      ...new Set(await Promise.all(Array.from({ length: 6 }, run))),
    ];
    const key = (name: string) => ({ idempotencyKey: name });
    expect(await all(async () => (await session.postOperator("hi", key("a"))).offset)).toHaveLength(1);
    expect(await all(async () => (await session.handOver({ reason: "help", ...key("b") })).offset)).toHaveLength(1);
    expect(await all(async () => (await session.handBack({ resume: true, ...key("c") })).turn_id)).toHaveLength(1);
    expect(await all(async () => (await sessions.create({ agent: "a1", ...key("d") })).id)).toHaveLength(1);
    expect(await all(async () => (await session.fork(key("e"))).id)).toHaveLength(1);
    expect(await all(async () => (await customers.create({ name: "Ada", ...key("f") })).id)).toHaveLength(1);
    await quiet(session);
  });

  it("creates a session or a customer once", async () => {
    const { sessions, customers } = await open();
    const create = { agent: "a1", title: "A", greet: true, idempotencyKey: "s-1" };
    const session = await sessions.create(create);
    expect((await session.turns()).items.map(({ cause, status }) => [cause, status])).toEqual([["greeting", "ended"]]);
    const log = await logOf(session);
    expect((await sessions.create(create)).id).toBe(session.id);
    expect(await logOf(session)).toEqual(log);
    expect(await code(sessions.create({ ...create, title: "B" }))).toBe("session.idempotency_mismatch");
    expect((await sessions.list()).total).toBe(1);
    // A caller's own key of the session is another key.
    expect(await session.postCustom(1, { idempotencyKey: "s-1" })).toEqual({ offset: log.length });

    const ada = await customers.create({ name: "Ada", variables: { n: 0 }, idempotencyKey: "c-1" });
    expect(await customers.create({ variables: { n: 0 }, name: "Ada", idempotencyKey: "c-1" })).toEqual(ada);
    expect(await code(customers.create({ name: "Bob", idempotencyKey: "c-1" }))).toBe("session.idempotency_mismatch");
    const named = await customers.create({ id: "crm-7", name: "Ada", idempotencyKey: "c-2" });
    expect((await customers.create({ id: "crm-7", name: "Ada", idempotencyKey: "c-2" })).owner_id).toBe(named.owner_id);
    expect(await code(customers.create({ id: "crm-7", name: "Ada" }))).toBe("customer.exists");
    expect(await code(customers.create({ id: "crm-7", name: "Bob", idempotencyKey: "c-2" }))).toBe("customer.exists");
    expect(ada.id).toMatch(/^cus_[0-9a-hjkmnp-tv-z]{26}$/);
  });
});

describe("a key", () => {
  it("of a command that was refused can be used when it is sent again", async () => {
    const { sessions } = await started();
    const session = await sessions.create({ agent: "a1" });
    expect(await code(session.assign({ operator: "ann", idempotencyKey: "k" }))).toBe("handover.none");
    await session.handOver();
    await session.assign({ operator: "ann", idempotencyKey: "k" });
    expect((await session.info()).handover).toMatchObject({ status: "assigned", operator: "ann" });
  });

  it.each(["", "x".repeat(256), 7])("is refused when it cannot be one", async (key) => {
    const { sessions, customers } = await started();
    const session = await sessions.create({ agent: "a1" });
    const given = { idempotencyKey: key as string };
    for (const run of [
      () => session.postOperator("hi", given),
      () => session.stop(undefined, given),
      () => session.fork(given),
      () => sessions.create({ agent: "a1", ...given }),
      () => customers.create(given),
    ])
      expect(await code(run())).toBe("input.invalid");
  });

  it("of an erased session's creation makes another one", async () => {
    const { sessions } = await started();
    const first = await sessions.create({ agent: "a1", idempotencyKey: "s" });
    await sessions.delete(first.id);
    expect((await sessions.create({ agent: "a1", idempotencyKey: "s" })).id).not.toBe(first.id);
  });
});
