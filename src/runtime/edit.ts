import { ThroughlineError } from "../kernel/error.ts";
import type { SessionId } from "../kernel/id.ts";
import { type JsonObject, objectGiven } from "../kernel/json.ts";
import { diff } from "../kernel/json-diff.ts";
import type { Operation } from "../kernel/json-patch.ts";
import type { Command } from "../session/decide.ts";
import { checkpointDue, foldState, patchWeight } from "../session/fold.ts";
import { applyDelta } from "../state/apply.ts";
import { decodeState, encodeState } from "../state/document.ts";
import { migrateDocument } from "../state/migrate.ts";
import type { LoadedSession } from "../store/port.ts";
import type { Agent } from "./agent.ts";
import { newerDefinition } from "./begin.ts";
import { execute } from "./commit.ts";
import { agentOf, type RuntimeContext } from "./context.ts";
import { checkMetadata, checkShownName } from "./receive.ts";

/** Options of an edit. */
export interface EditOptions {
  /** Who edits: 1 to 200 characters. */
  readonly operator?: string;
  /** The integration's own data about the event; it never reaches a prompt. */
  readonly metadata?: JsonObject;
}

/**
 * Applies a delta to the state as it stands, anew when somebody else came first. The offset of its event; the session's head if it changed nothing.
 */
export async function editState(
  runtime: RuntimeContext,
  session_id: SessionId,
  delta: JsonObject,
  { operator, metadata }: EditOptions,
): Promise<{ readonly offset: number }> {
  objectGiven(delta, "edit");
  checkShownName("operator", operator);
  checkMetadata(metadata);
  let head = 0;
  const result = await execute(runtime, session_id, (loaded) => {
    head = loaded.session.head;
    const writer = { type: "operator" as const, ...(operator === undefined ? {} : { name: operator }) };
    return { ...edited(runtime, loaded, delta), writer, ...(metadata === undefined ? {} : { metadata }) };
  });
  return { offset: result?.committed?.session?.head ?? head };
}

function edited(runtime: RuntimeContext, loaded: LoadedSession, delta: JsonObject): Omit<Extract<Command, { type: "edit" }>, "writer"> {
  const agent = agentOf(runtime, loaded.session.agent);
  const folded = foldState(loaded);
  const migrated = migratedFor(agent, loaded, folded.document);
  const { state, patch, messages } = applyDelta(agent.state, decodeState(agent.state, migrated?.document ?? folded.document), delta);
  if (messages.length > 0)
    throw new ThroughlineError("state.undeclared_write", "/messages is the log, which is not edited.", {
      hint: "Post a message, or withdraw what should not have been said.",
    });
  const other = patch.transient[0];
  if (other !== undefined) throw new ThroughlineError("state.undeclared_write", `Only reduced fields outlive a turn; ${other.path} does not.`);
  // A session that is only ever edited must load as fast as one that has turns.
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

/** The state as this version of the agent has it, if an older one wrote it. A turn that is at work goes on under the version that it began with. */
function migratedFor(
  agent: Agent,
  { session, turns }: LoadedSession,
  document: JsonObject,
): { readonly document: JsonObject; readonly patch: readonly Operation[] } | undefined {
  const { session_id, agent_version: from } = session;
  if (from === agent.version) return undefined;
  if (from > agent.version) throw newerDefinition(session, agent);
  if (turns.some((turn) => turn.status === "running"))
    throw new ThroughlineError(
      "session.conflict",
      `A turn is at work in session ${session_id}, whose state is to be migrated from version ${from} first.`,
      {
        details: { session_id, stored: from, registered: agent.version },
      },
    );
  const migrated = migrateDocument(document, from, agent.version, agent.migrations);
  return { document: migrated, patch: diff(document, migrated) };
}
