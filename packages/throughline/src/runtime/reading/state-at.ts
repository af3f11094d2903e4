import { ThroughlineError, seen } from "../../kernel/error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { foldState } from "../../session/fold.ts";
import { decodeState } from "../../state/document.ts";
import { migrateDocument } from "../../state/migrate-state.ts";
import { messagesField } from "../../state/messages-field.ts";
import { project, type View } from "../../state/views.ts";
import type { LoadedSession } from "../../store/port.ts";
import { headerOf, loadSession } from "../../extension/commit.ts";
import { agentOf } from "../context.ts";
import { definitionVersionOf } from "../agent/definition-version.ts";
import type { Handle } from "../commands/handle.ts";

/** State at an offset. */
export interface StateAt {
  readonly offset: number;
  /** Offset of the last state change up to there. If retention has deleted that change, offset of the state that the log starts with. */
  readonly state_offset: number;
  /** Version of the agent's definition that wrote the state. */
  readonly definition: number;
  /** The `reduced` fields, encoded. */
  readonly document: JsonObject;
}

/** Selects the state to read, and its form. */
export interface StateOptions {
  /** Defaults to the head. */
  readonly at?: number;
  /** Migrates the copy to the registered version. By default it stays as it was written. */
  readonly upgrade?: boolean;
  /** Only the fields of this view, in the registered version. `public` is for clients. */
  readonly view?: Exclude<View, "input">;
}

const views = ["internal", "output", "public"];

/** Returns the state at an offset, raw and with its version, or a view of it. */
export async function stateAt(handle: Handle, options: StateOptions): Promise<StateAt> {
  const { at, upgrade = false, view } = options;
  if (view !== undefined && !views.includes(view))
    throw new ThroughlineError("input.invalid", `A view is one of ${views.join(", ")}, got ${seen(view)}.`, { details: { path: "view" } });
  const { runtime } = handle;
  const loaded = await loadAt(handle, at);
  const { document, definition } = foldState(loaded);
  const written = definition ?? (await definitionVersionOf(runtime, loaded));
  const place = { offset: at ?? loaded.session.head, state_offset: loaded.patches.at(-1)?.offset ?? loaded.base.offset };
  if (!upgrade && view === undefined) return { ...place, definition: written, document };
  const agent = agentOf(runtime, loaded.session.agent);
  const upgraded = agent.version === written ? document : migrateDocument(document, written, agent.version, agent.migrations);
  if (view === undefined) return { ...place, definition: agent.version, document: upgraded };
  // The messages are the log, not part of the document. An empty list would suggest that there are none.
  const { [messagesField]: _said, ...shown } = project(agent.state, decodeState(agent.state, upgraded), view);
  return { ...place, definition: agent.version, document: shown };
}

async function loadAt({ runtime, id }: Handle, at: number | undefined): Promise<LoadedSession> {
  if (at === undefined) return loadSession(runtime, id);
  const { head } = await headerOf(runtime, id);
  if (Number.isInteger(at) && at >= 0 && at <= head) return loadSession(runtime, id, { at });
  throw new ThroughlineError("log.offset_invalid", `There is no offset ${seen(at)} in session ${id}: its offsets go from 0 to ${head}.`, {
    details: { at, head },
  });
}
