/** The one SQL store. What differs between the engines is in the drivers and in the procedures. */
import { type Clock, systemClock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import { DraftBoard } from "../draft-board.ts";
import type { StoreOptions } from "../options.ts";
import {
  type Claim,
  type ClaimRequest,
  type Commit,
  type CommitResult,
  type DraftPiece,
  type EntryRow,
  type Erased,
  type ListItem,
  type ListQuery,
  type LoadedSession,
  type LoadRequest,
  type MigrationReport,
  type Page,
  type PayloadCodec,
  type ReadPage,
  type ReadRequest,
  type ReleaseRequest,
  type SessionRow,
  type SessionSelector,
  type Store,
  eventSources,
  plainCodec,
} from "../port.ts";
import { checkAt, checkClaim, checkCommit, checkLoad, checkRead, checkRelease, checkSince, checkTurn, isTraceId } from "../request.ts";
import { Watchers } from "../watchers.ts";
import { claimProcedure, releaseProcedure, renewProcedure } from "./claim.ts";
import { commitProcedure } from "./commit.ts";
import { commitInput } from "./commit-input.ts";
import type { SqlDriver, SqlValue } from "./driver.ts";
import { eraseProcedure } from "./erase.ts";
import { listPageOf } from "./list.ts";
import { migrate } from "./migrate.ts";
import * as queries from "./queries.ts";
import { type Reader, baseOf, entryOf, eventOf, numberOf, patchOf, sessionOf, turnOf, variablesOf } from "./rows.ts";
import { type Texts, createTexts, packTrace } from "./texts.ts";

/** Offsets are 32-bit integers in the database. */
const clamp = (offset: number): number => Math.min(offset, queries.lastPossibleOffset);

class SqlStore implements Store {
  readonly #driver: SqlDriver;
  readonly #clock: Clock;
  readonly #texts: Texts;
  readonly #encoded: boolean;
  readonly #watchers = new Watchers();
  readonly #drafts = new DraftBoard();
  readonly #turnListeners = new Set<() => void>();
  /** Owners of sessions, for the codec; an owner never changes. */
  readonly #owners = new Map<SessionId, OwnerId>();
  #closed = false;
  #poll: NodeJS.Timeout | undefined;
  /** Whether to look though the driver tells of no change: it tells only once, and the look failed; or the change was this process's own. */
  #mustLook = false;

  constructor(driver: SqlDriver, texts: Texts, clock: Clock, codec: PayloadCodec) {
    this.#driver = driver;
    this.#texts = texts;
    this.#clock = clock;
    this.#encoded = codec !== plainCodec;
  }

  async open(selector: SessionSelector): Promise<SessionRow | undefined> {
    this.#assertOpen();
    const read =
      "open_key" in selector
        ? await this.#driver.read(queries.openByKey, [this.#texts.hash("open", selector.open_key)])
        : await this.#driver.read(queries.openById, [selector.session_id]);
    const [row] = read.session;
    return row && sessionOf(row, this.#texts);
  }

  async load(request: LoadRequest): Promise<LoadedSession | undefined> {
    this.#assertOpen();
    checkLoad(request);
    const { session_id, at, messages = 20 } = request;
    const read = await this.#driver.read(queries.load, [
      session_id,
      at !== undefined && Number.isSafeInteger(at) ? clamp(at) : queries.lastPossibleOffset,
      messages,
    ]);
    const [row] = read.session;
    if (row === undefined) return undefined;
    const session = sessionOf(row, this.#texts);
    checkAt(at, session);
    const reader: Reader = { session_id, owner_id: session.owner_id, texts: this.#texts };
    return {
      session,
      base: baseOf(read.checkpoint[0], read.first[0], reader),
      patches: read.patches.map((patch) => patchOf(patch, reader)),
      messages: read.messages.map((event) => eventOf(event, reader)).toReversed(),
      variables: variablesOf(numberOf(row, "variables_version"), read.variables, session.owner_id, this.#texts),
      waiting: read.waiting.map(({ offset, turn }) => (typeof turn === "number" ? { offset: Number(offset), turn } : { offset: Number(offset) })),
      turns: read.turns.map((turn) => turnOf(turn, session_id)),
      journal: read.journal.map((event) => eventOf(event, reader)),
    };
  }

  async commit(commit: Commit): Promise<CommitResult> {
    this.#assertOpen();
    checkCommit(commit);
    const { session: change } = commit;
    const owner = change && (change.create?.owner_id ?? (this.#encoded ? await this.#ownerOf(change.session_id) : ("" as OwnerId)));
    if (change !== undefined && owner === undefined) return { outcome: "refused", reason: "session_missing" };
    const result = await this.#driver.call(commitProcedure, commitInput(commit, this.#texts, owner ?? ("" as OwnerId)));
    if (result.outcome === "unknown_turn") {
      const event = change?.events?.[result.event];
      if (event !== undefined) checkTurn(event, result.event, result.last_turn);
      throw new ThroughlineError("internal", "The database refused a turn that the commit does not name.");
    }
    if (result.outcome === "committed" && change !== undefined && result.session !== undefined)
      this.#watchers.notify(change.session_id, result.session.head);
    return result;
  }

  async read(request: ReadRequest): Promise<ReadPage | undefined> {
    this.#assertOpen();
    checkRead(request);
    const { session_id, min_offset = 0, max_offset = queries.lastPossibleOffset, kinds, source, trace_id, limit = 100, withdrawn = false } = request;
    const values: SqlValue[] = [session_id, clamp(min_offset), clamp(max_offset), limit];
    if (source !== undefined) values.push(eventSources.indexOf(source));
    if (trace_id !== undefined) values.push(isTraceId(trace_id) ? packTrace(trace_id) : "");
    const text = queries.readPage({ kinds, source: source !== undefined, trace: trace_id !== undefined, withdrawn });
    const read = await this.#driver.read(text, values);
    const [row] = read.session;
    if (row === undefined) return undefined;
    const head = numberOf(row, "head");
    const reader: Reader = { session_id, owner_id: String(row["owner_id"]) as OwnerId, texts: this.#texts };
    const events = read.events.map((event) => eventOf(event, reader));
    const last = events.at(-1);
    const looked = events.length === limit && last !== undefined ? last.offset : Math.min(head, max_offset);
    return { events, next_offset: Math.max(min_offset, looked + 1), head };
  }

  async watch(session: SessionId, after: number, signal: AbortSignal): Promise<number> {
    this.#assertOpen();
    const waited = this.#watchers.wait(session, after, signal, async () => {
      const [row] = (await this.#driver.read(queries.headOf, [session])).session;
      return row && numberOf(row, "head");
    });
    this.#startPolling();
    return waited;
  }

  async list<Query extends ListQuery>(query: Query): Promise<Page<ListItem<Query>>> {
    this.#assertOpen();
    return listPageOf(this.#driver, this.#texts, query);
  }

  async entries(owner: OwnerId, since: number): Promise<readonly EntryRow[]> {
    this.#assertOpen();
    checkSince(since);
    const read = await this.#driver.read(queries.entries, [owner, clamp(since)]);
    return read.entries.map((row) => entryOf(row, owner, this.#texts));
  }

  async claim(request: ClaimRequest): Promise<Claim | undefined> {
    this.#assertOpen();
    checkClaim(request);
    const now = this.#clock.now();
    const { lease_ms } = request;
    const { claim } =
      request.kind === "renew"
        ? await this.#driver.call(renewProcedure, { session_id: request.session_id, epoch: request.epoch, lease_ms, now })
        : await this.#driver.call(claimProcedure, {
            session_id: request.kind === "session" ? request.session_id : null,
            worker: request.worker,
            lease_ms,
            now,
            agents: request.agents === undefined ? null : JSON.stringify(request.agents),
          });
    if (claim === null) return undefined;
    const session_id = String(claim["session_id"]) as SessionId;
    return { session_id, epoch: numberOf(claim, "epoch"), turn: turnOf(claim, session_id) };
  }

  async release(request: ReleaseRequest): Promise<boolean> {
    this.#assertOpen();
    checkRelease(request);
    const { session_id, epoch, counted, retry_in_ms = 0 } = request;
    return (await this.#driver.call(releaseProcedure, { session_id, epoch, counted, retry_in_ms, now: this.#clock.now() })).released;
  }

  async writeDraft(piece: DraftPiece): Promise<void> {
    this.#assertOpen();
    this.#drafts.write(piece);
  }

  async watchDrafts(session: SessionId, listen: (piece: DraftPiece) => void): Promise<() => void> {
    this.#assertOpen();
    return this.#drafts.watch(session, listen);
  }

  async watchTurns(listen: () => void): Promise<() => void> {
    this.#assertOpen();
    this.#turnListeners.add(listen);
    this.#startPolling();
    return () => void this.#turnListeners.delete(listen);
  }

  async erase(target: { readonly session_id: SessionId } | { readonly owner_id: OwnerId }): Promise<Erased> {
    this.#assertOpen();
    const byId = "session_id" in target ? { session_id: target.session_id, owner_id: null } : { session_id: null, owner_id: target.owner_id };
    const erased = await this.#driver.call(eraseProcedure, byId);
    this.#owners.clear();
    this.#mustLook = true;
    return erased;
  }

  async migrate(): Promise<MigrationReport> {
    this.#assertOpen();
    return migrate(this.#driver, this.#clock);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#poll);
    this.#watchers.close();
    await this.#driver.close();
  }

  #assertOpen(): void {
    if (this.#closed) throw new ThroughlineError("store.closed");
  }

  async #ownerOf(session: SessionId): Promise<OwnerId | undefined> {
    const known = this.#owners.get(session);
    if (known !== undefined) return known;
    const [row] = (await this.#driver.read(queries.ownerOfSession, [session])).session;
    if (row === undefined) return undefined;
    const owner = String(row["owner_id"]) as OwnerId;
    if (this.#owners.size >= 10_000) this.#owners.clear();
    this.#owners.set(session, owner);
    return owner;
  }

  /** Commits of this process tell the watchers at once; those of other processes are looked for while someone waits. */
  #startPolling(): void {
    if (this.#poll !== undefined || this.#closed) return;
    this.#poll = setTimeout(() => {
      this.#poll = undefined;
      if (this.#watchers.sessions.length === 0 && this.#turnListeners.size === 0) return;
      // A failed look is repeated: the watcher's next call meets the trouble itself if it stays.
      this.#look()
        .catch(() => (this.#mustLook = true))
        .finally(() => this.#startPolling());
    }, this.#driver.pollMs);
  }

  async #look(): Promise<void> {
    if (!(await this.#driver.mayHaveChanged()) && !this.#mustLook) return;
    this.#mustLook = false;
    if (this.#driver.dialect === "sqlite") for (const listen of this.#turnListeners) listen();
    const { sessions } = this.#watchers;
    for (let from = 0; from < sessions.length; from += queries.headsAtOnce) {
      const some = sessions.slice(from, from + queries.headsAtOnce);
      const { heads } = await this.#driver.read(queries.heads, [...some, ...Array<null>(queries.headsAtOnce - some.length).fill(null)]);
      const found = new Map(heads.map((row) => [String(row["session_id"]), numberOf(row, "head")]));
      for (const session of some) {
        const head = found.get(session);
        if (head === undefined) this.#watchers.erased(session);
        else this.#watchers.notify(session, head);
      }
    }
  }
}

/** A store over a driver, its schema brought up to date. The driver is closed if that fails. */
export async function openSqlStore(driver: SqlDriver, options: StoreOptions): Promise<Store> {
  const { clock = systemClock, codec = plainCodec } = options;
  try {
    await migrate(driver, clock);
    const [key] = (await driver.read(queries.metaValue, ["hash_key"])).meta;
    if (key === undefined) throw new ThroughlineError("store.corrupt", "The database has lost its hash key.");
    return new SqlStore(driver, createTexts(codec, String(key["value"])), clock, codec);
  } catch (error) {
    await driver.close();
    throw error;
  }
}
