/** Number of commit groups after which a checkpoint of the write-ahead log is worth its syncs. */
const dueAfter = 64;
/** Milliseconds without a write that count as idle. */
const quietMs = 50;

/**
 * Checkpoints the write-ahead log into the database while nothing is written, so that a commit seldom has to. SQLite's own limit of 1,000 pages
 * applies to a database that is never idle.
 */
export class IdleCheckpoint {
  readonly #move: () => void;
  #groups = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `move` may fail. The next idle moment, or SQLite itself, then does it. */
  constructor(move: () => void) {
    this.#move = move;
  }

  /** Reports that a group of commits was written. */
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
      // Another process has the lock, or the disk is full. The next write reports it.
    }
  }
}
