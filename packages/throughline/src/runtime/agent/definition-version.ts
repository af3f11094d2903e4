import { decodeEvent, foldState } from "../../session/fold.ts";
import type { LoadedSession } from "../../store/port.ts";
import { eventAt } from "../../extension/commit.ts";
import type { RuntimeContext } from "../context.ts";

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
