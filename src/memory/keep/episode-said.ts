/** What was said in an episode, as far as memory may know it. */
import type { ExtensionContext } from "../../extension/port.ts";
import { maskedBy } from "../../session/masks.ts";
import { turnEntryId } from "../entry.ts";
import type { MemoryView } from "../view.ts";
import type { ClosedEpisode } from "../write/consolidate.ts";
import type { SaidTurn } from "../write/extraction.ts";
import { privacyOf } from "../write/policy.ts";
import { textOf } from "../../session/result-text.ts";
import { decodeEvent } from "../../session/upcast.ts";
import type { SessionRow } from "../../store/port.ts";
import { eventsOf } from "../../extension/lists.ts";
import { lastTakenBack } from "../../extension/forgotten.ts";
import type { Closing } from "./closing-record.ts";

/** An episode's words. */
export interface EpisodeSaid {
  readonly closed: Omit<ClosedEpisode, "session_id" | "episode">;
  readonly turns: readonly SaidTurn[];
  readonly replies: readonly { readonly offset: number; readonly text: string }[];
}

/**
 * The person's messages from the log: those that are remembered word for word, so none that was left out of memory, was forgotten or is kept from recall, and those that ask for
 * something not to be remembered. Replies to such messages beside them, for whoever needs to know what was answered.
 */
export async function episodeSaid(
  runtime: Pick<ExtensionContext, "store">,
  { session_id, episode, from }: Closing,
  { session, view, isCurrent }: { readonly session: SessionRow; readonly view: MemoryView; readonly isCurrent: boolean },
): Promise<EpisodeSaid> {
  const turns: SaidTurn[] = [];
  const replies: { readonly offset: number; readonly at: number; readonly text: string }[] = [];
  let [started_at, ended_at, upto, level] = [0, 0, from, 0];
  const isForgotten = maskedBy([...view.of("mask")].map(({ entry }) => entry));
  // A reply tells what it answers in other words: it is shown only if all of that is remembered.
  let [isShown, isReplied] = [true, false];
  // What retention has cut since is not there to be told of.
  const min_offset = Math.max(from, session.first_offset);
  for await (const stored of eventsOf(runtime.store, { session_id, min_offset, kinds: ["message", "session", "assessment"] })) {
    const event = decodeEvent(stored);
    if (!isCurrent && event.kind === "session" && event.data.type === "episode" && event.data.closed >= episode) break;
    if (event.kind === "assessment") level = Math.max(level, event.data.level);
    if (event.kind !== "message") continue;
    const kept = view.recallable(turnEntryId(session_id, event.offset))?.entry;
    // The end of the episode itself was cut, or withdrawn.
    if (kept?.type === "turn" && kept.episode > episode) break;
    const text = event.data.flagged === undefined && !isForgotten(stored) ? textOf(event.data.parts) : "";
    const isSaid = event.data.role === "user" && event.source === "customer";
    const isKept = text.trim() !== "" && kept !== undefined && kept.never_recall !== true;
    if (isSaid) [isShown, isReplied] = [(isShown || isReplied) && isKept, false];
    if (text.trim() === "") continue;
    if (started_at === 0) started_at = event.created_at;
    [ended_at, upto] = [event.created_at, event.offset];
    const { offset, created_at: at } = event;
    if (isSaid && (isKept || (kept === undefined && privacyOf(text) !== undefined))) turns.push({ offset, at, text });
    if (event.data.role !== "assistant" || event.data.origin?.is_trace === true) continue;
    if (isShown) replies.push({ offset, at, text });
    isReplied = true;
  }
  const times = started_at === 0 ? {} : { started_at, ended_at };
  const end = Math.min(upto, session.head);
  // A reply rests on all that its turn was shown, of other conversations too: one that is older than a withdrawal or a forgetting may tell what went then.
  const [first] = replies;
  const last = first === undefined ? undefined : await lastTakenBack(runtime.store, session.owner_id, first.at);
  const shown = replies.flatMap(({ at, ...reply }) => (last === undefined || at > last ? [reply] : []));
  return { turns, replies: shown, closed: { turns, ...times, from, upto: end, ...(level === 0 ? {} : { level }) } };
}
