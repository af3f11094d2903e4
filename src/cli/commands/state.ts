import { diff } from "../../kernel/json-diff.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { changesBetween, describeChanges } from "../changes.ts";
import { type CommandContext, withStore } from "../context.ts";
import { chosenSession, stateAt } from "../reading.ts";
import { jsonText } from "../text.ts";

/** `state get`: the state at the head, or at an offset. */
export async function getState(context: CommandContext, options: { readonly session?: string; readonly at?: number }): Promise<void> {
  const { output } = context;
  const { session_id, offset, state } = await withStore(context, async (store) => {
    const row = await chosenSession(store, options.session);
    const at = options.at ?? row.head;
    return { session_id: row.session_id, offset: at, state: await stateAt(store, row, at) };
  });
  if (output.json) return output.document({ session_id, offset, state });
  output.out.line(jsonText(state, 2));
}

/** A state to compare: of the session that the options name unless it names one, at its head unless it has an offset. */
export interface StatePlace {
  readonly session?: string;
  readonly at?: number;
}

/** `state diff A B`: what leads from one state to another, of one session or of two, such as a session and its fork. */
export async function diffState(
  context: CommandContext,
  options: { readonly session?: string; readonly from: StatePlace; readonly to: StatePlace },
): Promise<void> {
  const { output } = context;
  const { left, right } = await withStore(context, async (store) => {
    const stateOf = async (place: StatePlace): Promise<{ readonly id: SessionId; readonly at: number; readonly state: JsonObject }> => {
      const row = await chosenSession(store, place.session ?? options.session);
      const at = place.at ?? row.head;
      return { id: row.session_id, at, state: await stateAt(store, row, at) };
    };
    return { left: await stateOf(options.from), right: await stateOf(options.to) };
  });
  const changes = changesBetween(left.state, right.state);
  const patch = diff(left.state, right.state);
  const same = left.id === right.id;
  if (output.json) {
    if (same) return output.document({ session_id: left.id, from: left.at, to: right.at, changes, patch });
    return output.document({ from: { session_id: left.id, offset: left.at }, to: { session_id: right.id, offset: right.at }, changes, patch });
  }
  const name = ({ id, at }: { readonly id: SessionId; readonly at: number }): string => (same ? String(at) : `${id}@${at}`);
  if (changes.length === 0) return output.err.line(`The state at ${name(left)} and at ${name(right)} is the same.`);
  output.out.line(describeChanges(changes, output.out.paint));
}
