/** Turns that are retried: the messages that they answer. */
import type { SessionId } from "../../kernel/id.ts";
import { decodeEvent } from "../../session/fold.ts";
import { takenUpBy, viewOf } from "../../session/session-view.ts";
import type { Claim, LoadedSession, Store } from "../../store/port.ts";
import { lastTurn, ownEvents } from "../../extension/turn-events.ts";

/** Returns the messages that a new turn answers: the waiting ones, and before them those of the previous turn if this is its retry. */
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
 * Returns where the first attempt of a retried turn started, or undefined if it cannot be determined. Calls since then count as calls of this turn,
 * so that the model knows them and does not repeat them.
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

/** Returns the start of a turn that answers a message again, if that turn follows the end of the previous one at `ended`. */
export async function retriedFrom(store: Store, session_id: SessionId, message: number, ended: number): Promise<number | undefined> {
  const page = await store.read({ session_id, min_offset: ended + 1, kinds: ["turn"], limit: 1 });
  const [first] = (page?.events ?? []).map((stored) => decodeEvent(stored));
  const again = first?.kind === "turn" && first.data.type === "started" && first.data.retries?.includes(message) === true;
  return again ? first.offset : undefined;
}
