/** A user's memory, accessed from a session: commands, and pending questions that wait for a confirmation. */
import { objectGiven, present } from "../../kernel/json.ts";
import type { ExtensionContext } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import { type ControlDecision, decideControl, replyOf } from "../control/memory-command.ts";
import { interpret, interpretReply, type ReplyMeant } from "../control/interpret.ts";
import {
  type Language,
  type MemoryCommand,
  type Pending,
  pendingEntryId,
  pendingOf,
  pendingWrites,
  type Spoken,
  standing,
} from "../control/commands.ts";
import type { OffsetsBySession } from "../../session/masks.ts";
import type { ControlOptions, ControlOutcome, RecallOptions, SessionMemoryControl } from "../control/owner-memory.ts";
import { snapshotOf, type MemorySnapshot } from "../control/snapshot-listing.ts";
import { decodeEntry } from "../write/decode.ts";
import type { SessionRow } from "../../store/port.ts";
import { headerOf } from "../../extension/commit.ts";
import { changeMemory, fenceOf, readMemory, type MemoryChange, type MemoryUser, type Owner } from "./change-memory.ts";
import { memoryOf } from "../memory-settings.ts";
import { finishForget, planWithEchoes, removePrompts, type ReadPlan } from "./forget-memory.ts";
import { inTime, logUnread } from "../../extension/forgotten.ts";
import { isIncognito } from "../../session/session-view.ts";
import { createOwnerMemory } from "./owner-access.ts";

/** The session that accesses a memory, and its owner. */
interface Reached {
  readonly runtime: ExtensionContext;
  readonly session_id: SessionId;
  readonly whose: () => Promise<Owner>;
}

/** Inputs of a command. */
interface Done {
  readonly runtime: ExtensionContext;
  readonly row: SessionRow;
  readonly options: ControlOptions;
}

/** Returns the session. Throws `memory.off` if its agent is known and has no memory. */
async function rowOf(runtime: ExtensionContext, session_id: SessionId): Promise<SessionRow> {
  const row = await headerOf(runtime, session_id);
  const agent = runtime.agents.get(row.agent);
  if (agent !== undefined && memoryOf(agent) === undefined)
    throw new ThroughlineError("memory.off", `The agent "${agent.name}" remembers nothing: its definition has no memory.`, {
      details: { agent: agent.name },
    });
  return row;
}

/** Returns the pending question of a session. */
async function pendingIn({ store }: ExtensionContext, { owner_id, session_id }: SessionRow): Promise<Pending | undefined> {
  const [row] = await store.entries({ owner_id, entry_id: pendingEntryId(session_id), newest: true, limit: 1 });
  const entry = row === undefined ? undefined : decodeEntry(row)?.entry;
  return entry?.type === "pending" ? pendingOf(entry) : undefined;
}

/** Returns the pending question, or `unread` if the memory cannot be read. The message may be unrelated, so the conversation continues. */
async function pendingOrUnread(runtime: ExtensionContext, row: SessionRow): Promise<Pending | "unread" | undefined> {
  const ms = memoryOf(runtime.agents.get(row.agent))?.readDeadlineMs;
  try {
    return await (ms === undefined ? pendingIn(runtime, row) : inTime(runtime, { ms }, () => pendingIn(runtime, row)));
  } catch (error) {
    logUnread(runtime, "memory control without what waits: memory cannot be read", error);
    return "unread";
  }
}

/** Returns the offsets of the messages about a deletion: from the request to the confirmation. */
function spokenOf(session_id: string, pending: Pending | undefined, since: number | undefined): OffsetsBySession {
  const from = pending?.since ?? since;
  if (from === undefined || since === undefined || since < from) return new Map();
  return new Map([[session_id, Array.from({ length: since - from + 1 }, (_, index) => from + index)]]);
}

/** Returns the writes and the outcome of a decision. */
async function carriedOut(
  memory: MemorySnapshot,
  decision: ControlDecision,
  { runtime, row: { session_id }, options, pending, language }: Done & { readonly pending: Pending | undefined; readonly language: Language },
): Promise<MemoryChange<{ readonly outcome: ControlOutcome; readonly plan: ReadPlan | undefined }>> {
  const { key, since, turn } = options;
  const { effects, answer, pending: action, forget } = decision;
  const plan =
    forget.length === 0
      ? undefined
      : await planWithEchoes(runtime, memory, forget, { also: spokenOf(session_id, pending, since), answering: pendingEntryId(session_id) });
  const reply = replyOf(answer, language);
  const question: Pending = {
    type: "pending",
    action,
    language,
    asked_at: runtime.clock.now(),
    // A repeated question still refers to the message that first asked for it.
    ...(action === null
      ? {}
      : (pending?.action ?? null) !== null && pending?.since !== undefined
        ? { since: pending.since }
        : since === undefined
          ? {}
          : { since }),
    ...(action === null || turn === undefined ? {} : { turn }),
    ...(key === undefined ? {} : { done: { key, reply, effects } }),
  };
  const isIdle = action === null && (pending?.action ?? null) === null && decision.writes.length === 0 && plan === undefined;
  return {
    writes: isIdle ? [] : [...decision.writes, ...(plan?.writes ?? []), ...pendingWrites(session_id, question)],
    result: { outcome: { reply, effects, pending: action }, plan },
  };
}

/** Runs a command on the current memory, once per key. */
async function control({ runtime, session_id, whose }: Reached, command: MemoryCommand, options: ControlOptions): Promise<ControlOutcome> {
  const row = await rowOf(runtime, session_id);
  if (isIncognito(row)) return { reply: replyOf({ type: "incognito" }, options.language ?? "en"), effects: "none", pending: null };
  const confirms = command.type === "confirm_pending";
  const before = confirms ? await removePrompts(runtime, row.owner_id) : 0;
  const { outcome, plan } = await changeMemory(runtime, whose, async (memory) => {
    const kept = memory.pendings.find(({ entry_id }) => entry_id === pendingEntryId(session_id));
    const pending = pendingOf(kept?.entry);
    const waiting = standing(pending, runtime.clock.now());
    if (options.key !== undefined && pending?.done?.key === options.key)
      return { writes: [], result: { outcome: { reply: pending.done.reply, effects: pending.done.effects, pending: waiting }, plan: undefined } };
    // A turn cannot confirm its own question. The confirmation must come with the user's next message.
    const isOwn = confirms && options.turn !== undefined && pending?.turn === options.turn;
    const { since } = options;
    const decision = decideControl(memory, isOwn ? { type: "repeat_pending" } : command, {
      session_id,
      now: runtime.clock.now(),
      waiting,
      ...present({ since }),
    });
    return carriedOut(memory, decision, {
      runtime,
      row,
      options,
      pending,
      language: options.language ?? (waiting === null ? "en" : (pending?.language ?? "en")),
    });
  });
  if (plan === undefined) return outcome;
  const { report } = await finishForget(runtime, whose, plan);
  return { ...outcome, forgotten: { ...report, prompts: before + report.prompts, redacted: [] } };
}

async function ownerOf(runtime: ExtensionContext, session_id: SessionId): Promise<Owner> {
  const row = await rowOf(runtime, session_id);
  if (isIncognito(row)) throw new ThroughlineError("memory.incognito", undefined, { details: { session_id } });
  return { owner_id: row.owner_id, version: row.owner_version };
}

/** Runs the command of a message, if the message is only a command. */
async function answer(reached: Reached, message: string, options: ControlOptions): Promise<ControlOutcome | undefined> {
  const { runtime, session_id } = reached;
  const row = await rowOf(runtime, session_id);
  const question = isIncognito(row) ? undefined : await pendingOrUnread(runtime, row);
  // Without the pending question, the message may still be a command. The command then reports why it fails.
  if (question === "unread" && interpret(message) === undefined) return undefined;
  const pending = question === "unread" ? undefined : question;
  const { key } = options;
  if (key !== undefined && pending?.done?.key === key)
    return { reply: pending.done.reply, effects: pending.done.effects, pending: standing(pending, runtime.clock.now()) };
  const meant = meaningOf(message, pending, runtime.clock.now());
  if (meant === "left") {
    await control(reached, { type: "cancel_pending" }, options.since === undefined ? {} : { since: options.since });
    return undefined;
  }
  return meant === undefined ? undefined : control(reached, meant.command, { language: meant.language, ...options });
}

/** Returns the command of a message, also as an answer to the pending question; `left` for a message about a different subject than that question. */
function meaningOf(message: string, pending: Pending | undefined, now: number): Spoken | "left" | undefined {
  const meant: ReplyMeant = pending === undefined ? { type: "nothing" } : interpretReply(message, { pending, now });
  if (meant.type === "left") return "left";
  return meant.type === "command" ? meant.spoken : interpret(message);
}

/** Creates the memory of a session's user, for the session or for one of its turns. */
export function createSessionMemory(runtime: ExtensionContext, session_id: SessionId, user?: MemoryUser): SessionMemoryControl {
  const fence = user === undefined ? {} : { fence: fenceOf(user) };
  const whose = async (): Promise<Owner> => ({ ...(await ownerOf(runtime, session_id)), ...fence });
  const reached: Reached = { runtime, session_id, whose };
  const read = async (): Promise<MemorySnapshot> => {
    const row = await rowOf(runtime, session_id);
    return isIncognito(row) ? snapshotOf(row.owner_id, []) : readMemory(runtime.store, row.owner_id);
  };
  const memory = createOwnerMemory(runtime, {
    whose,
    read,
    session_id,
    vocabulary: async () => memoryOf(runtime.agents.get((await headerOf(runtime, session_id)).agent))?.vocabulary,
  });
  return Object.freeze({
    ...memory,
    recall: async (text: string, options: RecallOptions = {}) => {
      const row = await rowOf(runtime, session_id);
      const { noRecall, previewRecall } = await import("../turn/preview-recall.ts");
      if (isIncognito(row)) return noRecall;
      const { owner_id, owner_version, agent, episode, head } = row;
      // Like a turn with the next message: the current episode is not an earlier one.
      const shown = { session_id, episode, from: head + 1 };
      return previewRecall(runtime, { owner_id, version: owner_version }, text, { agent, ...objectGiven(options, "memory.recall"), shown });
    },
    status: async () => ({ ...(await memory.status()), ...(isIncognito(await rowOf(runtime, session_id)) ? { incognito: true as const } : {}) }),
    pending: async () => {
      const row = await rowOf(runtime, session_id);
      return isIncognito(row) ? null : standing(await pendingIn(runtime, row), runtime.clock.now());
    },
    control: (command: MemoryCommand, options: ControlOptions = {}) => control(reached, command, options),
    answer: (message: string, options: ControlOptions = {}) => answer(reached, message, options),
    isCommand: async (message: string, { key }: Pick<ControlOptions, "key"> = {}) => {
      const row = await rowOf(runtime, session_id);
      const question = isIncognito(row) ? undefined : await pendingOrUnread(runtime, row);
      const pending = question === "unread" ? undefined : question;
      if (key !== undefined && pending?.done?.key === key) return true;
      const meant = meaningOf(message, pending, runtime.clock.now());
      return meant !== undefined && meant !== "left";
    },
  });
}
