/** Starts runs at the instants of schedules. A record holds the next instant, and the run's id is derived from it, so each fires once in all processes. */
import { commitOnce } from "../extension/commit.ts";
import { invalidAgent } from "../extension/failure.ts";
import { findRecord } from "../extension/lists.ts";
import type { ExtensionContext } from "../extension/port.ts";
import { seen, ThroughlineError } from "../kernel/error.ts";
import { isPlainObject, type JsonObject } from "../kernel/json.ts";
import { checkMembers } from "../kernel/preconditions.ts";
import type { Routine } from "./routine.ts";
import { inputOf } from "./routine-input.ts";
import { checkSender } from "./runs/callback.ts";
import { checkedOptions, type RunOptions, startRun } from "./runs/runs.ts";

/** Runs of an autonomous routine at instants. */
export interface RoutineSchedule {
  /** Lower-case letters, digits, `-` and `_`, at most 40. Instants are kept under it. */
  readonly name: string;
  /** The next instant after a time, the same for the same time: `cron("0 3 * * *")`, or `(after) => after + 60_000`. */
  readonly at: (after: number) => number | undefined;
  readonly routine: string | Routine;
  readonly input?: JsonObject;
  readonly options?: Pick<RunOptions, "timeout_seconds" | "keep_seconds" | "callback_url">;
}

/** Kind of the records of the next instants, each with the time that it was counted from. */
const scheduleKind = "routine.schedule";

const namePattern = /^[a-z0-9_-]{1,40}$/u;

/** Checks schedules against the routines of their agent. Throws `agent.invalid`. */
export function checkSchedules(given: readonly RoutineSchedule[], routines: ReadonlyMap<string, Routine>): readonly RoutineSchedule[] {
  const names = new Set<string>();
  const list: unknown = given;
  if (!Array.isArray(list)) throw invalidAgent(`The schedules of routines are a list, got ${seen(given)}.`);
  for (const schedule of given) {
    if (!isPlainObject(schedule) || typeof schedule.name !== "string" || !namePattern.test(schedule.name))
      throw invalidAgent(`A schedule has a name of 1 to 40 lower-case letters, digits, - and _, got ${seen(schedule)}.`);
    const { name, at, routine: named, input, options = {} } = schedule;
    const place = `Schedule "${name}"`;
    if (names.has(name)) throw invalidAgent(`There are two schedules "${name}".`);
    names.add(name);
    if (typeof at !== "function") throw invalidAgent(`${place} needs at, such as cron("0 3 * * *"), got ${seen(at)}.`);
    const routine = routines.get(idOf(named));
    if (routine?.autonomous === undefined) throw invalidAgent(`${place}: there is no autonomous routine ${seen(idOf(named))}.`);
    try {
      inputOf(routine, input);
      checkMembers(options, ["timeout_seconds", "keep_seconds", "callback_url"], "The options of a schedule");
      checkedOptions(routine, options);
    } catch (error) {
      throw invalidAgent(`${place}: ${ThroughlineError.from(error).message}`);
    }
  }
  return Object.freeze([...given]);
}

const idOf = (routine: RoutineSchedule["routine"]): string => (typeof routine === "string" ? routine : routine.id);

/** The schedules of the agents of a process. */
export class Schedules {
  readonly #context: ExtensionContext;
  readonly #all: readonly { readonly agent: string; readonly key: string; readonly schedule: RoutineSchedule }[];
  /** The instants before which nothing needs to be read. */
  readonly #known = new Map<string, number>();

  /** Throws `outbound.refused` for a schedule with a callback that nobody sends. */
  constructor(context: ExtensionContext) {
    this.#context = context;
    this.#all = [...context.agents.values()].flatMap((agent) => {
      const settings: unknown = agent.extensions.find(({ name }) => name === "routines")?.settings;
      // The routines extension declares its settings so.
      const { schedules = [] } = (settings ?? {}) as { readonly schedules?: readonly RoutineSchedule[] };
      if (schedules.some(({ options }) => options?.callback_url !== undefined)) checkSender(context);
      return schedules.map((schedule) => ({ agent: agent.name, key: `${agent.name}/${schedule.name}`, schedule }));
    });
  }

  /** Starts what is due. */
  async look(): Promise<void> {
    const { clock, logger } = this.#context;
    for (const { agent, key, schedule } of this.#all) {
      if ((this.#known.get(key) ?? 0) > clock.now()) continue;
      try {
        await this.#follow(agent, key, schedule);
      } catch (error) {
        const { code } = ThroughlineError.from(error);
        if (code.startsWith("store.")) throw error;
        logger.warn("a schedule failed", { agent, schedule: schedule.name, code }, error);
      }
    }
  }

  async #follow(agent: string, key: string, schedule: RoutineSchedule): Promise<void> {
    const { clock, store, logger } = this.#context;
    const now = clock.now();
    const row = await findRecord(store, scheduleKind, key);
    const { at: due, from } = (row?.data ?? {}) as { readonly at?: number; readonly from?: number };
    // A process follows the record. Only its first look tells whether its schedule is another than the one that chose the instant.
    if (due !== undefined && due > now && (this.#known.has(key) || schedule.at(from ?? now) === due)) {
      this.#known.set(key, due);
      return;
    }
    const isDue = due !== undefined && due <= now;
    if (isDue)
      // A crash after it starts the run again, which meets the same id. Instants that nobody saw fire once, late.
      await startRun(this.#context, idOf(schedule.routine), {
        input: schedule.input,
        options: { ...schedule.options, agent, idempotencyKey: `schedule ${key} ${due}` },
      }).catch((error: unknown) => {
        const { code } = ThroughlineError.from(error);
        if (code.startsWith("store.")) throw error;
        // It would fail again, so it waits for its next instant.
        logger.error("a scheduled run was not started", { agent, schedule: schedule.name, code }, error);
      });
    const next = nextOf(schedule, [(isDue ? due : from) ?? now, now], now);
    const isSame = next?.at === due;
    const change = { kind: scheduleKind, key, data: next ?? null, depends: { version: row?.version ?? 0 } };
    // If another process was faster, the next look reads what it chose.
    if (isSame || (await commitOnce(this.#context, { records: [change] })).outcome === "committed")
      this.#known.set(key, next?.at ?? Number.POSITIVE_INFINITY);
  }
}

/** The next instant of a schedule, counted from the first of these times after which it is still to come. */
function nextOf(schedule: RoutineSchedule, times: readonly number[], now: number): { readonly at: number; readonly from: number } | undefined {
  for (const from of times) {
    const at = schedule.at(from);
    if (at !== undefined && at > now) return { at, from };
  }
  return undefined;
}
