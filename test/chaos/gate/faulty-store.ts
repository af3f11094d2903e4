/** A store whose every call may fail: before it has done its work, or after it. */
import { ThroughlineError } from "../../../packages/throughline/src/index.ts";
import type { Store } from "../../../packages/throughline/src/store/port.ts";
import type { Chooser } from "../../../packages/throughline/src/testing/test-clock.ts";
import { forwarding } from "../../../packages/throughline/src/store/port.ts";

/** Calls that can fail. */
export const storeCalls = ["open", "load", "commit", "read", "watch", "list", "entries", "claim", "release", "writeDraft", "watchDrafts"] as const;
export type StoreCall = (typeof storeCalls)[number];

/** How a store fails for a while. */
export interface StoreFault {
  /** Which calls; all if left out. */
  readonly calls?: readonly StoreCall[];
  readonly at: "before" | "after";
  /** How likely each of them is to. */
  readonly chance: number;
  readonly error: "unreachable" | "busy" | "plain";
}

const errorOf = ({ error }: StoreFault): Error =>
  error === "plain" ? new TypeError("undefined is not a row") : new ThroughlineError(`store.${error}`, "The store has failed on purpose.");

export interface FaultyStore {
  readonly store: Store;
  /** The fault from now on; undefined for none. */
  fail(fault: StoreFault | undefined): void;
  /** Calls that have failed so far. */
  readonly failed: () => number;
}

export function faultyStore(inner: Store, { dice, outside }: { readonly dice: Chooser; readonly outside: { count: number } }): FaultyStore {
  let fault: StoreFault | undefined;
  let failed = 0;
  const around =
    <Given extends readonly unknown[], Result>(name: StoreCall, call: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      const now = fault;
      const due = now !== undefined && (now.calls?.includes(name) ?? true) && dice.chance(now.chance);
      if (due) failed += 1;
      if (due && now.at === "before") throw errorOf(now);
      // Whoever watches waits for others: that holds no time up.
      const waits = name !== "watch";
      if (waits) outside.count += 1;
      try {
        const result = await call(...given);
        if (due) throw errorOf(now);
        return result;
      } finally {
        if (waits) outside.count -= 1;
      }
    };
  const store: Store = {
    ...forwarding(inner),
    open: around("open", (selector) => inner.open(selector)),
    load: around("load", (request) => inner.load(request)),
    commit: around("commit", (commit) => inner.commit(commit)),
    read: around("read", (request) => inner.read(request)),
    watch: around("watch", (session, after, signal) => inner.watch(session, after, signal)),
    list: (query) => around("list", () => inner.list(query))(),
    entries: around("entries", (request) => inner.entries(request)),
    claim: around("claim", (request) => inner.claim(request)),
    release: around("release", (request) => inner.release(request)),
    writeDraft: around("writeDraft", (piece) => inner.writeDraft(piece)),
    watchDrafts: around("watchDrafts", (session, listen) => inner.watchDrafts(session, listen)),
  };
  return {
    store,
    fail: (next) => {
      fault = next;
    },
    failed: () => failed,
  };
}
