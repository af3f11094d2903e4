import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import type { Commit, CommitResult, Committed, NewEvent, Page, RecordRow, Store, StoredEvent } from "../../store/port.ts";
import type { Chooser } from "../chooser.ts";
import { commitOf, created, event, ids, message, write } from "./fixtures.ts";

/** A commit that was sent; its answer is known, or died with the store. */
interface Deed {
  readonly number: number;
  readonly commit: Commit;
  readonly size: number;
  answer: NonNullable<Committed["session"]> | undefined;
}

/** What was asked of a store over several lives, and what it must therefore hold. Every commit writes to five tables, so that half of one shows. */
export class CrashRecord {
  readonly #session: SessionId;
  readonly #owner: OwnerId;
  readonly #deeds: Deed[] = [];

  private constructor(session: SessionId, owner: OwnerId) {
    this.#session = session;
    this.#owner = owner;
  }

  /** Creates the session that is written to. */
  static async begin(this: void, store: Store): Promise<CrashRecord> {
    const [owner_id, session_id] = [ids.next("owner"), ids.next("session")];
    await write(store, {
      owner: { owner_id, create: { customer_id: "crm-crash" } },
      session: { session_id, create: { owner_id, agent: "crash", agent_version: 1 }, events: [created()] },
    });
    return new CrashRecord(session_id, owner_id);
  }

  /** The next commit. It depends on nothing, so nothing can refuse it. */
  next(choose: Chooser): Commit {
    const number = this.#deeds.length + 1;
    const messages = choose.integer(1, 4);
    const events: readonly NewEvent[] = [
      ...Array.from({ length: messages }, (_, part) => message("x".repeat(choose.integer(0, 3000)), { metadata: { number, part } })),
      event("state", { count: number }, { metadata: { number, part: messages } }),
    ];
    const commit = commitOf({
      owner: {
        owner_id: this.#owner,
        variables: [{ name: `v${number}`, value: number }],
        entries: [{ entry_id: `e${number}`, kind: "fact", data: { number } }],
      },
      records: [{ kind: "deed", key: String(number), data: { number }, owner_id: this.#owner }],
      session: {
        session_id: this.#session,
        events,
        header: { consumers: { last: number } },
        idempotency: { key: `k${number}`, body_hash: "b" },
        ...(choose.chance(0.2) ? { checkpoint: { count: number } } : {}),
      },
    });
    this.#deeds.push({ number, commit, size: events.length, answer: undefined });
    return commit;
  }

  acknowledge(commit: Commit, result: CommitResult): void {
    const deed = this.#deeds.find((candidate) => candidate.commit === commit);
    ok(deed !== undefined);
    ok(result.outcome === "committed", `A commit that depends on nothing was refused: ${JSON.stringify(result)}`);
    strictEqual(result.replayed, false);
    deed.answer = result.session;
  }

  /** Compares what is there with what was acknowledged; then sends again what got no answer. */
  async check(store: Store): Promise<void> {
    const there = await this.#checkWhole(store);
    for (const deed of this.#deeds) {
      const result = await store.commit(deed.commit);
      ok(result.outcome === "committed", `Commit ${deed.number}, sent again after the crash, was refused: ${JSON.stringify(result)}`);
      const was = deed.answer === undefined ? "got no answer before the crash" : "was acknowledged before the crash";
      strictEqual(result.replayed, there.has(deed.number), `Commit ${deed.number} ${was}; sent again, it must be written once.`);
      if (deed.answer !== undefined) deepStrictEqual(result.session, deed.answer, `Commit ${deed.number}, sent again, must give its first result.`);
      deed.answer = result.session;
    }
    await this.#checkWhole(store);
  }

  /** Everything is there that was acknowledged, and every commit is there in every table or in none. Gives the commits that are there. */
  async #checkWhole(store: Store): Promise<ReadonlySet<number>> {
    const log = await this.#log(store);
    const there = new Set(log.slice(1).map(({ metadata }) => Number(metadata?.["number"])));
    for (const deed of this.#deeds) {
      const first = deed.answer?.first_offset ?? log.find(({ metadata }) => metadata?.["number"] === deed.number)?.offset;
      if (deed.answer !== undefined) ok(there.has(deed.number), `Commit ${deed.number} was acknowledged, and is not in the log.`);
      if (first === undefined) continue;
      const own = log.slice(first, first + deed.size).map(({ metadata, data }) => ({ metadata, data }));
      const expected = deed.commit.session?.events?.map(({ metadata, data }) => ({ metadata, data }));
      deepStrictEqual(own, expected, `Commit ${deed.number} is not whole in the log.`);
    }
    const sizes = this.#deeds.filter(({ number }) => there.has(number)).reduce((sum, { size }) => sum + size, 1);
    strictEqual(log.length, sizes, "There is more in the log than was written.");
    await this.#checkTables(store, there);
    return there;
  }

  async #log(store: Store): Promise<readonly StoredEvent[]> {
    const log: StoredEvent[] = [];
    for (;;) {
      const page = await store.read({ session_id: this.#session, min_offset: log.length, limit: 1000 });
      ok(page !== undefined, "The session that was acknowledged is not there.");
      for (const stored of page.events) {
        strictEqual(stored.offset, log.length, "The offsets have a gap.");
        log.push(stored);
      }
      if (log.length > page.head) return log;
      ok(page.events.length > 0, `The head is ${page.head}, and the log ends at ${log.length - 1}.`);
    }
  }

  async #records(store: Store): Promise<readonly number[]> {
    const found: number[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: Page<RecordRow> = await store.list({ of: "records", kind: "deed", ...(cursor === undefined ? {} : { cursor }) });
      found.push(...page.items.map(({ data }) => Number(data["number"])));
      cursor = page.next_cursor;
    }
    return found.toSorted((left, right) => left - right);
  }

  /** Header, variables, memory, records and state have just those commits that the log has. */
  async #checkTables(store: Store, there: ReadonlySet<number>): Promise<void> {
    const loaded = await store.load({ session_id: this.#session, messages: 1 });
    const numbers = [...there].toSorted((left, right) => left - right);
    const entries = (await store.entries({ owner_id: this.#owner, limit: 10_000 })).map(({ entry_id }) => Number(entry_id.slice(1)));
    deepStrictEqual(
      {
        version: loaded?.session.version,
        variables: Object.values(loaded?.variables.values ?? {}).toSorted((left, right) => Number(left) - Number(right)),
        entries: entries.toSorted((left, right) => left - right),
        records: await this.#records(store),
      },
      { version: numbers.length, variables: numbers, entries: numbers, records: numbers },
      "A commit is in one table and not in another.",
    );
  }
}
