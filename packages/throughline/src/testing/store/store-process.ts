import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { DraftPiece, ListItem, ListQuery, Page, Store } from "../../store/port.ts";
import type { Failure, Fate, FromWorker, PlainMethod, ToWorker } from "./worker.ts";

/** Where another process finds the function that opens a store. */
export interface StoreModule {
  /** The module: a file's URL, or the name of a package. */
  readonly module: string | URL;
  /** The name of the function; `"openStore"` by default. */
  readonly name?: string;
  /** What it is called with: values that can be copied to another process. */
  readonly with?: readonly unknown[];
}

/** A store that can be killed with all that it has not written yet. */
export interface MortalStore extends Store {
  /** Ends it at once, as `kill -9` does: nothing is finished. Calls that are under way fail with `store.unreachable`. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Has it end itself at its nth commit from now: before that is asked of the store, or after it is done and before anybody hears of it. */
  doom(commit: number, moment: "before" | "after"): Promise<void>;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The worker lies beside this file, as source or compiled. */
const worker = fileURLToPath(new URL(`worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url));

const errorFrom = (failure: Failure): Error =>
  failure.code === undefined
    ? new Error(failure.message)
    : new ThroughlineError(failure.code, failure.message, { hint: failure.hint, details: failure.details ?? {} });

/** A process that opens a store: started, then open, then ended. */
class StoreHost {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<number, (piece: DraftPiece | undefined) => void>();
  readonly #ready = Promise.withResolvers<void>();
  readonly #opened = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #asked = 0;
  #gone = false;
  #closed = false;

  constructor() {
    // Copies of values as they are: JSON would lose a value that is undefined.
    this.#child = fork(worker, { execArgv: [], serialization: "advanced", stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.#ready.promise.catch(() => {});
    this.#opened.promise.catch(() => {});
    this.#child.on("message", (message: FromWorker) => this.#hear(message));
    this.#child.on("exit", () => this.#end());
    this.#child.on("error", () => this.#end());
  }

  async open({ module, name = "openStore", with: values = [] }: StoreModule): Promise<void> {
    await this.#ready.promise;
    this.#tell({ type: "open", module: String(module), name, with: values });
    await this.#opened.promise;
  }

  /** Asks, and waits for the answer. */
  ask(message: (id: number) => ToWorker, signal?: AbortSignal): Promise<unknown> {
    if (this.#closed) return Promise.reject(new ThroughlineError("store.closed"));
    if (this.#gone) return Promise.reject(this.#lost());
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#settle(id)?.reject(signal?.reason as Error);
        this.#tell({ type: "leave", id });
      };
      const over =
        <Value>(settle: (value: Value) => void) =>
        (value: Value): void => {
          signal?.removeEventListener("abort", abort);
          settle(value);
        };
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiting.set(id, { resolve: over(resolve), reject: over(reject) });
      this.#tell(message(id));
    });
  }

  /** Listens to the drafts of a session, to erasures, or to turns if neither is named. */
  async listen(session: SessionId | "erasures" | undefined, hear: (piece: DraftPiece | undefined) => void): Promise<() => void> {
    const id = this.#asked + 1;
    this.#listeners.set(id, hear);
    await this.ask((own) => ({ type: "listen", id: own, ...(session === undefined ? {} : { session }) }));
    return () => {
      this.#listeners.delete(id);
      this.#tell({ type: "leave", id });
    };
  }

  async close(): Promise<void> {
    if (this.#closed || this.#gone) return;
    const closing = this.ask((id) => ({ type: "close", id }));
    this.#closed = true;
    try {
      await closing;
    } finally {
      if (this.#child.connected) this.#child.disconnect();
      await this.#ended.promise;
    }
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended.promise;
  }

  #lost(): ThroughlineError {
    if (this.#closed) return new ThroughlineError("store.closed");
    return new ThroughlineError("store.unreachable", "The process that had the store open has ended.");
  }

  #tell(message: ToWorker): void {
    // What is sent to a process that has just died is lost; its end is heard of in `exit`.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #hear(message: FromWorker): void {
    switch (message.type) {
      case "ready":
        return this.#ready.resolve();
      case "opened":
        return this.#opened.resolve();
      case "unable":
        this.#opened.reject(errorFrom(message.error));
        this.#child.kill("SIGKILL");
        return;
      case "heard":
        return this.#listeners.get(message.id)?.(message.piece);
      case "answer":
        return this.#settle(message.id)?.resolve(message.value);
      case "failed":
        return this.#settle(message.id)?.reject(errorFrom(message.error));
    }
  }

  #end(): void {
    this.#gone = true;
    const lost = this.#lost();
    this.#ready.reject(lost);
    this.#opened.reject(lost);
    for (const { reject } of this.#waiting.values()) reject(lost);
    this.#waiting.clear();
    this.#ended.resolve();
  }
}

/**
 * Opens a store in a process of its own; every call is made there. With it the checks of a store run across processes, and a process can be
 * killed in the middle of a write. Closing it closes the store and ends the process.
 */
export async function storeProcess(source: StoreModule): Promise<MortalStore> {
  const host = new StoreHost();
  await host.open(source);
  // The worker calls the same method of a Store, so the answer has that method's type.
  const method =
    <Method extends PlainMethod>(name: Method) =>
    (...values: Parameters<Store[Method]>): ReturnType<Store[Method]> =>
      host.ask((id) => ({ type: "call", id, method: name, values })) as ReturnType<Store[Method]>;
  return {
    open: method("open"),
    load: method("load"),
    commit: method("commit"),
    read: method("read"),
    list: <Query extends ListQuery>(query: Query) =>
      host.ask((id) => ({ type: "call", id, method: "list", values: [query] })) as Promise<Page<ListItem<Query>>>,
    entries: method("entries"),
    claim: method("claim"),
    release: method("release"),
    writeDraft: method("writeDraft"),
    erase: method("erase"),
    migrate: method("migrate"),
    watch: (session, after, signal) => host.ask((id) => ({ type: "watch", id, values: [session, after] }), signal) as Promise<number>,
    watchDrafts: (session, listen) => host.listen(session, (piece) => piece && listen(piece)),
    watchTurns: (listen) => host.listen(undefined, () => listen()),
    watchErasures: (listen) => host.listen("erasures", () => listen()),
    close: () => host.close(),
    kill: () => host.kill(),
    doom: async (commit: number, moment: Fate["moment"]) => void (await host.ask((id) => ({ type: "doom", id, fate: { commit, moment } }))),
  };
}
