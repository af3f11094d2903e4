import { diff } from "../../kernel/json-diff.ts";
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

/** `state diff A B`: what leads from the state at one offset to that at another. */
export async function diffState(
  context: CommandContext,
  options: { readonly session?: string; readonly from: number; readonly to: number },
): Promise<void> {
  const { output } = context;
  const { from, to } = options;
  const { session_id, before, after } = await withStore(context, async (store) => {
    const row = await chosenSession(store, options.session);
    return { session_id: row.session_id, before: await stateAt(store, row, from), after: await stateAt(store, row, to) };
  });
  const changes = changesBetween(before, after);
  if (output.json) return output.document({ session_id, from, to, changes, patch: diff(before, after) });
  if (changes.length === 0) return output.err.line(`The state at ${from} and at ${to} is the same.`);
  output.out.line(describeChanges(changes, output.out.paint));
}
