import { type FSWatcher, statfsSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import type { Logger } from "../../kernel/log.ts";
import type { Hear, Link } from "../sql/sql-driver.ts";

/**
 * Milliseconds after the last write to the log at which it is checked for a commit, in addition to an immediate check. The file system reports a
 * write before its commit: in between the writer syncs, which takes long on a busy disk.
 */
const recheckMs = [1, 4, 8, 12, 20, 50, 120, 300] as const;
/** Milliseconds between additional checks, for changes that the file system did not report. */
const safetyMs = 2_000;
/** Milliseconds between checks if the file system reports nothing. */
const pollMs = 50;
/** Milliseconds that the folder is still watched without readers, because most readers return immediately. */
const lingerMs = 500;
/** Number of commits that only the additional check may find. One may be chance. */
const mostMissed = 2;
/** File systems that do not report writes of another machine or another side: NFS, SMB, CIFS, SMB2, 9P, FUSE. */
const remote = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546]);

/**
 * Detects commits of other processes by watching the folder of the database, because its write-ahead log may appear, disappear and be replaced.
 * `changed` queries SQLite itself whether there was a commit.
 */
export class WalWatch implements Link {
  readonly #path: string;
  readonly #changed: () => boolean;
  readonly #logger: Logger;
  #hear: Hear | undefined;
  #watcher: FSWatcher | undefined;
  #polls = false;
  #missed = 0;
  /** Whether this process has committed since the last notice of the file system. */
  #own = false;
  #recheck: NodeJS.Timeout | undefined;
  #safety: NodeJS.Timeout | undefined;
  #linger: NodeJS.Timeout | undefined;

  /** `changed`: whether another connection has committed since the last query. */
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
    this.#hasChanged();
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

  /** Reports a commit of this process, which the file system reports as well. */
  wrote(): void {
    this.#own = true;
  }

  /** Other processes see the commit itself. */
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
    // A notice after a commit of this process is probably about that one. If another process has committed too, the first recheck finds it.
    if (!this.#own && this.#check()) this.#missed = 0;
    this.#own = false;
    this.#checkAfter(0);
  }

  /** Checks after the delay at `index` and the following ones. A new write starts again. */
  #checkAfter(index: number): void {
    clearTimeout(this.#recheck);
    const delay = recheckMs[index];
    if (delay === undefined || this.#hear === undefined) return;
    const check = (): void => {
      if (this.#check()) this.#missed = 0;
      this.#checkAfter(index + 1);
    };
    this.#recheck = setTimeout(check, delay - (recheckMs[index - 1] ?? 0));
  }

  #schedule(): void {
    clearTimeout(this.#safety);
    const check = (): void => {
      // A watch that misses existing commits is useless.
      if (this.#check() && !this.#polls && ++this.#missed >= mostMissed) this.#fallBack("no notice of commits");
      else if (this.#hear !== undefined) this.#schedule();
    };
    this.#safety = setTimeout(check, this.#polls ? pollMs : safetyMs);
  }

  #check(): boolean {
    const changed = this.#hasChanged();
    if (changed) this.#hear?.({ of: "anything" });
    return changed;
  }

  #hasChanged(): boolean {
    try {
      return this.#changed();
    } catch {
      // The database may be locked for a moment. Readers poll, and get the error themselves if it persists.
      return true;
    }
  }
}
