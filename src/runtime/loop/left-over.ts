/** Results that a turn has on record and not in its state, for whoever ends the turn without going on with its reply. */
import { ThroughlineError } from "../../kernel/error.ts";
import { turnEvent } from "../../session/new-event.ts";
import { decodeEvent } from "../../session/upcast.ts";
import { foldState } from "../../session/fold.ts";
import type { LoadedSession, TurnRow } from "../../store/port.ts";
import type { Agent } from "../agent/agent.ts";
import type { RuntimeContext } from "../context.ts";
import { Journal, type Contents } from "../turn/journal.ts";
import { causesAt, openState, transientOf } from "../turn/open-state.ts";
import { loopSettings } from "./is-loop.ts";
import { deltasOf, logNotStored } from "./merge.ts";
import { openStepOf } from "./open-step.ts";
import { recordOf, type RecordedTurn } from "./record.ts";

/** Puts the results that a turn has on record into its state, in the order of the calls. A result that does not fit is logged, and left out. */
export async function mergeRecorded(
  turn: RecordedTurn & { readonly runtime: RuntimeContext; readonly agent: Agent; readonly journal: Journal },
): Promise<void> {
  const { agent, journal, claim, runtime } = turn;
  const tools = loopSettings(agent.reply)?.tools ?? [];
  const { steps } = await recordOf(turn);
  const last = steps.at(-1);
  if (last === undefined) return;
  const { step_id, calls } = openStepOf(last, steps.length);
  const left = calls.filter(({ result, merged }) => result !== undefined && !merged);
  for (const call of left) {
    const { name, call_id } = call.call;
    try {
      const deltas = deltasOf(agent.state, { ...call, tool: tools.find((tool) => tool.name === name) });
      if (deltas.length > 0) journal.applyAll({ type: "tool", name, call_id }, deltas);
    } catch (error) {
      logNotStored(runtime.logger, call.call, ThroughlineError.from(error, "tool.output_invalid"));
    }
  }
  if (left.length > 0) journal.add(turnEvent(claim.turn.number, { type: "merged", step_id, calls: left.map(({ call }) => call.call_id), ms: 0 }));
}

/** What the commit that ends a running turn from outside writes besides: the results that are on record. Undefined if there are none. */
export async function leftOver(runtime: RuntimeContext, loaded: LoadedSession, row: TurnRow): Promise<Contents | undefined> {
  const agent = runtime.agents.get(loaded.session.agent);
  const { session_id, epoch, agent_version } = loaded.session;
  // Another version cannot tell what the results of this one write.
  if (agent?.version !== agent_version || loopSettings(agent.reply) === undefined) return undefined;
  const entries = loaded.journal.map((stored) => decodeEvent(stored)).filter((event) => event.kind === "turn");
  const { document, weight } = foldState(loaded);
  const answers = entries.flatMap(({ data }) => (data.type === "started" ? data.answers : []));
  const state = openState(agent, document, { causes: await causesAt(runtime, loaded, answers), patches: transientOf(entries) });
  const claim = { session_id, epoch, turn: row };
  const journal = new Journal({ runtime, claim, agent, loaded, state, weight });
  await mergeRecorded({ runtime, claim, loaded, agent, journal });
  const contents = journal.contents();
  return contents.events.length === 0 ? undefined : contents;
}
