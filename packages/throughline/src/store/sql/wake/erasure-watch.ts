import type { SqlDriver } from "../sql-driver.ts";
import * as queries from "../queries.ts";
import { numberOr } from "../rows.ts";

/** Milliseconds between two polls. With the duration of a poll this stays below the documented two seconds. */
const pollMs = 1_000;
/** Maximum difference between the order of ids and the order in which concurrent erasures become visible. */
const overlap = 100;

/** Reports erasures of all processes to this one. It polls while there are listeners. */
export class ErasureWatch {
  readonly #driver: SqlDriver;
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #from = 0;
  #seen = "";
  #marking: Promise<void> = Promise.resolve();

  constructor(driver: SqlDriver) {
    this.#driver = driver;
  }

  /** Calls `listen` after each erasure from the return on. */
  async watch(listen: () => void): Promise<() => void> {
    const own = (): void => listen();
    if (this.#listeners.size === 0) this.#marking = this.#mark();
    this.#listeners.add(own);
    try {
      await this.#marking;
    } catch (error) {
      this.#stop(own);
      throw error;
    }
    this.#timer ??= setInterval(() => void this.#poll(), pollMs).unref();
    return () => this.#stop(own);
  }

  /** Reports an erasure that started in this process. */
  tell(): void {
    for (const listen of [...this.#listeners]) listen();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#listeners.clear();
  }

  #stop(listen: () => void): void {
    this.#listeners.delete(listen);
    if (this.#listeners.size === 0) this.close();
  }

  async #poll(): Promise<void> {
    try {
      const before = this.#seen;
      if ((await this.#found()) === before) return;
      await this.#mark();
    } catch {
      // An unresponsive database may have erased anything.
    }
    this.tell();
  }

  /** Records the current erasures. */
  async #mark(): Promise<void> {
    const last = Number((await this.#found()).split(" ")[1]);
    this.#from = Math.max(0, last - overlap);
    this.#seen = await this.#found();
  }

  async #found(): Promise<string> {
    const [row] = (await this.#driver.read(queries.erasuresFrom, [this.#from])).erasures;
    return `${numberOr(row, "erasures")} ${numberOr(row, "last", this.#from)}`;
  }
}
