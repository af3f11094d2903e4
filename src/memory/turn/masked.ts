import { maskedOffsets, withoutMasked } from "../control/masks.ts";
import type { Mask } from "../entry.ts";
import { defaultReadDeadlineMs, type MemorySettings } from "../settings.ts";
import { decodeEntry } from "../write/decode.ts";
import type { Message } from "../../session/messages.ts";
import type { LoadedSession } from "../../store/port.ts";
import type { RuntimeContext } from "../../runtime/context.ts";
import { entriesOf } from "../../extension/lists.ts";
import { inTime, logUnread } from "./in-time.ts";

/** What a turn may see of a conversation, and the version of the memory that says so; undefined where that could not be read. */
interface Visible {
  readonly messages: readonly Message[];
  readonly version: number | undefined;
}

/**
 * The messages without those that said what was forgotten: neither stages nor models see them again. What the turn answers stays; and it alone where the memory
 * cannot be read, which knows what was forgotten.
 */
export async function withoutForgotten(
  runtime: RuntimeContext,
  messages: readonly Message[],
  { loaded, answers, signal }: { readonly loaded: LoadedSession; readonly answers: readonly number[]; readonly signal: AbortSignal },
): Promise<Visible> {
  const settings = runtime.agents.get(loaded.session.agent)?.memory;
  const read = { ms: settings?.readDeadlineMs ?? defaultReadDeadlineMs, signal };
  try {
    const { masks, version } = await inTime(runtime, read, () => masksOf(runtime, loaded.session, settings));
    const masked = new Set(maskedOffsets(loaded.messages, masks));
    for (const offset of answers) masked.delete(offset);
    return { messages: withoutMasked(messages, masked), version };
  } catch (error) {
    signal.throwIfAborted();
    logUnread(runtime, "turn without the conversation before it: memory cannot be read", error);
    return { messages: messages.filter(({ offset }) => answers.includes(offset)), version: undefined };
  }
}

/** The masks of an owner, and the version of the memory that they are of: from what this process knows, or read by themselves where it keeps no memory or that is not all yet. */
export async function masksOf(
  runtime: RuntimeContext,
  { owner_id, owner_version }: Pick<LoadedSession["session"], "owner_id" | "owner_version">,
  settings: MemorySettings | undefined,
): Promise<{ readonly masks: readonly Mask[]; readonly version: number }> {
  const known = settings === undefined ? undefined : await (await runtime.memory.cache()).of(owner_id, settings, owner_version);
  if (known !== undefined && known.completing === undefined)
    return { masks: [...known.view.of("mask")].map(({ entry }) => entry), version: known.view.version };
  const masks = new Map<string, Mask>();
  for await (const row of entriesOf(runtime.store, { owner_id, kinds: ["mask"] })) {
    const entry = decodeEntry(row)?.entry;
    if (entry?.type === "mask") masks.set(row.entry_id, entry);
    else masks.delete(row.entry_id);
  }
  return { masks: [...masks.values()], version: known?.view.version ?? owner_version };
}
