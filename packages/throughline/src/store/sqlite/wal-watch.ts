import { type FSWatcher, statfsSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import type { Logger } from "../../kernel/log.ts";
import type { Hear, Link } from "../sql/wake/link.ts";

/**
 * A write to the log is told of before its commit is there: it is looked for at once, and so many milliseconds after the last write. In between the
 * writer syncs, which takes long on a busy disk.
 */
const recheckMs = [1, 4, 8, 12, 20, 50, 120, 300] as const;
/** How often to look anyway, for what the file system did not tell of. */
const safetyMs = 2_000;
/** How often to look where the file system tells of nothing. */
const pollMs = 50;
/** How long the folder is still watched without readers: most readers return at once. */
const lingerMs = 500;
/** Commits that only the safety look has found: one may be chance. */
const mostMissed = 2;
/** File systems that do not tell of what another machine or another side writes: NFS, SMB, CIFS, SMB2, 9P, FUSE. */
const remote = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546]);

/**
 * Hears of commits of other processes by watching the folder of the database: its write-ahead log may come, go and be replaced. Whether there was a
 * commit is told by `changed`, which asks SQLite itself.
 */
export class WalWatch implements Link {
  readonly #path: string;
  readonly #changed: () => boolean;
  readonly #logger: Logger;
  #hear: Hear | undefined;
  #watcher: FSWatcher | undefined;
  #polls = false;
  #missed = 0;
  #recheck: NodeJS.Timeout | undefined;
  #safety: NodeJS.Timeout | undefined;
  #linger: NodeJS.Timeout | undefined;

  /** `changed`: whether another connection has committed since it was asked last. */
  constructor(path: string, changed: () => boolean, logger: Logger) {
    this.#path = path;
    this.#changed = changed;
    this.#logger = logger;
    this.#polls = path === ":memory:";
  }

  async attend(hear: Hear): Promise<void> {
    if (this.#hear !== undefined || this.#path === ":memory:") return;
    this.#hear = hear;
    clearTimeout(this.#linger);
    // Readers check for earlier commits.
    this.#asked();
    if (this.#watcher === undefined) this.#watch();
    else this.#watcher.ref();
    this.#schedule();
  }

  rest(): void {
    this.#hear = undefined;
    clearTimeout(this.#recheck);
    clearTimeout(this.#safety);
    this.#watcher?.unref();
    clearTimeout(this.#linger);
    this.#linger = setTimeout(() => this.close(), lingerMs).unref();
  }

  /** Others see the commit itself. */
  tell(): void {}

  close(): void {
    this.#hear = undefined;
    for (const timer of [this.#recheck, this.#safety, this.#linger]) clearTimeout(timer);
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #watch(): void {
    if (this.#polls) return;
    const log = `${basename(this.#path)}-wal`;
    const folder = dirname(this.#path);
    try {
      if (remote.has(statfsSync(folder).type)) return this.#fallBack("network file system");
      this.#watcher = watch(folder, (_, name) => {
        if (this.#hear !== undefined && (name === null || name === log)) this.#written();
      });
      this.#watcher.on("error", (error) => this.#fallBack(error.message));
    } catch (error) {
      this.#fallBack(error instanceof Error ? error.message : "unknown");
    }
  }

  #fallBack(reason: string): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    if (!this.#polls) this.#logger.warn("store.watch_failed", { reason, poll_ms: pollMs });
    this.#polls = true;
    if (this.#hear !== undefined) this.#schedule();
  }

  #written(): void {
    if (this.#look()) this.#missed = 0;
    this.#lookAfter(0);
  }

  /** Looks after the delay at `index` and those that follow; a new write begins anew. */
  #lookAfter(index: number): void {
    clearTimeout(this.#recheck);
    const delay = recheckMs[index];
    if (delay === undefined || this.#hear === undefined) return;
    const look = (): void => {
      if (this.#look()) this.#missed = 0;
      this.#lookAfter(index + 1);
    };
    this.#recheck = setTimeout(look, delay - (recheckMs[index - 1] ?? 0));
  }

  #schedule(): void {
    clearTimeout(this.#safety);
    const look = (): void => {
      // A watch that never tells of what is there is none.
      if (this.#look() && !this.#polls && ++this.#missed >= mostMissed) this.#fallBack("no notice of commits");
      else if (this.#hear !== undefined) this.#schedule();
    };
    this.#safety = setTimeout(look, this.#polls ? pollMs : safetyMs);
  }

  #look(): boolean {
    const changed = this.#asked();
    if (changed) this.#hear?.({ of: "anything" });
    return changed;
  }

  #asked(): boolean {
    try {
      return this.#changed();
    } catch {
      // The database may be locked for a moment: readers poll, and get the error themselves if it remains.
      return true;
    }
  }
}
