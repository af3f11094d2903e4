/** Groups of commits after which the log of writes is worth moving: each costs the syncs of one move. */
const dueAfter = 64;
/** Milliseconds without a write that count as quiet. */
const quietMs = 50;

/**
 * Has the log of writes moved into the database while nothing is written, so that a commit seldom has to. SQLite's own limit of 1,000 pages stays the
 * bound for a database that is never quiet.
 */
export class IdleCheckpoint {
  readonly #move: () => void;
  #groups = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `move` may fail: then the next quiet moment, or SQLite itself, does it. */
  constructor(move: () => void) {
    this.#move = move;
  }

  /** A group of commits was written. */
  wrote(): void {
    this.#groups += 1;
    if (this.#groups < dueAfter) return;
    if (this.#timer !== undefined) this.#timer.refresh();
    else this.#timer = setTimeout(() => this.#run(), quietMs).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #run(): void {
    this.#timer = undefined;
    this.#groups = 0;
    try {
      this.#move();
    } catch {
      // Another process has the lock, or the disk is full: the next write reports it.
    }
  }
}
