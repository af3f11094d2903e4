/** The store of a simulated process that can die, so that one test can have many. After its death, calls get no response and its leases expire. */
import type { Store } from "../store/port.ts";

/** The commit at which a process dies: either it is not written, or it is written without a response. */
export interface Death {
  readonly at: "before" | "after";
  readonly commit: number;
}

export interface Mortal {
  readonly store: Store;
  /** Resolves when the process is dead and its leases have ended. */
  readonly died: Promise<void>;
  readonly isDead: () => boolean;
  readonly die: () => void;
}

const never = new Promise<never>(() => {});

export function mortalStore(store: Store, death?: Death): Mortal {
  const died = Promise.withResolvers<void>();
  const claimed = new Map<string, Parameters<Store["release"]>[0]>();
  let dead = false;
  let commits = 0;
  const die = (): void => {
    if (dead) return;
    dead = true;
    Promise.all([...claimed.values()].map((lease) => store.release(lease))).then(() => died.resolve(), died.reject);
  };
  const alive = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    if (dead) return never;
    try {
      const result = await call();
      return dead ? await never : result;
    } catch (error) {
      if (dead) return never;
      throw error;
    }
  };
  const commit: Store["commit"] = async (given) => {
    const due = ++commits === death?.commit;
    if (due && death.at === "before") die();
    return alive(async () => {
      const result = await store.commit(given);
      if (due) die();
      return result;
    });
  };
  const claim: Store["claim"] = (request) =>
    alive(async () => {
      const taken = await store.claim(request);
      if (taken === undefined) return undefined;
      const lease = { session_id: taken.session_id, epoch: taken.epoch, counted: true };
      claimed.set(taken.session_id, lease);
      // A call that was already on its way still reaches the store.
      if (dead) await store.release(lease);
      return taken;
    });
  const mortal: Store = {
    entries: (request) => alive(() => store.entries(request)),
    watchDrafts: (session, listen) => store.watchDrafts(session, listen),
    watchTurns: (listen) => store.watchTurns(listen),
    appends: (request) => alive(() => store.appends(request)),
    watchAppends: (listen) => store.watchAppends(listen),
    watchErasures: (listen) => store.watchErasures(listen),
    erase: (target) => alive(() => store.erase(target)),
    migrate: () => store.migrate(),
    close: () => store.close(),
    open: (selector) => alive(() => store.open(selector)),
    load: (request) => alive(() => store.load(request)),
    read: (request) => alive(() => store.read(request)),
    watch: (session, after, signal) => alive(() => store.watch(session, after, signal)),
    list: (query) => alive(() => store.list(query)),
    release: (request) => alive(() => store.release(request)),
    writeDraft: (piece) => alive(() => store.writeDraft(piece)),
    commit,
    claim,
  };
  return { store: mortal, died: died.promise, isDead: () => dead, die };
}
