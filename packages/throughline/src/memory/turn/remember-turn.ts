/** Writes a turn's messages to memory verbatim, in the commit that ends the turn. */
import { headerOf } from "../../extension/commit.ts";
import { inTime, logUnread, readMasks } from "../../extension/forgotten.ts";
import { eventsOf } from "../../extension/lists.ts";
import type { Ending, ExtensionContext, ExtensionTurn, FinishBeside } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import { episodeSilenceMs } from "../../session/decide-command.ts";
import { maskedBy, maskEntryId, maskWrites, type Mask } from "../../session/masks.ts";
import { isIncognito, isLabelled } from "../../session/session-view.ts";
import { arcEntryId, turnEntryId, type EntryWrite, type RememberedTurn, bufferEntryId, countApproach, emptyBuffer } from "../entry.ts";
import { closingRecord } from "../keep/memory-work.ts";
import { cacheOf, readEntries } from "../keep/memory-cache.ts";
import type { MemorySettings } from "../memory-settings.ts";
import type { MemoryView } from "../view.ts";
import { encodeEntry, removeEntry } from "../write/decode.ts";
import { privacyOf } from "../write/policy.ts";
import { interpret } from "../control/interpret.ts";

type Owner = Ending["owner"];

/** Returns the masks of an owner and the memory version that they belong to. They come from the cache, or from the store while the cache is still loading. */
export async function knownMasks(
  runtime: ExtensionContext,
  settings: MemorySettings,
  { owner_id, version }: Owner,
): Promise<{ readonly masks: readonly Mask[]; readonly version: number }> {
  const { view, completing } = await cacheOf(runtime).of(owner_id, settings, version);
  if (completing === undefined) return { masks: [...view.of("mask")].map(({ entry }) => entry), version: view.version };
  return { masks: await readMasks(runtime.store, owner_id), version: view.version };
}

/** Returns the memory writes of a turn. They are valid only for the current memory version, so that words forgotten during the turn are not remembered. */
export async function finishTurn(turn: ExtensionTurn, settings: MemorySettings, { answer, owner }: Ending): Promise<FinishBeside> {
  const hiding = await hidingOf(turn, settings, owner);
  const left = await remembered(turn, settings, { owner, reply: answer.final ? answer.text : undefined, hidden: hiding !== undefined });
  return hiding === undefined ? left : { ...left, head: hiding.head, entries: [...(left.entries ?? []), ...hiding.writes] };
}

/** Writes that hide a reply from later prompts, in the commit that appends it. */
interface Hiding {
  readonly head: number;
  readonly writes: readonly EntryWrite[];
}

/**
 * Masks the events of a turn whose own message was forgotten, by the turn itself or while it ran. The turn still replies, but its reply rests on
 * forgotten words, so the commit that ends the turn masks its events. Their offsets are known because that commit depends on the head. Returns
 * undefined for every other turn.
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

/** Maximum length of a remembered message. The log has the full text. */
const mostCharacters = 8_000;

/**
 * Returns the entries of a turn's messages. Their ids are fixed, so a turn that ends twice is remembered once. The first entry of an episode comes
 * with a record that the episode must be closed. Returns nothing for a turn that skips memory, for messages that the user marked as private, and in
 * an incognito session.
 */
async function remembered(
  turn: ExtensionTurn,
  settings: MemorySettings,
  {
    owner,
    reply,
    hidden,
  }: { readonly owner: Owner; readonly reply: string | undefined; /** No model sees the reply again. */ readonly hidden: boolean },
): Promise<FinishBeside> {
  const { loaded, runtime, asked } = turn;
  // The input of a child agent is text of its parent.
  if (asked.control.memory === "skip" || isIncognito(loaded.session) || isLabelled(loaded.session)) return {};
  const { session_id, episode } = loaded.session;
  const heard = turn.answered.filter(({ role, text, custom }) => role === "user" && custom !== true && text.trim() !== "");
  // The messages that a fork answers may have been written and forgotten in the session that it was forked from.
  const origins = new Map(loaded.messages.flatMap(({ offset, origin }) => (origin ? [[offset, origin] as const] : [])));
  const scopes = heard.map(({ text }) => privacyOf(text));
  const isWish = scopes.some((scope) => scope !== undefined);
  let view: MemoryView;
  try {
    // While a memory is still loading, these entries are read separately: the episode's buffer and arc, the masks, and entries of an earlier attempt.
    const own = [bufferEntryId(session_id, episode), arcEntryId(session_id, episode), ...new Set([session_id, ...origins.values()].map(maskEntryId))];
    const ids = [...own, ...heard.map(({ offset }) => turnEntryId(session_id, offset))];
    view = await inTime(runtime, { ms: settings.readDeadlineMs, signal: turn.signal }, () => viewFor(runtime, owner, { settings, isWish, ids }));
  } catch (error) {
    turn.signal.throwIfAborted();
    // A reply matters more than remembering the turn. A wish for privacy matters more than the reply, so the turn is retried.
    if (isWish) throw new ThroughlineError("store.unreachable", "The memory cannot be read.", { cause: error });
    logUnread(runtime, "turn not remembered: memory cannot be read", error);
    return {};
  }
  const kept = view.get(bufferEntryId(session_id, episode))?.entry;
  if (kept?.type === "buffer" && kept.private === true) return {};
  if (scopes.includes("session")) return { entries: withdrawn(view, session_id, episode) };
  // Words that were forgotten while the turn ran.
  const isGone = maskedBy([...view.of("mask")].map(({ entry }) => entry));
  // A turn that failed before recall may not have reached all stages that can exclude it from memory. Its messages are remembered if a retry
  // succeeds.
  const isUnseen = reply === undefined && turn.told.memory === undefined;
  const isSkipped = skipsNext(turn);
  const said = heard.filter(
    ({ offset }, index) =>
      scopes[index] === undefined &&
      scopes[index + 1] === undefined &&
      !isGone({ session_id, offset, origin: origins.get(offset) }) &&
      !isUnseen &&
      !isSkipped,
  );
  const before = scopes[0] === "turn" ? lastTurn(view, { session_id, episode, before: heard[0]?.offset ?? 0 }) : [];
  if (said.length + before.length === 0) return {};
  const at = runtime.clock.now();
  // A retried turn keeps existing entries, including later changes by the user.
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

/** Tells whether the last message before a turn asked that the next one is not remembered. */
function skipsNext({ answered, messages }: ExtensionTurn): boolean {
  const first = answered[0]?.offset ?? 0;
  const last = messages.findLast(({ role, offset, custom }) => role === "user" && custom !== true && offset < first);
  return last !== undefined && interpret(last.text)?.command.type === "skip_next";
}

/** Returns the part of the memory that the end of a turn needs. That is all of it if entries must be removed, else the entries of the turn. */
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

/** Removes all turns of an episode and stops remembering it, as the user asked. */
function withdrawn(view: MemoryView, session_id: SessionId, episode: number): readonly EntryWrite[] {
  const turns = [...view.of("turn")].filter(({ entry }) => entry.source.session_id === session_id && entry.episode === episode);
  const buffer = encodeEntry(bufferEntryId(session_id, episode), { ...emptyBuffer(session_id, episode), private: true });
  return [...turns.map(({ entry_id }) => removeEntry(entry_id, "turn")), ...withoutArc(view, session_id, episode), buffer];
}

/** Removes the arc that was drafted before the episode ended. */
function withoutArc(view: MemoryView, session_id: SessionId, episode: number): readonly EntryWrite[] {
  const id = arcEntryId(session_id, episode);
  return view.get(id) === undefined ? [] : [removeEntry(id, "arc")];
}

/** Removes the previous turn, because "don't remember that" may refer to it. */
function lastTurn(
  view: MemoryView,
  at: { readonly session_id: SessionId; readonly episode: number; readonly before: number },
): readonly EntryWrite[] {
  const turns = [...view.of("turn")].filter(
    ({ entry }) =>
      entry.role === undefined && entry.source.session_id === at.session_id && entry.episode === at.episode && entry.source.offset < at.before,
  );
  const last = turns.toSorted((a, b) => b.entry.source.offset - a.entry.source.offset)[0];
  return last === undefined ? [] : [removeEntry(last.entry_id, "turn"), ...withoutArc(view, at.session_id, at.episode)];
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

/** A reply has no offset before the commit, so its source is the start of its turn. */
function replyWrite({ loaded, claim, started }: ExtensionTurn, words: Words): EntryWrite {
  const { session_id } = loaded.session;
  const source = { session_id, offset: started, at: words.at };
  return encodeEntry(`reply:${session_id}:${claim.turn.number}`, { ...turnEntry(words), role: "assistant", source });
}

/** Counts the turn's approach if the agent sets one. */
function approachWrites({ journal, loaded }: ExtensionTurn, view: MemoryView, { approach: field }: MemorySettings): readonly EntryWrite[] {
  const approach: unknown = field === undefined ? undefined : (journal.state as Readonly<Record<string, unknown>>)[field];
  if (typeof approach !== "string" || approach === "" || approach === "none") return [];
  const { session_id, episode } = loaded.session;
  const id = bufferEntryId(session_id, episode);
  const kept = view.get(id)?.entry;
  return [encodeEntry(id, countApproach(kept?.type === "buffer" ? kept : emptyBuffer(session_id, episode), approach))];
}
