/** Forgets completely: the memory entries, the messages and replies that contain the words, and stored requests. */
import type { WriterContext } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import { isPlainObject, type Json, type JsonObject } from "../../kernel/json.ts";
import { type ForgetPlan, planForget, unknownIds } from "../control/forget.ts";
import { type MemorySnapshot, sessionOfTarget } from "../control/snapshot-listing.ts";
import { joinOffsets, maskWrites, type OffsetsBySession } from "../../session/masks.ts";
import type { ForgetReport } from "../control/owner-memory.ts";
import type { StoredEvent } from "../../store/port.ts";
import { commitOnce } from "../../extension/commit.ts";
import { removePromptsOf } from "../../extension/kept-requests.ts";
import { eventsOf, itemsOf } from "../../extension/lists.ts";
import { redactMessages } from "../../extension/redact.ts";
import { echoesIn, tellingKinds } from "./kept-entries.ts";
import { changeMemory, type Owner } from "./change-memory.ts";

type ForgetContext = WriterContext;

/** Which entries to forget, and whether messages are redacted. */
export interface ForgetRequest {
  /** Returns the entries to forget, given the current memory. `memory.entry_not_found` lists unknown ids. */
  readonly ids: (memory: MemorySnapshot) => readonly string[];
  /** Also removes the text of the messages from the log. */
  readonly messages?: boolean;
}

/** Maximum number of events redacted per commit. */
const redactedAtOnce = 200;

/** The last offset read in each log. */
type Heads = ReadonlyMap<SessionId, number>;

/**
 * Finds the events that contain the words in all sessions of an owner. Returns them by the session that they were written in, with the last offset
 * read in each log. Forgetting is rare and must be complete, so logs are read from end to end, or from `read`.
 */
async function echoesOf(
  { store }: Pick<ForgetContext, "store">,
  owner_id: OwnerId,
  says: (text: string) => boolean,
  read: Heads = new Map(),
): Promise<{ readonly echoes: OffsetsBySession; readonly heads: Heads }> {
  const found = new Map<string, number[]>();
  const heads = new Map<SessionId, number>();
  for await (const { session_id, first_offset, head } of itemsOf(store, { of: "sessions", owner_id })) {
    const before = read.get(session_id);
    heads.set(session_id, head);
    if (before !== undefined && before >= head) continue;
    const from = before === undefined ? {} : { min_offset: Math.max(first_offset, before + 1) };
    for (const event of await echoesIn(store, { session_id, says, ...from, max_offset: head })) {
      const written = event.origin ?? session_id;
      found.set(written, [...(found.get(written) ?? []), event.offset]);
    }
  }
  return { echoes: joinOffsets(found), heads };
}

/** Removes the stored requests of all sessions of an owner, since each may contain memory. Returns the number removed. */
export async function removePrompts(runtime: ForgetContext, owner_id: OwnerId): Promise<number> {
  let removed = 0;
  for await (const { session_id } of itemsOf(runtime.store, { of: "sessions", owner_id })) removed += await removePromptsOf(runtime, session_id);
  return removed;
}

/** Replacement for removed text. */
const removed = "[removed at the person's request]";

/** Tells whether an event contains text. A `turn` event does if it has a stage's reply or a state patch. */
const isTelling = ({ kind, data }: Pick<StoredEvent, "kind" | "data">): boolean =>
  kind !== "turn" || data["patch"] !== undefined || (isPlainObject(data["control"]) && data["control"]["reply"] !== undefined);

/** Returns a value of the same shape with every text replaced. */
function silent(value: Json): Json {
  if (typeof value === "string") return removed;
  if (Array.isArray(value)) return (value as readonly Json[]).map(silent);
  return isPlainObject(value) ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, silent(member)])) : value;
}

/** Returns the patch operations with the texts of their values replaced. */
const silentPatch = (patch: Json): Json =>
  (patch as readonly JsonObject[]).map((operation) =>
    "value" in operation ? { ...operation, value: silent(operation["value"] ?? null) } : operation,
  );

/** Returns the data of a non-message event without its texts. A tool call and its result keep their types. */
function withoutTexts({ kind, data }: StoredEvent): JsonObject {
  if (kind === "custom") return { ...data, value: removed };
  if (kind === "tool") return data["type"] === "called" ? { ...data, arguments: {} } : { ...data, result: { type: "ok", value: removed } };
  const { control, patch } = data;
  return {
    ...data,
    ...(isPlainObject(control) && control["reply"] !== undefined ? { control: { ...control, reply: removed } } : {}),
    ...(patch === undefined ? {} : { patch: silentPatch(patch) }),
  };
}

/** Redacts events that are not messages. */
async function redactOthers(runtime: ForgetContext, session_id: SessionId, offsets: readonly number[]): Promise<readonly number[]> {
  const wanted = new Set(offsets);
  const due: StoredEvent[] = [];
  for await (const event of eventsOf(runtime.store, { session_id, kinds: ["tool", "custom", "turn"], withdrawn: true }))
    if (wanted.has(event.offset) && isTelling(event)) due.push(event);
  for (let from = 0; from < due.length; from += redactedAtOnce)
    await commitOnce(runtime, {
      session: { session_id, redact: due.slice(from, from + redactedAtOnce).map((event) => ({ offset: event.offset, data: withoutTexts(event) })) },
    });
  return due.map(({ offset }) => offset);
}

/** Removes the text of messages and other events from the logs. Returns the redacted offsets. */
async function redactAll(runtime: ForgetContext, messages: OffsetsBySession): Promise<ForgetReport["redacted"]> {
  const redacted: { session_id: string; offsets: readonly number[] }[] = [];
  for (const [session, offsets] of messages) {
    const session_id = session as SessionId;
    const texts = await redactMessages(runtime, session_id, offsets);
    const others = await redactOthers(runtime, session_id, offsets);
    const all = [...texts, ...others].toSorted((a, b) => a - b);
    if (all.length > 0) redacted.push({ session_id, offsets: all });
  }
  return redacted;
}

/** Returns all text events of sessions that are forgotten as a whole, since replies may paraphrase them. Sessions of other owners are skipped. */
async function wholeSessions({ store }: Pick<ForgetContext, "store">, owner_id: OwnerId, ids: readonly string[]): Promise<OffsetsBySession> {
  const said = new Map<string, readonly number[]>();
  for (const session of ids.map(sessionOfTarget).filter((id) => id !== undefined)) {
    const session_id = session as SessionId;
    if ((await store.open({ session_id }))?.owner_id !== owner_id) continue;
    const offsets: number[] = [];
    for await (const event of eventsOf(store, { session_id, kinds: tellingKinds, withdrawn: true })) if (isTelling(event)) offsets.push(event.offset);
    said.set(session_id, offsets);
  }
  return said;
}

/** A plan with its owner and the last offset read in each log. */
export type ReadPlan = ForgetPlan & { readonly owner_id: OwnerId; readonly heads: Heads };

/** Plans on the current memory, with the matching messages of all the owner's sessions. */
export async function planWithEchoes(
  runtime: ForgetContext,
  memory: MemorySnapshot,
  ids: readonly string[],
  options: { readonly also?: OffsetsBySession; readonly answering?: string } = {},
): Promise<ReadPlan> {
  const { also = new Map(), ...rest } = options;
  const common = { now: runtime.clock.now(), salt: runtime.ids.trace(), ...rest };
  const { says } = planForget(memory, ids, common);
  const owner_id = memory.owner_id as OwnerId;
  const { echoes, heads } = await echoesOf(runtime, owner_id, says);
  const whole = await wholeSessions(runtime, owner_id, ids);
  return { ...planForget(memory, ids, { ...common, echoes: joinOffsets(echoes, whole, also) }), owner_id, heads };
}

/**
 * Finishes a committed plan: masks messages that were written between reading the logs and the commit, and removes stored requests. Later messages
 * belong to turns that depend on the memory without these words. Returns the late offsets and the report.
 */
export async function finishForget(
  runtime: ForgetContext,
  whose: () => Promise<Owner>,
  { owner_id, heads, says, messages, report }: ReadPlan,
): Promise<{ readonly late: OffsetsBySession; readonly report: Omit<ForgetReport, "redacted"> }> {
  // Forgetting is completed without the turn's fence, even if the turn that requested it has lost its lease.
  const person = async (): Promise<Owner> => {
    const { owner_id: now, version } = await whose();
    return { owner_id: now, version };
  };
  const { echoes: late } = await echoesOf(runtime, owner_id, says, heads);
  if (late.size > 0)
    await changeMemory(runtime, person, ({ masks }) => ({ writes: maskWrites(masks, late, runtime.clock.now()), result: undefined }));
  const masked = [...joinOffsets(messages, late)].map(([session_id, offsets]) => ({ session_id, offsets }));
  return { late, report: { ...report, masked, prompts: await removePrompts(runtime, owner_id) } };
}

/** Throws `memory.entry_not_found` for unknown ids. */
export function checkKnown(memory: MemorySnapshot, ids: readonly string[]): void {
  const unknown = unknownIds(memory, ids);
  if (unknown.length > 0)
    throw new ThroughlineError("memory.entry_not_found", `There is no memory entry ${unknown.slice(0, 5).join(", ")}.`, {
      details: { entry_ids: unknown },
    });
}

/**
 * Forgets entries. Stored requests and message texts are removed first, and the memory last, in one commit. If the process dies in between, the
 * entries still exist, so the same call can be repeated.
 */
export async function forgetMemory(
  runtime: ForgetContext,
  whose: () => Promise<Owner>,
  { ids, messages = false }: ForgetRequest,
): Promise<ForgetReport> {
  const { owner_id } = await whose();
  const before = await removePrompts(runtime, owner_id);
  const { plan, redacted } = await changeMemory(runtime, whose, async (memory) => {
    const named = ids(memory);
    checkKnown(memory, named);
    const made = await planWithEchoes(runtime, memory, named);
    return { writes: made.writes, result: { plan: made, redacted: messages ? [...(await redactAll(runtime, made.messages))] : [] } };
  });
  const { late, report } = await finishForget(runtime, whose, plan);
  if (messages) redacted.push(...(await redactAll(runtime, late)));
  return Object.freeze({ ...report, redacted, prompts: before + report.prompts });
}
