import { present } from "../../kernel/json.ts";
import { historyWindow } from "../../context/section.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { diff } from "../../kernel/json-diff.ts";
import { newEvent } from "../../session/new-event.ts";
import { joinControl, type Control } from "../../session/control.ts";
import { decodeEvent, foldState } from "../../session/fold.ts";
import type { StageProgress } from "../../context/session-stage.ts";
import { inputsOf, messagesOf, type Message } from "../../session/session-messages.ts";
import { withMessages } from "../../state/state-turn.ts";
import { migrateDocument } from "../../state/migrate-state.ts";
import type { Claim, LoadedSession, SessionRow } from "../../store/port.ts";
import { agentOf, type RuntimeContext } from "../context.ts";
import type { Agent } from "../agent/agent.ts";
import { commitOnce, refused } from "../../extension/commit.ts";
import { Journal } from "./journal.ts";
import { type Cause, causeOf, causesAt, firstAttempt, openState, takenUp, transientOf } from "./open-turn.ts";
import { resumePause } from "./pause.ts";
import { hasPoint, type Beginning, type ShownHistory, type WaysToRead } from "../../extension/port.ts";
import { named, own } from "../../extension/failure.ts";
import { renewBasis, withoutForgotten } from "../../extension/forgotten.ts";
import type { Turn } from "./running-turn.ts";
import type { StageSources } from "./stage-of-turn.ts";
import { takeVariables, variablesSeen } from "../variables/turn-variables.ts";
import { loadFirst, withWindow } from "./window.ts";

/**
 * Step 4. Reads the session consistently, folds it, migrates it if necessary, sets the input fields and resets the turn fields. A turn that an
 * earlier attempt started continues where its journal ends: its stages are replayed from their patches and do not run again.
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

/** Adds the first entries of a turn's journal. */
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
  // The caller of a turn without a message got its acknowledgement immediately.
  if (claim.turn.cause === "message") journal.add(newEvent("status", "ai_agent", { status: "acknowledged" }, { turn }));
  const [stage] = agent.stages;
  journal.add(newEvent("status", "ai_agent", { status: "processing", ...(stage === undefined ? {} : { stage: stage.name }) }, { turn }));
  for (const cause of causes)
    if (cause.kind === "message" && cause.data.start !== undefined && !retries.includes(cause.offset))
      journal.apply({ type: "input" }, cause.data.start);
}

/**
 * Returns the conversation that the turn reads. Excludes messages sent after the claim, which the next turn answers, and messages that the owner had
 * erased from memory.
 */
async function shownTo(
  context: RuntimeContext,
  agent: Agent,
  { loaded, answers, open, signal }: Pick<Turn, "loaded" | "signal"> & { readonly answers: readonly number[]; readonly open: number | undefined },
): Promise<ShownHistory> {
  const later = new Set(loaded.waiting.map((message) => message.offset).filter((offset) => !answers.includes(offset)));
  const messages = messagesOf(
    loaded.messages.map((stored) => decodeEvent(stored)),
    present({ open }),
  ).filter((message) => !later.has(message.offset));
  const beginning: Beginning = { context, agent, loaded, messages, answers, signal };
  const around = agent.extensions.filter((extension) => hasPoint(extension, "history"));
  const from = async (index: number, ways: WaysToRead | undefined): Promise<ShownHistory> => {
    const extension = around[index];
    if (extension === undefined) return own(() => withoutForgotten(beginning, ways));
    return named(extension, signal, () => extension.history(beginning, (given) => from(index + 1, given ?? ways)));
  };
  return from(0, undefined);
}

/** Returns the stage of the episode, for an agent that uses it. */
async function stageFor({ store }: RuntimeContext, sources: StageSources): Promise<StageProgress | undefined> {
  if (sources.agent.prompt.stage === undefined) return undefined;
  const { stageOfTurn } = await import("./stage-of-turn.ts");
  return stageOfTurn(store, sources);
}

/** Loads the session in the shape of the agent's definition. An older state is migrated and committed before anything else. */
async function loadMigrated(runtime: RuntimeContext, claim: Claim): Promise<{ readonly loaded: LoadedSession; readonly agent: Agent }> {
  const { session_id } = claim;
  for (;;) {
    // The size of the window is estimated until the agent is known. A wider window takes a second read.
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

/** Returns the error for a session that only a newer definition of its agent can continue. */
export function newerDefinition({ session_id, agent_version }: SessionRow, agent: Agent): ThroughlineError {
  return new ThroughlineError(
    "state.definition_newer",
    `Session ${session_id} was written by version ${agent_version} of agent "${agent.name}"; this is version ${agent.version}.`,
    {
      details: { session_id, stored: agent_version, registered: agent.version },
    },
  );
}

/** Returns the customer's custom events since the last reply as text, without answered or forgotten ones. */
function reportedIn(loaded: LoadedSession, messages: readonly Message[], answers: readonly number[]): readonly Message[] {
  const replied = messages.findLast(({ role, is_trace }) => role === "assistant" && !is_trace)?.offset ?? -1;
  const found = messages.filter(({ custom, role, offset }) => custom === true && role === "user" && offset > replied && !answers.includes(offset));
  const offsets = new Set(found.map(({ offset }) => offset));
  return inputsOf(loaded.messages.flatMap((stored) => (offsets.has(stored.offset) ? causeOf(decodeEvent(stored)) : [])));
}

async function wasTyping(runtime: RuntimeContext, { session_id, turn }: Claim, started: number): Promise<boolean> {
  const page = await runtime.store.read({ session_id, min_offset: started, kinds: ["status"], trace_id: turn.trace_id });
  const told = page?.events.findLast(({ turn_id, data }) => turn_id === turn.turn_id && (data["status"] === "typing" || data["status"] === "ready"));
  return told?.data["status"] === "typing";
}
