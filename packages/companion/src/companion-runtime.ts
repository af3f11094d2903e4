/** The companion with persistent conversations: threads, their sessions, streamed turns, and a farewell at the end of a session. */
import {
  createRuntime,
  type Draft,
  type Event,
  type JsonObject,
  type Runtime,
  type RuntimeOptions,
  type Session,
  type SessionInfo,
  ThroughlineError,
} from "throughline";
import type { EndedEpisode } from "throughline/memory";
import type { Feedback, FeedbackLabel } from "throughline/safety";
import type { z } from "zod";
import { assembleCompanion, companionContext, type CompanionContext, type CompanionOptions } from "./create-companion.ts";
import {
  type AgentInput,
  agentInputSchema,
  type AgentOutput,
  inputOf,
  type CompanionMessage,
  parseInput,
  type ResponseStyle,
  responseStyles,
  type StreamEvent,
} from "./contract.ts";
import { outputOfTurn } from "./turn-output.ts";

const memoryModes = ["persistent", "local", "incognito", "guest"] as const;
/** Memory mode. `persistent` and `local` remember; `incognito` (or `guest`) remembers and recalls nothing. */
export type MemoryMode = (typeof memoryModes)[number];

/** Options of {@link createCompanionRuntime}: those of a companion, those of a runtime, and the memory mode. */
export interface CompanionRuntimeOptions extends CompanionOptions, Omit<RuntimeOptions, "agents"> {
  /** Default `persistent`. Applies to the threads that this runtime creates. */
  readonly memoryMode?: MemoryMode;
}

/** The output of a turn, the state after it, and the conversation. */
interface RanTurn {
  readonly output: AgentOutput;
  readonly state: JsonObject;
  readonly history: readonly CompanionMessage[];
}

/** A running companion. */
export interface CompanionRuntime {
  readonly context: CompanionContext;
  readonly runtime: Runtime;
  runTurn(input: AgentInput, options?: { readonly signal?: AbortSignal; readonly idempotencyKey?: string }): Promise<RanTurn>;
  /** Streams a turn. The reply is stored before `response_ready`. */
  streamTurn(input: AgentInput, options?: { readonly signal?: AbortSignal }): AsyncIterable<StreamEvent>;
  /** Ends the session and waits until its memories are stored. */
  endSession(thread: Thread): Promise<EndEnvelope>;
  /** Records what the person thinks of the conversation, for 180 days, without an owner. Each call adds a record. Null if it could not be stored. */
  recordFeedback(thread: Thread, label: FeedbackLabel): Promise<Feedback | null>;
  getState(thread: Thread): Promise<JsonObject>;
  getHistory(thread: Thread, options?: { readonly last?: number }): Promise<readonly CompanionMessage[]>;
  sessionStatus(thread: Thread): Promise<ThreadStatus>;
  hasActiveSession(thread: Thread): Promise<boolean>;
  /** Deletes the thread and its messages. Throws `session.conflict` while its session has not ended. Memories of the person stay. */
  resetThread(thread: Thread): Promise<void>;
  /** Lists threads, most recently used first. `limit`: default 20. */
  listThreads(options?: { readonly user_id?: string; readonly limit?: number }): Promise<readonly ThreadStatus[]>;
  close(): Promise<void>;
}

type Given = z.output<typeof agentInputSchema>;

/** Validates the input of a turn. The thread has its own conversation and memory, so the input must not contain any. */
function persistentInput(input: AgentInput): Given & { readonly session_id: string } {
  const given = parseInput(agentInputSchema, input);
  const { history, working_memory, session_id } = given;
  const refused = history.length > 0 ? "history" : working_memory.length > 0 ? "working_memory" : undefined;
  if (refused !== undefined)
    throw new ThroughlineError("input.invalid", `A companion that keeps its conversations takes no ${refused}: it has its own.`, {
      hint: "Use runAgent for one turn with what you give it.",
      details: { path: refused },
    });
  if (session_id === null)
    throw new ThroughlineError("input.invalid", "A turn needs a session_id: the thread that it belongs to.", { details: { path: "session_id" } });
  return { ...given, session_id };
}

/**
 * Starts a companion on a store. The first turn of a thread creates it. The owner is the `user_id`, or the thread itself without one. Throws
 * `input.invalid` for invalid input.
 * @example const companion = await createCompanionRuntime({ store: await openStore("./companion.db") })
 */
export async function createCompanionRuntime(options: CompanionRuntimeOptions): Promise<CompanionRuntime> {
  const { memoryMode = "persistent", name, models, embedding, extractor, search, skills, memory, safety, dispatchMs, voice, ...running } = options;
  // A misspelled mode must not remember everything.
  if (!memoryModes.includes(memoryMode))
    throw new ThroughlineError("input.invalid", `The memory mode is one of ${memoryModes.join(", ")}, got ${JSON.stringify(memoryMode)}.`, {
      details: { path: "memoryMode" },
    });
  const context = companionContext(present({ name, models, embedding, extractor, search, skills, memory, safety, dispatchMs, voice }));
  const runtime = await createRuntime({ ...running, agents: [assembleCompanion(context)] });
  const threads = threadsOf(runtime, { agent: context.name, incognito: memoryMode === "incognito" || memoryMode === "guest" });
  return Object.freeze({
    context,
    runtime,
    runTurn: async (input: AgentInput, turn = {}) => {
      const checked = persistentInput(input);
      const opened = await threads.open(checked);
      const output = outputOfTurn(await opened.send(checked.message, { input: inputOf(checked), ...turn }));
      const [state, history] = await Promise.all([opened.state(), historyOf(opened)]);
      return { output, state: state.document, history };
    },
    streamTurn: async function* (input: AgentInput, { signal = new AbortController().signal } = {}) {
      const checked = persistentInput(input);
      const opened = await threads.open(checked);
      const { offset } = await opened.post(checked.message, { input: inputOf(checked) });
      yield* streamTurn(opened, { offset, signal });
    },
    endSession: async (thread: Thread) => endEnvelope(await (await threads.get(thread)).closeEpisode()),
    recordFeedback: async (thread: Thread, label: FeedbackLabel) => (await threads.get(thread)).feedback(label),
    getState: async (thread: Thread) => (await (await threads.get(thread)).state()).document,
    getHistory: async (thread: Thread, { last = 100 } = {}) => historyOf(await threads.get(thread), last),
    sessionStatus: async (thread: Thread) => statusOf(await threads.get(thread)),
    hasActiveSession: async (thread: Thread) => (await statusOf(await threads.get(thread))).active,
    resetThread: async (thread: Thread) => {
      const found = await threads.get(thread);
      if ((await statusOf(found)).active)
        throw new ThroughlineError("session.conflict", "The thread has a session that has not ended.", {
          hint: "End the session, then reset the thread.",
        });
      await runtime.sessions.delete(found.id);
    },
    listThreads: (filter = {}) => threads.list(filter),
    close: () => runtime.close(),
  } satisfies CompanionRuntime);
}

/** Drops undefined options. */
const present = <Options extends object>(options: Options): { [Key in keyof Options]?: NonNullable<Options[Key]> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as { [Key in keyof Options]?: NonNullable<Options[Key]> };

/** Returns the conversation, oldest first. The companion's own replies have their style. */
async function historyOf(session: Session, last = 100): Promise<readonly CompanionMessage[]> {
  const messages = await session.messages({ last });
  const styles = await stylesSince(session, messages[0]?.offset ?? 0);
  return messages.flatMap(({ role, text, is_trace, offset }) => {
    if (role === "tool" || is_trace || text === "") return [];
    const response_style = styles.get(offset);
    return [{ role, content: text, ...(response_style === undefined ? {} : { response_style }) }];
  });
}

/** Returns the styles of the companion's replies since an offset, by the offset of the reply: what each turn ended with. */
async function stylesSince(session: Session, minOffset: number): Promise<ReadonlyMap<number, ResponseStyle>> {
  const byTurn = new Map<string, ResponseStyle>();
  const replies: { readonly offset: number; readonly turn: string }[] = [];
  for await (const event of session.events({ kinds: ["turn", "message"], minOffset, follow: false })) {
    const { turn_id, offset } = event;
    if (turn_id === undefined) continue;
    if (event.kind === "message" && event.source === "ai_agent") replies.push({ offset, turn: turn_id });
    if (event.kind !== "turn" || !("patch" in event.data)) continue;
    for (const operation of event.data.patch ?? []) {
      const written = operation.path === "/response_style" && "value" in operation ? operation.value : undefined;
      const style = responseStyles.find((one) => one === written);
      if (style !== undefined) byTurn.set(turn_id, style);
    }
  }
  return new Map(
    replies.flatMap(({ offset, turn }) => {
      const style = byTurn.get(turn);
      return style === undefined ? [] : [[offset, style] as const];
    }),
  );
}

/** Identifies a conversation and its owner. Without a `user_id`, the thread owns itself. */
interface Thread {
  readonly session_id: string;
  readonly user_id?: string | null;
}

/** The status of a thread. */
interface ThreadStatus {
  readonly session_id: string;
  readonly user_id: string | null;
  /** Number of the current session in the thread, from 1. */
  readonly session: number;
  /** Whether the current session has any message. */
  readonly active: boolean;
  readonly incognito: boolean;
  readonly mode: "auto" | "manual";
  readonly updated_at: number;
}

/** Finds and opens the threads of a runtime. */
function threadsOf({ sessions }: Runtime, { agent, incognito }: { readonly agent: string; readonly incognito: boolean }) {
  return {
    /** Returns the thread, and creates it if it does not exist. */
    open: ({ session_id, user_id = null }: Thread): Promise<Session> =>
      sessions.open({
        agent,
        key: session_id,
        ...(user_id === null ? {} : { customer: user_id }),
        incognito,
        metadata: { external_id: session_id },
      }),
    /** Returns an existing thread. Throws `session.not_found` otherwise. A caller without a `user_id` cannot reach a thread that belongs to a person. */
    async get({ session_id, user_id = null }: Thread): Promise<Session> {
      const filter = { agent, externalId: session_id, ...(user_id === null ? {} : { customer: user_id }) };
      const { items } = await sessions.list(filter);
      const found = items.find(({ customer_id }) => (customer_id ?? null) === user_id);
      if (found === undefined) throw new ThroughlineError("session.not_found", `There is no thread ${JSON.stringify(session_id)}.`);
      return sessions.get(found.id);
    },
    /** Lists threads, newest first. */
    async list({ user_id: customer, limit = 20 }: { readonly user_id?: string; readonly limit?: number }): Promise<readonly ThreadStatus[]> {
      const { items } = await sessions.list({ agent, order: "desc", limit, ...(customer === undefined ? {} : { customer }) });
      return Promise.all(items.map(async ({ id }) => statusOf(await sessions.get(id))));
    },
  };
}

const threadOf = ({ metadata, id }: SessionInfo): string => {
  const { external_id } = metadata.values;
  return typeof external_id === "string" ? external_id : id;
};

/** Returns the status of a thread. Its session is active if a message arrived since the last session ended. */
async function statusOf(session: Session): Promise<ThreadStatus> {
  const info = await session.info();
  const [last] = await session.messages({ last: 1 });
  let ended = -1;
  for await (const { kind, data, offset } of session.events({ kinds: ["session"], follow: false }))
    if (kind === "session" && data.type === "episode") ended = offset;
  return {
    session_id: threadOf(info),
    user_id: info.customer_id ?? null,
    session: info.episode,
    active: last !== undefined && last.offset > ended,
    incognito: info.incognito ?? false,
    mode: info.mode,
    updated_at: info.updated_at,
  };
}

/** Public names of stages, if they differ from the internal ones. */
const statusTexts: Readonly<Record<string, string>> = {
  begin: "session_stage",
  go_on: "session_stage",
  greet: "session_stage",
  triage: "session_stage",
  safety: "crisis_gate",
  safety_first: "crisis_gate",
  memory: "load_memory",
  memory_control: "memory_control_gate",
  style: "response_generation",
};

const isDraft = (event: Event | Draft): event is Draft => "type" in event;

type Piece = Extract<StreamEvent, { readonly type: "status" | "chunk" }>;

/** Converts an event or a draft into a stream event. A stage that wrote nothing had nothing to do in this turn, so it is not told. */
function pieceOf(event: Event | Draft): Piece | undefined {
  if (isDraft(event)) return event.type === "draft.delta" ? { type: "chunk", text: event.text } : undefined;
  if (event.kind !== "turn" || event.data.type !== "stage") return undefined;
  const { name, patch = [] } = event.data;
  return patch.length === 0 ? undefined : status(name);
}

const status = (stage: string): Piece => ({ type: "status", stage: statusTexts[stage] ?? stage, detail: "" });

/**
 * Streams the turn that answers the message accepted at `offset`: each stage that did something, once, each part of the text as it is written, then `response_ready` and
 * `done` once the turn is stored. A reply that was not shown as a draft arrives as one chunk. If a shown draft was withdrawn, the output contains the
 * final text. Throws the error of a failed turn.
 */
async function* streamTurn(
  session: Session,
  { offset, signal }: { readonly offset: number; readonly signal: AbortSignal },
): AsyncIterable<StreamEvent> {
  const watching = new AbortController();
  const outcome = session.outcome(offset, { signal });
  outcome.catch(() => {});
  const events = session.live({ minOffset: offset, signal: AbortSignal.any([signal, watching.signal]) })[Symbol.asyncIterator]();
  const seen = new Set<string>();
  let shown = "";
  try {
    for (let next = events.next(); ;) {
      const received = await Promise.race([next, outcome]);
      if (!("done" in received)) break;
      if (received.done) break;
      const piece = pieceOf(received.value);
      next = events.next();
      // The stages are stored before the first part of the reply is shown, but their events can arrive after it.
      if (piece?.type === "chunk" && shown === "") yield* untold(await stagesSince(session, offset), seen);
      if (piece?.type === "chunk") shown += piece.text;
      yield* piece?.type === "status" ? untold([piece], seen) : piece === undefined ? [] : [piece];
      if (endsTurn(received.value, offset)) break;
    }
    const output = outputOfTurn(await outcome);
    if (shown === "") yield* untold(await stagesSince(session, offset), seen);
    // The text after the last received part, or all of it if no draft was shown.
    const rest = output.response_text.startsWith(shown) ? output.response_text.slice(shown.length) : "";
    if (rest !== "") yield { type: "chunk", text: rest };
    yield status("finalize");
    yield { type: "response_ready", output };
    yield { type: "done", output };
  } finally {
    watching.abort();
    await events.return?.();
  }
}

/** Returns the stored stages since a message was accepted, in order. */
const stagesSince = async (session: Session, offset: number): Promise<readonly Piece[]> =>
  (await Array.fromAsync(session.events({ minOffset: offset, kinds: ["turn"], follow: false }))).flatMap((event) => pieceOf(event) ?? []);

/** Yields each stage once. */
function* untold(pieces: readonly Piece[], seen: Set<string>): Iterable<Piece> {
  for (const piece of pieces) {
    if (piece.type !== "status" || seen.has(piece.stage)) continue;
    seen.add(piece.stage);
    yield piece;
  }
}

/** Tells whether the event ends the turn. */
const endsTurn = (event: Event | Draft, offset: number): boolean =>
  !isDraft(event) && event.kind === "turn" && event.data.type === "ended" && event.offset > offset;

/** The result of ending a session. */
export interface EndEnvelope extends Omit<EndedEpisode, "episode"> {
  /** The text for the person. */
  readonly farewell: string;
}

/** Loops and threads are often in the person's own words, so each gets its own quotation marks. */
const listed = (items: readonly string[], between?: string): string => {
  const lines = items.map((item) => item.replaceAll(/\s+/gu, " ").trim()).filter((item) => item !== "");
  return between === undefined ? lines.map((line) => `“${line}”`).join(", ") : lines.join(between);
};

/** Composes the farewell, with themes, mood and open loops if there are any. */
export function farewellOf({ finalized, themes, mood_opened, mood_closed, open_loops, resolved_threads }: Omit<EndedEpisode, "episode">): string {
  const about = listed(themes, ", ");
  const open = listed(open_loops);
  const done = listed(resolved_threads);
  const mood =
    mood_opened !== null && mood_closed !== null && mood_opened !== mood_closed
      ? `You came feeling ${mood_opened}, and leave feeling ${mood_closed}.`
      : "";
  return [
    about === "" ? "Thank you for talking with me." : `Thank you for talking with me. We spoke about: ${about}.`,
    mood,
    done === "" ? "" : `Settled for now: ${done}.`,
    open === "" ? "" : `Still open, for another time: ${open}.`,
    finalized ? "I will remember the gist of it; you can ask me what, and have it forgotten, whenever you like." : "",
    "Take care of yourself.",
  ]
    .filter((line) => line !== "")
    .join("\n");
}

/** Builds the envelope of an ended session. */
export const endEnvelope = ({ episode: _episode, ...ended }: EndedEpisode): EndEnvelope => ({ ...ended, farewell: farewellOf(ended) });
