/** Bundles that no export has written: each is refused as `bundle.invalid`, and nothing of it is there. */
import { createHash } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { importBundle, openStore, type Store } from "../../packages/throughline/src/index.ts";
import { emptyPostgresDatabase, newSqliteFile, noPostgres } from "../setup/database.ts";
import { hangMs } from "../setup/limits.ts";

type Line = Readonly<Record<string, unknown>>;
interface Parts {
  readonly owner?: Line;
  readonly session?: Line;
  /** The second event. */
  readonly event?: Line;
  readonly entries?: readonly Line[];
  readonly sessions?: number;
}

const trace_id = `${"0".repeat(31)}1`;
const created = { type: "created", agent: "clerk", definition: 2, state: {}, episode: 1 };
const entry = { type: "entry", entry_id: "e-1", kind: "fact", data: {}, created_at: 1 };

/** A bundle whose lines are valid except for these members, and whose end counts them. */
function bundleOf({ owner, session, event, entries = [], sessions = 1 }: Parts): readonly string[] {
  const first = Number(session?.["first_offset"] ?? 0);
  const one = (number: number): readonly Line[] => [
    {
      ...{ type: "session", session_id: `ses_${String(number).padStart(26, "0")}`, agent: "clerk", agent_version: 2, mode: "auto", title: null },
      ...{ metadata: {}, labels: [], consumers: {}, episode: 1, created_at: 1, first_offset: 0, head: first + 1, waiting: [] },
      ...{ turns: [{ number: 1, cause: "message", status: "running", trace_id, created_at: 1, started_offset: first + 1 }], ...session },
    },
    ...[
      { offset: first, kind: "session", data: created },
      { offset: first + 1, kind: "message", data: { role: "user", parts: [{ type: "text", text: "hello" }] }, ...event },
    ].map((given) => ({ type: "event", source: "system", trace_id, created_at: 1, version: 1, ...given })),
  ];
  const lines = [
    { type: "bundle", format: "throughline-bundle/1", exported_at: 1, redacted: false },
    { type: "owner", customer_id: "crm-1", name: null, metadata: {}, variables: {}, created_at: null, ...owner },
    ...entries,
    ...Array.from({ length: sessions }, (_, number) => one(number)).flat(),
  ].map((line) => JSON.stringify(line));
  const sha256 = createHash("sha256")
    .update(lines.map((line) => `${line}\n`).join(""))
    .digest("hex");
  return [...lines, JSON.stringify({ type: "end", lines: lines.length, sessions, events: sessions * 2, sha256 })];
}

const turn = { cause: "message", status: "ended", trace_id, created_at: 1 };
const wrong: Readonly<Record<string, Parts>> = {
  "too many deleted events": { session: { first_offset: 1_000_001, base: {} } },
  "too many deleted events in all sessions": { session: { first_offset: 600_000, base: {} }, sessions: 2 },
  "a turn that is far from the others": { session: { turns: [{ ...turn, number: 1e9 }] } },
  "the greatest turn": { session: { turns: [{ ...turn, number: Number.MAX_SAFE_INTEGER }] } },
  "a head before the first offset": { session: { first_offset: 5, head: 4, base: {} } },
  "a version that no store can hold": { session: { agent_version: 2 ** 40 } },
  "the version of unfinished imports": { session: { agent_version: 2 ** 31 - 1 } },
  "an episode that no store can hold": { session: { episode: 2 ** 40 } },
  "an agent without a name": { session: { agent: "" } },
  "a title that is too long": { session: { title: "t".repeat(201) } },
  "no title": { session: { title: undefined } },
  "a customer without an id": { owner: { customer_id: "" } },
  "a customer with a NUL": { owner: { customer_id: "a\u0000b" } },
  "a customer with a long name": { owner: { name: "n".repeat(201) } },
  "a customer of the far future": { owner: { created_at: Number.MAX_SAFE_INTEGER } },
  "a session of the far future": { session: { created_at: 2 ** 43 } },
  "an event of the far future": { event: { created_at: 2 ** 43 } },
  "a turn of the far future": { session: { turns: [{ ...turn, number: 1, created_at: 2 ** 43 }] } },
  "an entry of the far future": { entries: [{ ...entry, created_at: 2 ** 43 }] },
  "a label that is too long": { session: { labels: ["l".repeat(5000)] } },
  "too many labels": { session: { labels: Array.from({ length: 101 }, (_, index) => `l${index}`) } },
  "the label of an unfinished import": { session: { labels: ["throughline:importing:x"] } },
  "a message of an unknown version": { event: { version: 99 } },
  "a message without data": { event: { data: {} } },
  "a message with a part that is none": { event: { data: { role: "user", parts: [null] } } },
  "a pause without questions": { event: { kind: "turn", turn: 1, data: { type: "paused", step_id: "s" } } },
  // Found only when it is written: after the sessions have their customer, and in the final header.
  "an entry without an id": { entries: [{ ...entry, entry_id: "" }] },
  "a variable without a name": { session: { variables: { "": 1 } } },
};

const targets: Readonly<Record<string, () => Promise<string>>> = { SQLite: async () => newSqliteFile(), PostgreSQL: emptyPostgresDatabase };

async function storeIn(locationOf: () => Promise<string>): Promise<Store> {
  const store = await openStore(await locationOf());
  onTestFinished(() => store.close());
  return store;
}

const totals = async (store: Store): Promise<readonly unknown[]> => [
  (await store.list({ of: "customers" })).total,
  (await store.list({ of: "sessions" })).total,
];

describe.each(Object.entries(targets))("into %s", (name, locationOf) => {
  test("what no export has written is refused, and nothing of it is there", async ({ skip }) => {
    if (name === "PostgreSQL" && noPostgres !== undefined) skip(noPostgres);
    const store = await storeIn(locationOf);
    for (const [what, parts] of Object.entries(wrong)) {
      await expect(importBundle(store, bundleOf(parts)), what).rejects.toMatchObject({ code: "bundle.invalid" });
      expect(await totals(store), what).toEqual([0, 0]);
    }
    await importBundle(store, bundleOf({ entries: [entry], session: { labels: ["subagent"] } }));
    await importBundle(store, bundleOf({ owner: { customer_id: "crm-2" }, session: { first_offset: 1200, base: {}, base_offset: 1199 } }));
    expect(await totals(store)).toEqual([2, 2]);
  });

  test("a final header that the store refuses leaves neither the session nor its customer", async ({ skip }) => {
    if (name === "PostgreSQL" && noPostgres !== undefined) skip(noPostgres);
    const store = await storeIn(locationOf);
    const refusing = new Proxy(store, {
      get(target, member) {
        const value: unknown = Reflect.get(target, member, target);
        if (typeof value !== "function") return value;
        return async (...given: readonly { readonly session?: { readonly header?: { readonly episode?: number } } }[]) => {
          if (member === "commit" && given[0]?.session?.header?.episode !== undefined) throw new Error("refused");
          return Reflect.apply(value, target, given) as unknown;
        };
      },
    });
    await expect(importBundle(refusing, bundleOf({ sessions: 2 }))).rejects.toThrow("refused");
    expect(await totals(store)).toEqual([0, 0]);
  });

  test("an import is stopped by its signal and refuses a second one of the same bundle meanwhile", async ({ skip }) => {
    if (name === "PostgreSQL" && noPostgres !== undefined) skip(noPostgres);
    const store = await storeIn(locationOf);
    const bundle = bundleOf({ session: { first_offset: 1_000_000, base: {}, base_offset: 999_999 } });
    const leaving = new AbortController();
    const first = importBundle(store, bundle, { signal: leaving.signal });
    const ended = expect(first).rejects.toMatchObject({ code: "aborted" });
    await expect.poll(async () => (await store.list({ of: "sessions" })).total, { timeout: hangMs }).toBe(1);
    await expect(importBundle(store, bundle)).rejects.toMatchObject({ code: "session.conflict" });
    expect((await store.list({ of: "sessions" })).total).toBe(1);
    leaving.abort();
    await ended;
    expect(await totals(store)).toEqual([0, 0]);
  });
});
