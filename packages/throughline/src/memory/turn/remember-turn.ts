/** What a turn leaves in memory when it ends: what was said, word for word, in the commit that ends it. */
import { headerOf } from "../../extension/commit.ts";
import { inTime, logUnread, readMasks } from "../../extension/forgotten.ts";
import { eventsOf } from "../../extension/lists.ts";
import type { Ending, ExtensionContext, ExtensionTurn, FinishBeside } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import { episodeSilenceMs } from "../../session/decide.ts";
import { maskedBy, maskEntryId, maskWrites, type Mask } from "../../session/masks.ts";
import { isIncognito, isLabelled } from "../../session/session-view.ts";
import { arcEntryId, turnEntryId, type EntryWrite, type RememberedTurn, bufferEntryId, countApproach, emptyBuffer } from "../entry.ts";
import { closingRecord } from "../keep/closing-record.ts";
import { cacheOf, readEntries } from "../keep/memory-cache.ts";
import type { MemorySettings } from "../settings.ts";
import type { MemoryView } from "../view.ts";
import { encodeEntry, removeEntry } from "../write/decode.ts";
import { privacyOf } from "../write/policy.ts";

type Owner = Ending["owner"];

/**
 * The masks of an owner, and the version of the memory that they are of: from what this process knows, or read by themselves as long as that is not all.
 */
export async function knownMasks(
  runtime: ExtensionContext,
  settings: MemorySettings,
  { owner_id, version }: Owner,
): Promise<{ readonly masks: readonly Mask[]; readonly version: number }> {
  const { view, completing } = await cacheOf(runtime).of(owner_id, settings, version);
  if (completing === undefined) return { masks: [...view.of("mask")].map(({ entry }) => entry), version: view.version };
  return { masks: await readMasks(runtime.store, owner_id), version: view.version };
}

/** What a turn leaves in memory. It holds for the memory as it stands alone: what was forgotten while the turn was at work is not remembered after all. */
export async function finishTurn(turn: ExtensionTurn, settings: MemorySettings, { answer, owner }: Ending): Promise<FinishBeside> {
  const hiding = await hidingOf(turn, settings, owner);
  const left = await remembered(turn, settings, { owner, reply: answer.final ? answer.text : undefined, hidden: hiding !== undefined });
  return hiding === undefined ? left : { ...left, head: hiding.head, entries: [...(left.entries ?? []), ...hiding.writes] };
}

/** How a reply is hidden from later prompts, in the commit that appends it. */
interface Hiding {
  readonly head: number;
  readonly writes: readonly EntryWrite[];
}

/**
 * A turn whose own message was forgotten, by its own deed or while it was at work, still answers: what it says rests on forgotten words, so its events are masked
 * with the commit that ends it. Their offsets are known because that commit depends on the head. Undefined for every other turn.
 */
async function hidingOf(turn: ExtensionTurn, settings: MemorySettings, owner: Owner): Promise<Hiding | undefined> {
  const { runtime, claim, loaded, answered, journal, signal, started } = turn;
  try {
    const { session_id } = claim;
    const { masks } = await inTime(runtime, { ms: settings.readDeadlineMs, signal }, () => knownMasks(runtime, settings, owner));
    if (masks.length === 0) return undefined;
    const isMasked = maskedBy(masks);
    const isOwnMasked = masks.some((mask) => mask.session_id === session_id && mask.offsets.some((offset) => offset > started));
    const isAnswerMasked = answered.some(({ offset }) =>
      isMasked(loaded.messages.find((event) => event.offset === offset) ?? { session_id, offset }),
    );
    if (!isAnswerMasked && !isOwnMasked) return undefined;
    const own: number[] = [];
    for await (const event of eventsOf(runtime.store, { session_id, min_offset: started, kinds: ["message", "tool", "custom"] }))
      if (event.turn_id === claim.turn.turn_id && event.source !== "customer") own.push(event.offset);
    if (!isAnswerMasked && !own.some((offset) => isMasked({ session_id, offset }))) return undefined;
    const { head } = await headerOf(runtime, session_id);
    const next = Array.from({ length: journal.size }, (_, index) => head + 1 + index);
    const kept = masks.map((entry) => ({ entry }));
    return { head, writes: maskWrites(kept, new Map([[session_id, [...own, ...next]]]), runtime.clock.now()) };
  } catch (error) {
    signal.throwIfAborted();
    if (ThroughlineError.is(error, "session.not_found")) throw error;
    logUnread(runtime, "reply not masked: memory cannot be read", error);
    return undefined;
  }
}

/** Longer messages are remembered up to here: the log has them whole. */
const mostCharacters = 8_000;

/**
 * The entries of a turn: its messages under ids of their own, so that a turn that ends twice is remembered once, and with the first of an episode a note that the
 * episode will have to be closed. Nothing of a turn that asked to be left out, of messages that the person wants kept to themselves, or in an incognito session.
 */
async function remembered(
  turn: ExtensionTurn,
  settings: MemorySettings,
  {
    owner,
    reply,
    hidden,
  }: { readonly owner: Owner; readonly reply: string | undefined; /** No model is shown the reply again. */ readonly hidden: boolean },
): Promise<FinishBeside> {
  const { loaded, runtime, asked } = turn;
  // What a child agent is asked are the words of its parent.
  if (asked.control.memory === "skip" || isIncognito(loaded.session) || isLabelled(loaded.session)) return {};
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
  if (scopes.includes("session")) return { entries: withdrawn(view, session_id, episode) };
  // What was forgotten while the turn was at work.
  const isGone = maskedBy([...view.of("mask")].map(({ entry }) => entry));
  // A turn that failed before recall was not seen by all who may keep it out of memory: its messages are remembered if it is done again.
  const isUnseen = reply === undefined && turn.told.memory === undefined;
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
    entries: [...before, ...entries, ...told, ...approachWrites(turn, view, settings)],
    ...(isFirst ? { records: [closingRecord({ session_id, agent: turn.agent.name, episode, due, from: said[0]?.offset ?? 0 })] } : {}),
  };
}

/** The memory as far as the end of a turn rests on it: all of it when something has to go, else what it knows of the turn. */
async function viewFor(
  runtime: ExtensionContext,
  { owner_id, version }: Owner,
  { settings, isWish, ids }: { readonly settings: MemorySettings; readonly isWish: boolean; readonly ids: readonly string[] },
): Promise<MemoryView> {
  const cache = cacheOf(runtime);
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

function turnWrite({ loaded, saidAt }: ExtensionTurn, { offset, ...words }: Words & { readonly offset: number }): EntryWrite {
  const { session_id } = loaded.session;
  const source = { session_id, offset, at: saidAt.get(offset) ?? words.at };
  return encodeEntry(turnEntryId(session_id, offset), { ...turnEntry(words), source });
}

/** A reply has no offset before it is committed: it is remembered at its turn's. */
function replyWrite({ loaded, claim, started }: ExtensionTurn, words: Words): EntryWrite {
  const { session_id } = loaded.session;
  const source = { session_id, offset: started, at: words.at };
  return encodeEntry(`reply:${session_id}:${claim.turn.number}`, { ...turnEntry(words), role: "assistant", source });
}

/** One more turn that was answered in a certain way, if the agent says in which. */
function approachWrites({ journal, loaded }: ExtensionTurn, view: MemoryView, { approach: field }: MemorySettings): readonly EntryWrite[] {
  const approach: unknown = field === undefined ? undefined : (journal.state as Readonly<Record<string, unknown>>)[field];
  if (typeof approach !== "string" || approach === "" || approach === "none") return [];
  const { session_id, episode } = loaded.session;
  const id = bufferEntryId(session_id, episode);
  const kept = view.get(id)?.entry;
  return [encodeEntry(id, countApproach(kept?.type === "buffer" ? kept : emptyBuffer(session_id, episode), approach))];
}
