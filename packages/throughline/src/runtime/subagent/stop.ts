/** Ends the work of child agents whose call is over. */
import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { Command } from "../../session/decide-command.ts";
import { decodeEvent } from "../../session/fold.ts";
import type { LoadedSession, TurnRow } from "../../store/port.ts";
import { execute, type ExecuteOptions, type Executed } from "../commands/execute.ts";
import type { RuntimeContext } from "../context.ts";
import { eventsOf } from "../../extension/lists.ts";
import { childKeyOf } from "./lineage.ts";
import { isLabelled } from "../../session/session-view.ts";

/** Commits a command that may end the running turn from outside. Then ends the work of that turn's child agents. */
export async function executeEnding(
  runtime: RuntimeContext,
  session_id: SessionId,
  command: (loaded: LoadedSession) => Command | Promise<Command>,
  options: ExecuteOptions = {},
): Promise<Executed | undefined> {
  let open: TurnRow | undefined;
  const result = await execute(
    runtime,
    session_id,
    (loaded) => {
      open = loaded.turns.find(({ status }) => status === "running");
      return command(loaded);
    },
    options,
  );
  if (result?.fenced === true && open !== undefined) await stopChildren(runtime, open);
  return result;
}

/** Ends the turn of a child agent, and the work of its own children. */
export async function stopChild(runtime: RuntimeContext, session_id: SessionId, message: string): Promise<void> {
  await executeEnding(runtime, session_id, () => ({ type: "stop_turn", message }));
}

/** Ends the child agent's work for the call with that key, if it exists. */
export async function stopCall(runtime: RuntimeContext, key: string): Promise<void> {
  const child = await runtime.store.open({ open_key: childKeyOf(key) });
  if (child !== undefined && isLabelled(child)) await stopChild(runtime, child.session_id, "The call that it worked for is over.");
}

/** Ends the work of child agents for the calls without a result of an ended turn. The turn's end is final, even if this fails. */
async function stopChildren(runtime: RuntimeContext, turn: TurnRow): Promise<void> {
  try {
    for (const key of await openCalls(runtime, turn)) await stopCall(runtime, key);
  } catch (error) {
    runtime.logger.warn("child agents not stopped", { turn_id: turn.turn_id, code: ThroughlineError.from(error).code });
  }
}

/** Returns keys of the calls of a turn that were started and have no result. */
async function openCalls(runtime: RuntimeContext, { session_id, turn_id, trace_id, started_offset }: TurnRow): Promise<readonly string[]> {
  const keys = new Map<string, string>();
  if (started_offset === undefined) return [];
  for await (const stored of eventsOf(runtime.store, { session_id, min_offset: started_offset, kinds: ["tool"], trace_id, withdrawn: true })) {
    const { kind, data, turn_id: its } = decodeEvent(stored);
    if (kind !== "tool" || its !== turn_id) continue;
    if (data.type === "called") keys.set(data.call_id, data.key);
    else keys.delete(data.call_id);
  }
  return [...keys.values()];
}
