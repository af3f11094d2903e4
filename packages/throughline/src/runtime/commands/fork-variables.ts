/** The initial variables of a fork: a copy of the session's own variables at the offset. */
import type { SessionId } from "../../kernel/id.ts";
import { type LoadedSession, type OwnerChange, type VariablesRow, sessionOwnerId } from "../../store/port.ts";
import type { RuntimeContext } from "../context.ts";

/** Returns the owner part of the commit that creates a fork at `at`. Undefined if the session had no variables of its own then. */
export async function variablesOfFork(
  runtime: Pick<RuntimeContext, "store">,
  loaded: LoadedSession,
  { at, fork }: { readonly at: number; readonly fork: SessionId },
): Promise<OwnerChange | undefined> {
  const then = at === loaded.session.head ? loaded.session_variables : await variablesThen(runtime, loaded.session.session_id, at);
  if (then === undefined) return undefined;
  const variables = Object.entries(then.values).map(([name, value]) => ({ name, value }));
  if (variables.length === 0) return undefined;
  return { owner_id: sessionOwnerId(fork), create: {}, variables, checked: then.stale.map((name) => ({ name, stale: true })) };
}

/** Returns the variables of the session that wrote the event at `at`, as of the event's time. That session is this one or an ancestor. */
async function variablesThen({ store }: Pick<RuntimeContext, "store">, session_id: SessionId, at: number): Promise<VariablesRow | undefined> {
  const [event] = (await store.read({ session_id, min_offset: at, max_offset: at, withdrawn: true }))?.events ?? [];
  // The variables of a deleted session no longer exist.
  if (event === undefined || event.origin === null) return undefined;
  const page = await store.list({ of: "variables", owner_id: sessionOwnerId(event.origin ?? session_id), at: event.created_at });
  return page.items[0];
}
