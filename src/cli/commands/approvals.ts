import { decideCall } from "../../runtime/approval/decide.ts";
import { pendingOf } from "../../runtime/approval/pending.ts";
import type { Store } from "../../store/port.ts";
import { callNamed, describePending, wordOn, type Word } from "../approvals.ts";
import { type CommandContext, withStore, writerOf } from "../context.ts";
import { chosenSession } from "../reading.ts";

/** What it takes to look and to decide: no agent, since whoever runs the turns need not be here. */
const desk = (store: Store, context: CommandContext) => ({ ...writerOf(store, context), agents: new Map() });

/** `sessions pending`: what waits for somebody's word. */
export async function listPending(context: CommandContext, options: { readonly session?: string }): Promise<void> {
  const { output, clock } = context;
  const { id, calls } = await withStore(context, async (store) => {
    const { session_id } = await chosenSession(store, options.session);
    return { id: session_id, calls: (await pendingOf(desk(store, context), session_id)).pending };
  });
  if (output.json) return output.document({ session_id: id, calls });
  output.out.line(calls.length === 0 ? "Nothing waits." : describePending(calls, output.out, clock.now()));
}

export interface WordOptions {
  readonly session: string;
  /** Number or id of the call; the only one if left out. */
  readonly call?: string;
  /** What comes with the word: feedback, an answer, `--edit` with JSON. */
  readonly rest?: string;
  /** Who decides. */
  readonly by?: string;
}

/** `sessions approve`, `reject` and `answer`: puts the word on record; whichever process runs the turns goes on. */
export async function giveWord(context: CommandContext, word: Word, { session: id, call: named, rest = "", by }: WordOptions): Promise<void> {
  const { output } = context;
  const made = await withStore(context, async (store) => {
    const { session_id } = await chosenSession(store, id);
    const call = callNamed((await pendingOf(desk(store, context), session_id)).pending, named);
    const decision = { ...wordOn(word, call, rest), ...(by === undefined ? {} : { by }) };
    return { session_id, call_id: call.call_id, ...(await decideCall(desk(store, context), session_id, decision)) };
  });
  if (output.json) return output.document(made);
  output.out.line(`Recorded at offset ${made.offset}. The turn continues in a process of its agent once nothing else waits.`);
}
