/** What a fork has of its own from the start: a copy of what the session alone had at the offset. */
import type { SessionId } from "../../kernel/id.ts";
import { type LoadedSession, type OwnerChange, type VariablesRow, sessionOwnerId } from "../../store/port.ts";
import type { RuntimeContext } from "../context.ts";

/** The owner part of the commit that makes a fork at `at`; undefined if the session had no variables of its own then. */
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

/** Those of the session that wrote the event at `at`, as of its time: this one, or one that it goes back to. */
async function variablesThen({ store }: Pick<RuntimeContext, "store">, session_id: SessionId, at: number): Promise<VariablesRow | undefined> {
  const [event] = (await store.read({ session_id, min_offset: at, max_offset: at, withdrawn: true }))?.events ?? [];
  // What a session had that was deleted since is gone.
  if (event === undefined || event.origin === null) return undefined;
  const page = await store.list({ of: "variables", owner_id: sessionOwnerId(event.origin ?? session_id), at: event.created_at });
  return page.items[0];
}
