import { historyWindow } from "../../context/section.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { diff } from "../../kernel/json-diff.ts";
import { newEvent } from "../../session/new-event.ts";
import { joinControl, type Control } from "../../session/control.ts";
import { foldState } from "../../session/fold.ts";
import type { StageProgress } from "../../context/session-stage.ts";
import { inputsOf, messagesOf, type Message } from "../../session/session-messages.ts";
import { decodeEvent } from "../../session/upcast.ts";
import type { Variables } from "../../session/session-variables.ts";
import { withMessages } from "../../state/state-turn.ts";
import { migrateDocument } from "../../state/migrate-state.ts";
import type { Claim, LoadedSession, SessionRow } from "../../store/port.ts";
import { agentOf, type RuntimeContext } from "../context.ts";
import type { Agent } from "../agent/agent.ts";
import { commitOnce, refused } from "../../extension/commit.ts";
import { Journal } from "./journal.ts";
import type { Waiting } from "../loop/reply.ts";
import { causeOf, causesAt, openState, transientOf, type Cause } from "./open-state.ts";
import { resumePause } from "./pause.ts";
import { hasPoint, type Beginning, type ExtensionTurn, type ShownHistory, type WaysToRead } from "../../extension/port.ts";
import { named } from "../../extension/failure.ts";
import { renewBasis, withoutForgotten } from "../../extension/forgotten.ts";
import type { Json } from "../../kernel/json.ts";
import { firstAttempt, takenUp } from "./retried.ts";
import type { StageSources } from "./stage-of-turn.ts";
import { takeVariables, variablesSeen } from "../variables/snapshot.ts";
import { loadFirst, withWindow } from "./window.ts";

/** A turn at work: what it began with, and its journal. */
export interface Turn {
  readonly runtime: RuntimeContext;
  readonly claim: Claim;
  readonly agent: Agent;
  readonly signal: AbortSignal;
  readonly loaded: LoadedSession;
  readonly journal: Journal;
  readonly variables: Variables;
  /** Milliseconds that each variable took which was refreshed for the turn. */
  readonly refreshed: Readonly<Record<string, number>> | undefined;
  readonly messages: readonly Message[];
  /** The offsets that the turn answers. */
  readonly answers: readonly number[];
  /** What stands there. */
  readonly causes: readonly Cause[];
  /** The customer messages that the turn answers. */
  readonly answered: readonly Message[];
  /** Custom events of the customer's since the last reply, in words: a gate reads them with what the turn answers. */
  readonly reported: readonly Message[];
  /** When each that it answers was said, by offset. */
  readonly saidAt: ReadonlyMap<number, number>;
  /** Where its episode stands with it; undefined for an agent that does not ask. */
  readonly stage: StageProgress | undefined;
  /** Offset of the event that began it; of the head before it, until that is committed. What its agent writes comes after. */
  readonly started: number;
  /** The same of the first attempt, for a turn that is run again: what its agent has called since is the turn's own. */
  readonly attempted: number;
  readonly began_at: number;
  /** What was asked of the turn so far, in this attempt and before. */
  readonly asked: { control: Control };
  /** What of the owner it was shown first. */
  readonly shown: ExtensionTurn["shown"];
  /** What extensions have told stages, hooks and tools of the turn. */
  readonly told: ExtensionTurn["told"];
  /** Stages that an earlier attempt has finished. */
  readonly journaled: ReadonlySet<string>;
  /** What it paused for and still waits for; undefined for a turn that can go on. */
  readonly waits: Waiting | undefined;
  /** Whether an earlier attempt has told readers that the agent is typing, and not that it has paused since. */
  readonly typing: boolean;
  /** Milliseconds of each stage. */
  readonly timings: Record<string, number>;
  /** What extensions count of it, for its end. */
  readonly diagnostics: Record<string, Json>;
}

/**
 * Step 4. One consistent read, the fold, a migration if one is due, input fields set and turn fields fresh. A turn that an earlier attempt began is
 * picked up where its journal ends: its stages are replayed from their patches, not run again.
 */
export async function begin(runtime: RuntimeContext, claim: Claim, signal: AbortSignal): Promise<Turn> {
  const { agent, ...migrated } = await loadMigrated(runtime, claim);
  const { loaded, waits } = await resumePause(runtime, claim, { ...migrated, agent });
  const { document, weight } = foldState(loaded);
  const entries = loaded.journal.map((stored) => decodeEvent(stored)).filter((event) => event.kind === "turn");
  const started = entries.find((event) => event.data.type === "started");
  const { answers, retries = [] } = started?.data.type === "started" ? started.data : await takenUp(runtime.store, claim, loaded);
  const causes = await causesAt(runtime, loaded, answers);
  const stages = entries.flatMap(({ data }) => (data.type === "stage" ? [data] : []));
  const state = openState(agent, document, { causes, patches: transientOf(entries) });

  const { messages, version, readMs } = await shownTo(runtime, agent, { loaded, answers, open: started?.offset, signal });
  const taking = { runtime, claim, agent, loaded, signal };
  const { variables, seen } = await (started?.data.type === "started" ? variablesSeen(taking, started.data, started.offset) : takeVariables(taking));
  const journal = new Journal({ runtime, claim, agent, loaded, state: withMessages(agent.state, state, messages), weight });
  if (started === undefined) beginJournal(journal, { agent, claim, loaded, causes, retries, seen, answers });
  const answered = inputsOf(causes);
  const turn: Turn = {
    runtime,
    claim,
    agent,
    signal,
    loaded,
    journal,
    variables,
    refreshed: seen.refreshed,
    messages,
    answers,
    causes,
    answered,
    reported: reportedIn(loaded, messages, answers),
    stage: await stageFor(runtime, { agent, claim, session: loaded.session, state: journal.state, messages, answered }),
    saidAt: new Map(causes.map(({ offset, created_at }) => [offset, created_at])),
    started: started?.offset ?? loaded.session.head,
    attempted: (retries.length === 0 ? undefined : await firstAttempt(runtime.store, claim)) ?? started?.offset ?? loaded.session.head,
    began_at: runtime.clock.now(),
    asked: { control: stages.reduce<Control>((before, stage) => joinControl(before, stage.control ?? {}), {}) },
    shown: { version, readMs },
    diagnostics: {},
    told: {},
    waits,
    journaled: new Set(stages.map((stage) => stage.name)),
    typing: started !== undefined && (await wasTyping(runtime, claim, started.offset)),
    timings: Object.fromEntries(stages.map((stage) => [stage.name, stage.ms])),
  };
  journal.restOn({ version: loaded.session.owner_version, renew: () => renewBasis(turn) });
  return turn;
}

/** The first entries of a turn's journal. */
function beginJournal(
  journal: Journal,
  begun: Pick<Turn, "agent" | "claim" | "loaded"> & {
    readonly causes: readonly Cause[];
    readonly answers: readonly number[];
    readonly retries: readonly number[];
    readonly seen: Awaited<ReturnType<typeof takeVariables>>["seen"];
  },
): void {
  const { agent, claim, loaded, causes, answers, retries, seen } = begun;
  const versions = { agent: agent.version, state: loaded.session.state_offset, ...seen.versions };
  journal.start({ type: "started", cause: claim.turn.cause, answers, ...(retries.length === 0 ? {} : { retries }), ...seen, versions });
  const turn = claim.turn.number;
  // Whoever asked for a turn without a message was told at once.
  if (claim.turn.cause === "message") journal.add(newEvent("status", "ai_agent", { status: "acknowledged" }, { turn }));
  const [stage] = agent.stages;
  journal.add(newEvent("status", "ai_agent", { status: "processing", ...(stage === undefined ? {} : { stage: stage.name }) }, { turn }));
  for (const cause of causes)
    if (cause.kind === "message" && cause.data.start !== undefined && !retries.includes(cause.offset))
      journal.apply({ type: "input" }, cause.data.start);
}

/** What was said, as the turn sees it: without what was sent after the claim, which is the next turn's to answer, and without what the person had forgotten. */
async function shownTo(
  context: RuntimeContext,
  agent: Agent,
  { loaded, answers, open, signal }: Pick<Turn, "loaded" | "signal"> & { readonly answers: readonly number[]; readonly open: number | undefined },
): Promise<ShownHistory> {
  const later = new Set(loaded.waiting.map((message) => message.offset).filter((offset) => !answers.includes(offset)));
  const messages = messagesOf(
    loaded.messages.map((stored) => decodeEvent(stored)),
    open === undefined ? {} : { open },
  ).filter((message) => !later.has(message.offset));
  const beginning: Beginning = { context, agent, loaded, messages, answers, signal };
  const around = agent.extensions.filter((extension) => hasPoint(extension, "history"));
  const from = async (index: number, ways: WaysToRead | undefined): Promise<ShownHistory> => {
    const extension = around[index];
    if (extension === undefined) return withoutForgotten(beginning, ways);
    return named(extension, signal, () => extension.history(beginning, (given) => from(index + 1, given ?? ways)));
  };
  return from(0, undefined);
}

/** Where the episode stands, for an agent that asks. */
async function stageFor({ store }: RuntimeContext, sources: StageSources): Promise<StageProgress | undefined> {
  if (sources.agent.prompt.stage === undefined) return undefined;
  const { stageOfTurn } = await import("./stage-of-turn.ts");
  return stageOfTurn(store, sources);
}

/** The session, in the shape of the agent's definition: an older state is migrated and committed before anything else happens. */
async function loadMigrated(runtime: RuntimeContext, claim: Claim): Promise<{ readonly loaded: LoadedSession; readonly agent: Agent }> {
  const { session_id } = claim;
  for (;;) {
    // The window is a guess until the agent is known; a wider one is read besides.
    const loaded = await loadFirst(runtime, session_id);
    const agent = agentOf(runtime, loaded.session.agent);
    const from = loaded.session.agent_version;
    if (from > agent.version) throw newerDefinition(loaded.session, agent);
    if (from === agent.version) return { agent, loaded: await withWindow(runtime, session_id, { loaded, window: historyWindow(agent.sections) }) };
    const { document } = foldState(loaded);
    const patch = diff(document, migrateDocument(document, from, agent.version, agent.migrations));
    const data = { patch, writer: { type: "migration", from, to: agent.version }, definition: agent.version } as const;
    const result = await commitOnce(runtime, {
      session: {
        session_id,
        events: [newEvent("state", "system", data, { turn: claim.turn.number })],
        depends: { epoch: claim.epoch, base: loaded.session.state_offset },
        header: { agent_version: agent.version },
      },
    });
    if (result.outcome === "refused" && result.reason !== "stale_base") throw refused(result, session_id);
  }
}

/** A session that only a newer definition of its agent can go on with. */
export function newerDefinition({ session_id, agent_version }: SessionRow, agent: Agent): ThroughlineError {
  return new ThroughlineError(
    "state.definition_newer",
    `Session ${session_id} was written by version ${agent_version} of agent "${agent.name}"; this is version ${agent.version}.`,
    {
      details: { session_id, stored: agent_version, registered: agent.version },
    },
  );
}

/** The customer's custom events since the last reply, in words, without those that are answered or forgotten. */
function reportedIn(loaded: LoadedSession, messages: readonly Message[], answers: readonly number[]): readonly Message[] {
  const replied = messages.findLast(({ role, is_trace }) => role === "assistant" && !is_trace)?.offset ?? -1;
  const found = messages.filter(({ custom, role, offset }) => custom === true && role === "user" && offset > replied && !answers.includes(offset));
  const offsets = new Set(found.map(({ offset }) => offset));
  if (offsets.size === 0) return [];
  return inputsOf(loaded.messages.flatMap((stored) => (offsets.has(stored.offset) ? causeOf(decodeEvent(stored)) : [])));
}

async function wasTyping(runtime: RuntimeContext, { session_id, turn }: Claim, started: number): Promise<boolean> {
  const page = await runtime.store.read({ session_id, min_offset: started, kinds: ["status"], trace_id: turn.trace_id });
  const told = page?.events.findLast(({ turn_id, data }) => turn_id === turn.turn_id && (data["status"] === "typing" || data["status"] === "ready"));
  return told?.data["status"] === "typing";
}

/** Whether a turn is a greeting and nothing else: a message that came before it began joined it. */
export const isGreeting = ({ turn }: Claim, answers: number): boolean => turn.cause === "greeting" && answers === 0;
