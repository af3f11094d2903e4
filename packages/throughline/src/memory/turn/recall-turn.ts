/** Recall for a turn. It runs once and is recorded, so that a resumed turn gets the same result. */
import { conversationOf, historyPart } from "../../context/section.ts";
import { charactersOverFour } from "../../context/tokens.ts";
import { inTime, logUnread } from "../../extension/forgotten.ts";
import { eventsOf } from "../../extension/lists.ts";
import type { ExtensionTurn } from "../../extension/port.ts";
import { abortable } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { EventOf } from "../../session/event.ts";
import { isIncognito } from "../../session/session-view.ts";
import { decodeEvent } from "../../session/fold.ts";
import type { StateDefinition } from "../../state/define.ts";
import { cacheOf, type CachedMemory } from "../keep/memory-cache.ts";
import { draftLastArc } from "../keep/memory-worker.ts";
import { embedBefore } from "../recall/embed-memory.ts";
import { recall, recordOf, replay, type RecallLimits, type RecallRequest } from "../recall/recall.ts";
import type { Recalled, RecallRecord, RetrievalPath } from "../recalled.ts";
import type { MemorySettings } from "../memory-settings.ts";

/** Maximum length of the recall query. Of a longer text, the first and the last half of this length are used. */
export const mostCharacters = 4_000;

/** A query embedding that was requested before recall needs it. */
interface QueryAhead {
  readonly text: string;
  /** Undefined if the request failed. It never rejects. */
  readonly query: Promise<AskedQuery | undefined>;
  /** Cancels the request. */
  readonly stop: () => void;
}

/** Prefetched queries by turn. */
const asked = new WeakMap<ExtensionTurn, QueryAhead>();

type AskedQuery = Pick<RecallRequest, "query" | "embedMs">;

/** Milliseconds that a prefetched embedding may take in addition to the deadline of recall. */
const aheadMs = 10_000;

/** Waits for the prefetched embedding of this text, with the usual deadline. Returns undefined if there is none. */
async function queryAhead(turn: ExtensionTurn, said: string, { embedDeadlineMs }: MemorySettings): Promise<AskedQuery | undefined> {
  const {
    runtime: { clock },
    signal,
  } = turn;
  const ahead = asked.get(turn);
  if (ahead?.text !== said) return undefined;
  const settled = new AbortController();
  const late = clock.sleep(embedDeadlineMs, settled.signal).then(
    (): AskedQuery => ({ query: { path: "token_recall_after_embed_timeout" }, embedMs: embedDeadlineMs }),
    () => undefined,
  );
  try {
    return await abortable(Promise.race([ahead.query, late]), signal);
  } finally {
    settled.abort();
    ahead.stop();
  }
}

/**
 * Requests the embedding of the message without waiting for it. Returns a function that cancels the request. Does nothing if the turn recalls nothing
 * or has already recalled.
 */
export function prefetchQuery(turn: ExtensionTurn, settings: MemorySettings): (() => void) | undefined {
  const { loaded } = turn;
  if (!settings.prefetch || settings.embedding === undefined) return undefined;
  if (isIncognito(loaded.session) || turn.asked.control.memory === "skip" || recordedIn(turn) !== undefined) return undefined;
  const text = saidIn(turn);
  const stopped = new AbortController();
  const signal = AbortSignal.any([turn.signal, stopped.signal]);
  const ask = async (): Promise<AskedQuery | undefined> => {
    const memory = await readFor(turn, settings);
    return typeof memory === "string" ? undefined : queryFor({ runtime: turn.runtime, signal }, memory, { text, settings, more: aheadMs });
  };
  const stop = (): void => stopped.abort();
  asked.set(turn, { text, query: ask().catch(() => undefined), stop });
  return stop;
}

/** Recalls for a turn and records the result. The result of an earlier attempt is reused. */
export async function recallFor(turn: ExtensionTurn, settings: MemorySettings): Promise<void> {
  try {
    const { tracer } = turn.runtime;
    const run = (): Promise<void> => tracer.span("search_memory", { turn_id: turn.claim.turn.turn_id }, () => recalling(turn, settings));
    await turn.observed({ kind: "retrieval", name: "search_memory" }, run, () => ({ found: turn.told.memory?.working_memory.length ?? 0 }));
  } finally {
    if (turn.told.memory !== undefined) Object.assign(turn.diagnostics, numbersOf(turn.told.memory));
  }
}

/** Returns the recall metrics that every turn reports. The journal entry has all of them. */
function numbersOf({ diagnostics }: Recalled): JsonObject {
  const { load_memory_ms, semantic_hits, semantic_store_size, episodic_hits, episodic_store_size } = diagnostics;
  const { procedural_count, proactive_recall, retrieval_path, memory_tokens } = diagnostics;
  return {
    ...{ load_memory_ms, semantic_hits, semantic_store_size, episodic_hits, episodic_store_size },
    ...{ procedural_count, proactive_recall, retrieval_path, memory_tokens },
  };
}

async function recalling(turn: ExtensionTurn, settings: MemorySettings): Promise<void> {
  const { runtime, loaded, journal, agent } = turn;
  const { clock } = runtime;
  const began = clock.monotonic();
  if (isIncognito(loaded.session) || turn.asked.control.memory === "skip") {
    turn.told.memory = nothingRecalled;
    writeRecalled(turn, nothingRecalled, { quiet: true });
    return;
  }
  const recorded = recordedIn(turn);
  const opening = recorded === undefined && (await isOpening(turn));
  const memory = await readFor(turn, settings, opening ? await completeLast(turn, settings) : undefined);
  if (typeof memory !== "string") turn.shown.version ??= memory.view.version;
  const given =
    typeof memory === "string"
      ? notRead(memory)
      : recorded === undefined
        ? await recallNow(turn, memory, { settings, opening })
        : replay(memory.view, recorded, { text: saidIn(turn), limits: limitsOf(turn, settings) });
  const ms = Math.round((clock.monotonic() - began) * 1000) / 1000;
  const recalled: Recalled = recorded === undefined ? { ...given, diagnostics: { ...given.diagnostics, load_memory_ms: ms } } : given;
  turn.told.memory = recalled;
  turn.timings[recallStage] = ms;
  if (recorded === undefined) {
    // The record holds only numbers, ids and placements.
    const record = recordOf(recalled, typeof memory === "string" ? undefined : memory.view.profileVersion) as unknown as JsonObject;
    writeRecalled(turn, recalled, { record: { ms, record } });
  } else journal.load(loadedFields(agent.state, recalled));
}

/**
 * Makes the arc of the last episode, if it is missing, so that the first turn of an episode recalls it. Returns the memory's version if it changed. A
 * failure leaves the turn without the arc.
 */
async function completeLast({ runtime, loaded: { session }, signal }: ExtensionTurn, settings: MemorySettings): Promise<number | undefined> {
  try {
    return await inTime(runtime, { ms: settings.readDeadlineMs, signal }, () => draftLastArc(runtime, { settings, current: session, signal }));
  } catch (error) {
    signal.throwIfAborted();
    logUnread(runtime, "last episode without a summary", error);
    return undefined;
  }
}

/** Returns the memory, or the path to continue without it. A turn does not fail because its memory cannot be read. */
async function readFor(
  { runtime, loaded: { session }, signal }: ExtensionTurn,
  settings: MemorySettings,
  version?: number,
): Promise<CachedMemory | NotReadPath> {
  try {
    const read = (): Promise<CachedMemory> => cacheOf(runtime).of(session.owner_id, settings, version ?? session.owner_version);
    return await inTime(runtime, { ms: settings.readDeadlineMs, signal }, read);
  } catch (error) {
    signal.throwIfAborted();
    logUnread(runtime, "recall without memory", error);
    return ThroughlineError.is(error, "memory.late") ? "skipped_after_read_timeout" : "skipped_after_read_error";
  }
}

/** Returns the recall record of an earlier attempt of the turn. */
function recordedIn({ loaded }: ExtensionTurn): RecallRecord | undefined {
  const entry = loaded.journal
    .map((stored) => decodeEvent(stored))
    .find((event): event is EventOf<"turn"> => event.kind === "turn" && event.data.type === "stage" && event.data.recall !== undefined);
  return entry?.data.type === "stage" ? (entry.data.recall as unknown as RecallRecord | undefined) : undefined;
}

/** Returns the query text: the messages that the turn answers. */
function saidIn({ answered }: ExtensionTurn): string {
  const text = answered.map((message) => message.text).join("\n");
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters / 2)}\n${text.slice(-mostCharacters / 2)}`;
}

function limitsOf({ agent }: ExtensionTurn, settings: MemorySettings): RecallLimits {
  const counter = agent.prompt.tokenizer ?? charactersOverFour;
  return { ...settings, count: (line) => counter.count(line) };
}

async function recallNow(
  turn: ExtensionTurn,
  memory: CachedMemory,
  { settings, opening }: { readonly settings: MemorySettings; readonly opening: boolean },
): Promise<Recalled> {
  const { runtime, loaded, began_at } = turn;
  const said = saidIn(turn);
  const query = (await queryAhead(turn, said, settings)) ?? (await queryFor(turn, memory, { text: said, settings }));
  const request: RecallRequest = {
    text: said,
    now: began_at,
    opening,
    shown: { session_id: loaded.session.session_id, episode: loaded.session.episode, from: firstShown(turn) },
    ...query,
    partial: memory.completing !== undefined,
    ...(memory.built_ms === 0 ? {} : { indexBuildMs: memory.built_ms }),
  };
  const recalled = recall(memory.view, request, limitsOf(turn, settings));
  if (memory.view.unreadable > 0) runtime.logger.warn("memory entries cannot be read", { count: memory.view.unreadable });
  return recalled;
}

/** Embeds the query within the deadline. Returns nothing if the agent has no embedding model or the owner has no entries. */
export async function queryFor(
  { runtime, signal }: { readonly runtime: Pick<ExtensionTurn["runtime"], "clock" | "logger">; readonly signal: AbortSignal },
  { view, queries }: CachedMemory,
  { text, settings, more = 0 }: { readonly text: string; readonly settings: MemorySettings; readonly more?: number },
): Promise<AskedQuery> {
  const { embedding, embedDeadlineMs } = settings;
  const { fact, turn, arc } = view.sizes;
  if (embedding === undefined || fact + turn + arc === 0) return {};
  const found = await embedBefore(embedding, text, { deadlineMs: embedDeadlineMs + more, clock: runtime.clock, signal, known: queries });
  if (found.vector === undefined && found.error !== undefined) runtime.logger.warn("recall without vectors", { code: found.error.code });
  return { query: found.vector === undefined ? { path: found.path } : { vector: found.vector }, embedMs: found.embed_ms };
}

/** Offset of the first message that the prompt shows anyway. */
function firstShown({ agent, messages, answered, started, journal, loaded }: ExtensionTurn): number {
  const shown = conversationOf(historyPart(agent.sections), {
    messages,
    answers: answered.map(({ offset }) => offset),
    started,
    state: journal.state,
  });
  return shown[0]?.offset ?? loaded.session.head + 1;
}

/** Tells whether the turn answers the first message of the episode. */
async function isOpening({ runtime, loaded, messages, answered, started }: ExtensionTurn): Promise<boolean> {
  const { session_id, episode } = loaded.session;
  const first = answered[0]?.offset ?? started + 1;
  const before = messages.findLast(({ offset, is_trace }) => offset < first && !is_trace)?.offset;
  if (before === undefined) return true;
  if (episode === 1) return false;
  const between = { session_id, min_offset: before + 1, max_offset: first - 1, kinds: ["session"] } as const;
  if (between.min_offset > between.max_offset) return false;
  for await (const stored of eventsOf(runtime.store, between)) {
    const event = decodeEvent(stored);
    if (event.kind === "session" && event.data.type === "episode") return true;
  }
  return false;
}

/** Name of recall in a turn's journal and timings. */
export const recallStage = "memory";

/** State fields that a recall fills, with their values. A state declares the ones that it wants as `loaded`. */
const loadedFrom = {
  working_memory: ({ working_memory }: Recalled): unknown => working_memory,
  session_memory: ({ session_memory }: Recalled): unknown => session_memory,
  procedural_profile: ({ rules, recall_enabled }: Recalled): unknown => ({
    proactive_recall_enabled: recall_enabled,
    procedural_rules: rules.map(({ id, text }) => ({ id, text })),
  }),
} as const;

/** Name of the field that receives the recall metrics, if the state declares it with the `turn` lifecycle. */
const diagnosticsField = "diagnostics";

/** Returns the values of the loaded memory fields that a state declares. */
function loadedFields({ fields }: StateDefinition, recalled: Recalled): Readonly<Record<string, unknown>> {
  const declared = Object.entries(loadedFrom).filter(([name]) => Object.hasOwn(fields, name) && fields[name]?.lifecycle === "loaded");
  return Object.fromEntries(declared.map(([name, value]) => [name, structuredClone(value(recalled))]));
}

/** Returns the delta of a recall: only the metrics field. */
function recallDelta({ fields }: StateDefinition, { diagnostics }: Recalled): JsonObject {
  const { [diagnosticsField]: field } = fields;
  return field?.lifecycle === "turn" ? { [diagnosticsField]: { ...diagnostics } } : {};
}

/** Writes a recall to the turn: its journal entry, the loaded fields and the metrics. */
function writeRecalled(
  { journal, agent }: ExtensionTurn,
  recalled: Recalled,
  { record, quiet = false }: { readonly record?: { readonly ms: number; readonly record: JsonObject }; readonly quiet?: boolean },
): void {
  const writer = { type: "stage", name: recallStage } as const;
  if (!quiet) {
    const stage = record === undefined ? {} : { stage: { name: recallStage, ms: record.ms, control: {}, recall: record.record } };
    journal.apply(writer, recallDelta(agent.state, recalled), { writes: [diagnosticsField], ...stage });
  }
  journal.load(loadedFields(agent.state, recalled));
}

/** Result of a turn that recalls nothing, because the session is incognito or the turn skips memory. */
export const nothingRecalled: Recalled = Object.freeze({
  items: Object.freeze([]),
  working_memory: Object.freeze([]),
  lines: Object.freeze([]),
  session_memory: Object.freeze({ summary: "", active_concerns: Object.freeze([]), open_loops: Object.freeze([]), current_goal: null }),
  rules: Object.freeze([]),
  recall_enabled: false,
  diagnostics: Object.freeze({
    ...{ load_memory_ms: 0, semantic_hits: 0, semantic_store_size: 0, episodic_hits: 0, episodic_store_size: 0, procedural_count: 0 },
    ...{ proactive_recall: false, retrieval_path: "skipped_empty_store", retrieval_note: "Nothing is recalled in this turn.", candidates: 0 },
    ...{ floor: 0, top_score: 0, dropped_by_budget: 0, memory_tokens: 0, index: "whole", weights: "none" },
  } as const),
});

/** Reason why the memory was not read. */
type NotReadPath = Extract<RetrievalPath, `skipped_after_${string}`>;

/** Result of a turn whose memory could not be read. */
const notRead = (retrieval_path: NotReadPath): Recalled => ({
  ...nothingRecalled,
  diagnostics: { ...nothingRecalled.diagnostics, retrieval_path, retrieval_note: "The memory could not be read: nothing is recalled in this turn." },
});
