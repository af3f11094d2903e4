/** Cache of the states and recent conversations of sessions that this process used recently. */
import type { Clock } from "../../kernel/clock.ts";
import type { SessionId } from "../../kernel/id.ts";
import { deepFreeze } from "../../kernel/json.ts";
import type { LoadRequest, LoadedSession, StateBase, Store, StoredEvent } from "../../store/port.ts";
import { foldState } from "../../session/fold.ts";

type Known = NonNullable<LoadRequest["known"]>;

interface Entry {
  readonly known: Known;
  /** Approximate bytes of the state, and of the conversation. */
  readonly bytes: number;
  readonly logBytes: number;
  usedAt: number;
}

/** Milliseconds until an unused state is evicted. */
const unusedMs = 10 * 60_000;
/** Bytes of an entry in addition to its state, and the ratio of a value's size in memory to its JSON. */
const entryBytes = 1_024;
const valueBytes = 3;

/** Lengths of frozen events as JSON. */
const lengths = new WeakMap<StoredEvent, number>();

/** Freezes an event, because several turns share it. Returns its length as JSON. */
function lengthOf(event: StoredEvent): number {
  const known = lengths.get(event);
  if (known !== undefined) return known;
  const length = JSON.stringify(deepFreeze(event)).length;
  lengths.set(event, length);
  return length;
}

/** Proof that no erasure has happened since it was issued. */
export type Ticket = number & { readonly __ticket: never };

/**
 * Caches the folded states of sessions after their commits, and the conversation that their last turn read. What is cached is not authoritative: it only
 * spares the store from sending data whose id is still current. When all entries exceed the limit in bytes, the least recently used are evicted. An erasure in any process clears the cache.
 */
export class StateCache {
  readonly #store: Pick<Store, "watchErasures">;
  readonly #clock: Clock;
  readonly #mostBytes: number;
  /** In order of last use. */
  readonly #entries = new Map<SessionId, Entry>();
  #bytes = 0;
  #erasures = 0;
  #watching: Promise<() => void> | undefined;
  /** Whether erasures are observed. Nothing is cached before that. */
  #hears = false;
  #closed = false;
  #sweep: NodeJS.Timeout | undefined;

  constructor({ store, clock }: { readonly store: Pick<Store, "watchErasures">; readonly clock: Clock }, options: { readonly mostBytes: number }) {
    this.#store = store;
    this.#clock = clock;
    this.#mostBytes = options.mostBytes;
  }

  /** Approximate bytes of all states. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Issues a ticket. Take it before reading or committing the state to be cached: an erasure in between invalidates it. */
  ticket(): Ticket {
    return this.#erasures as Ticket;
  }

  /** Returns the cached state of a session. */
  of(session: SessionId): Known | undefined {
    const entry = this.#entries.get(session);
    if (entry === undefined) return undefined;
    this.#entries.delete(session);
    this.#entries.set(session, entry);
    entry.usedAt = this.#clock.monotonic();
    return entry.known;
  }

  /** Caches a committed state. */
  keep(session: SessionId, known: Known, ticket: Ticket): void {
    if (this.#closed) return;
    if (!this.#hears) return this.#hear();
    if (ticket !== this.#erasures) return;
    const { log } = this.#entries.get(session)?.known ?? {};
    const { bytes, folded } = known.base;
    const logBytes = this.#entries.get(session)?.logBytes ?? 0;
    this.#put(session, {
      known: log === undefined ? known : { ...known, log },
      bytes: entryBytes + valueBytes * (bytes + (folded?.weight ?? 0)),
      logBytes,
    });
  }

  /** Caches the conversation that was loaded with a cached state, in full or its last `limit` events. */
  keepLog({ session, log_id, messages }: LoadedSession, limit: number, ticket: Ticket): void {
    const entry = this.#entries.get(session.session_id);
    if (entry === undefined || ticket !== this.#erasures || log_id === undefined) return;
    const logBytes = valueBytes * messages.reduce((sum, event) => sum + lengthOf(event), 0);
    this.#put(session.session_id, { ...entry, known: { ...entry.known, log: { log_id, head: session.head, limit, messages } }, logBytes });
  }

  #put(session: SessionId, { known, bytes, logBytes }: Omit<Entry, "usedAt">): void {
    this.#remove(session);
    if (bytes > this.#mostBytes) return;
    const { log, ...state } = known;
    const fits = log !== undefined && bytes + logBytes <= this.#mostBytes;
    this.#entries.set(session, { known: fits ? known : state, bytes, logBytes: fits ? logBytes : 0, usedAt: this.#clock.monotonic() });
    this.#bytes += fits ? bytes + logBytes : bytes;
    for (const [oldest] of this.#entries) {
      if (this.#bytes <= this.#mostBytes) break;
      this.#remove(oldest);
    }
  }

  /** Caches the state of a loaded session. */
  keepLoaded(loaded: LoadedSession, ticket: Ticket): void {
    const { session, base, state_id } = loaded;
    if (state_id === undefined) return;
    const { document, weight, definition } = foldState(loaded);
    const kept: StateBase = { offset: session.state_offset, state: document, bytes: base.bytes, folded: { weight, definition } };
    this.keep(session.session_id, { state_id, base: kept }, ticket);
  }

  /** Clears the cache. */
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
    const { bytes = 0, logBytes = 0 } = this.#entries.get(session) ?? {};
    this.#bytes -= bytes + logBytes;
    this.#entries.delete(session);
  }

  /** Starts to observe erasures. Data that was read earlier is not cached. */
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
      // If the store cannot be reached, the next turn tries again.
      () => (this.#watching = undefined),
    );
  }

  /** Evicts unused entries. Stops observing erasures when the cache is empty. */
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
