/** Closing an episode: what of it is worth remembering is written in one commit, whoever closes it, and however often that is tried. */
import type { ExtensionAgent, ExtensionContext } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { doInSlices } from "../../kernel/slices.ts";
import type { EntryWrite } from "../entry.ts";
import { memoryOf, type MemorySettings } from "../settings.ts";
import type { MemoryView } from "../view.ts";
import { bufferEntryId } from "../write/buffer.ts";
import { consolidate, type ConsolidationReport } from "../write/consolidate.ts";
import { comparing } from "../write/key.ts";
import { newEvent } from "../../session/new-event.ts";
import { episodeSilenceMs } from "../../session/decide.ts";
import type { LoadedSession, NewEvent, RecordRow, SessionRow } from "../../store/port.ts";
import { changes, commitOnce, refused } from "../../extension/commit.ts";
import { closingDone, closingKind, closingOf, closingRecord, type Closing, type EpisodeReport } from "./closing-record.ts";
import { episodeSaid } from "./episode-said.ts";
import { type Draft, draftOf, mayCommit, shownToExtractor } from "./extract.ts";
import { isIncognito } from "../../session/session-marks.ts";
import { cacheOf } from "./memory-cache.ts";
import { touched, whoseSession } from "./keeper-of.ts";

/** How long whoever closes an episode is left alone with it: a model may read it. */
const holdMs = 120_000;
/** A turn that is at work ends soon. */
const busyMs = 5_000;
/** Milliseconds until closing is tried again after it failed, twice as many each time. */
const firstRetryMs = 30_000;
const lastRetryMs = 6 * 3_600_000;

/** What {@link closeEpisode} is given. */
export interface CloseOptions {
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
