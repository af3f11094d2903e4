/** What a turn is given of the memory: looked for once, and on record so that a resumed turn is given the same. */
import { conversationOf, historyPart } from "../../context/section.ts";
import { charactersOverFour } from "../../context/tokens.ts";
import { abortable } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { embedBefore } from "../recall/embed-before.ts";
import { recall, recordOf, replay, type RecallLimits, type RecallRequest } from "../recall/recall.ts";
import type { Recalled, RecallRecord } from "../recalled.ts";
import type { MemorySettings } from "../settings.ts";
import type { EventOf } from "../../session/event.ts";
import { decodeEvent } from "../../session/upcast.ts";
import type { Turn } from "../../runtime/turn/begin.ts";
import { eventsOf } from "../../extension/lists.ts";
import type { CachedMemory } from "../keep/memory-cache.ts";
import { loadedFields, recallStage, writeRecalled } from "./fields.ts";
import { isIncognito } from "../../session/session-marks.ts";
import { logUnread, memoryInTime } from "./in-time.ts";
import { nothingRecalled, notRead, type NotReadPath } from "./nothing.ts";

/** More of what was said than this is not looked for: a long text has its words at the beginning and at the end. */
const mostCharacters = 4_000;

/** The vector of what was said, asked for before recall wants it. */
export interface QueryAhead {
  readonly text: string;
  /** Undefined where it could not be asked for; it never rejects. */
  readonly query: Promise<AskedQuery | undefined>;
  /** Gives it up. */
  readonly stop: () => void;
}

type AskedQuery = Pick<RecallRequest, "query" | "embedMs">;

/** How much longer than recall waits for it a vector that is asked for ahead may take. */
const aheadMs = 10_000;

/** What was asked for ahead of these words, waited for as long as for any vector; undefined where nothing was. */
async function queryAhead({ memory: { ahead }, runtime: { clock }, signal }: Turn, said: string, { embedDeadlineMs }: MemorySettings) {
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

/** Asks for the vector of what was said, and does not wait for it; nothing where a turn recalls nothing, or has recalled. */
export function prefetchQuery(turn: Turn, settings: MemorySettings): void {
  const { loaded, asked } = turn;
  if (settings.embedding === undefined || isIncognito(loaded.session) || asked.control.memory === "skip" || recordedIn(turn) !== undefined) return;
  const text = saidIn(turn);
  const stopped = new AbortController();
  const signal = AbortSignal.any([turn.signal, stopped.signal]);
  const ask = async (): Promise<AskedQuery | undefined> => {
    const memory = await readFor(turn, settings);
    return typeof memory === "string" ? undefined : queryFor({ runtime: turn.runtime, signal }, memory, { text, settings, more: aheadMs });
  };
  turn.memory.ahead = { text, query: ask().catch(() => undefined), stop: () => stopped.abort() };
}

/** Recalls for a turn, and writes down what; what an earlier attempt has recalled is not looked for again. */
export async function recallFor(turn: Turn, settings: MemorySettings): Promise<void> {
  const { runtime, loaded, journal, agent } = turn;
  const { clock } = runtime;
  const began = clock.monotonic();
  if (isIncognito(loaded.session) || turn.asked.control.memory === "skip") {
    turn.memory.recalled = nothingRecalled;
    writeRecalled(turn, nothingRecalled, { quiet: true });
    return;
  }
  const recorded = recordedIn(turn);
  const memory = await readFor(turn, settings);
  if (typeof memory !== "string") turn.memory.version ??= memory.view.version;
  const given =
    typeof memory === "string"
      ? notRead(memory)
      : recorded === undefined
        ? await recallNow(turn, memory, settings)
        : replay(memory.view, recorded, { text: saidIn(turn), limits: limitsOf(turn, settings) });
  const ms = Math.round((clock.monotonic() - began) * 1000) / 1000;
  const recalled: Recalled = recorded === undefined ? { ...given, diagnostics: { ...given.diagnostics, load_memory_ms: ms } } : given;
  turn.memory.recalled = recalled;
  turn.timings[recallStage] = ms;
  if (recorded === undefined) {
    // Plain data of our own making: numbers, ids and placements.
    const record = recordOf(recalled, typeof memory === "string" ? undefined : memory.view.profileVersion) as unknown as JsonObject;
    writeRecalled(turn, recalled, { record: { ms, record } });
  } else journal.load(loadedFields(agent.state, recalled));
}

/** The memory, or how recall goes on without: a conversation does not fail because its memory cannot be read. */
async function readFor({ runtime, loaded: { session }, signal }: Turn, settings: MemorySettings): Promise<CachedMemory | NotReadPath> {
  try {
    return await memoryInTime(runtime, settings, { owner_id: session.owner_id, version: session.owner_version, signal });
  } catch (error) {
    signal.throwIfAborted();
    logUnread(runtime, "recall without memory", error);
    return ThroughlineError.is(error, "memory.late") ? "skipped_after_read_timeout" : "skipped_after_read_error";
  }
}

/** What an earlier attempt of the turn has on record. */
function recordedIn({ loaded }: Turn): RecallRecord | undefined {
  const entry = loaded.journal
    .map((stored) => decodeEvent(stored))
    .find((event): event is EventOf<"turn"> => event.kind === "turn" && event.data.type === "stage" && event.data.recall !== undefined);
  return entry?.data.type === "stage" ? (entry.data.recall as unknown as RecallRecord | undefined) : undefined;
}

/** What is looked for. */
function saidIn({ answered }: Turn): string {
  const text = answered.map((message) => message.text).join("\n");
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters / 2)}\n${text.slice(-mostCharacters / 2)}`;
}

function limitsOf({ agent }: Turn, settings: MemorySettings): RecallLimits {
  const counter = agent.prompt.tokenizer ?? charactersOverFour;
  return { ...settings, count: (line) => counter.count(line) };
}

async function recallNow(turn: Turn, memory: CachedMemory, settings: MemorySettings): Promise<Recalled> {
  const { runtime, loaded, began_at } = turn;
  const said = saidIn(turn);
  const query = (await queryAhead(turn, said, settings)) ?? (await queryFor(turn, memory, { text: said, settings }));
  const request: RecallRequest = {
    text: said,
    now: began_at,
    opening: await isOpening(turn),
    shown: { session_id: loaded.session.session_id, from: firstShown(turn) },
    ...query,
    partial: memory.completing !== undefined,
    ...(memory.built_ms === 0 ? {} : { indexBuildMs: memory.built_ms }),
  };
  const recalled = recall(memory.view, request, limitsOf(turn, settings));
  if (memory.view.unreadable > 0) runtime.logger.warn("memory entries cannot be read", { count: memory.view.unreadable });
  return recalled;
}

/** The vector of what was said, by the deadline; nothing for an agent without an embedding model, or an owner without vectors. */
async function queryFor(
  { runtime, signal }: Pick<Turn, "runtime" | "signal">,
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
function firstShown({ agent, messages, answered, started, journal, loaded }: Turn): number {
  const shown = conversationOf(historyPart(agent.sections), {
    messages,
    answers: answered.map(({ offset }) => offset),
    started,
    state: journal.state,
  });
  return shown[0]?.offset ?? loaded.session.head + 1;
}

/** Whether nothing was said in the episode before what the turn answers. */
async function isOpening({ runtime, loaded, messages, answered, started }: Turn): Promise<boolean> {
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
