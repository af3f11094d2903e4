/** The queue of the reference model. It finds the next turn without checking sessions whose turn is leased, waits or belongs to another agent. */
import { type SessionRecord, leasedTurn } from "./book.ts";

/** A queued session with an open turn. It counts while `current` is true. */
interface Due {
  readonly session: SessionRecord;
  readonly agent: string;
  readonly agent_version: number;
  readonly urgent: boolean;
  readonly created_at: number;
  /** The time when its lease or its wait ends. Absent for a turn that can be claimed now. */
  readonly until: number | undefined;
  current: boolean;
}

/** A binary heap with the first item at its root. */
class Heap {
  #items: Due[] = [];
  readonly #before: (one: Due, other: Due) => boolean;

  constructor(before: (one: Due, other: Due) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  /** Returns the first current item and removes outdated items before it. */
  first(): Due | undefined {
    while (this.#items[0]?.current === false) this.#removeFirst();
    return this.#items[0];
  }

  add(item: Due): void {
    const items = this.#items;
    let place = items.push(item) - 1;
    for (let parent = (place - 1) >> 1; place > 0 && this.#isBefore(place, parent); parent = (place - 1) >> 1) {
      this.#swap(place, parent);
      place = parent;
    }
  }

  /** Removes outdated items. */
  tidy(): void {
    const kept = this.#items.filter(({ current }) => current);
    this.#items = [];
    for (const item of kept) this.add(item);
  }

  #removeFirst(): void {
    const last = this.#items.pop();
    if (last === undefined || this.#items.length === 0) return;
    this.#items[0] = last;
    for (let place = 0; ;) {
      let least = place;
      for (const child of [2 * place + 1, 2 * place + 2]) if (child < this.#items.length && this.#isBefore(child, least)) least = child;
      if (least === place) return;
      this.#swap(place, least);
      place = least;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [left, right] = [this.#items[one], this.#items[other]];
    return left !== undefined && right !== undefined && this.#before(left, right);
  }

  #swap(one: number, other: number): void {
    const [left, right] = [this.#items[one], this.#items[other]];
    if (left === undefined || right === undefined) return;
    this.#items[one] = right;
    this.#items[other] = left;
  }
}

/** Whether `one` precedes `other` in the queue. */
const goesFirst = (one: Due, other: Due): boolean =>
  (Number(other.urgent) - Number(one.urgent) || one.created_at - other.created_at || one.session.key - other.session.key) < 0;
const endsFirst = (one: Due, other: Due): boolean => (one.until ?? 0) < (other.until ?? 0);

/** Returns the queue item of a session, or undefined if it has no open turn. */
function dueOf(session: SessionRecord): Due | undefined {
  const turn = leasedTurn(session);
  const { agent, agent_version } = session.row;
  const { urgent = false, created_at = 0 } = turn ?? {};
  return turn && { session, agent, agent_version, urgent, created_at, until: session.lease?.until, current: true };
}

/** Maximum number of outdated items in a heap beyond the number of current ones. */
const slack = 64;

export class DueTurns {
  readonly #current = new Map<SessionRecord, Due>();
  /** By agent and version. */
  readonly #ready = new Map<string, Heap>();
  readonly #later = new Heap(endsFirst);

  /** Updates the queue with a changed session. */
  update(session: SessionRecord): void {
    this.remove(session);
    const due = dueOf(session);
    if (due !== undefined) this.#add(due);
  }

  remove(session: SessionRecord): void {
    const former = this.#current.get(session);
    if (former !== undefined) former.current = false;
    this.#current.delete(session);
  }

  /** Returns the sessions in the queue. */
  sessions(): readonly SessionRecord[] {
    return [...this.#current.keys()];
  }

  /** Returns the session whose turn is the next to claim, as of `now`. */
  first(
    now: number,
    { agents, urgent }: { readonly agents: Readonly<Record<string, number>> | undefined; readonly urgent: boolean },
  ): SessionRecord | undefined {
    this.#endWaits(now);
    const versions = agents && new Map(Object.entries(agents));
    let first: Due | undefined;
    for (const [kind, heap] of this.#ready) {
      const due = heap.first();
      if (due === undefined) this.#ready.delete(kind);
      else if (versions !== undefined && (versions.get(due.agent) ?? 0) < due.agent_version) continue;
      else if (first === undefined || goesFirst(due, first)) first = due;
    }
    return urgent && first?.urgent !== true ? undefined : first?.session;
  }

  #add(due: Due): void {
    this.#current.set(due.session, due);
    const heap = due.until === undefined ? this.#readyOf(due) : this.#later;
    heap.add(due);
    if (heap.size > 2 * this.#current.size + slack) heap.tidy();
  }

  #readyOf({ agent, agent_version }: Due): Heap {
    const kind = `${agent_version} ${agent}`;
    const heap = this.#ready.get(kind) ?? new Heap(goesFirst);
    this.#ready.set(kind, heap);
    return heap;
  }

  #endWaits(now: number): void {
    for (let due = this.#later.first(); due?.until !== undefined && due.until <= now; due = this.#later.first()) {
      due.current = false;
      this.#add({ ...due, until: undefined, current: true });
    }
  }
}
