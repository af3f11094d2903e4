/** Rounds on one database, with the processes of the service killed, ended and put to sleep all the while. */
import { setTimeout as delay } from "node:timers/promises";
import { openStore } from "../../packages/throughline/src/index.ts";
import { createChooser } from "../../packages/throughline/src/testing/test-clock.ts";
import type { Deed, World } from "./world.ts";
import { startCrew, type Crew } from "./crew.ts";
import { openDoor, type Door } from "./door.ts";
import { judge } from "./law.ts";
import { playRound, type Stage } from "./round.ts";

export interface RunOptions {
  /** Where the store is: a file or a postgres:// URL. It is empty. */
  readonly location: string;
  readonly rounds: number;
  readonly seed: number;
  /** Called after each round. */
  readonly progress?: (done: number) => void;
}

const noFigures = {
  ...{ sessions: 0, forks: 0, deleted: 0, events: 0, delivered: 0, drafts: 0 },
  ...{ deeds: 0, done: 0, refused: 0, unknown: 0, lost_answers: 0, resent: 0, replayed: 0 },
  ...{ answered: 0, stopped: 0, superseded: 0, poisoned: 0, retried: 0, withdrawn: 0, lost: 0, doubled: 0 },
  ...{ kills: 0, deaths: 0, drains: 0, sleeps: 0, connections_cut: 0, connections_lost: 0 },
};

/** What a run was made of, added up. */
export type Figures = typeof noFigures;

export interface Report {
  readonly figures: Figures;
  /** How often each deed was done. */
  readonly done: Readonly<Record<string, number>>;
  /** Each with its round. */
  readonly violations: readonly string[];
  /** Rounds that broke a law, as JSON. */
  readonly worlds: readonly World[];
}

/** Harms a process now and then until it is told to stop. */
function harming(crew: Crew, dice: Stage["dice"]): { readonly stop: () => Promise<void> } {
  const over = new AbortController();
  const done = (async () => {
    for (;;) {
      await delay(dice.integer(200, 1_400), undefined, { signal: over.signal }).catch(() => {});
      if (over.signal.aborted) return;
      await crew.harm(dice);
    }
  })();
  return {
    stop: () => {
      over.abort();
      return done;
    },
  };
}

const outcomeOf = ({ told: [first] }: Deed): "done" | "refused" | "unknown" =>
  first === undefined ? "unknown" : first.status < 300 ? "done" : "refused";

/** Plays rounds, and judges each. */
export async function run({ location, rounds, seed, progress }: RunOptions): Promise<Report> {
  const dice = createChooser(seed);
  const figures: Record<keyof Figures, number> = { ...noFigures };
  const done: Record<string, number> = {};
  const violations: string[] = [];
  const worlds: World[] = [];
  let marks = 0;
  // The first to open an empty database makes its schema.
  const store = await openStore(location);
  const crew = await startCrew(location, () => dice.integer(0, 2 ** 31));
  const doors: readonly Door[] = await Promise.all([0, 1].map((place) => openDoor(() => crew.port(place), dice)));
  try {
    for (let number = 1; number <= rounds; number++) {
      const count = { lost: 0, resent: 0, replayed: 0 };
      const wrong = (text: string): void => void violations.push(`round ${number}: ${text}`);
      const mark = (): string => `m${String(++marks).padStart(7, "0")}`;
      const harm = harming(crew, dice);
      const stage: Stage = { ...{ dice, doors: doors.map(({ url }) => url), deeds: [], mark, count, store, number, wrong } };
      const before = violations.length;
      const world = await playRound(stage, harm.stop);
      const { violations: broken, ...verdict } = judge(world);
      for (const text of broken) wrong(text);
      for (const text of crew.wrong.splice(0)) wrong(text);
      if (violations.length > before) worlds.push(world);
      add(figures, verdict);
      add(figures, figuresOf(world));
      add(figures, { lost_answers: count.lost, resent: count.resent, replayed: count.replayed });
      for (const { type } of world.deeds.filter((deed) => outcomeOf(deed) === "done")) done[type] = (done[type] ?? 0) + 1;
      progress?.(number);
    }
    add(figures, { ...crew.toll });
    for (const { harm } of doors) add(figures, { connections_cut: harm.cut, connections_lost: harm.lost });
    return { figures, done, violations, worlds };
  } finally {
    for (const door of doors) door.close();
    await crew.close();
    await store.close();
  }
}

function add(figures: Record<keyof Figures, number>, more: Partial<Figures>): void {
  for (const [name, count] of Object.entries(more)) figures[name as keyof Figures] += count;
}

function figuresOf({ sessions, deleted, deeds }: World): Partial<Figures> {
  const outcomes = deeds.map(outcomeOf);
  const count = (outcome: ReturnType<typeof outcomeOf>): number => outcomes.filter((one) => one === outcome).length;
  const logs = sessions.flatMap(({ events }) => events);
  return {
    sessions: sessions.length,
    forks: sessions.filter(({ origin }) => origin !== undefined).length,
    deleted: deleted.length,
    deeds: deeds.length,
    ...{ done: count("done"), refused: count("refused"), unknown: count("unknown") },
    retried: logs.filter(({ kind, data }) => kind === "turn" && data.type === "started" && data.cause === "retry").length,
    withdrawn: logs.filter(({ kind, data }) => kind === "session" && data.type === "withdrawn").length,
  };
}
