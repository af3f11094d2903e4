import { loadSession } from "../../extension/commit.ts";
import { invalidAt } from "../../extension/failure.ts";
import { ThroughlineError, seen } from "../../kernel/error.ts";
import type { ErrorCode } from "../../kernel/error-catalogue.ts";
import { type JsonObject, objectGiven, present } from "../../kernel/json.ts";
import { diff } from "../../kernel/json-diff.ts";
import type { PatchOperation } from "../../kernel/json-patch.ts";
import type { Command } from "../../session/decide-command.ts";
import { checkpointDue, foldState, patchWeight } from "../../session/fold.ts";
import { applyDelta } from "../../state/apply.ts";
import { decodeState, encodeState } from "../../state/document.ts";
import { migrateDocument } from "../../state/migrate-state.ts";
import type { LoadedSession, SessionRow } from "../../store/port.ts";
import type { Agent } from "../agent/agent.ts";
import { newerDefinition } from "../turn/begin.ts";
import { execute } from "./execute.ts";
import { agentOf, type RuntimeContext } from "../context.ts";
import { doneOf, type Done, type Handle } from "./handle.ts";
import { idempotencyOf, type IdempotencyOptions } from "./idempotency.ts";
import { checkMetadata, checkShownName } from "../turn/receive.ts";

/** Options of an edit. */
export interface EditOptions extends IdempotencyOptions {
  /** The editor: 1 to 200 characters. */
  readonly operator?: string;
  /** The integration's data about the event. It never appears in a prompt. */
  readonly metadata?: JsonObject;
  /** Offset at which the caller read the state. If the state has changed since, throws `session.conflict` with the current offsets. */
  readonly expectedOffset?: number;
}

/** Applies a delta to the current state, and retries if another writer came first. With an idempotency key the delta must be JSON. */
export async function editState(handle: Handle, delta: JsonObject, options: EditOptions): Promise<Done> {
  objectGiven(delta, "edit");
  const { operator, metadata, expectedOffset } = options;
  checkShownName("operator", operator);
  checkMetadata(metadata);
  const { runtime, id } = handle;
  const writer = { type: "operator" as const, ...present({ name: operator }) };
  const command = (loaded: LoadedSession): Command => {
    checkExpected(loaded.session, expectedOffset);
    return { ...editOf(runtime, loaded, delta), writer, ...present({ metadata }) };
  };
  const idempotency = idempotencyOf(options, "edit", { delta, operator, metadata, expectedOffset });
  return doneOf(handle, await execute(runtime, id, command, { idempotency }));
}

/** A reason why an edit would be refused. */
export interface EditProblem {
  /** Name of the field of the delta. */
  readonly field: string;
  readonly code: ErrorCode;
  readonly message: string;
}

/** What an edit would do. */
export interface EditPreview {
  /** Offset of the last change of the state that it was decided on. An edit with this `expectedOffset` does the same, or is refused. */
  readonly state_offset: number;
  /** The operations that it would commit. Empty if there are problems. */
  readonly patch: readonly PatchOperation[];
  /** Problems by field. An edit with any of them commits nothing. */
  readonly problems: readonly EditProblem[];
}

/** Errors that an edit may be refused for, and that a caller can do something about. */
const problemCodes: ReadonlySet<ErrorCode> = new Set([
  "state.unknown_field",
  "state.undeclared_write",
  "state.invalid_value",
  "state.not_clearable",
  "state.not_json",
  "state.reducer_mismatch",
  "state.reducer_failed",
  // A running turn keeps the state from being migrated first.
  "session.conflict",
]);

/** Returns what an edit of the current state would do, and commits nothing. Fields are tried one by one, so that one problem does not hide another. */
export async function previewEdit({ runtime, id }: Handle, delta: JsonObject): Promise<EditPreview> {
  objectGiven(delta, "previewEdit");
  const loaded = await loadSession(runtime, id);
  const problemOf = (fields: JsonObject, field: string): readonly EditProblem[] => {
    try {
      editOf(runtime, loaded, fields);
      return [];
    } catch (error) {
      if (!ThroughlineError.is(error) || !problemCodes.has(error.code)) throw error;
      return [{ field, code: error.code, message: error.message }];
    }
  };
  const problems = Object.entries(delta).flatMap(([field, update]) => problemOf({ [field]: update }, field));
  const isEmpty = Object.keys(delta).length === 0;
  const patch = isEmpty || problems.length > 0 ? [] : editOf(runtime, loaded, delta).patch;
  return { state_offset: loaded.session.state_offset, patch, problems };
}

/** Throws if the state has changed since the expected offset, or if that offset does not exist yet. */
function checkExpected({ session_id, state_offset, head }: SessionRow, expected: number | undefined): void {
  if (expected === undefined) return;
  if (!Number.isSafeInteger(expected) || expected < 0)
    throw invalidAt("input.invalid", "expectedOffset", `expectedOffset is a whole number from 0, got ${seen(expected)}.`);
  if (state_offset <= expected && expected <= head) return;
  throw new ThroughlineError(
    "session.conflict",
    `The state of session ${session_id} was changed at offset ${state_offset}, not read at ${expected}.`,
    {
      hint: "Read the state again, and repeat the edit on the current state.",
      details: { session_id, expected_offset: expected, state_offset, head },
    },
  );
}

/** Returns an edit of the loaded state through the agent's reducers, without its writer. */
export function editOf(runtime: RuntimeContext, loaded: LoadedSession, delta: JsonObject): Omit<Extract<Command, { type: "edit" }>, "writer"> {
  const agent = agentOf(runtime, loaded.session.agent);
  const folded = foldState(loaded);
  const migrated = migratedFor(agent, loaded, folded.document);
  const { state, patch, messages } = applyDelta(agent.state, decodeState(agent.state, migrated?.document ?? folded.document), delta);
  if (messages.length > 0)
    throw new ThroughlineError("state.undeclared_write", "The field /messages is the log and cannot be edited.", {
      hint: "Post a message, or withdraw messages.",
    });
  const other = patch.transient[0];
  if (other !== undefined)
    throw new ThroughlineError("state.undeclared_write", `Field ${other.path} cannot be edited: only reduced fields are stored between turns.`);
  // Edits write checkpoints too, so that a session with edits only loads as fast as one with turns.
  const patches = [...(migrated === undefined ? [] : [migrated.patch]), patch.durable];
  const weight = patches.reduce((sum, one) => sum + patchWeight(Buffer.byteLength(JSON.stringify(one))), folded.weight);
  const due = patch.durable.length > 0 && checkpointDue(weight, loaded.base.bytes);
  return {
    type: "edit",
    patch: patch.durable,
    trace_id: runtime.ids.trace(),
    ...(migrated === undefined ? {} : { migration: { to: agent.version, patch: migrated.patch, epoch: loaded.session.epoch } }),
    ...(due ? { checkpoint: encodeState(agent.state, state) } : {}),
  };
}

/** Migrates the state to this version of the agent if an older one wrote it. A running turn continues with the version that it started with. */
function migratedFor(
  agent: Agent,
  { session, turns }: LoadedSession,
  document: JsonObject,
): { readonly document: JsonObject; readonly patch: readonly PatchOperation[] } | undefined {
  const { session_id, agent_version: from } = session;
  if (from === agent.version) return undefined;
  if (from > agent.version) throw newerDefinition(session, agent);
  if (turns.some((turn) => turn.status === "running"))
    throw new ThroughlineError(
      "session.conflict",
      `Session ${session_id} runs a turn, and its state must be migrated from version ${from} first. Try again after the turn.`,
      {
        details: { session_id, stored: from, registered: agent.version },
      },
    );
  const migrated = migrateDocument(document, from, agent.version, agent.migrations);
  return { document: migrated, patch: diff(document, migrated) };
}
