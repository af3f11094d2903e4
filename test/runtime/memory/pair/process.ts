import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Deed } from "./deeds.ts";
import type { FromWorker, ToWorker } from "./worker.ts";

/** Another process on the same database. */
export interface MemoryProcess {
  /** What came of a deed; rejects with the code of its error, or `died`. */
  readonly perform: (deed: Deed) => Promise<string>;
  readonly close: () => Promise<void>;
  /** Kills it at once. */
  readonly kill: () => Promise<void>;
}

/** Starts one, and waits until it is ready. `death`: the statement of a write at which it kills itself. */
export async function memoryProcess(location: string, { death }: { readonly death?: number } = {}): Promise<MemoryProcess> {
  const given = [location, ...(death === undefined ? [] : [String(death)])];
  const child: ChildProcess = fork(fileURLToPath(new URL("worker.ts", import.meta.url)), given, { execArgv: [] });
  const waiting = new Map<number, PromiseWithResolvers<string>>();
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let asked = 0;
  child.on("exit", (code) => {
    opened.reject(new Error(`A process ended with ${code}.`));
    for (const { reject } of waiting.values()) reject(new Error("died"));
    ended.resolve();
  });
  child.on("message", (message: FromWorker) => {
    if (message.type === "open") return opened.resolve();
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.type === "done") call?.resolve(message.result);
    else call?.reject(new Error(`${message.code}: ${message.message}`));
  });
  const tell = (message: ToWorker): void => void child.send(message, () => {});
  await opened.promise;
  return {
    perform: (deed) => {
      const call = Promise.withResolvers<string>();
      waiting.set(++asked, call);
      tell({ type: "do", id: asked, deed });
      return call.promise;
    },
    close: async () => {
      tell({ type: "close" });
      await ended.promise;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended.promise;
    },
  };
}
