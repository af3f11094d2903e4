import { type ChildProcess, fork } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Answer, Ask } from "./serve.ts";
import type { FromVictim, Life, ToVictim } from "./victim.ts";

/** The process died before it answered; what was asked may have happened or not. */
export class Died extends Error {}

/** The process answered that it could not. */
export class Refused extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** A child process that serves clients: loaded, then alive, then dead. */
export class Victim {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  readonly #loaded = Promise.withResolvers<void>();
  readonly #alive = Promise.withResolvers<void>();
  readonly #dead = Promise.withResolvers<void>();
  /** What it met that it should never meet. */
  readonly complaints: string[] = [];
  #asked = 0;
  #gone = false;

  constructor() {
    this.#child = fork(fileURLToPath(new URL("victim.ts", import.meta.url)), { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    this.#loaded.promise.catch(() => {});
    this.#alive.promise.catch(() => {});
    this.#child.on("message", (message: FromVictim) => this.#hear(message));
    this.#child.on("exit", () => this.#end());
  }

  /** Resolves when the process is gone. */
  get dead(): Promise<void> {
    return this.#dead.promise;
  }

  /** Begins its life on a store; resolves when it serves, rejects when it died before. */
  async live(life: Life): Promise<void> {
    await this.#loaded.promise;
    this.#tell({ type: "live", ...life });
    await this.#alive.promise;
  }

  ask(ask: Ask): Promise<Answer> {
    if (this.#gone) return Promise.reject(new Died("The process is dead."));
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#tell({ type: "ask", id, ask });
    });
  }

  /** Stands still, as in a machine that sleeps: its leases may run out meanwhile. */
  async suspend(ms: number): Promise<void> {
    this.#child.kill("SIGSTOP");
    await Promise.race([this.#dead.promise, delay(ms)]);
    this.#child.kill("SIGCONT");
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  #tell(message: ToVictim): void {
    // A message to a process that has just died is lost; its end is heard of in `exit`.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  #hear(message: FromVictim): void {
    if (message.type === "loaded") return this.#loaded.resolve();
    if (message.type === "wrong") return void this.complaints.push(message.message);
    if (message.type === "alive") return this.#alive.resolve();
    if (message.type === "unable") return this.#alive.reject(new Refused(message.code, message.message));
    return this.#settle(message);
  }

  #settle(message: Extract<FromVictim, { readonly id: number }>): void {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.type === "answer") waiting?.resolve(message.answer);
    else waiting?.reject(new Refused(message.code, message.message));
  }

  #end(): void {
    this.#gone = true;
    const died = new Died("The process died.");
    this.#loaded.reject(died);
    this.#alive.reject(died);
    for (const { reject } of this.#waiting.values()) reject(died);
    this.#waiting.clear();
    this.#dead.resolve();
  }
}
