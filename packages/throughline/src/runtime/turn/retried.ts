/** Turns that are run again: what they answer. */
import type { SessionId } from "../../kernel/id.ts";
import { decodeEvent } from "../../session/upcast.ts";
import { takenUpBy, viewOf } from "../../session/session-view.ts";
import type { Claim, LoadedSession, Store } from "../../store/port.ts";
import { lastTurn, ownEvents } from "../../extension/turn-events.ts";

/** What a turn that begins is to answer: what waits for it, and first what the turn before had answered, if it is asked to do that again. */
export async function takenUp(
  store: Store,
  { session_id, turn }: Claim,
  loaded: LoadedSession,
): Promise<{ readonly answers: readonly number[]; readonly retries?: readonly number[] }> {
  const waiting = takenUpBy(viewOf(loaded), turn.number);
  if (turn.cause !== "retry") return { answers: waiting };
  const before = await lastTurn(store, session_id, turn.number - 1);
  const started = before && (await ownEvents(store, before)).find((event) => event.kind === "turn" && event.data.type === "started");
  const retries = started?.kind === "turn" && started.data.type === "started" ? started.data.answers : [];
  return { answers: [...retries, ...waiting], ...(retries.length === 0 ? {} : { retries }) };
}

/**
 * Where the first attempt at a turn began that is run again; undefined for one that cannot be told. What its agent has called since is the turn's own, so
 * that the model knows what was done and does not do it again.
 */
export async function firstAttempt(store: Store, { session_id, turn }: Pick<Claim, "session_id" | "turn">): Promise<number | undefined> {
  let first: number | undefined;
  for (let number = turn.number - 1; number > 0;) {
    const before = await lastTurn(store, session_id, number);
    const started = before && (await ownEvents(store, before)).find((event) => event.kind === "turn" && event.data.type === "started");
    if (before === undefined || started?.kind !== "turn" || started.data.type !== "started") return first;
    first = started.offset;
    if (started.data.retries === undefined) return first;
    number = before.number - 1;
  }
  return first;
}

/** Where a turn begins that answers a message again, if that is what follows the end of the one before at `ended`. */
export async function retriedFrom(store: Store, session_id: SessionId, message: number, ended: number): Promise<number | undefined> {
  const page = await store.read({ session_id, min_offset: ended + 1, kinds: ["turn"], limit: 1 });
  const [first] = (page?.events ?? []).map((stored) => decodeEvent(stored));
  const again = first?.kind === "turn" && first.data.type === "started" && first.data.retries?.includes(message) === true;
  return again ? first.offset : undefined;
}
