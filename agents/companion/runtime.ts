/** The companion that keeps what was said: threads, the sessions in them, and what is remembered between them. */
import { createRuntime, ThroughlineError, type JsonObject, type Runtime, type RuntimeOptions, type Session } from "throughline";
import type { z } from "zod";
import { companionContext, type CompanionContext, type CompanionOptions } from "./context.ts";
import { agentInputSchema, type AgentInput, type AgentOutput, type Message, type StreamEvent } from "./contract.ts";
import { assembleCompanion } from "./create.ts";
import { endEnvelope, type EndEnvelope } from "./farewell.ts";
import { inputOf, parseInput } from "./input.ts";
import { outputOfTurn } from "./output.ts";
import { streamTurn } from "./stream.ts";
import { statusOf, Threads, type Thread, type ThreadStatus } from "./threads.ts";

/** How much is kept: `persistent` and `local` remember; `incognito` (or `guest`) remembers nothing and recalls nothing. */
export const memoryModes = ["persistent", "local", "incognito", "guest"] as const;
export type MemoryMode = (typeof memoryModes)[number];

/** Options of {@link createCompanionRuntime}: those of a companion, those of a runtime, and the memory mode. */
export interface CompanionRuntimeOptions extends CompanionOptions, Omit<RuntimeOptions, "agents"> {
  /** `persistent` by default. It holds for the threads that this runtime begins. */
  readonly memoryMode?: MemoryMode;
}

/** What a turn came to, the state after it, and the conversation. */
export interface RanTurn {
  readonly output: AgentOutput;
  readonly state: JsonObject;
  readonly history: readonly Message[];
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
  getHistory(thread: Thread, options?: { readonly last?: number }): Promise<readonly Message[]>;
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
async function historyOf(session: Session, last = 100): Promise<readonly Message[]> {
  const messages = await session.messages({ last });
  return messages.flatMap(({ role, text, is_trace }) => (role === "tool" || is_trace || text === "" ? [] : [{ role, content: text }]));
}
