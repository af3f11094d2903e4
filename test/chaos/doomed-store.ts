import type { Store } from "../../packages/throughline/src/index.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";

/** When a process dies by its own hand: before, after or shortly after the beginning of its n-th write, or at its n-th statement inside a write. */
export interface Doom {
  readonly at: "before" | "after" | "during" | "statement";
  readonly count: number;
  /** Milliseconds after the beginning of the write, for `during`. */
  readonly ms: number;
}

/** The end of a process without any of its last words, as by a loss of power. */
export function die(): never {
  process.kill(process.pid, "SIGKILL");
  throw new Error("A killed process goes on.");
}

/** Counts statements of write transactions, and dies at the one that the doom names. */
export function doomedStatements(doom: Doom | undefined): (sql: string) => void {
  let writing = false;
  let count = 0;
  return (sql) => {
    if (doom?.at !== "statement") return;
    if (sql === "BEGIN IMMEDIATE") writing = true;
    if (writing && ++count === doom.count) die();
    if (sql === "COMMIT" || sql === "ROLLBACK") writing = false;
  };
}

/** The store, which dies at the write that the doom names. Renewing a lease is not counted. */
export function doomedStore(store: Store, doom: Doom | undefined): Store {
  let writes = 0;
  const around = async <Result>(write: () => Promise<Result>): Promise<Result> => {
    const due = ++writes === doom?.count;
    if (due && doom.at === "before") die();
    if (due && doom.at === "during") setTimeout(die, doom.ms);
    const result = await write();
    if (due && doom.at === "after") die();
    return result;
  };
  return {
    ...forwarding(store),
    commit: (commit) => around(() => store.commit(commit)),
    claim: (request) => (request.kind === "session" ? around(() => store.claim(request)) : store.claim(request)),
    release: (request) => around(() => store.release(request)),
  };
}
