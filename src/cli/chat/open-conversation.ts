/** A chat with an agent: opens its session, and starts it again where it ended. */
import { setTimeout as delay } from "node:timers/promises";
import { storable, findCustomer } from "throughline/internal";
import { ThroughlineError } from "throughline/kernel";
import { type Agent, type TurnResult, createRuntime, type Runtime, type Session, type Store } from "throughline";
import type { ReplyTurn } from "throughline/agent";
import { type SessionView, viewOf } from "throughline/session";
import type { SessionRow } from "throughline/store";
import type { CommandContext } from "../command-context.ts";
import { type AgentModule, loadAgentModule, requireAgent } from "../load-agent.ts";
import { defaultLocation, openLocation, shown, spoolBeside } from "../location.ts";
import { chosenSession, lastSession, loadAt, readEvents } from "../read-session.ts";
import { localModel, modelOf, type ModelOptions, namedModel, type NamedModel, optionsOf, withModel } from "./chat-model.ts";

export interface ChatOptions extends ModelOptions {
  readonly session?: string;
  readonly new: boolean;
  /** Id of the customer who talks; an anonymous one by default, whom no other session knows. */
  readonly customer?: string;
  /** A new session of which nothing is remembered. */
  readonly incognito?: boolean;
  /** Whether a line under each reply says how it came about; at a terminal by default. */
  readonly context?: boolean;
}

/** A chat that is open: the database, the runtime that answers, and the session if there is one already. */
export interface Conversation {
  readonly context: CommandContext;
  readonly store: Store;
  readonly runtime: Runtime;
  readonly agent: Agent;
  /** The first lines: what the agent says of itself, what answers, and what could. */
  readonly opening: readonly string[];
  /** Whether a line under each reply says how it came about, if that was asked for or refused. */
  readonly contextLine: boolean | undefined;
  readonly crash: CrashSwitch;
  /** The turns that an earlier process left open, as they stood before this one took them up. */
  readonly left: Pick<SessionView, "turns" | "waiting">;
  /** Whether the session was there before. */
  readonly resumed: boolean;
  /** The session; it is created with the first call if there is none. */
  readonly session: () => Promise<Session>;
  /** Lets the conversation go on in another session. */
  readonly goOnIn: (session: Session) => void;
  readonly close: (options?: { readonly drainMs?: number }) => Promise<void>;
}

/** A lease that a killed process holds on PostgreSQL ends soon enough for somebody who waits at a terminal; on SQLite it is freed at once. */
const lease = { leaseMs: 6_000, heartbeatMs: 1_500, pollMs: 500 } as const;

/** Who talks at a terminal may look at what was sent (`/prompt`): for a day, where the agent does not keep it anyway. */
const keeping = (agent: Agent): Agent => (agent.keepRequestsMs === undefined ? Object.freeze({ ...agent, keepRequestsMs: 86_400_000 }) : agent);

/** Opens the database, the agent and the session that the options name: a given one, a new one, or the one that was used last. */
export async function openConversation(from: CommandContext, options: ChatOptions, lastWords: () => void): Promise<Conversation> {
  const named = namedModel(options, from.environment);
  const byOption = named !== undefined && (options.model !== undefined || options.baseUrl !== undefined);
  const who = options.customer === undefined ? [] : [`--customer ${shown(options.customer)}`];
  const which = options.agent === undefined ? [] : [`--agent ${shown(options.agent)}`];
  const again = [...which, ...who, ...(byOption ? optionsOf(named, from.environment) : [])];
  const context = again.length === 0 ? from : { ...from, again };
  const module = await loadAgentModule(options.agent);
  const loaded = keeping(named === undefined ? module.agent : answeredBy(module, named, from.environment));
  const local = named === undefined && options.agent === undefined ? await localModel(from.environment) : undefined;
  const crash = createCrashSwitch(loaded, lastWords);
  const store = await openLocation(context, { create: true });
  try {
    const row = await sessionToJoin(store, loaded.name, options);
    if (row !== undefined) requireAgent(loaded, row.agent);
    // What is left open is looked at before the runtime takes it up.
    const view = row === undefined ? undefined : viewOf(await loadAt(store, row.session_id));
    const safetySpool = await spoolBeside(context.location);
    const runtime = await createRuntime({ store, agents: [crash.agent], ...lease, ...(safetySpool === undefined ? {} : { safetySpool }) });
    let session = row === undefined ? undefined : runtime.sessions.get(row.session_id);
    return {
      context,
      store,
      runtime,
      agent: loaded,
      opening: openingOf(module, {
        answering: loaded,
        isNamed: named !== undefined,
        startWith: (more) => startAgain({ ...context, again: [...again, ...more] }, options.session),
        ...(local === undefined ? {} : { local: optionsOf(local, from.environment) }),
      }),
      contextLine: options.context,
      crash,
      left: { turns: view?.turns ?? [], waiting: view?.waiting ?? [] },
      resumed: row !== undefined,
      session: () => (session ??= newSession(runtime, loaded.name, options)),
      goOnIn: (next) => {
        session = Promise.resolve(next);
      },
      close: async (closing) => {
        await runtime.close(closing);
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The agent with another model behind it: all that it asks of one, where its module says how, or the reply alone. */
const answeredBy = ({ agent, withModel: make }: AgentModule, named: NamedModel, environment: NodeJS.ProcessEnv): Agent =>
  make === undefined ? withModel(agent, named, environment) : make(modelOf(named, environment));

/** The session that is named, or the last one of whoever talks; none for a new one. */
async function sessionToJoin(store: Store, agent: string, { session, customer, ...options }: ChatOptions): Promise<SessionRow | undefined> {
  if (session !== undefined) return chosenSession(store, session);
  if (options.new || options.incognito === true) return undefined;
  if (customer === undefined) return lastSession(store, { agent });
  const known = await findCustomer(store, customer);
  return known === undefined ? undefined : lastSession(store, { agent, owner_id: known.owner_id });
}

/** A new session; a customer who is not known yet is from now on. */
async function newSession(runtime: Runtime, agent: string, { customer, incognito }: ChatOptions): Promise<Session> {
  if (customer !== undefined && (await runtime.customers.find(customer)) === undefined) await runtime.customers.create({ id: customer });
  return runtime.sessions.create({ agent, ...(customer === undefined ? {} : { customer }), ...(incognito === true ? { incognito } : {}) });
}

/** What the person was told from an offset on, besides replies: that they talk with an AI. */
export async function toldSince({ session, store }: Pick<Conversation, "session" | "store">, min_offset: number): Promise<readonly string[]> {
  const { events } = await readEvents(store, { session_id: (await session()).id, min_offset, kinds: ["session"], limit: 100 });
  return events.flatMap(({ kind, data }) => (kind === "session" && data.type === "disclosure" ? [data.text] : []));
}

/** What to say of a turn that an earlier process left and this one takes up; `what` it answers. */
export const resuming = ({ number, status }: Conversation["left"]["turns"][number], what: string): string =>
  `Resuming turn ${number}, which was left ${status === "running" ? "in the middle" : "unanswered"}: ${what}.`;

/** How to start this chat again. */
export function startAgain({ location, located, keyFile, environment, again = [] }: CommandContext, session?: string): string {
  const npm = environment["npm_lifecycle_event"] === "start";
  const options = [
    ...(located && location !== defaultLocation && environment["THROUGHLINE_DB"] !== location ? [`--db ${shown(location)}`] : []),
    ...(session === undefined ? [] : [`--session ${session}`]),
    ...(keyFile !== undefined && environment["THROUGHLINE_KEY_FILE"] !== keyFile ? [`--key-file ${keyFile}`] : []),
    ...again,
  ];
  const command = npm ? "npm start" : "throughline chat";
  return options.length === 0 ? command : `${command}${npm ? " --" : ""} ${options.join(" ")}`;
}

/** What the agent says of itself, what answers, and how to have something else answer: a model that runs here, if there is one. */
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
    return [...first, isNamed ? answers : `${answers} A language model could: ${startWith(["--model <name>"])} (docs/models.md)`];
  return [...first, `${answers} To use another: throughline chat --agent ./my-agent.ts (see examples/diary/README.md)`];
}

/** Kills this process in the middle of the next reply, once it is armed. */
interface CrashSwitch {
  arm(): void;
  /** The agent with a reply that the switch can interrupt. */
  readonly agent: Agent;
}

/** So many pieces of a reply are shown before the end; a shorter one dies after its last. */
const piecesBefore = 4;

/** Milliseconds in which what was streamed reaches the screen. */
const untilShownMs = 150;

/** `lastWords` runs just before the process is killed: it must leave the terminal usable. */
function createCrashSwitch(agent: Agent, lastWords: () => void): CrashSwitch {
  let armed = false;
  const crash = async (): Promise<void> => {
    await delay(untilShownMs);
    lastWords();
    // Not exit(): nothing may be flushed, closed or given back.
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
 * What became of a message that the database has failed on, where the agent has a gate: it is answered all the same, and the assessment waits beside the
 * database. Any other error is thrown as it is.
 */
export async function unsavedResult({ runtime, session }: Conversation, text: string, error: unknown): Promise<TurnResult> {
  const { id: session_id } = await session();
  const told = await runtime.sessions.unsaved({ session_id, text }, error);
  if (!ThroughlineError.is(told) || told.details["saved"] === undefined) throw told;
  const { reply, saved } = told.details;
  return {
    ...{ offset: 0, turn_id: undefined, status: "failed", saved: saved === false ? saved : "unknown", output: {}, diagnostics: {} },
    reply: typeof reply === "string" ? reply : undefined,
    error: storable(told),
  };
}
