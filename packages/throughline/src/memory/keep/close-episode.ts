/** Closing an episode: what of it is worth remembering is written in one commit, whoever closes it, and however often that is tried. */
import type { ExtensionAgent, ExtensionContext } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { doInSlices } from "../../kernel/slices.ts";
import { type EntryWrite, bufferEntryId, turnEntryId, inForce, arcEntryId, type Arc } from "../entry.ts";
import { memoryOf, type MemorySettings } from "../settings.ts";
import type { MemoryView } from "../view.ts";
import { consolidate, type ConsolidationReport, type ClosedEpisode } from "../write/consolidate.ts";
import { comparing, factKey } from "../write/key.ts";
import { newEvent } from "../../session/new-event.ts";
import { episodeSilenceMs } from "../../session/decide.ts";
import type { LoadedSession, NewEvent, RecordRow, SessionRow } from "../../store/port.ts";
import { changes, commitOnce, refused } from "../../extension/commit.ts";
import { closingDone, closingKind, closingOf, closingRecord, type Closing, type EpisodeReport } from "./closing-record.ts";
import { isIncognito } from "../../session/session-view.ts";
import { cacheOf } from "./memory-cache.ts";
import { touched, whoseSession, closeEpisodes } from "./keeper-of.ts";
import { maskedBy } from "../../session/masks.ts";
import type { SaidTurn, Extraction, ExtractionInput } from "../write/extraction.ts";
import { privacyOf, rememberable } from "../write/policy.ts";
import { textOf } from "../../session/session-messages.ts";
import { decodeEvent } from "../../session/upcast.ts";
import { eventsOf } from "../../extension/lists.ts";
import { lastTakenBack } from "../../extension/forgotten.ts";
import { abortable } from "../../kernel/deadline.ts";
import { ruleExtractor } from "../write/rule-extractor.ts";
import { decodeEntry } from "../write/decode.ts";

/** How long whoever closes an episode is left alone with it: a model may read it. */
const holdMs = 120_000;
/** A turn that is at work ends soon. */
const busyMs = 5_000;
/** Milliseconds until closing is tried again after it failed, twice as many each time. */
const firstRetryMs = 30_000;
const lastRetryMs = 6 * 3_600_000;

/** What {@link closeEpisode} is given. */
interface CloseOptions {
  readonly signal: AbortSignal;
}

/** An episode that can be closed now. */
interface Ready {
  readonly agent: ExtensionAgent;
  readonly settings: MemorySettings;
  readonly loaded: LoadedSession;
  readonly closing: Closing;
  /** The record that says so, as this process holds it. */
  readonly record: Pick<RecordRow, "key" | "version">;
  /** The session has not begun another one: closing ends it. */
  readonly isCurrent: boolean;
}

/** Closes the episode that a record tells of, if it is over and nobody else is at it. Undefined if there was nothing to do here, or not yet. */
export async function closeEpisode(runtime: ExtensionContext, row: RecordRow, { signal }: CloseOptions): Promise<EpisodeReport | undefined> {
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
  // Another process knows this agent, or knows it by a newer definition.
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

/** Takes a note away that there is nothing to do for. */
async function gone(runtime: ExtensionContext, row: RecordRow): Promise<undefined> {
  await write(runtime, closingDone(row));
  return undefined;
}

/** When the session will have been silent for long enough. */
function dueAt({ session, turns, waiting, messages }: LoadedSession, agent: ExtensionAgent, now: number): number {
  const silence = agent.episodeSilenceMs ?? episodeSilenceMs;
  // One that waits for somebody's word may wait for days: the longer nothing has happened, the later it is looked at again.
  if (turns.length > 0 || (waiting.length > 0 && session.mode === "auto")) return now + Math.max(busyMs, Math.min(silence, now - session.updated_at));
  return (messages.at(-1)?.created_at ?? session.updated_at) + silence;
}

/** Writes one record; false if somebody else was faster. */
async function write(runtime: ExtensionContext, record: ReturnType<typeof closingDone>): Promise<boolean> {
  const result = await commitOnce(runtime, { records: [record] });
  if (result.outcome === "committed") return true;
  if (["stale_record", "session_missing", "owner_missing"].includes(result.reason)) return false;
  throw refused(result, undefined);
}

/** Gives a note another time: its key says when it is due. */
async function move(runtime: ExtensionContext, row: Pick<RecordRow, "key" | "version">, closing: Closing): Promise<void> {
  const { held: _held, ...rest } = closing;
  const next = closingRecord(rest);
  const records = next.key === row.key ? [{ ...next, depends: { version: row.version } }] : [closingDone(row), next];
  const result = await commitOnce(runtime, { records });
  if (result.outcome === "refused" && !["stale_record", "session_missing"].includes(result.reason)) throw refused(result, closing.session_id);
}

/** What failed is tried again later, so that one bad episode holds up no other; what was interrupted at once. */
async function putOff(runtime: ExtensionContext, { record, closing }: Ready, interrupted: boolean): Promise<void> {
  const failures = (closing.failures ?? 0) + (interrupted ? 0 : 1);
  const wait = interrupted ? 0 : Math.min(lastRetryMs, firstRetryMs * 2 ** (failures - 1));
  // A database that is away keeps the note as it is, until it is held no longer.
  await move(runtime, record, { ...closing, due: runtime.clock.now() + wait, failures }).catch(() => {});
}

async function consolidated(runtime: ExtensionContext, ready: Ready, signal: AbortSignal): Promise<EpisodeReport | undefined> {
  const { session_id, episode } = ready.closing;
  let draft: Draft | undefined;
  for (let tries = 1; ; tries++) {
    const session = await runtime.store.open({ session_id });
    if (session === undefined) return undefined;
    const view = await cacheOf(runtime).whole(session.owner_id, ready.settings, session.owner_version);
    const said = await episodeSaid(runtime, ready.closing, { session, view, isCurrent: ready.isCurrent });
    const shown = shownToExtractor(said, view);
    // Of the words behind a draft some may have been withdrawn or forgotten while the extractor was at work: then they are drafted anew, without them.
    if (draft === undefined || !mayCommit(draft, shown)) draft = await draftOf(ready.settings, { shown, said, signal });
    // Of a long memory most of the work is to make its facts comparable: what is left is done at once.
    await doInSlices(comparing([...view.of("fact")].map(({ entry }) => entry)), { clock: runtime.clock, signal });
    const buffer = view.get(bufferEntryId(session_id, episode))?.entry;
    const { writes, report } = consolidate({
      owner_id: session.owner_id,
      memory: toConsolidate(view),
      episode: { session_id, episode, ...said.closed },
      ...(buffer?.type === "buffer" ? { buffer } : {}),
      extraction: draft.extraction,
      now: runtime.clock.now(),
      ...(ready.settings.vocabulary === undefined ? {} : { vocabulary: ready.settings.vocabulary }),
    });
    const result = await commitOnce(runtime, {
      ...(writes.length === 0 ? {} : { owner: { owner_id: session.owner_id, depends: { version: session.owner_version }, entries: writes } }),
      session: {
        session_id,
        // What was read holds for this head: a withdrawal or a redaction since then moves it, and the words are read again.
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
    // Somebody said something, or closed it: the next look sees that.
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

/** The end of the episode, if it has none, and how much was written: a reader may tell the person that something is remembered. */
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

/** The notes of episodes that are due by now, of one session only if that is given, whenever those are due. */
export async function dueClosings(
  runtime: Pick<ExtensionContext, "store" | "clock" | "agents">,
  { session, limit = 100 }: { readonly session?: SessionRow | undefined; readonly limit?: number } = {},
): Promise<readonly RecordRow[]> {
  const now = runtime.clock.now();
  const due: RecordRow[] = [];
  let cursor: string | undefined;
  do {
    const which = { ...(session === undefined ? {} : { session_id: session.session_id }), ...(cursor === undefined ? {} : { cursor }) };
    const page = await runtime.store.list({ of: "records", kind: closingKind, limit: 100, ...which });
    for (const row of page.items) {
      const closing = closingOf(row);
      // Keys are in the order of their times: what follows is not due either.
      if (session === undefined && closing.due > now) return due;
      // Another process's: as many of them as there may be, they hold up none of ours.
      if (!runtime.agents.has(closing.agent)) continue;
      const isAsked = session === undefined || closing.due <= now || closing.episode < session.episode;
      if (isAsked) due.push(row);
      if (due.length >= limit) return due;
    }
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return due;
}

/** An episode could not be closed: said in the log without what was said in it. */
export const logClosing = ({ logger }: Pick<ExtensionContext, "logger">, row: RecordRow, error: unknown): void =>
  logger.warn("episode not closed", { session_id: closingOf(row).session_id, code: ThroughlineError.from(error).code });

/** An episode's words. */
interface EpisodeSaid {
  readonly closed: Omit<ClosedEpisode, "session_id" | "episode">;
  readonly turns: readonly SaidTurn[];
  readonly replies: readonly { readonly offset: number; readonly text: string }[];
}

/**
 * The person's messages from the log: those that are remembered word for word, so none that was left out of memory, was forgotten or is kept from recall, and those that ask for
 * something not to be remembered. Replies to such messages beside them, for whoever needs to know what was answered.
 */
async function episodeSaid(
  runtime: Pick<ExtensionContext, "store">,
  { session_id, episode, from }: Closing,
  { session, view, isCurrent }: { readonly session: SessionRow; readonly view: MemoryView; readonly isCurrent: boolean },
): Promise<EpisodeSaid> {
  const turns: SaidTurn[] = [];
  const replies: { readonly offset: number; readonly at: number; readonly text: string }[] = [];
  let [started_at, ended_at, upto, level] = [0, 0, from, 0];
  const isForgotten = maskedBy([...view.of("mask")].map(({ entry }) => entry));
  // A reply tells what it answers in other words: it is shown only if all of that is remembered.
  let [isShown, isReplied] = [true, false];
  // What retention has cut since is not there to be told of.
  const min_offset = Math.max(from, session.first_offset);
  for await (const stored of eventsOf(runtime.store, { session_id, min_offset, kinds: ["message", "session", "assessment"] })) {
    const event = decodeEvent(stored);
    if (!isCurrent && event.kind === "session" && event.data.type === "episode" && event.data.closed >= episode) break;
    if (event.kind === "assessment") level = Math.max(level, event.data.level);
    if (event.kind !== "message") continue;
    const kept = view.recallable(turnEntryId(session_id, event.offset))?.entry;
    // The end of the episode itself was cut, or withdrawn.
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
  // A reply rests on all that its turn was shown, of other conversations too: one that is older than a withdrawal or a forgetting may tell what went then.
  const [first] = replies;
  const last = first === undefined ? undefined : await lastTakenBack(runtime.store, session.owner_id, first.at);
  const shown = replies.flatMap(({ at, ...reply }) => (last === undefined || at > last ? [reply] : []));
  return { turns, replies: shown, closed: { turns, ...times, from, upto: end, ...(level === 0 ? {} : { level }) } };
}

/** What an extractor found, together with the words that it was shown. */
interface Draft {
  readonly extraction: Extraction;
  readonly shown: Pick<ExtractionInput, "turns" | "replies" | "known">;
}

/** What an extractor may be shown of an episode now: neither what the person wants kept out, nor anything that was recalled. */
function shownToExtractor({ turns, replies }: EpisodeSaid, view: MemoryView): Draft["shown"] {
  const known = [...view.of("fact")].flatMap(({ entry }) => (inForce(entry) ? [entry] : []));
  return { turns: rememberable(turns).turns, replies, known };
}

/**
 * Whether a draft may still be committed: the episode reads as it did, and every fact that the extractor was shown is in force. A draft that rests on
 * withdrawn, forgotten or erased words must be drafted again, since a summary tells them in words of its own.
 */
function mayCommit({ shown }: Draft, now: Draft["shown"]): boolean {
  const wordsOf = ({ turns, replies }: Draft["shown"]): string => JSON.stringify([turns, replies]);
  if (wordsOf(shown) !== wordsOf(now)) return false;
  const inForceNow = new Set(now.known.map(factKey));
  return shown.known.every((fact) => inForceNow.has(factKey(fact)));
}

/** Asks the extractor; without words to show it is not asked. */
async function draftOf(
  { extractor }: MemorySettings,
  { shown, said, signal }: { readonly shown: Draft["shown"]; readonly said: EpisodeSaid; readonly signal: AbortSignal },
): Promise<Draft> {
  if (shown.turns.length === 0) {
    const { privacy } = rememberable(said.turns);
    const reason = privacy === undefined ? "Nothing was said." : "The person asked not to remember it.";
    return { shown, extraction: { candidates: [], arc: null, reason } };
  }
  const used = extractor ?? ruleExtractor();
  return { shown, extraction: await abortable(used.extract(shown, { signal }), signal) };
}

/** What an episode that has ended left in memory. */
export interface EndedEpisode {
  readonly episode: number;
  /** Whether something of it is remembered now. */
  readonly finalized: boolean;
  /** In 2 to 4 sentences; null without one. */
  readonly summary: string | null;
  /** What was written, or why nothing was, in a sentence. */
  readonly detail: string;
  readonly themes: readonly string[];
  readonly mood_opened: string | null;
  readonly mood_closed: string | null;
  /** Messages of the person that the summary is about. */
  readonly turn_count: number;
  readonly open_loops: readonly string[];
  readonly resolved_threads: readonly string[];
}

async function arcOf({ store }: Pick<ExtensionContext, "store">, { owner_id, session_id }: SessionRow, episode: number): Promise<Arc | undefined> {
  const [row] = await store.entries({ owner_id, entry_id: arcEntryId(session_id, episode), newest: true, limit: 1 });
  const entry = row === undefined ? undefined : decodeEntry(row)?.entry;
  return entry?.type === "arc" ? entry : undefined;
}

const counted = (count: number, what: string): readonly string[] => (count === 0 ? [] : [`${count} ${what}${count === 1 ? "" : "s"}`]);

function written({ written: facts, bumped, rules }: EpisodeReport, arc: Arc | undefined): readonly string[] {
  return [
    ...counted(facts.length, "fact"),
    ...(bumped.length === 0 ? [] : [...counted(bumped.length, "fact").map((one) => `${one} again`)]),
    ...counted(rules.length, "rule"),
    ...(arc === undefined ? [] : ["a summary"]),
  ];
}

function whyNothing(runtime: ExtensionContext, session: SessionRow, report: EpisodeReport | undefined): string {
  if (memoryOf(runtime.agents.get(session.agent)) === undefined) return "Nothing is remembered: the agent has no memory.";
  if (isIncognito(session)) return "Nothing is remembered: the session is incognito.";
  if (report === undefined) return "It left no fact, rule or summary so far.";
  return report.privacy === undefined ? "It left no fact, rule or summary." : "Nothing is remembered, as the person asked.";
}

/** What became of the episode that a session has ended last: closed now, if nobody has done so. */
export async function endedEpisode(runtime: ExtensionContext, session: SessionRow): Promise<EndedEpisode> {
  const episode = session.episode - 1;
  const reports = await closeEpisodes(runtime, session);
  const report = reports.find((one) => one.session_id === session.session_id && one.episode === episode);
  const arc = await arcOf(runtime, session, episode);
  const told = report === undefined ? (arc === undefined ? [] : ["a summary"]) : written(report, arc);
  const finalized = told.length > 0;
  return {
    episode,
    finalized,
    summary: arc?.summary ?? null,
    detail: finalized ? `Remembered: ${told.join(", ")}.` : whyNothing(runtime, session, report),
    themes: arc?.themes ?? [],
    mood_opened: arc?.mood?.opened ?? null,
    mood_closed: arc?.mood?.closed ?? null,
    turn_count: arc?.turn_count ?? 0,
    open_loops: arc?.open_loops ?? [],
    resolved_threads: arc?.resolved ?? [],
  };
}
