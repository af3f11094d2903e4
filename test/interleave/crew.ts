/** The processes of the service: two that answer and two that work, killed, told to end, put to sleep, and followed by others. */
import { type ChildProcess, fork } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Chooser } from "../../packages/throughline/src/testing/test-clock.ts";
import type { FromProcess, Life, Role } from "./process.ts";

const program = fileURLToPath(new URL("process.ts", import.meta.url));
/** Milliseconds within which a process begins, and ends when it is told to. */
const patience = 30_000;

/** One process: loaded, then alive, then dead. */
class Hand {
  readonly #child: ChildProcess;
  readonly #loaded = Promise.withResolvers<void>();
  readonly #alive = Promise.withResolvers<number | undefined>();
  readonly #dead = Promise.withResolvers<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>();

  constructor() {
    this.#child = fork(program, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] });
    for (const { promise } of [this.#loaded, this.#alive]) promise.catch(() => {});
    this.#child.on("message", (message: FromProcess) => {
      if (message.type === "loaded") this.#loaded.resolve();
      else if (message.type === "alive") this.#alive.resolve(message.port);
      else this.#alive.reject(new Error(message.error));
    });
    this.#child.on("exit", (code, signal) => {
      const error = new Error("The process is dead.");
      this.#loaded.reject(error);
      this.#alive.reject(error);
      this.#dead.resolve({ code, signal });
    });
  }

  /** Begins its life; the port that it listens on, if it answers. */
  async live(life: Life): Promise<number | undefined> {
    await this.#loaded.promise;
    this.#child.send(life, () => {});
    return this.#alive.promise;
  }

  /** Resolves when it is gone. */
  get dead(): Promise<unknown> {
    return this.#dead.promise;
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#dead.promise;
  }

  /** Tells it to end; what is wrong with how it did, if anything is. */
  async drain(): Promise<string | undefined> {
    this.#child.kill("SIGTERM");
    const ended = await Promise.race([this.#dead.promise, delay(patience)]);
    if (ended === undefined) return (await this.kill(), `A process did not end within ${patience} ms of SIGTERM.`);
    // It may die by itself before it has ended.
    return ended.code === 0 || ended.signal === "SIGKILL" ? undefined : `A process that was told to end left with ${ended.code}.`;
  }

  /** Stands still, as in a machine that sleeps: its leases may run out meanwhile. */
  async sleep(ms: number): Promise<void> {
    this.#child.kill("SIGSTOP");
    await delay(ms);
    this.#child.kill("SIGCONT");
  }
}

/** What was done to processes. */
export interface Toll {
  kills: number;
  /** They have died by themselves. */
  deaths: number;
  drains: number;
  sleeps: number;
}

/** A place that one process has after the other. */
class Slot {
  readonly role: Role;
  port: number | undefined;
  hand: Hand | undefined;
  busy = false;

  constructor(role: Role) {
    this.role = role;
  }
}

export interface Crew {
  readonly toll: Toll;
  /** What a process should never do. */
  readonly wrong: string[];
  /** Where the server of the first, or the second, place listens; the other one's if it is away. */
  port(place: number): number | undefined;
  /** Kills, ends, or puts to sleep one process at random. Resolves when another one has its place. */
  harm(dice: Chooser): Promise<void>;
  close(): Promise<void>;
}

/** Starts the processes on a database that has its tables. */
export async function startCrew(location: string, seed: () => number): Promise<Crew> {
  const slots = (["server", "server", "worker", "worker"] as const).map((role) => new Slot(role));
  const servers = slots.filter(({ role }) => role === "server");
  const toll: Toll = { kills: 0, deaths: 0, drains: 0, sleeps: 0 };
  const wrong: string[] = [];
  // One that is loaded waits for the next place.
  let standby = new Hand();
  let closed = false;
  const fill = async (slot: Slot): Promise<void> => {
    const hand = standby;
    standby = new Hand();
    slot.hand = hand;
    slot.port = await hand.live({ location, role: slot.role, seed: seed() });
    void hand.dead.then(() => follow(slot, hand));
  };
  /** Puts another one in the place of one that has died by itself. */
  const follow = async (slot: Slot, hand: Hand): Promise<void> => {
    if (closed || slot.busy || slot.hand !== hand) return;
    slot.busy = true;
    slot.port = undefined;
    toll.deaths += 1;
    await fill(slot).catch((error: unknown) => wrong.push(String(error)));
    slot.busy = false;
  };
  for (const slot of slots) await fill(slot);
  return {
    toll,
    wrong,
    port: (place) => servers[place]?.port ?? servers.find(({ port }) => port !== undefined)?.port,
    async harm(dice) {
      const slot = dice.one(slots);
      const { hand } = slot;
      if (slot.busy || hand === undefined) return;
      slot.busy = true;
      if (slot.role === "worker" && dice.chance(0.2)) {
        toll.sleeps += 1;
        await hand.sleep(dice.integer(300, 700));
      } else {
        const isKill = dice.chance(0.65);
        toll[isKill ? "kills" : "drains"] += 1;
        // Who drains takes no connections any more, and says so; who was killed says nothing.
        if (isKill) await hand.kill();
        else wrong.push(...[await hand.drain()].filter((complaint) => complaint !== undefined));
        slot.port = undefined;
        await fill(slot);
      }
      slot.busy = false;
    },
    async close() {
      closed = true;
      await Promise.all([standby, ...slots.flatMap(({ hand }) => hand ?? [])].map((hand) => hand.kill()));
    },
  };
}
