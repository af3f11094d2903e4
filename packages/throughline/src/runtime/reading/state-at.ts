/** The state of a session at an offset, and the version of the definition that wrote it. */
import { invalidAt } from "../../extension/failure.ts";
import { eventAt, headerOf, loadSession } from "../../extension/commit.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { decodeEvent, foldState } from "../../session/fold.ts";
import { decodeState } from "../../state/document.ts";
import { messagesField } from "../../state/messages-field.ts";
import { migrateDocument } from "../../state/migrate-state.ts";
import { project, type View } from "../../state/views.ts";
import type { LoadedSession } from "../../store/port.ts";
import type { Handle } from "../commands/handle.ts";
import { agentOf, type RuntimeContext } from "../context.ts";

/** State at an offset. */
export interface StateAt<Document = JsonObject> {
  readonly offset: number;
  /** Offset of the last state change up to there. If retention has deleted that change, offset of the state that the log starts with. */
  readonly state_offset: number;
  /** Version of the agent's definition that wrote the state. */
  readonly definition: number;
  /** The `reduced` fields, encoded. */
  readonly document: Document;
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
export async function stateAt(handle: Pick<Handle, "runtime" | "id">, options: StateOptions): Promise<StateAt> {
  const { at, upgrade = false, view } = options;
  if (view !== undefined && !views.includes(view))
    throw invalidAt("input.invalid", "view", `A view is one of ${views.join(", ")}, got ${seen(view)}.`);
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

async function loadAt({ runtime, id }: Pick<Handle, "runtime" | "id">, at: number | undefined): Promise<LoadedSession> {
  if (at === undefined) return loadSession(runtime, id);
  const { head } = await headerOf(runtime, id);
  if (Number.isInteger(at) && at >= 0 && at <= head) return loadSession(runtime, id, { at });
  throw new ThroughlineError("log.offset_invalid", `Session ${id} has offsets 0 to ${head}, got ${seen(at)}.`, {
    details: { at, head },
  });
}

/** Returns the version of the agent's definition that wrote the loaded state. */
export async function definitionVersionOf(runtime: Pick<RuntimeContext, "store">, loaded: LoadedSession): Promise<number> {
  const { session, base } = loaded;
  const last = foldState(loaded).definition;
  if (last !== undefined) return last;
  const event = base.offset < session.first_offset ? undefined : await eventAt(runtime, session.session_id, base.offset);
  if (event?.kind === "state") return event.data.definition;
  if (event?.kind === "session" && event.data.type === "created") return event.data.definition;
  return definitionAfter(runtime, loaded);
}

/** Returns the version from the next state change, because the previous change is not in the log. Only a migration is written by another definition. */
async function definitionAfter({ store }: Pick<RuntimeContext, "store">, { session, base }: LoadedSession): Promise<number> {
  const { session_id, first_offset, agent_version } = session;
  const min_offset = Math.max(first_offset, base.offset + 1);
  const page = await store.read({ session_id, min_offset, kinds: ["state"], limit: 1, withdrawn: true });
  const [first] = (page?.events ?? []).map((stored) => decodeEvent(stored));
  if (first?.kind !== "state") return agent_version;
  return first.data.writer.type === "migration" ? first.data.writer.from : first.data.definition;
}
