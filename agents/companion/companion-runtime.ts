/** The companion that keeps what was said: threads, the sessions in them, their turns as streams, and the farewell at their end. */
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
import type { z } from "zod";
import { companionContext, type CompanionContext, type CompanionOptions } from "./companion-context.ts";
import { type AgentInput, agentInputSchema, type AgentOutput, inputOf, type CompanionMessage, parseInput, type StreamEvent } from "./contract.ts";
import { assembleCompanion } from "./create-companion.ts";
import { outputOfTurn } from "./turn-output.ts";

/** How much is kept: `persistent` and `local` remember; `incognito` (or `guest`) remembers nothing and recalls nothing. */
const memoryModes = ["persistent", "local", "incognito", "guest"] as const;
export type MemoryMode = (typeof memoryModes)[number];

/** Options of {@link createCompanionRuntime}: those of a companion, those of a runtime, and the memory mode. */
export interface CompanionRuntimeOptions extends CompanionOptions, Omit<RuntimeOptions, "agents"> {
  /** `persistent` by default. It holds for the threads that this runtime begins. */
  readonly memoryMode?: MemoryMode;
}

/** What a turn came to, the state after it, and the conversation. */
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
  /** The turn as it happens; the reply is saved before `response_ready`. */
  streamTurn(input: AgentInput, options?: { readonly signal?: AbortSignal }): AsyncIterable<StreamEvent>;
  /** Ends the session and waits for what it leaves in memory. */
  endSession(thread: Thread): Promise<EndEnvelope>;
  getState(thread: Thread): Promise<JsonObject>;
  getHistory(thread: Thread, options?: { readonly last?: number }): Promise<readonly CompanionMessage[]>;
  sessionStatus(thread: Thread): Promise<ThreadStatus>;
  hasActiveSession(thread: Thread): Promise<boolean>;
  /** Removes the thread with all that was said; refused while a session in it has not ended. What is remembered of a person stays. */
  resetThread(thread: Thread): Promise<void>;
  /** Threads by their last use, at most `limit`, 20 by default. */
  listThreads(options?: { readonly user_id?: string; readonly limit?: number }): Promise<readonly ThreadStatus[]>;
  close(): Promise<void>;
}

type Given = z.output<typeof agentInputSchema>;

/** The checked input of a turn of a thread, which has a conversation and a memory of its own. */
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
 * Starts a companion on a store. A thread is opened with its first turn; who speaks is its `user_id`, and without one the thread itself. `input.invalid` for what no turn
 * can be run with.
 * @example const companion = await createCompanionRuntime({ store: await openStore("./companion.db") })
 */
export async function createCompanionRuntime(options: CompanionRuntimeOptions): Promise<CompanionRuntime> {
  const { memoryMode = "persistent", store, resources, clock, ids, logger, tracer, ...rest } = options;
  // A mode that is misspelled must not remember everything.
  if (!memoryModes.includes(memoryMode))
    throw new ThroughlineError("input.invalid", `The memory mode is one of ${memoryModes.join(", ")}, got ${JSON.stringify(memoryMode)}.`, {
      details: { path: "memoryMode" },
    });
  const context = companionContext(rest);
  const given = { resources, clock, ids, logger, tracer };
  const runtime = await createRuntime({ ...rest, ...present(given), store, agents: [assembleCompanion(context)] });
  const threads = new Threads(runtime, { agent: context.name, incognito: memoryMode === "incognito" || memoryMode === "guest" });
  const session = (thread: Thread): Promise<Session> => threads.get(thread);
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
      const { offset } = await opened.post({ text: checked.message, input: inputOf(checked) });
      yield* streamTurn(opened, { offset, signal });
    },
    endSession: async (thread: Thread) => endEnvelope(await (await session(thread)).closeEpisode()),
    getState: async (thread: Thread) => (await (await session(thread)).state()).document,
    getHistory: async (thread: Thread, { last = 100 } = {}) => historyOf(await session(thread), last),
    sessionStatus: async (thread: Thread) => statusOf(await session(thread)),
    hasActiveSession: async (thread: Thread) => (await statusOf(await session(thread))).active,
    resetThread: async (thread: Thread) => {
      const found = await session(thread);
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

/** Options without those that are undefined. */
const present = <Options extends object>(options: Options): { [Key in keyof Options]?: NonNullable<Options[Key]> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as { [Key in keyof Options]?: NonNullable<Options[Key]> };

/** The conversation, oldest first. The style of a reply is in the output of its turn. */
async function historyOf(session: Session, last = 100): Promise<readonly CompanionMessage[]> {
  const messages = await session.messages({ last });
  return messages.flatMap(({ role, text, is_trace }) => (role === "tool" || is_trace || text === "" ? [] : [{ role, content: text }]));
}

/** A conversation: whose, and which. Without a `user_id` it is the thread's own. */
interface Thread {
  readonly session_id: string;
  readonly user_id?: string | null;
}

/** Where a thread stands. */
interface ThreadStatus {
  readonly session_id: string;
  readonly user_id: string | null;
  /** Number of the session in the thread, from 1. */
  readonly session: number;
  /** Whether something was said in that session. */
  readonly active: boolean;
  readonly incognito: boolean;
  readonly mode: "auto" | "manual";
  readonly updated_at: number;
}

/** Finds and opens threads. */
class Threads {
  readonly #runtime: Runtime;
  readonly #agent: string;
  readonly #incognito: boolean;

  constructor(runtime: Runtime, { agent, incognito }: { readonly agent: string; readonly incognito: boolean }) {
    this.#runtime = runtime;
    this.#agent = agent;
    this.#incognito = incognito;
  }

  /** The thread, begun if there is none yet. */
  open({ session_id, user_id = null }: Thread): Promise<Session> {
    return this.#runtime.sessions.open({
      agent: this.#agent,
      key: session_id,
      ...(user_id === null ? {} : { customer: user_id }),
      incognito: this.#incognito,
      metadata: { external_id: session_id },
    });
  }

  /** A thread that there is; `session.not_found` otherwise. Whoever names no person finds no person's. */
  async get({ session_id, user_id = null }: Thread): Promise<Session> {
    const filter = { agent: this.#agent, externalId: session_id, ...(user_id === null ? {} : { customer: user_id }) };
    const { items } = await this.#runtime.sessions.list(filter);
    const found = items.find(({ customer_id }) => (customer_id ?? null) === user_id);
    if (found === undefined) throw new ThroughlineError("session.not_found", `There is no thread ${JSON.stringify(session_id)}.`);
    return this.#runtime.sessions.get(found.id);
  }

  /** Threads, the newest first. */
  async list({ user_id, limit = 20 }: { readonly user_id?: string; readonly limit?: number }): Promise<readonly ThreadStatus[]> {
    const { items } = await this.#runtime.sessions.list({
      agent: this.#agent,
      order: "desc",
      limit,
      ...(user_id === undefined ? {} : { customer: user_id }),
    });
    return Promise.all(items.map(async ({ id }) => statusOf(await this.#runtime.sessions.get(id))));
  }
}

const threadOf = ({ metadata, id }: SessionInfo): string => {
  const { external_id } = metadata.values;
  return typeof external_id === "string" ? external_id : id;
};

/** Where a thread stands: a session in it goes on if something was said since the last one ended. */
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

/** Names that stages are told by, where they are other than their own. */
const told: Readonly<Record<string, string>> = {
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

/** What an event of the log, or a draft, tells those who watch. */
function pieceOf(event: Event | Draft): Piece | undefined {
  if (isDraft(event)) return event.type === "draft.delta" ? { type: "chunk", text: event.text } : undefined;
  if (event.kind === "turn" && event.data.type === "stage") return status(event.data.name);
  return undefined;
}

const status = (stage: string): Piece => ({ type: "status", stage: told[stage] ?? stage, detail: "" });

/**
 * The turn that answers a message which was accepted at `offset`. Every stage is told once, each word as it is written, and what it came to once it is saved: `response_ready`,
 * then `done`. A reply that was shown to nobody while it was written comes as one chunk; where what was shown was taken back, the output has what is said
 * in its place. Throws what failed the turn.
 */
async function* streamTurn(
  session: Session,
  { offset, signal }: { readonly offset: number; readonly signal: AbortSignal },
): AsyncIterable<StreamEvent> {
  const watching = new AbortController();
  const outcome = session.outcome(offset, { signal });
  outcome.catch(() => {});
  const events = session.stream({ minOffset: offset, signal: AbortSignal.any([signal, watching.signal]) })[Symbol.asyncIterator]();
  const seen = new Set<string>();
  let shown = "";
  try {
    for (let next = events.next(); ;) {
      const heard = await Promise.race([next, outcome]);
      if (!("done" in heard)) break;
      if (heard.done) break;
      const piece = pieceOf(heard.value);
      next = events.next();
      // What led to the reply is on record before its first word is shown, but may be heard after it.
      if (piece?.type === "chunk" && shown === "") yield* untold(await stagesSince(session, offset), seen);
      if (piece?.type === "chunk") shown += piece.text;
      yield* piece?.type === "status" ? untold([piece], seen) : piece === undefined ? [] : [piece];
      if (endsTurn(heard.value, offset)) break;
    }
    const output = outputOfTurn(await outcome);
    if (shown === "") yield* untold(await stagesSince(session, offset), seen);
    // What was written after the last piece that was heard, or all of it where nothing was shown before it was whole.
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

/** The stages that are on record since a message was accepted, in their order. */
const stagesSince = async (session: Session, offset: number): Promise<readonly Piece[]> =>
  (await Array.fromAsync(session.events({ minOffset: offset, kinds: ["turn"], follow: false }))).flatMap((event) => pieceOf(event) ?? []);

/** Each stage once. */
function* untold(pieces: readonly Piece[], seen: Set<string>): Iterable<Piece> {
  for (const piece of pieces) {
    if (piece.type !== "status" || seen.has(piece.stage)) continue;
    seen.add(piece.stage);
    yield piece;
  }
}

/** Whether nothing more comes of the turn. */
const endsTurn = (event: Event | Draft, offset: number): boolean =>
  !isDraft(event) && event.kind === "turn" && event.data.type === "ended" && event.offset > offset;

/** What a session came to, for whoever ends it. */
export interface EndEnvelope extends Omit<EndedEpisode, "episode"> {
  /** What the person reads. */
  readonly farewell: string;
}

/** Loops and threads are often in the person's own words, so each stands in marks of its own. */
const listed = (items: readonly string[], between?: string): string => {
  const lines = items.map((item) => item.replaceAll(/\s+/gu, " ").trim()).filter((item) => item !== "");
  return between === undefined ? lines.map((line) => `“${line}”`).join(", ") : lines.join(between);
};

/** Words of goodbye, with themes, mood and open loops where there are any. */
export function farewellOf({ finalized, themes, mood_opened, mood_closed, open_loops, resolved_threads }: EndedEpisode): string {
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

/** The envelope of an end. */
export const endEnvelope = (ended: EndedEpisode): EndEnvelope => {
  const { finalized, summary, detail, themes, mood_opened, mood_closed, turn_count, open_loops, resolved_threads } = ended;
  return { finalized, summary, detail, themes, mood_opened, mood_closed, turn_count, open_loops, resolved_threads, farewell: farewellOf(ended) };
};
