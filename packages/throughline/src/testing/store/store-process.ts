import { present } from "../../kernel/json.ts";
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { DraftPiece, ListItem, ListQuery, Page, Store } from "../../store/port.ts";
import type { Failure, Fate, FromWorker, PlainMethod, ToWorker } from "./store-worker.ts";

/** Location of the function with which another process opens a store. */
export interface StoreModule {
  /** The module: a file URL or a package name. */
  readonly module: string | URL;
  /** Name of the function. Default `"openStore"`. */
  readonly name?: string;
  /** Arguments of the function. They must be cloneable to another process. */
  readonly with?: readonly unknown[];
}

/** A store whose process can be killed, with everything that is not written yet. */
export interface MortalStore extends Store {
  /** Kills the process immediately, like `kill -9`. Calls in progress fail with `store.unreachable`. Resolves when the process has ended. */
  kill(): Promise<void>;
  /** Makes the process end itself at its nth commit from now: before the commit reaches the store, or after it is written and before the response. */
  doom(commit: number, moment: "before" | "after"): Promise<void>;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The worker is next to this file, as source or compiled. */
const worker = fileURLToPath(new URL(`store-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url));

const errorFrom = (failure: Failure): Error =>
  failure.code === undefined
    ? new Error(failure.message)
    : new ThroughlineError(failure.code, failure.message, { hint: failure.hint, details: failure.details ?? {} });

/** A process that opens a store. Its phases are started, open and ended. */
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
    // Clones values directly. JSON would lose undefined.
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

  /** Sends a call and waits for its result. */
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

  /** Listens to the drafts of a session, to erasures, or, without a session, to turns. */
  async listen(session: SessionId | "erasures" | "appends" | undefined, hear: (piece: DraftPiece | undefined) => void): Promise<() => void> {
    const id = this.#asked + 1;
    this.#listeners.set(id, hear);
    await this.ask((own) => ({ type: "listen", id: own, ...present({ session }) }));
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
    // A message to a process that has just died is lost. The `exit` event reports its end.
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
 * Opens a store in a separate process, in which every call runs. Store checks can then run across processes, and a process can be killed during a
 * write. Closing the store also ends the process.
 */
export async function storeProcess(source: StoreModule): Promise<MortalStore> {
  const host = new StoreHost();
  await host.open(source);
  // The worker calls the same method of a Store, so the result has that method's type.
  const method =
    <Method extends PlainMethod>(name: Method) =>
    (...values: Parameters<Store[Method]>): ReturnType<Store[Method]> =>
      host.ask((id) => ({ type: "call", id, method: name, values })) as ReturnType<Store[Method]>;
  return {
    open: method("open"),
    load: method("load"),
    commit: method("commit"),
    read: method("read"),
    appends: method("appends"),
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
    watchAppends: (listen) => host.listen("appends", () => listen()),
    watchErasures: (listen) => host.listen("erasures", () => listen()),
    close: () => host.close(),
    kill: () => host.kill(),
    doom: async (commit: number, moment: Fate["moment"]) => void (await host.ask((id) => ({ type: "doom", id, fate: { commit, moment } }))),
  };
}
