/** Tells a person that this is an AI, as an event that a client shows. It is not a message, so no model reads it or can omit it. */
import type { ExtensionTurn } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { setRecent } from "../../kernel/recent.ts";
import { disclosureDue, type LastDisclosure, sharedOf } from "../audit/gate-shared.ts";
import type { SafetyPhrases } from "../reply/safety-phrases.ts";
import type { SafetySettings } from "../safety-settings.ts";
import { newEvent } from "../../session/new-event.ts";
import { decodeEvent } from "../../session/fold.ts";
import { eventsOf } from "../../extension/lists.ts";

/** Milliseconds that a reply waits for the time of the last disclosure. A repeated disclosure does no harm. */
const mostWait = 250;

/** Sessions to remember in this process. The oldest is evicted. */
const mostKnown = 10_000;

/** Returns the last recorded disclosure. Withdrawn events do not count, although they were shown: the conversation starts over without them. */
async function readLast({ runtime, claim }: ExtensionTurn): Promise<LastDisclosure | undefined> {
  let last: LastDisclosure | undefined;
  let episode = 1;
  for await (const stored of eventsOf(runtime.store, { session_id: claim.session_id, kinds: ["session"] })) {
    const event = decodeEvent(stored);
    if (event.kind !== "session") continue;
    if (event.data.type === "episode") episode = event.data.opened;
    if (event.data.type === "disclosure") last = { at: event.created_at, episode };
  }
  return last;
}

async function lastOf(turn: ExtensionTurn): Promise<LastDisclosure | undefined> {
  const { claim, runtime } = turn;
  const { disclosures } = sharedOf(runtime);
  const told = disclosures.get(claim.session_id);
  if (told !== undefined && told.turn === undefined) return told.last;
  // Before the first turn there is no disclosure.
  if (claim.turn.number === 1 && claim.turn.attempts <= 1) return undefined;
  const last = await readLast(turn);
  if (last !== undefined) setRecent(disclosures, claim.session_id, { last }, mostKnown);
  return last;
}

async function lastInTime(turn: ExtensionTurn): Promise<LastDisclosure | undefined> {
  const { clock, logger } = turn.runtime;
  const done = new AbortController();
  const waited = clock.sleep(mostWait, AbortSignal.any([turn.signal, done.signal])).then(
    () => undefined,
    () => undefined,
  );
  try {
    return await Promise.race([lastOf(turn), waited]);
  } catch (error) {
    logger.warn("it is not known when a person was told last that this is an AI", { code: ThroughlineError.from(error).code });
    return undefined;
  } finally {
    done.abort();
  }
}

/** Adds a disclosure to the turn's commit if one is due, in the language of the reply. */
export async function disclose(
  turn: ExtensionTurn,
  { safety: { disclosureMs, profile }, phrases }: { readonly safety: SafetySettings; readonly phrases: SafetyPhrases },
): Promise<void> {
  const { claim, loaded, runtime, began_at: now } = turn;
  const { episode } = loaded.session;
  const last = await lastInTime(turn);
  const reason = disclosureDue(last, { now, episode, everyMs: disclosureMs });
  if (reason === undefined) return;
  const breaks = profile === "minor" && reason === "interval" ? { suggests_break: true as const } : {};
  const { number } = claim.turn;
  turn.journal.add(newEvent("session", "system", { type: "disclosure", reason, text: phrases.disclosure, ...breaks }, { turn: number }));
  setRecent(sharedOf(runtime).disclosures, claim.session_id, { last: { at: now, episode }, turn: number }, mostKnown);
}
