import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Questions } from "./service-process.ts";

/** A service that runs in a process of its own. */
export interface ServiceChild {
  readonly url: string;
  /** An API key that may do everything. */
  readonly key: string;
  /** Asks the process about itself; one question at a time. */
  ask<Name extends keyof Questions>(name: Name, question: Questions[Name]["ask"]): Promise<Questions[Name]["answer"]>;
  stop(): Promise<void>;
}

/** How a service is started. */
export interface ServiceChildOptions {
  /** Whether it runs turns; false by default. */
  readonly work?: boolean;
  /** For its process, such as `--cpu-prof`. */
  readonly nodeOptions?: readonly string[];
}

/** Starts a service over the database at `location`. */
export async function startService(location: string, { work = false, nodeOptions = [] }: ServiceChildOptions = {}): Promise<ServiceChild> {
  const child = fork(fileURLToPath(new URL("./service-process.ts", import.meta.url)), [location, work ? "work" : ""], {
    execArgv: ["--expose-gc", ...nodeOptions],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = new Promise<never>((_, reject) => {
    child.once("exit", (code) => reject(new Error(`The service of the benchmark has ended with exit code ${String(code)}.`)));
  });
  ended.catch(() => {});
  const hear = async (): Promise<unknown> => {
    const heard = once(child, "message").then(([message]) => message as unknown);
    return Promise.race([heard, ended]);
  };
  const { url, key } = (await hear()) as { readonly url: string; readonly key: string };
  return {
    url,
    key,
    async ask<Name extends keyof Questions>(name: Name, question: Questions[Name]["ask"]) {
      child.send({ name, ...question });
      return ((await hear()) as { readonly answer: Questions[Name]["answer"] }).answer;
    },
    async stop() {
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}
