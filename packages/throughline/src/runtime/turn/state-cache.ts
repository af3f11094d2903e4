/** States of sessions that this process has used lately. */
import type { Clock } from "../../kernel/clock.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { LoadRequest, LoadedSession, StateBase, Store } from "../../store/port.ts";
import { foldState } from "../../session/fold.ts";

type Known = NonNullable<LoadRequest["known"]>;

interface Entry {
  readonly known: Known;
  readonly bytes: number;
  usedAt: number;
}

/** A state that is not used for so long goes: nobody is talking there. */
const unusedMs = 10 * 60_000;
/** What an entry takes besides its state, and how much more a value takes than its JSON. */
const entryBytes = 1_024;
const valueBytes = 3;

/** Proves that nothing was erased since it was taken. */
export type Ticket = number & { readonly __ticket: never };

/**
 * Keeps the folded states of sessions, as commits have left them: never the truth, but what a store need not send again as long as its id is still the
 * session's. What was not used for the longest time goes when all take more bytes than they may. Everything goes when anybody is erased, in whatever process.
 */
export class StateCache {
  readonly #store: Pick<Store, "watchErasures">;
  readonly #clock: Clock;
  readonly #mostBytes: number;
  /** In the order of their last use. */
  readonly #entries = new Map<SessionId, Entry>();
  #bytes = 0;
  #erasures = 0;
  #watching: Promise<() => void> | undefined;
  /** Nothing is kept before erasures are heard of. */
  #hears = false;
  #closed = false;
  #sweep: NodeJS.Timeout | undefined;

  constructor({ store, clock }: { readonly store: Pick<Store, "watchErasures">; readonly clock: Clock }, options: { readonly mostBytes: number }) {
    this.#store = store;
    this.#clock = clock;
    this.#mostBytes = options.mostBytes;
  }

  /** About how many bytes all states take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** To be taken before what is kept is read or committed: an erasure in between makes it void. */
  ticket(): Ticket {
    return this.#erasures as Ticket;
  }

  /** What is known of a session's state. */
  of(session: SessionId): Known | undefined {
    const entry = this.#entries.get(session);
    if (entry === undefined) return undefined;
    this.#entries.delete(session);
    this.#entries.set(session, entry);
    entry.usedAt = this.#clock.monotonic();
    return entry.known;
  }

  /** Keeps a state that is committed. */
  keep(session: SessionId, known: Known, ticket: Ticket): void {
    if (this.#closed) return;
    if (!this.#hears) return this.#hear();
    if (ticket !== this.#erasures) return;
    this.#remove(session);
    const { bytes, folded } = known.base;
    const entry = { known, bytes: entryBytes + valueBytes * (bytes + (folded?.weight ?? 0)), usedAt: this.#clock.monotonic() };
    if (entry.bytes > this.#mostBytes) return;
    this.#entries.set(session, entry);
    this.#bytes += entry.bytes;
    for (const [oldest] of this.#entries) {
      if (this.#bytes <= this.#mostBytes) break;
      this.#remove(oldest);
    }
  }

  /** Keeps the state of a session that was loaded as it stands. */
  keepLoaded(loaded: LoadedSession, ticket: Ticket): void {
    const { session, base, state_id } = loaded;
    if (state_id === undefined) return;
    const { document, weight, definition } = foldState(loaded);
    const kept: StateBase = { offset: session.state_offset, state: document, bytes: base.bytes, folded: { weight, definition } };
    this.keep(session.session_id, { state_id, base: kept }, ticket);
  }

  /** Forgets everything. */
  drop(): void {
    this.#erasures += 1;
    this.#entries.clear();
    this.#bytes = 0;
  }

  close(): void {
    this.#closed = true;
    this.drop();
    this.#rest();
  }

  #remove(session: SessionId): void {
    this.#bytes -= this.#entries.get(session)?.bytes ?? 0;
    this.#entries.delete(session);
  }

  /** Begins to hear of erasures: what was read before then is not kept. */
  #hear(): void {
    if (this.#watching !== undefined) return;
    const watch = async (): Promise<() => void> => this.#store.watchErasures(() => this.drop());
    this.#watching = watch();
    this.#watching.then(
      (stop) => {
        if (this.#closed) return stop();
        this.#hears = true;
        this.#erasures += 1;
        this.#sweep = setInterval(() => this.#clear(), unusedMs / 2).unref();
      },
      // A store that cannot be reached is asked again by the next turn.
      () => (this.#watching = undefined),
    );
  }

  /** Removes what is not used any more; nothing is heard of while nothing is kept. */
  #clear(): void {
    const before = this.#clock.monotonic() - unusedMs;
    for (const [session, { usedAt }] of this.#entries) if (usedAt < before) this.#remove(session);
    if (this.#entries.size === 0) this.#rest();
  }

  #rest(): void {
    clearInterval(this.#sweep);
    if (this.#hears) void this.#watching?.then((stop) => stop());
    this.#watching = undefined;
    this.#hears = false;
  }
}
