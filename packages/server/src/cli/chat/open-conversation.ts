/** Opens a chat with an agent, in a new session or an earlier one. */
import { setTimeout as delay } from "node:timers/promises";
import { storable, findCustomer, present } from "throughline/internal";
import { defaultLocation, defaultLogger, type JsonObject, type SessionId, ThroughlineError } from "throughline/kernel";
import { type Agent, type TurnResult, createRuntime, type Runtime, type Session, type Store } from "throughline";
import type { ReplyTurn } from "throughline/agent";
import { type SessionView, viewOf } from "throughline/session";
import type { SessionRow } from "throughline/store";
import type { CommandContext } from "../command-context.ts";
import type { Theme } from "../command-output.ts";
import { type AgentModule, loadAgentModule, requireAgent } from "../load-agent.ts";
import { missingFolder, openLocation, shown, spoolBeside, withoutSecret } from "../database-location.ts";
import { chosenSession, lastSession, loadAt, readEvents } from "../read-session.ts";
import { printable, quoted } from "../terminal-text.ts";
import { localModel, modelOf, type ModelOptions, namedModel, type NamedModel, optionsOf, withModel } from "./chat-model.ts";

export interface ChatOptions extends ModelOptions {
  readonly session?: string;
  readonly new: boolean;
  /** Id of the customer; by default an anonymous customer that no other session shares. */
  readonly customer?: string;
  /** Starts a new session that stores no memories. */
  readonly incognito?: boolean;
  /** Whether a line under each reply explains it; true by default at a terminal. */
  readonly context?: boolean;
  /** `deterministic` answers by the agent's rules even if a model is named; `auto` by default. */
  readonly mode?: AnswerMode;
  readonly theme?: Theme;
  /** Whether to serve an inspector of the database; false by default. */
  readonly inspect?: boolean;
}

/** What answers: the model that was named, or else the agent as its module exports it. */
export type AnswerMode = "auto" | "deterministic";

/** Settings of a chat that commands change. */
interface ChatSettings {
  /** Whether the decisions behind each reply are shown. */
  trace: "on" | "off" | "once";
  /** The sessions by the numbers of the last `/threads`. */
  listed: readonly SessionId[];
}

/** An open chat: the database, the runtime and the session, if one exists. */
export interface Conversation {
  readonly context: CommandContext;
  readonly store: Store;
  readonly runtime: Runtime;
  readonly agent: Agent;
  /** The first lines: the agent's greeting, the model in use, and available alternatives. */
  readonly opening: readonly string[];
  /** Whether a line under each reply explains it; undefined if no option was passed. */
  readonly contextLine: boolean | undefined;
  readonly crash: CrashSwitch;
  readonly settings: ChatSettings;
  readonly mode: AnswerMode;
  /** Whether a model was named, which `auto` uses. */
  readonly hasModel: boolean;
  /** The customer of new sessions. */
  readonly customer: string | undefined;
  /** What goes with every message: the input fields of the agent's module. */
  readonly messageOptions: { readonly input?: JsonObject };
  /** The turns that an earlier process left open, as they were before this process resumed them. */
  readonly left: Pick<SessionView, "turns" | "waiting">;
  /** Whether the session existed before. */
  readonly resumed: boolean;
  /** Returns the session; the first call creates it if there is none. */
  readonly session: () => Promise<Session>;
  /** Continues the conversation in another session. */
  readonly goOnIn: (session: Session) => void;
  /** Creates a session and continues in it. */
  readonly startNew: (options: Pick<ChatOptions, "customer" | "incognito">) => Promise<Session>;
  /** Changes what answers from the next message on. */
  readonly answerBy: (mode: AnswerMode) => Promise<void>;
  readonly close: (options?: { readonly drainMs?: number }) => Promise<void>;
}

/** Short leases, so that on PostgreSQL the lease of a killed process expires quickly for an interactive user. SQLite releases it immediately. */
const lease = { leaseMs: 6_000, heartbeatMs: 1_500, pollMs: 500 } as const;

/** Keeps requests for a day so that `/prompt` can show them, unless the agent sets its own retention. */
const keeping = (agent: Agent): Agent => (agent.keepRequestsMs === undefined ? Object.freeze({ ...agent, keepRequestsMs: 86_400_000 }) : agent);

/** Opens the database, the agent and the session that the options name. The session is a given one, a new one, or the most recently used one. */
export async function openConversation(from: CommandContext, options: ChatOptions, beforeCrash: () => void): Promise<Conversation> {
  const named = namedModel(options, from.environment);
  const byOption = named !== undefined && (options.model !== undefined || options.baseUrl !== undefined);
  const who = options.customer === undefined ? [] : [`--customer ${shown(options.customer)}`];
  const which = options.agent === undefined ? [] : [`--agent ${shown(options.agent)}`];
  const again = [
    ...which,
    ...who,
    ...(byOption ? optionsOf(named, from.environment) : []),
    ...(options.mode === "deterministic" ? ["--mode deterministic"] : []),
  ];
  const context = again.length === 0 ? from : { ...from, again };
  const module = await loadAgentModule(options.agent);
  const agentFor = (mode: AnswerMode): Agent =>
    keeping(named === undefined || mode === "deterministic" ? module.agent : answeredBy(module, named, from.environment));
  let mode: AnswerMode = options.mode ?? "auto";
  const first = agentFor(mode);
  const local = named === undefined && options.agent === undefined ? await localModel(from.environment) : undefined;
  const folder = missingFolder(context.location);
  const store = await openLocation(context, { create: true });
  if (folder !== undefined && context.located)
    context.output.err.line(`The folder ${printable(folder)} did not exist and was created for the database.`);
  try {
    const row = await sessionToJoin(context, store, first.name, options);
    if (row !== undefined) requireAgent(first, row.agent);
    // Reads the open turns before the runtime resumes them.
    const view = row === undefined ? undefined : viewOf(await loadAt(store, row.session_id));
    const safetySpool = await spoolBeside(context.location);
    const { isTTY } = context.output.err.stream;
    // Whoever chats with the companion has no use for the stack of a model that does not answer.
    const isOwn = options.agent !== undefined || (context.environment["THROUGHLINE_ERRORS"] ?? "") !== "";
    const told = (text: string): string => withoutSecret(isOwn ? text : text.replaceAll(/\n +at [^\n]*/gu, ""), context.location);
    const stderr = { isTTY, write: (text: string): unknown => context.output.err.write(told(text)) };
    const logger = defaultLogger({ env: context.environment, stderr });
    const start = async (agent: Agent): Promise<Running> => {
      const crash = createCrashSwitch(agent, beforeCrash);
      const runtime = await createRuntime({ store, agents: [crash.agent], logger, ...lease, ...present({ safetySpool }) });
      return { agent, crash, runtime };
    };
    let running = await start(first);
    let session = row === undefined ? undefined : running.runtime.sessions.get(row.session_id);
    return {
      context,
      store,
      get runtime() {
        return running.runtime;
      },
      get agent() {
        return running.agent;
      },
      get crash() {
        return running.crash;
      },
      get mode() {
        return mode;
      },
      settings: { trace: "off", listed: [] },
      hasModel: named !== undefined,
      customer: options.customer,
      messageOptions: present({ input: module.input }),
      opening: openingOf(module, {
        answering: first,
        isNamed: named !== undefined && mode === "auto",
        startWith: (more) => startAgain({ ...context, again: [...again, ...more] }, options.session),
        ...(local === undefined ? {} : { local: optionsOf(local, from.environment) }),
      }),
      contextLine: options.context,
      left: { turns: view?.turns ?? [], waiting: view?.waiting ?? [] },
      resumed: row !== undefined,
      session: () => (session ??= newSession(running.runtime, running.agent.name, options)),
      goOnIn: (next) => {
        session = Promise.resolve(next);
      },
      startNew: (more) => (session = newSession(running.runtime, running.agent.name, { ...options, ...more })),
      answerBy: async (next) => {
        const id = session === undefined ? undefined : (await session).id;
        await running.runtime.close({ drainMs });
        running = await start(agentFor(next));
        mode = next;
        session = id === undefined ? undefined : running.runtime.sessions.get(id);
      },
      close: async (closing) => {
        await running.runtime.close(closing);
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Milliseconds for running turns to end before another agent answers. */
const drainMs = 5_000;

/** An agent with the runtime that runs it. */
interface Running {
  readonly agent: Agent;
  readonly crash: CrashSwitch;
  readonly runtime: Runtime;
}

/** The agent with another model. The module's `withModel` replaces every model; otherwise only the reply changes. */
const answeredBy = ({ agent, withModel: make }: AgentModule, named: NamedModel, environment: NodeJS.ProcessEnv): Agent =>
  make === undefined ? withModel(agent, named, environment) : make(modelOf(named, environment));

/** The named session, or the customer's most recently used one; undefined for a new session. */
async function sessionToJoin(
  context: CommandContext,
  store: Store,
  agent: string,
  { session, customer, ...options }: ChatOptions,
): Promise<SessionRow | undefined> {
  if (session !== undefined) return chosenSession(context, store, session);
  if (options.new || options.incognito === true) return undefined;
  if (customer === undefined) return lastSession(store, { agent });
  const known = await findCustomer(store, customer);
  return known === undefined ? undefined : lastSession(store, { agent, owner_id: known.owner_id });
}

/** Creates a session, and the customer if it does not exist. */
async function newSession(runtime: Runtime, agent: string, { customer, incognito }: ChatOptions): Promise<Session> {
  if (customer !== undefined && (await runtime.customers.find(customer)) === undefined) await runtime.customers.create({ id: customer });
  return runtime.sessions.create({ agent, ...present({ customer }), ...(incognito === true ? { incognito } : {}) });
}

/** The disclosures in the session from an offset on, such as that the user talks to an AI. */
export async function disclosuresSince({ session, store }: Pick<Conversation, "session" | "store">, min_offset: number): Promise<readonly string[]> {
  const { events } = await readEvents(store, { session_id: (await session()).id, min_offset, kinds: ["session"], limit: 100 });
  return events.flatMap(({ kind, data }) => (kind === "session" && data.type === "disclosure" ? [data.text] : []));
}

/** Describes an open turn that this process resumes. `what` is the message or cause that it answers. */
export const resuming = ({ number, status }: Conversation["left"]["turns"][number], what: string): string =>
  `Resuming turn ${number}, which was left ${status === "running" ? "in the middle" : "unanswered"}: ${what}.`;

/** The command that starts this chat again. */
export function startAgain({ location, located, keyFile, environment, again = [] }: CommandContext, session?: string): string {
  const npm = environment["npm_lifecycle_event"] === "start";
  const options = [
    ...(located && location !== defaultLocation && environment["THROUGHLINE_DB"] !== location ? [`--db ${quoted(shown(location))}`] : []),
    ...(session === undefined ? [] : [`--session ${session}`]),
    ...(keyFile !== undefined && environment["THROUGHLINE_KEY_FILE"] !== keyFile ? [`--key-file ${keyFile}`] : []),
    ...again,
  ];
  const command = npm ? "npm start" : "throughline chat";
  return options.length === 0 ? command : `${command}${npm ? " --" : ""} ${options.join(" ")}`;
}

/** Builds the first lines: the greeting, the model in use, and how to use another one. Suggests a local model if there is one. */
function openingOf(
  { welcome, withModel: takesModel }: AgentModule,
  given: {
    readonly answering: Agent;
    readonly isNamed: boolean;
    readonly local?: readonly string[];
    readonly startWith: (more: readonly string[]) => string;
  },
): readonly string[] {
  const first = welcome === undefined ? [] : [welcome];
  const { answering, isNamed, local, startWith } = given;
  const answers = `${answering.reply.name} answers.`;
  if (local !== undefined) return [...first, `${answers} Ollama runs on this machine and could: ${startWith(local)}`];
  if (takesModel !== undefined)
    return [...first, isNamed ? answers : `${answers} A language model could: ${startWith(["--model <name>"])} (docs/how-to/models.md)`];
  const who = `The agent "${answering.name}" answers with "${answering.reply.name}".`;
  return [...first, isNamed ? who : `${who} To use a language model: ${startWith(["--model <name>"])}`];
}

/** Kills this process in the middle of the next reply, once armed. */
interface CrashSwitch {
  arm(): void;
  /** The agent with a reply that the switch can interrupt. */
  readonly agent: Agent;
}

/** Number of reply pieces shown before the crash. A shorter reply crashes after its last piece. */
const piecesBefore = 4;

/** Milliseconds for streamed text to reach the screen. */
const untilShownMs = 150;

/** Creates a crash switch. `lastWords` runs just before the process is killed and must leave the terminal usable. */
function createCrashSwitch(agent: Agent, beforeCrash: () => void): CrashSwitch {
  let armed = false;
  const crash = async (): Promise<void> => {
    await delay(untilShownMs);
    beforeCrash();
    // Not `exit()`: nothing may be flushed, closed or released.
    process.kill(process.pid, "SIGKILL");
    await new Promise<never>(() => {});
  };
  const run = async (turn: ReplyTurn): ReturnType<Agent["reply"]["run"]> => {
    let pieces = 0;
    const write = async (text: string): Promise<void> => {
      await turn.write(text);
      pieces += 1;
      if (armed && pieces === piecesBefore) await crash();
    };
    const done = await agent.reply.run({ ...turn, write });
    if (armed && pieces > 0) await crash();
    return done;
  };
  return { arm: () => void (armed = true), agent: Object.freeze({ ...agent, reply: Object.freeze({ ...agent.reply, run }) }) };
}

/**
 * The result of a message that the database failed to store, if the agent has a gate. The gate still replies, and the fallback log keeps the
 * assessment. Any other error is rethrown.
 */
export async function unsavedResult({ runtime, session }: Conversation, text: string, error: unknown): Promise<TurnResult> {
  const { id: session_id } = await session();
  const failure = await runtime.sessions.unsaved({ session_id, text }, error);
  if (!ThroughlineError.is(failure) || failure.details["saved"] === undefined) throw failure;
  const { reply, saved } = failure.details;
  return {
    ...{ offset: 0, turn_id: undefined, status: "failed", saved: saved === false ? saved : "unknown", output: {}, diagnostics: {} },
    reply: typeof reply === "string" ? reply : undefined,
    error: storable(failure),
  };
}
