/** Background worker for memories: closes episodes and creates missing vectors. One commit writes what to remember, whichever worker closes the episode. */
import { present } from "../../kernel/json.ts";
import { changes, commitOnce, refused } from "../../extension/commit.ts";
import { inTime, lastTakenBack } from "../../extension/forgotten.ts";
import { eventsOf } from "../../extension/lists.ts";
import type { BackgroundWorker, ExtensionAgent, ExtensionContext } from "../../extension/port.ts";
import { abortable } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId } from "../../kernel/id.ts";
import { doInSlices } from "../../kernel/slices.ts";
import { episodeSilenceMs } from "../../session/decide-command.ts";
import { maskedBy } from "../../session/masks.ts";
import { newEvent } from "../../session/new-event.ts";
import { textOf } from "../../session/session-messages.ts";
import { isIncognito } from "../../session/session-view.ts";
import { decodeEvent } from "../../session/fold.ts";
import type { LoadedSession, NewEvent, RecordRow, SessionRow } from "../../store/port.ts";
import type { EmbeddingProvider } from "../embed.ts";
import { arcEntryId, bufferEntryId, type EntryWrite, inForce, type RememberedTurn, turnEntryId } from "../entry.ts";
import { embedEntries, planVectors, vectorWrites } from "../recall/embed-memory.ts";
import { memoryOf, type MemorySettings } from "../memory-settings.ts";
import type { MemoryView } from "../view.ts";
import { type ClosedEpisode, consolidate, type ConsolidationReport } from "../write/consolidate.ts";
import type { Extraction, ExtractionInput, SaidTurn } from "../write/check-candidate.ts";
import { comparing, factKey } from "../write/key.ts";
import { privacyOf, rememberable } from "../write/policy.ts";
import { ruleExtractor } from "../write/rule-extractor.ts";
import { cacheOf } from "./memory-cache.ts";
import {
  type Closing,
  closingDone,
  closingKind,
  closingOf,
  closingRecord,
  type EpisodeReport,
  registerWorker,
  touched,
  type Whose,
  whoseSession,
} from "./memory-work.ts";

/** Maximum number of owners queued for embedding. Others are embedded after their next turn. */
const mostWaiting = 1_000;

/** Background worker for memories: closes episodes that are over and creates missing vectors. One per process. */
export class MemoryWorker implements BackgroundWorker {
  readonly #runtime: ExtensionContext;
  readonly #pollMs: number;
  readonly #work: boolean;
  readonly #closing = new AbortController();
  readonly #touched = new Map<OwnerId, Whose>();
  /** Entries that the embedding model rejects, by owner. */
  readonly #refused = new Map<OwnerId, Set<string>>();
  #polling: Promise<void> | undefined;
  #looking: Promise<unknown> = Promise.resolve();

  constructor(runtime: ExtensionContext, options: { readonly pollMs: number; readonly work: boolean }) {
    this.#runtime = runtime;
    this.#pollMs = options.pollMs;
    this.#work = options.work;
    registerWorker(runtime, this);
  }

  /** Starts the worker in a process that runs turns. */
  start(): void {
    if (!this.#work) return;
    this.#polling ??= this.#prepare()
      .catch((error: unknown) => this.#warn("a memory's words were not made ready", error))
      .then(() => this.#poll());
  }

  /** Closes the episodes that are due. With a session, closes all of its ended episodes. Failures are logged and retried later. */
  closeEpisodes(session?: SessionRow): Promise<readonly EpisodeReport[]> {
    const looked = this.#looking.then(() => this.#look(session));
    this.#looking = looked.catch(() => {});
    return looked;
  }

  async look(): Promise<void> {
    await this.closeEpisodes();
  }

  async close(): Promise<void> {
    this.#closing.abort(new ThroughlineError("aborted", "The runtime is closing."));
    await this.#polling;
    await this.#looking;
  }

  /** Queues an owner whose memory was written. */
  touched(owner: OwnerId, whose: Whose): void {
    if (this.#touched.size < mostWaiting) this.#touched.set(owner, whose);
  }

  async #look(session: SessionRow | undefined): Promise<readonly EpisodeReport[]> {
    const { signal } = this.#closing;
    const reports: EpisodeReport[] = [];
    for (const row of await dueClosings(this.#runtime, { session })) {
      if (signal.aborted) break;
      try {
        const report = await closeEpisode(this.#runtime, row, { signal });
        if (report !== undefined) reports.push(report);
      } catch (error) {
        if (!signal.aborted) logClosing(this.#runtime, row, error);
      }
    }
    return reports;
  }

  /** Prepares the tables that turns with memory need, before the first turn. */
  async #prepare(): Promise<void> {
    const { signal } = this.#closing;
    const cache = cacheOf(this.#runtime);
    for (const agent of this.#runtime.agents.values()) {
      const settings = memoryOf(agent);
      if (settings !== undefined) await cache.prepare(settings, { signal });
    }
  }

  async #poll(): Promise<void> {
    const { clock } = this.#runtime;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.closeEpisodes();
        await this.#embed(signal);
      } catch (error) {
        this.#warn("looking after memories failed", error);
      }
      await clock.sleep(this.#pollMs, signal).catch(() => {});
    }
  }

  #warn(message: string, error: unknown): void {
    if (!this.#closing.signal.aborted) this.#runtime.logger.warn(message, { code: ThroughlineError.from(error).code }, error);
  }

  async #embed(signal: AbortSignal): Promise<void> {
    for (const [owner, whose] of this.#touched) {
      if (signal.aborted) return;
      this.#touched.delete(owner);
      const except = this.#refused.get(owner) ?? new Set();
      if (await embedMissing(this.#runtime, whose, { signal, except })) this.touched(owner, whose);
      if (except.size > 0 && this.#refused.size < mostWaiting) this.#refused.set(owner, except);
    }
  }
}

/** Batches per owner before the next owner. A long memory with a new model takes several rounds. */
const batchesAtOnce = 4;
/** Timeout of an embedding request in milliseconds. A hanging model blocks neither other owners' vectors nor shutdown. */
const mostMs = 120_000;

/**
 * Creates the missing vectors of an owner's memory. Returns whether more are missing. Failures are logged and retried on the next write to the
 * memory. Entries that the model rejects are added to `except`.
 */
async function embedMissing(
  runtime: ExtensionContext,
  whose: Whose,
  { signal, except }: { readonly signal: AbortSignal; readonly except: Set<string> },
): Promise<boolean> {
  const settings = [...runtime.agents.values()].map(memoryOf).find((one) => one?.embedding !== undefined);
  if (settings?.embedding === undefined) return false;
  try {
    for (let batch = 1; batch <= batchesAtOnce; batch++) {
      if (!(await embedBatch({ runtime, settings, embedding: settings.embedding, whose, signal, except }))) return false;
    }
    return true;
  } catch (error) {
    signal.throwIfAborted();
    // The session or the customer was erased, so no vectors are needed.
    if (!ThroughlineError.is(error, "session.not_found", "customer.not_found"))
      runtime.logger.warn("vectors not made", { code: ThroughlineError.from(error).code }, error);
    return false;
  }
}

interface Embedding {
  readonly runtime: ExtensionContext;
  readonly settings: MemorySettings;
  readonly embedding: EmbeddingProvider;
  readonly whose: Whose;
  readonly signal: AbortSignal;
  /** Entries that the model rejects. */
  readonly except: Set<string>;
}

/** Embeds one batch. Returns whether there may be more. */
async function embedBatch({ runtime, settings, embedding, whose, signal, except }: Embedding): Promise<boolean> {
  const cache = cacheOf(runtime);
  const first = await whose();
  const { missing, obsolete } = planVectors((await cache.whole(first.owner_id, settings, first.version)).entries(), embedding, { except });
  const batch = missing.slice(0, embedding.maxBatch);
  if (batch.length === 0 && obsolete.length === 0) return false;
  const { vectors, refused: unwanted } =
    batch.length === 0
      ? { vectors: [], refused: [] }
      : await inTime(runtime, { ms: mostMs, signal }, () => embedEntries(embedding, batch, { signal }));
  for (const id of unwanted) except.add(id);
  for (let tries = 1; ; tries++) {
    // Entries forgotten while the model ran get no vector. The commit depends on this version of the owner.
    const owner = await whose();
    const view = await cache.whole(owner.owner_id, settings, owner.version);
    const entries = [...planVectors(view.entries(), embedding).obsolete, ...vectorWrites(vectors, (id) => view.get(id))];
    if (entries.length === 0) return missing.length > batch.length;
    const result = await commitOnce(runtime, { owner: { owner_id: owner.owner_id, depends: { version: owner.version }, entries } });
    if (result.outcome === "committed") return missing.length > batch.length;
    if (!["stale_version", "owner_missing"].includes(result.reason) || tries === changes) throw refused(result, undefined);
  }
}

/** Milliseconds that a worker holds an episode exclusively. A model may read it in that time. */
const holdMs = 120_000;
/** Delay in milliseconds before a busy session is checked again. */
const busyMs = 5_000;
/** Milliseconds until the first retry of a failed closing. The delay doubles with each failure. */
const firstRetryMs = 30_000;
const lastRetryMs = 6 * 3_600_000;

/** Options of {@link closeEpisode}. */
interface CloseOptions {
  readonly signal: AbortSignal;
}

/** An episode that is ready to be closed. */
interface Ready {
  readonly agent: ExtensionAgent;
  readonly settings: MemorySettings;
  readonly loaded: LoadedSession;
  readonly closing: Closing;
  /** The closing record, as held by this process. */
  readonly record: Pick<RecordRow, "key" | "version">;
  /** The session is still in this episode, so closing also ends it. */
  readonly isCurrent: boolean;
}

/** Closes the episode of a record if the episode is over and no other worker holds it. Returns undefined if there is nothing to do yet. */
async function closeEpisode(runtime: ExtensionContext, row: RecordRow, { signal }: CloseOptions): Promise<EpisodeReport | undefined> {
  const ready = await look(runtime, row);
  if (ready === undefined) return undefined;
  try {
    return await consolidated(runtime, ready, signal);
  } catch (error) {
    await putOff(runtime, ready, signal.aborted);
    throw error;
  }
}

async function look(runtime: ExtensionContext, row: RecordRow): Promise<Ready | undefined> {
  const closing = closingOf(row);
  const now = runtime.clock.now();
  if (closing.held !== undefined && closing.held.until > now && closing.held.by !== runtime.worker) return undefined;
  const loaded = await runtime.store.load({ session_id: closing.session_id, messages: 1 });
  if (loaded === undefined) return gone(runtime, row);
  const agent = runtime.agents.get(loaded.session.agent);
  // Another process has this agent, or a newer definition of it.
  const settings = memoryOf(agent);
  if (agent === undefined || settings === undefined || loaded.session.agent_version > agent.version) return undefined;
  if (isIncognito(loaded.session)) return gone(runtime, row);
  const isCurrent = loaded.session.episode === closing.episode;
  if (isCurrent) {
    const due = dueAt(loaded, agent, now);
    if (due > now) {
      await move(runtime, row, { ...closing, due });
      return undefined;
    }
  }
  const held = { ...closing, held: { by: runtime.worker, until: now + holdMs } };
  if (!(await write(runtime, closingRecord(held, { version: row.version })))) return undefined;
  return { agent, settings, loaded, closing, isCurrent, record: { key: row.key, version: row.version + 1 } };
}

/** Removes a closing record that has no work. */
async function gone(runtime: ExtensionContext, row: RecordRow): Promise<undefined> {
  await write(runtime, closingDone(row));
  return undefined;
}

/** Returns the time at which the session has been silent for long enough. */
function dueAt({ session, turns, waiting, messages }: LoadedSession, agent: ExtensionAgent, now: number): number {
  const silence = agent.episodeSilenceMs ?? episodeSilenceMs;
  // A session that waits for an approval may wait for days. The check interval grows with the time since the last change.
  if (turns.length > 0 || (waiting.length > 0 && session.mode === "auto")) return now + Math.max(busyMs, Math.min(silence, now - session.updated_at));
  return (messages.at(-1)?.created_at ?? session.updated_at) + silence;
}

/** Writes one record. Returns false if another worker was faster. */
async function write(runtime: ExtensionContext, record: ReturnType<typeof closingDone>): Promise<boolean> {
  const result = await commitOnce(runtime, { records: [record] });
  if (result.outcome === "committed") return true;
  if (["stale_record", "session_missing", "owner_missing"].includes(result.reason)) return false;
  throw refused(result, undefined);
}

/** Changes the due time of a closing record. The key contains the time, so the record moves to a new key. */
async function move(runtime: ExtensionContext, row: Pick<RecordRow, "key" | "version">, closing: Closing): Promise<void> {
  const { held: _held, ...rest } = closing;
  const next = closingRecord(rest);
  const records = next.key === row.key ? [{ ...next, depends: { version: row.version } }] : [closingDone(row), next];
  const result = await commitOnce(runtime, { records });
  if (result.outcome === "refused" && !["stale_record", "session_missing"].includes(result.reason)) throw refused(result, closing.session_id);
}

/** Reschedules a failed closing, so that one failing episode does not block others. An interrupted closing is due immediately. */
async function putOff(runtime: ExtensionContext, { record, closing }: Ready, interrupted: boolean): Promise<void> {
  const failures = (closing.failures ?? 0) + (interrupted ? 0 : 1);
  const wait = interrupted ? 0 : Math.min(lastRetryMs, firstRetryMs * 2 ** (failures - 1));
  // If the database is unreachable, the record stays unchanged until its hold expires.
  await move(runtime, record, { ...closing, due: runtime.clock.now() + wait, failures }).catch(() => {});
}

async function consolidated(runtime: ExtensionContext, ready: Ready, signal: AbortSignal): Promise<EpisodeReport | undefined> {
  const { session_id, episode } = ready.closing;
  let draft: Draft | undefined;
  for (let tries = 1; ; tries++) {
    const session = await runtime.store.open({ session_id });
    if (session === undefined) return undefined;
    const view = await cacheOf(runtime).whole(session.owner_id, ready.settings, session.owner_version);
    const said = await episodeMessages(runtime, ready.closing, { session, view, isCurrent: ready.isCurrent });
    const shown = shownToExtractor(said, view);
    // Words behind a draft may have been withdrawn or forgotten while the extractor ran. If so, the draft is made again without them.
    if (draft === undefined || !mayCommit(draft, shown)) draft = await draftOf(ready.settings, { shown, said, signal });
    // Comparing facts is most of the work for a long memory, so it runs in slices. The rest runs in one go.
    await doInSlices(comparing([...view.of("fact")].map(({ entry }) => entry)), { clock: runtime.clock, signal });
    const buffer = view.get(bufferEntryId(session_id, episode))?.entry;
    const { writes, report } = consolidate({
      owner_id: session.owner_id,
      memory: toConsolidate(view),
      episode: { session_id, episode, ...said.closed },
      ...(buffer?.type === "buffer" ? { buffer } : {}),
      extraction: draft.extraction,
      now: runtime.clock.now(),
      ...present({ vocabulary: ready.settings.vocabulary }),
    });
    const result = await commitOnce(runtime, {
      ...(writes.length === 0 ? {} : { owner: { owner_id: session.owner_id, depends: { version: session.owner_version }, entries: writes } }),
      session: {
        session_id,
        // The words were read at this head. A later withdrawal or redaction moves the head, and the words are read again.
        depends: ready.isCurrent ? { head: ready.loaded.session.head, episode } : { head: session.head },
        events: eventsFor(runtime, ready, report, writes),
        ...(ready.isCurrent ? { header: { episode: episode + 1 } } : {}),
      },
      records: [closingDone(ready.record)],
    });
    if (result.outcome === "committed") {
      touched(runtime, session.owner_id, whoseSession(runtime, session_id));
      return { ...report, session_id, episode };
    }
    // The session has a new message, or another worker closed the episode. The next check sees it.
    if (["stale_episode", "stale_record"].includes(result.reason) || (ready.isCurrent && result.reason === "stale_head")) {
      if (result.reason !== "stale_record") await move(runtime, ready.record, { ...ready.closing, due: runtime.clock.now() + busyMs });
      return undefined;
    }
    const moved = ["stale_head", "stale_owner", "stale_version", "owner_missing"].includes(result.reason);
    if (!moved || tries === changes) throw refused(result, session_id);
  }
}

const toConsolidate = (view: MemoryView): Parameters<typeof consolidate>[0]["memory"] => ({
  facts: [...view.of("fact")],
  arcs: [...view.of("arc")],
  profile: view.profile,
  bars: [...view.of("bar")].map(({ entry }) => entry),
  masks: [...view.of("mask")].map(({ entry }) => entry),
});

/** Returns the event that ends the episode, if it is still open, and the counts of written entries. A client can use the counts to tell the user. */
function eventsFor(
  runtime: Pick<ExtensionContext, "ids">,
  { closing: { episode }, isCurrent }: Ready,
  report: ConsolidationReport,
  writes: readonly EntryWrite[],
): readonly NewEvent[] {
  const trace_id = runtime.ids.trace();
  const { written, bumped, superseded, rules, arc } = report;
  const counted = { facts: written.length, repeated: bumped.length, superseded: superseded.length, rules: rules.length, arcs: arc === null ? 0 : 1 };
  const counts = Object.fromEntries(Object.entries(counted).filter(([, count]) => count > 0));
  return [
    ...(isCurrent ? [newEvent("session", "system", { type: "episode", closed: episode, opened: episode + 1, reason: "silence" }, { trace_id })] : []),
    ...(writes.length === 0 ? [] : [newEvent("session", "system", { type: "remembered", episode, counts }, { trace_id })]),
  ];
}

/** Returns the closing records that are due. With `session`, returns those of that session: the due ones, and those of earlier episodes at any time. */
async function dueClosings(
  runtime: Pick<ExtensionContext, "store" | "clock" | "agents">,
  { session, limit = 100 }: { readonly session?: SessionRow | undefined; readonly limit?: number } = {},
): Promise<readonly RecordRow[]> {
  const now = runtime.clock.now();
  const due: RecordRow[] = [];
  let cursor: string | undefined;
  do {
    const which = { ...(session === undefined ? {} : { session_id: session.session_id }), ...present({ cursor }) };
    const page = await runtime.store.list({ of: "records", kind: closingKind, limit: 100, ...which });
    for (const row of page.items) {
      const closing = closingOf(row);
      // Keys sort by due time, so the following records are not due either.
      if (session === undefined && closing.due > now) return due;
      // The record belongs to an agent of another process. Such records do not count against the limit.
      if (!runtime.agents.has(closing.agent)) continue;
      const isAsked = session === undefined || closing.due <= now || closing.episode < session.episode;
      if (isAsked) due.push(row);
      if (due.length >= limit) return due;
    }
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return due;
}

/** Logs that an episode could not be closed, without its content. */
const logClosing = ({ logger }: Pick<ExtensionContext, "logger">, row: RecordRow, error: unknown): void =>
  logger.warn("episode not closed", { session_id: closingOf(row).session_id, code: ThroughlineError.from(error).code }, error);

/** Messages of an episode. */
interface EpisodeMessages {
  readonly closed: Omit<ClosedEpisode, "session_id" | "episode">;
  readonly turns: readonly SaidTurn[];
  readonly replies: readonly { readonly offset: number; readonly text: string }[];
}

const newerThan = (version: number, now: { readonly version: number }): number | undefined => (now.version > version ? now.version : undefined);

/** Returns the newest remembered message of an owner outside of an episode. */
function lastMessage(view: MemoryView, current: Pick<SessionRow, "session_id" | "episode">): RememberedTurn | undefined {
  let last: RememberedTurn | undefined;
  for (const { entry } of view.of("turn")) {
    const isCurrent = entry.source.session_id === current.session_id && entry.episode === current.episode;
    if (entry.role === undefined && !isCurrent && entry.source.at > (last?.source.at ?? 0)) last = entry;
  }
  return last;
}

/**
 * Writes the arc of an owner's last episode if that episode has not been closed yet, because its process died, because it ended a moment ago, or
 * because the user began another session without ending it. The rules draft it, so that a turn never waits for a model. The episode stays open, and
 * closing it later replaces the arc. Returns the memory's version with the arc, or undefined if there is
 * nothing new.
 */
export async function draftLastArc(
  runtime: ExtensionContext,
  {
    settings,
    current,
    signal,
  }: {
    readonly settings: MemorySettings;
    readonly current: Pick<SessionRow, "session_id" | "episode" | "owner_id" | "owner_version">;
    readonly signal: AbortSignal;
  },
): Promise<number | undefined> {
  let { owner_id, owner_version: version } = current;
  for (let tries = 1; ; tries++) {
    const { view } = await cacheOf(runtime).of(owner_id, settings, version);
    const last = lastMessage(view, current);
    if (last === undefined) return undefined;
    const { session_id, offset } = last.source;
    const id = arcEntryId(session_id, last.episode);
    const kept = view.get(id)?.entry;
    if (kept?.type === "arc" && kept.upto >= offset) return undefined;
    const { items } = await runtime.store.list({ of: "records", kind: closingKind, session_id, limit: 100 });
    const closing = items.map(closingOf).find(({ episode }) => episode === last.episode);
    // Without a closing record the episode is closed. It left no arc, or a worker wrote one since this memory was read.
    if (closing === undefined) return newerThan(version, await whoseSession(runtime, current.session_id)());
    const session = await runtime.store.open({ session_id });
    if (session?.owner_id !== owner_id) return undefined;
    const whole = await cacheOf(runtime).whole(owner_id, settings, version);
    const isCurrent = session.episode === closing.episode;
    const said = await episodeMessages(runtime, closing, { session, view: whole, isCurrent });
    const { extraction } = await draftOf({ ...settings, extractor: undefined }, { shown: shownToExtractor(said, whole), said, signal });
    const buffer = whole.get(bufferEntryId(session_id, last.episode))?.entry;
    const { writes } = consolidate({
      owner_id,
      memory: toConsolidate(whole),
      episode: { session_id, episode: last.episode, ...said.closed },
      ...(buffer?.type === "buffer" ? { buffer } : {}),
      extraction: { ...extraction, candidates: [] },
      now: runtime.clock.now(),
    });
    const entries = writes.filter(({ entry_id }) => entry_id === id);
    if (entries.length === 0) return undefined;
    const result = await commitOnce(runtime, {
      owner: { owner_id, depends: { version }, entries },
      // The messages were read at this head. A withdrawal or redaction moves it.
      session: { session_id, depends: { head: session.head } },
    });
    if (result.outcome === "committed") return version + 1;
    if (!["stale_head", "stale_version", "owner_missing"].includes(result.reason) || tries === changes) throw refused(result, session_id);
    ({ owner_id, version } = await whoseSession(runtime, current.session_id)());
  }
}

/**
 * Reads the user's messages of an episode from the log. It returns those remembered verbatim, so none that was excluded, forgotten or hidden from
 * recall. It also returns messages that ask not to remember something. Replies to these messages are included, so that an extractor knows their
 * answers.
 */
async function episodeMessages(
  runtime: Pick<ExtensionContext, "store">,
  { session_id, episode, from }: Closing,
  { session, view, isCurrent }: { readonly session: SessionRow; readonly view: MemoryView; readonly isCurrent: boolean },
): Promise<EpisodeMessages> {
  const turns: SaidTurn[] = [];
  const replies: { readonly offset: number; readonly at: number; readonly text: string }[] = [];
  let [started_at, ended_at, upto, level] = [0, 0, from, 0];
  const isForgotten = maskedBy([...view.of("mask")].map(({ entry }) => entry));
  // A reply may paraphrase the messages that it answers. It is shown only if all of them are remembered.
  let [isShown, isReplied] = [true, false];
  // Messages that retention has cut are not available.
  const min_offset = Math.max(from, session.first_offset);
  for await (const stored of eventsOf(runtime.store, { session_id, min_offset, kinds: ["message", "session", "assessment"] })) {
    const event = decodeEvent(stored);
    if (!isCurrent && event.kind === "session" && event.data.type === "episode" && event.data.closed >= episode) break;
    if (event.kind === "assessment") level = Math.max(level, event.data.level);
    if (event.kind !== "message") continue;
    const kept = view.recallable(turnEntryId(session_id, event.offset))?.entry;
    // The end event of the episode was cut or withdrawn.
    if (kept?.type === "turn" && kept.episode > episode) break;
    const text = event.data.flagged === undefined && !isForgotten(stored) ? textOf(event.data.parts) : "";
    const isSaid = event.data.role === "user" && event.source === "customer";
    const isKept = text.trim() !== "" && kept !== undefined && kept.never_recall !== true;
    if (isSaid) [isShown, isReplied] = [(isShown || isReplied) && isKept, false];
    if (text.trim() === "") continue;
    if (started_at === 0) started_at = event.created_at;
    [ended_at, upto] = [event.created_at, event.offset];
    const { offset, created_at: at } = event;
    if (isSaid && (isKept || (kept === undefined && privacyOf(text) !== undefined))) turns.push({ offset, at, text });
    if (event.data.role !== "assistant" || event.data.origin?.is_trace === true) continue;
    if (isShown) replies.push({ offset, at, text });
    isReplied = true;
  }
  const times = started_at === 0 ? {} : { started_at, ended_at };
  const end = Math.min(upto, session.head);
  // A reply rests on everything that its turn saw, including other conversations. A reply older than the last withdrawal or forgetting may reveal
  // removed words, so it is left out.
  const [first] = replies;
  const last = first === undefined ? undefined : await lastTakenBack(runtime.store, session.owner_id, first.at);
  const shown = replies.flatMap(({ at, ...reply }) => (last === undefined || at > last ? [reply] : []));
  return { turns, replies: shown, closed: { turns, ...times, from, upto: end, ...(level === 0 ? {} : { level }) } };
}

/** Result of an extractor, with the input that it saw. */
interface Draft {
  readonly extraction: Extraction;
  readonly shown: Pick<ExtractionInput, "turns" | "replies" | "known">;
}

/** Returns the input that an extractor may see: no messages that the user wants kept out, and no recalled entries. */
function shownToExtractor({ turns, replies }: EpisodeMessages, view: MemoryView): Draft["shown"] {
  const known = [...view.of("fact")].flatMap(({ entry }) => (inForce(entry) ? [entry] : []));
  return { turns: rememberable(turns).turns, replies, known };
}

/**
 * Tells whether a draft may still be committed. The episode must be unchanged, and every fact that the extractor saw must be active. A summary
 * paraphrases its input, so a draft from withdrawn, forgotten or erased words must be made again.
 */
function mayCommit({ shown }: Draft, now: Draft["shown"]): boolean {
  const wordsOf = ({ turns, replies }: Draft["shown"]): string => JSON.stringify([turns, replies]);
  if (wordsOf(shown) !== wordsOf(now)) return false;
  const inForceNow = new Set(now.known.map(factKey));
  return shown.known.every((fact) => inForceNow.has(factKey(fact)));
}

/** Calls the extractor. Without any words, the extractor is not called. */
async function draftOf(
  { extractor }: MemorySettings,
  { shown, said, signal }: { readonly shown: Draft["shown"]; readonly said: EpisodeMessages; readonly signal: AbortSignal },
): Promise<Draft> {
  if (shown.turns.length === 0) {
    const { privacy } = rememberable(said.turns);
    const reason = privacy === undefined ? "Nothing was said." : "The person asked not to remember it.";
    return { shown, extraction: { candidates: [], arc: null, reason } };
  }
  const used = extractor ?? ruleExtractor();
  return { shown, extraction: await abortable(used.extract(shown, { signal }), signal) };
}
