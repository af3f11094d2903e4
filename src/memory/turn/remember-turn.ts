/** What a turn leaves in memory when it ends: what was said, word for word, in the commit that ends it. */
import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import { maskedBy, maskEntryId } from "../control/masks.ts";
import { arcEntryId, turnEntryId, type EntryWrite, type RememberedTurn } from "../entry.ts";
import { countApproach, emptyBuffer, bufferEntryId } from "../write/buffer.ts";
import { encodeEntry, removeEntry } from "../write/decode.ts";
import { privacyOf } from "../write/policy.ts";
import type { MemorySettings } from "../settings.ts";
import type { MemoryView } from "../view.ts";
import type { OwnerChange, RecordChange } from "../../store/port.ts";
import { episodeSilenceMs } from "../../session/decide.ts";
import { isLabelled } from "../../session/session-marks.ts";
import type { Turn } from "../../runtime/turn/begin.ts";
import type { RuntimeContext } from "../../runtime/context.ts";
import { readEntries } from "../keep/memory-cache.ts";
import type { Owner } from "../keep/change-memory.ts";
import { isIncognito } from "../../session/session-marks.ts";
import { closingRecord } from "../keep/closing-record.ts";
import { inTime, logUnread } from "./in-time.ts";

/** What the last commit of a turn holds for the memory. */
export interface Remembered {
  readonly owner?: OwnerChange;
  readonly records?: readonly RecordChange[];
}

/** Longer messages are remembered up to here: the log has them whole. */
const mostCharacters = 8_000;

/**
 * The entries of a turn: its messages under ids of their own, so that a turn that ends twice is remembered once, and with the first of an episode a note that the
 * episode will have to be closed. Nothing of a turn that asked to be left out, of messages that the person wants kept to themselves, or in an incognito session.
 */
export async function remembered(
  turn: Turn,
  {
    owner,
    reply,
    hidden,
  }: { readonly owner: Owner; readonly reply: string | undefined; /** No model is shown the reply again. */ readonly hidden: boolean },
): Promise<Remembered> {
  const { memory: settings } = turn.agent;
  const { loaded, runtime, asked } = turn;
  // What a child agent is asked are the words of its parent.
  if (settings === undefined || asked.control.memory === "skip" || isIncognito(loaded.session) || isLabelled(loaded.session)) return {};
  const { session_id, episode } = loaded.session;
  const heard = turn.answered.filter(({ role, text, custom }) => role === "user" && custom !== true && text.trim() !== "");
  // What a fork answers may have been said, and forgotten, where it was forked from.
  const origins = new Map(loaded.messages.flatMap(({ offset, origin }) => (origin ? [[offset, origin] as const] : [])));
  const scopes = heard.map(({ text }) => privacyOf(text));
  const isWish = scopes.some((scope) => scope !== undefined);
  let view: MemoryView;
  try {
    // Of a memory that is not read whole, these are read by themselves: what was asked of the episode, and what the turn has left before.
    const own = [bufferEntryId(session_id, episode), arcEntryId(session_id, episode), ...new Set([session_id, ...origins.values()].map(maskEntryId))];
    const ids = [...own, ...heard.map(({ offset }) => turnEntryId(session_id, offset))];
    view = await inTime(runtime, { ms: settings.readDeadlineMs, signal: turn.signal }, () => viewFor(runtime, owner, { settings, isWish, ids }));
  } catch (error) {
    turn.signal.throwIfAborted();
    // A reply is worth more than its place in the memory. A wish for privacy is worth more than a reply: the turn is tried again.
    if (isWish) throw new ThroughlineError("store.unreachable", "The memory cannot be read.", { cause: error });
    logUnread(runtime, "turn not remembered: memory cannot be read", error);
    return {};
  }
  const kept = view.get(bufferEntryId(session_id, episode))?.entry;
  if (kept?.type === "buffer" && kept.private === true) return {};
  const { owner_id, version } = owner;
  const depends = { version };
  if (scopes.includes("session")) return { owner: { owner_id, depends, entries: withdrawn(view, session_id, episode) } };
  // What was forgotten while the turn was at work.
  const isGone = maskedBy([...view.of("mask")].map(({ entry }) => entry));
  // A turn that failed before recall was not seen by all who may keep it out of memory: its messages are remembered if it is done again.
  const isUnseen = reply === undefined && turn.memory.recalled === undefined;
  const said = heard.filter(
    ({ offset }, index) =>
      scopes[index] === undefined && scopes[index + 1] === undefined && !isGone({ session_id, offset, origin: origins.get(offset) }) && !isUnseen,
  );
  const before = scopes[0] === "turn" ? lastTurn(view, { session_id, episode, before: heard[0]?.offset ?? 0 }) : [];
  if (said.length + before.length === 0) return {};
  const at = runtime.clock.now();
  // A turn that is done again leaves what is there, with what the person has made of it since.
  const unknown = said.filter(({ offset }) => view.get(turnEntryId(session_id, offset)) === undefined);
  const entries = unknown.map(({ offset, text }) => turnWrite(turn, { offset, text, at, episode }));
  const told = settings.replies && reply !== undefined && !hidden ? [replyWrite(turn, { text: reply, at, episode })] : [];
  const isFirst = !view.hasEpisode(session_id, episode) && view.get(arcEntryId(session_id, episode)) === undefined;
  const due = at + (turn.agent.episodeSilenceMs ?? episodeSilenceMs);
  return {
    owner: { owner_id, depends, entries: [...before, ...entries, ...told, ...approachWrites(turn, view, settings)] },
    ...(isFirst ? { records: [closingRecord({ session_id, agent: turn.agent.name, episode, due, from: said[0]?.offset ?? 0 })] } : {}),
  };
}

/** The memory as far as the end of a turn rests on it: all of it when something has to go, else what it knows of the turn. */
async function viewFor(
  runtime: RuntimeContext,
  { owner_id, version }: Owner,
  { settings, isWish, ids }: { readonly settings: MemorySettings; readonly isWish: boolean; readonly ids: readonly string[] },
): Promise<MemoryView> {
  const cache = await runtime.memory.cache();
  if (isWish) return cache.whole(owner_id, settings, version);
  const { view, completing } = await cache.of(owner_id, settings, version);
  if (completing !== undefined) await readEntries(runtime.store, owner_id, { view, ids });
  return view;
}

/** The person wants nothing of the episode kept: what is there goes, and nothing more is written. */
function withdrawn(view: MemoryView, session_id: SessionId, episode: number): readonly EntryWrite[] {
  const turns = [...view.of("turn")].filter(({ entry }) => entry.source.session_id === session_id && entry.episode === episode);
  const buffer = encodeEntry(bufferEntryId(session_id, episode), { ...emptyBuffer(session_id, episode), private: true });
  return [...turns.map(({ entry_id }) => removeEntry(entry_id, "turn")), buffer];
}

/** "Don't remember that" may mean what was said just before: it goes. */
function lastTurn(
  view: MemoryView,
  at: { readonly session_id: SessionId; readonly episode: number; readonly before: number },
): readonly EntryWrite[] {
  const turns = [...view.of("turn")].filter(
    ({ entry }) =>
      entry.role === undefined && entry.source.session_id === at.session_id && entry.episode === at.episode && entry.source.offset < at.before,
  );
  const last = turns.toSorted((a, b) => b.entry.source.offset - a.entry.source.offset)[0];
  return last === undefined ? [] : [removeEntry(last.entry_id, "turn")];
}

interface Words {
  readonly text: string;
  readonly at: number;
  readonly episode: number;
}

const turnEntry = ({ text, at, episode }: Words): Omit<RememberedTurn, "source"> => ({
  type: "turn",
  text: text.slice(0, mostCharacters),
  episode,
  recorded_at: at,
  sensitivity: "ordinary",
});

function turnWrite({ loaded, saidAt }: Turn, { offset, ...words }: Words & { readonly offset: number }): EntryWrite {
  const { session_id } = loaded.session;
  const source = { session_id, offset, at: saidAt.get(offset) ?? words.at };
  return encodeEntry(turnEntryId(session_id, offset), { ...turnEntry(words), source });
}

/** A reply has no offset before it is committed: it is remembered at its turn's. */
function replyWrite({ loaded, claim, started }: Turn, words: Words): EntryWrite {
  const { session_id } = loaded.session;
  const source = { session_id, offset: started, at: words.at };
  return encodeEntry(`reply:${session_id}:${claim.turn.number}`, { ...turnEntry(words), role: "assistant", source });
}

/** One more turn that was answered in a certain way, if the agent says in which. */
function approachWrites({ journal, loaded }: Turn, view: MemoryView, { approach: field }: MemorySettings): readonly EntryWrite[] {
  const approach: unknown = field === undefined ? undefined : (journal.state as Readonly<Record<string, unknown>>)[field];
  if (typeof approach !== "string" || approach === "" || approach === "none") return [];
  const { session_id, episode } = loaded.session;
  const id = bufferEntryId(session_id, episode);
  const kept = view.get(id)?.entry;
  return [encodeEntry(id, countApproach(kept?.type === "buffer" ? kept : emptyBuffer(session_id, episode), approach))];
}
