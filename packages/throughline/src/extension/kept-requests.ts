/** Stores the exact model requests of steps for a limited time, for inspection. They belong to the session: they are encrypted and erased with it. */
import type { Assembled, PromptRecord } from "../context/assemble.ts";
import { turnIdOf, type SessionId, type TurnId } from "../kernel/id.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ModelRequest } from "../model/model-port.ts";
import type { Claim, SessionRow, Store } from "../store/port.ts";
import { commitOnce } from "./commit.ts";
import type { TurnJournal, WriterContext } from "./port.ts";
import { numberIn } from "./turn-events.ts";

/** Kind of these records. */
export const promptRecordKind = "prompt";

const padded = (value: number, digits: number): string => String(value).padStart(digits, "0");

/** Returns the key prefix of a session's requests, or of one turn's. Keys sort by turn and step. */
export const promptKeys = (session_id: SessionId, turn?: number): string => `${session_id}/${turn === undefined ? "" : `${padded(turn, 10)}/`}`;
const keyOf = (session_id: SessionId, turn: number, step: number): string => `${promptKeys(session_id, turn)}${padded(step, 6)}`;

/** The turn that calls the model. */
interface Asking {
  readonly agent: { readonly keepRequestsMs: number | undefined };
  readonly claim: Claim;
  readonly journal: Pick<TurnJournal, "keep">;
  readonly runtime: Pick<WriterContext, "clock">;
}

/** Stores a model request if the agent enables it. The commit of the step's entry, or of its failed attempt, includes the record. */
export function keepRequest(
  { agent, claim, journal, runtime }: Asking,
  { step, request, prompt }: { readonly step: number; readonly request: ModelRequest; readonly prompt: Assembled },
): void {
  if (agent.keepRequestsMs === undefined) return;
  const { session_id, turn } = claim;
  const record = prompt.record();
  journal.keep({
    kind: promptRecordKind,
    key: keyOf(session_id, turn.number, step),
    session_id,
    // Stored as text, because a database may reorder the members of an object.
    data: { turn: turn.number, step, body: JSON.stringify(request), record: record as unknown as JsonObject },
    expires_at: runtime.clock.now() + agent.keepRequestsMs,
  });
}

/** Removes the stored requests of a session or of one of its turns. Returns the number removed. */
export async function removePromptsOf(runtime: WriterContext, session_id: SessionId, turn?: number): Promise<number> {
  for (let removed = 0; ;) {
    const { items } = await runtime.store.list({ of: "records", kind: promptRecordKind, prefix: promptKeys(session_id, turn), limit: 100 });
    if (items.length === 0) return removed;
    await commitOnce(runtime, { records: items.map(({ key }) => ({ kind: promptRecordKind, key, data: null })) });
    removed += items.length;
  }
}

/** The model request of one step. */
export interface SessionPrompt {
  readonly turn_id: TurnId;
  /** Number of the turn's model call, from 1. */
  readonly step: number;
  /** The request as JSON, byte for byte as the model's adapter received it, after hooks. */
  readonly body: string;
  /** The parsed request. */
  readonly request: ModelRequest;
  /** How the request was assembled and what was left out, before hooks, which may have changed it. */
  readonly record: PromptRecord;
  readonly kept_at: number;
  readonly expires_at: number;
}

/** Selects a request. */
export interface PromptQuery {
  /** Id of a turn. Default: the last turn with a request. */
  readonly turn?: string;
  /** Step of the turn, from 1. Default: its last step. */
  readonly step?: number;
}

/** Returns the request of a step, or undefined if it is not stored. */
export async function keptPrompt(store: Store, session: SessionRow, { turn, step }: PromptQuery): Promise<SessionPrompt | undefined> {
  const { session_id } = session;
  const number = turn === undefined ? undefined : numberIn(session, turn);
  const which = number === undefined || step === undefined ? { prefix: promptKeys(session_id, number) } : { key: keyOf(session_id, number, step) };
  const { items } = await store.list({ of: "records", kind: promptRecordKind, ...which, order: "desc", limit: 1 });
  const [row] = items;
  if (row?.expires_at === undefined) return undefined;
  const { data, updated_at, expires_at } = row;
  const body = data["body"] as string;
  return {
    turn_id: turnIdOf(session_id, Number(data["turn"])),
    step: Number(data["step"]),
    body,
    request: JSON.parse(body) as ModelRequest,
    record: data["record"] as unknown as PromptRecord,
    kept_at: updated_at,
    expires_at,
  };
}
