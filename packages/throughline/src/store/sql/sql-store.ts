/** The SQL store. The drivers and the procedures contain the differences between the engines. */
import { type Clock, systemClock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import { type Logger, silentLogger } from "../../kernel/log.ts";
import { DraftBoard } from "../draft-board.ts";
import { encryptionOf, type StoreOptions } from "../store-options.ts";
import {
  type AppendRow,
  type AppendsPage,
  type AppendsRequest,
  type Claim,
  type ClaimRequest,
  type Commit,
  type CommitResult,
  type DraftPiece,
  type EntriesRequest,
  type EntryRow,
  type Erased,
  type ListItem,
  type ListQuery,
  type LoadedSession,
  type LoadRequest,
  type MigrationReport,
  type Page,
  type ReadPage,
  type ReadRequest,
  type ReleaseRequest,
  type SessionRow,
  type SessionSelector,
  type Store,
  type VariablesRow,
  agentOwnerId,
  eventSources,
  sessionOwnerId,
} from "../port.ts";
import {
  checkAppends,
  checkAt,
  checkClaim,
  checkCommit,
  checkEntries,
  checkErase,
  checkKept,
  checkLoad,
  checkRead,
  checkRelease,
  checkTurn,
  isTraceId,
} from "../request.ts";
import { orderAppends, readAppends } from "./appends.ts";
import { claimProcedure, releaseProcedure, renewProcedure } from "./claim.ts";
import { commitProcedure } from "./commit/commit-procedure.ts";
import { commitInput } from "./commit/commit-input.ts";
import { boundRedactions } from "./commit/log-edits.ts";
import type { SqlDriver, SqlRow, SqlValue } from "./sql-driver.ts";
import { type ErasureContext, type Target, erase, finishCuts, resume } from "./erasure/erasure-job.ts";
import { wrappedHashKey } from "./keys/keyring.ts";
import { listPageOf } from "./sql-list.ts";
import { migrate } from "./migrate.ts";
import * as queries from "./queries.ts";
import { type Reader, baseOf, entryOf, eventOf, numberOf, numberOr, patchOf, sessionOf, scopeOf, stateIdIn, turnOf } from "./rows.ts";
import { lastPossibleOffset } from "./queries.ts";
import { joining, splitTexts } from "./split.ts";
import { KeysMissing } from "./keys/cipher.ts";
import { type Sealer, createSealing } from "./keys/sealing.ts";
import { DraftReader, DraftWriter } from "./wake/shared-drafts.ts";
import { type Texts, bindings, packTrace } from "./texts.ts";
import { ErasureWatch } from "./wake/erasure-watch.ts";
import { WakeUp } from "./wake/wake-up.ts";

/** Offsets are 32-bit integers in the database. */
const clamp = (offset: number): number => Math.min(offset, lastPossibleOffset);

const logIdIn = ({ log_id }: SqlRow): string | undefined => (typeof log_id === "string" ? log_id : undefined);

const ownerOf = (row: SqlRow): OwnerId => String(row["owner_id"]) as OwnerId;

const appendOf = (row: SqlRow): AppendRow => ({
  position: numberOf(row, "position"),
  session_id: String(row["session_id"]) as SessionId,
  first_offset: numberOf(row, "first_offset"),
  head: numberOf(row, "head"),
});

class SqlStore implements Store {
  readonly erasureContext: ErasureContext;
  readonly #driver: SqlDriver;
  readonly #clock: Clock;
  readonly #texts: Texts;
  protected readonly sealer: Sealer;
  readonly #waking: WakeUp;
  readonly #erasures: ErasureWatch;
  readonly #board = new DraftBoard();
  /** Drafts of other processes. Undefined if drafts stay within their process. */
  readonly #shared: { readonly writer: DraftWriter; readonly reader: DraftReader } | undefined;
  #closed = false;

  constructor(
    driver: SqlDriver,
    { texts, clock, sealer, logger }: { readonly texts: Texts; readonly clock: Clock; readonly sealer: Sealer; readonly logger: Logger },
  ) {
    this.#driver = driver;
    this.#texts = texts;
    this.#clock = clock;
    this.sealer = sealer;
    this.erasureContext = { driver, texts, clock, stopped: () => this.#closed };
    const now = (): number => clock.now();
    this.#shared = driver.sharesDrafts
      ? { writer: new DraftWriter({ driver, logger, now, sealer }), reader: new DraftReader({ driver, texts, board: this.#board, logger }) }
      : undefined;
    this.#erasures = new ErasureWatch(driver);
    this.#waking = new WakeUp(driver, { hearDrafts: (news) => this.#shared?.reader.hear(news), now });
  }

  async open(selector: SessionSelector): Promise<SessionRow | undefined> {
    this.#assertOpen();
    const read =
      "open_key" in selector
        ? await this.#driver.read(queries.openByKey, [this.#texts.hash("open", selector.open_key)])
        : await this.#driver.read(queries.openById, [selector.session_id]);
    const [row] = read.session;
    await this.#texts.ready?.(read.session.map(ownerOf));
    return row && sessionOf(row, this.#texts);
  }

  async load(request: LoadRequest): Promise<LoadedSession | undefined> {
    this.#assertOpen();
    checkLoad(request);
    const { session_id, at, messages = 20 } = request;
    const known = at === undefined ? request.known : undefined;
    const log = known?.log !== undefined && known.log.limit >= messages ? known.log : undefined;
    const { dialect } = this.#driver;
    const values = [session_id, at !== undefined && Number.isSafeInteger(at) ? clamp(at) : lastPossibleOffset, messages];
    const read =
      known === undefined
        ? await this.#driver.read(queries.load[dialect], values)
        : {
            ...(log === undefined
              ? await this.#driver.read(queries.loadRest[dialect], values)
              : await this.#driver.read(queries.loadSince[dialect], [...values, log.head + 1])),
            ...{ checkpoint: [], first: [], patches: [] },
          };
    const [row] = read.session;
    if (row === undefined) return undefined;
    const log_id = logIdIn(row);
    if (known !== undefined) {
      if (stateIdIn(row).state_id !== known.state_id) {
        const { known: _known, ...rest } = request;
        return this.load(rest);
      }
      if (log !== undefined && log.log_id !== log_id) return this.load({ ...request, known: { state_id: known.state_id, base: known.base } });
    }
    await this.#texts.ready?.([ownerOf(row), ...read.variables.map(ownerOf)]);
    const session = sessionOf(row, this.#texts);
    const variablesOf = (owner: OwnerId): VariablesRow => scopeOf(read.variables, owner, this.#texts);
    checkAt(at, session);
    const reader: Reader = { session_id, owner_id: session.owner_id, texts: this.#texts };
    const later = read.messages.map((event) => eventOf(event, reader)).toReversed();
    return {
      session,
      ...stateIdIn(row),
      ...(request.log_id !== true || log_id === undefined ? {} : { log_id }),
      base: known?.base ?? baseOf(read.checkpoint[0], read.first[0], reader),
      patches: read.patches.map((patch) => patchOf(patch, reader)),
      messages: log === undefined ? later : [...log.messages, ...later].slice(Math.max(0, log.messages.length + later.length - messages)),
      variables: variablesOf(session.owner_id),
      session_variables: variablesOf(sessionOwnerId(session_id)),
      agent_variables: variablesOf(agentOwnerId(session.agent)),
      waiting: read.waiting.map(({ offset, turn }) => (typeof turn === "number" ? { offset: Number(offset), turn } : { offset: Number(offset) })),
      turns: read.turns.map((turn) => turnOf(turn, session_id)),
      journal: read.journal.map((event) => eventOf(event, reader)),
    };
  }

  async commit(commit: Commit): Promise<CommitResult> {
    this.#assertOpen();
    checkCommit(commit);
    const { session: change } = commit;
    const sealing = await this.sealer.of(commit);
    if (sealing === undefined) return { outcome: "refused", reason: "session_missing" };
    const redactions = change?.redact === undefined ? [] : await boundRedactions(this.#driver, change);
    const input = splitTexts(commitInput(commit, sealing, this.#clock.now(), redactions));
    const result = await this.#driver.call(commitProcedure, input);
    if (result.outcome === "key_gone") {
      this.sealer.forget();
      throw new KeysMissing(sealing.owner);
    }
    if (result.outcome === "unknown_turn") {
      const event = change?.events?.[result.event];
      if (event !== undefined) checkTurn(event, result.event, result.last_turn, false);
      throw new ThroughlineError("internal", "The database refused a turn that the commit does not name.");
    }
    if (result.outcome === "committed" && !result.replayed) sealing.written?.();
    if (result.outcome === "committed" && change?.cut !== undefined) await finishCuts(this.erasureContext);
    if (result.outcome === "refused" && result.reason === "key_used")
      return {
        ...result,
        body_hash: sealing.texts.decodeName(
          result.body_hash,
          sealing.owner,
          "an idempotency key",
          bindings.bodyHash(input.session?.key?.key_hash ?? ""),
        ),
      };
    if (result.outcome === "committed" && change !== undefined && result.session !== undefined)
      this.#waking.committed(change.session_id, result.session);
    if (result.outcome === "committed" && change?.wake === true) this.#waking.turnGivenBack();
    return result;
  }

  async read(request: ReadRequest): Promise<ReadPage | undefined> {
    this.#assertOpen();
    checkRead(request);
    const { session_id, min_offset = 0, max_offset = lastPossibleOffset, kinds, source, trace_id, limit = 100, withdrawn = false } = request;
    const values: SqlValue[] = [session_id, clamp(min_offset), clamp(max_offset), limit];
    if (source !== undefined) values.push(eventSources.indexOf(source));
    if (trace_id !== undefined) values.push(isTraceId(trace_id) ? packTrace(trace_id) : "");
    const text = queries.readPage(this.#driver.dialect, { kinds, source: source !== undefined, trace: trace_id !== undefined, withdrawn });
    const read = await this.#driver.read(text, values);
    const [row] = read.session;
    if (row === undefined) return undefined;
    const head = numberOf(row, "head");
    checkKept(request.min_offset, numberOf(row, "first_offset"));
    const reader: Reader = { session_id, owner_id: ownerOf(row), texts: this.#texts };
    await this.#texts.ready?.([reader.owner_id]);
    const events = read.events.map((event) => eventOf(event, reader));
    const last = events.at(-1);
    const searchedTo = events.length === limit && last !== undefined ? last.offset : Math.min(head, max_offset);
    return { events, next_offset: Math.max(min_offset, searchedTo + 1), head };
  }

  async watch(session: SessionId, after: number, signal: AbortSignal): Promise<number> {
    this.#assertOpen();
    return this.#waking.wait(session, after, signal);
  }

  async appends(request: AppendsRequest): Promise<AppendsPage> {
    this.#assertOpen();
    checkAppends(request);
    const { after = 0, limit = 100 } = request;
    for (;;) {
      const { more } = this.#driver.dialect === "sqlite" ? { more: false } : await this.#driver.call(orderAppends, {});
      const read = await this.#driver.read(readAppends, [after, limit]);
      if (more && read.appends.length < limit) continue;
      return { appends: read.appends.map(appendOf), last: numberOr(read.feed[0], "position") };
    }
  }

  async watchAppends(listen: () => void): Promise<() => void> {
    this.#assertOpen();
    return this.#waking.watchAppends(listen);
  }

  async list<Query extends ListQuery>(query: Query): Promise<Page<ListItem<Query>>> {
    this.#assertOpen();
    return listPageOf({ driver: this.#driver, texts: this.#texts, now: this.#clock.now() }, query);
  }

  async entries(request: EntriesRequest): Promise<readonly EntryRow[]> {
    this.#assertOpen();
    checkEntries(request);
    const { owner_id, min_version = 0, max_version = lastPossibleOffset, entry_id, kinds, limit = 1000, newest = false } = request;
    // Entry ids and kinds are stored encoded with the owner's keys.
    const named = entry_id !== undefined || kinds !== undefined;
    if (named && !(await this.sealer.canEncode(owner_id))) return [];
    const values: SqlValue[] = [owner_id, clamp(min_version), clamp(max_version), limit];
    if (entry_id !== undefined) values.push(this.#texts.encodeName(entry_id, owner_id, bindings.entryId));
    const stored = kinds && [...new Set(kinds.map((kind) => this.#texts.encodeName(kind, owner_id, bindings.entryKind)))];
    const found: SqlRow[] = [];
    for (let from = 0; from < (stored?.length ?? 1); from += queries.kindsAtOnce) {
      const some = stored?.slice(from, from + queries.kindsAtOnce);
      const read = await this.#driver.read(queries.entries({ newest, entry: entry_id !== undefined, kinds: some?.length }), [
        ...values,
        ...(some ?? []),
      ]);
      found.push(...Object.values(read).flat());
    }
    if (found.length > 0) await this.#texts.ready?.([owner_id]);
    const inOrder = found.toSorted((left, right) => numberOf(left, "version") - numberOf(right, "version"));
    const page = newest ? inOrder.slice(-limit) : inOrder.slice(0, limit);
    return page.map((row) => entryOf(row, owner_id, this.#texts));
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
            urgent: request.kind === "next" && request.urgent === true,
          });
    if (claim === null) return undefined;
    const session_id = String(claim["session_id"]) as SessionId;
    return { session_id, epoch: numberOf(claim, "epoch"), turn: turnOf(claim, session_id) };
  }

  async release(request: ReleaseRequest): Promise<boolean> {
    this.#assertOpen();
    checkRelease(request);
    const { session_id, epoch, counted, retry_in_ms = 0 } = request;
    const { released } = await this.#driver.call(releaseProcedure, { session_id, epoch, counted, retry_in_ms, now: this.#clock.now() });
    if (released && retry_in_ms === 0) this.#waking.turnGivenBack();
    return released;
  }

  async writeDraft(piece: DraftPiece): Promise<void> {
    this.#assertOpen();
    this.#board.write(piece);
    this.#shared?.writer.write(piece);
  }

  async watchDrafts(session: SessionId, listen: (piece: DraftPiece) => void): Promise<() => void> {
    this.#assertOpen();
    const stop = this.#board.watch(session, listen);
    if (this.#shared === undefined) return stop;
    const letGo = await this.#waking.holdOpen();
    await this.#shared.reader.begin(session);
    return () => {
      stop();
      letGo();
    };
  }

  async watchTurns(listen: () => void): Promise<() => void> {
    this.#assertOpen();
    return this.#waking.watchTurns(listen);
  }

  async watchErasures(listen: () => void): Promise<() => void> {
    this.#assertOpen();
    return this.#erasures.watch(listen);
  }

  async erase(target: Target): Promise<Erased> {
    this.#assertOpen();
    checkErase(target);
    return erase(this.erasureContext, target, (sessions) => {
      this.sealer.forget();
      this.#erasures.tell();
      for (const session of sessions) this.#board.drop(session);
      this.#waking.erased(sessions);
    });
  }

  async migrate(): Promise<MigrationReport> {
    this.#assertOpen();
    return { ...(await migrate(this.#driver, this.#clock)), engine: this.#driver.dialect };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#waking.close();
    this.#erasures.close();
    await Promise.all([this.#shared?.writer.close(), this.#shared?.reader.close()]);
    await this.sealer.settled();
    await this.#driver.close();
  }

  #assertOpen(): void {
    if (this.#closed) throw new ThroughlineError("store.closed");
  }
}

/** Repeats work that decodes when a key is missing. Keys are read on demand, and owners can change. */
class EncryptedStore extends SqlStore {
  override open(selector: SessionSelector): Promise<SessionRow | undefined> {
    return this.sealer.retrying(() => super.open(selector));
  }
  override load(request: LoadRequest): Promise<LoadedSession | undefined> {
    return this.sealer.retrying(() => super.load(request));
  }
  override commit(commit: Commit): Promise<CommitResult> {
    return this.sealer.retrying(() => super.commit(commit));
  }
  override read(request: ReadRequest): Promise<ReadPage | undefined> {
    return this.sealer.retrying(() => super.read(request));
  }
  override list<Query extends ListQuery>(query: Query): Promise<Page<ListItem<Query>>> {
    return this.sealer.retrying(() => super.list(query));
  }
  override entries(request: EntriesRequest): Promise<readonly EntryRow[]> {
    return this.sealer.retrying(() => super.entries(request));
  }
}

/** Returns the erasure context of an SQL store. */
export function erasureContextOf(store: Store): ErasureContext {
  if (store instanceof SqlStore) return store.erasureContext;
  throw new ThroughlineError("store.location_invalid", "A store in memory keeps no list of who was erased.");
}

/** Opens a store over a driver and migrates its schema. Closes the driver if that fails. */
export async function openSqlStore(bare: SqlDriver, options: StoreOptions): Promise<Store> {
  const driver = joining(bare);
  const { clock = systemClock, logger = silentLogger } = options;
  try {
    const encryption = encryptionOf(options);
    await migrate(driver, clock, encryption && (() => wrappedHashKey(encryption)));
    const [key] = (await driver.read(queries.metaValue, ["hash_key"])).meta;
    if (key === undefined) throw new ThroughlineError("store.corrupt", "The database has lost its hash key.");
    const { texts, sealer, encrypted } = createSealing(driver, options.codec, encryption, String(key["value"]));
    const store = new (encrypted ? EncryptedStore : SqlStore)(driver, { texts, clock, sealer, logger });
    await resume(store.erasureContext, logger);
    return store;
  } catch (error) {
    await driver.close();
    throw error;
  }
}
