/** Gives a contestant the conversation and measures it at each mark. */
import type { Contestant, Conversation } from "./contestant.ts";
import type { Place } from "./places.ts";
import { turnOf } from "./text.ts";

/** What was measured when the conversation had so many turns. Times are milliseconds, medians. */
export interface Mark {
  readonly turns: number;
  /** Bytes of the database, less those of an empty one, for each turn. */
  readonly bytesPerTurn: number;
  readonly commit: number;
  readonly commitP95: number;
  readonly load: number;
  readonly loadTurn10?: number;
  readonly append?: number;
  readonly fork?: number;
  readonly forkBytes?: number;
  readonly history?: number;
}

export interface Measured {
  readonly contestant: Contestant;
  readonly durability: string;
  readonly marks: readonly Mark[];
  readonly remove: number;
  readonly lost?: number;
}

const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};
const median = (values: readonly number[]): number => quantile(values, 0.5);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

async function medianOf(times: number, work: (index: number) => Promise<unknown>): Promise<number> {
  const samples: number[] = [];
  for (let index = 0; index < times; index++) samples.push(await timed(() => work(index)));
  return median(samples);
}

/** What reads: it leaves the conversation as it was, so that the next mark's commits go on from there. */
async function atMark(conversation: Conversation, place: Place, turns: number, last: readonly number[], empty: number): Promise<Mark> {
  const bytes = await place.bytes();
  const expected = Math.min(20, turns * 2);
  const returned = await conversation.load();
  if (returned < expected) throw new Error(`It returned ${returned} of the last ${expected} messages.`);
  const load = await medianOf(7, () => conversation.load());
  return {
    turns,
    bytesPerTurn: (bytes - empty) / turns,
    commit: median(last),
    commitP95: quantile(last, 0.95),
    load,
    ...(conversation.loadTurn10 && { loadTurn10: await medianOf(5, async () => conversation.loadTurn10?.()) }),
    ...(conversation.history && { history: await medianOf(3, async () => conversation.history?.()) }),
  };
}

/** What changes the conversation is measured once it is long. */
async function atEnd(conversation: Conversation, place: Place, mark: Mark): Promise<Mark> {
  const before = await place.bytes();
  const forkMs = conversation.fork && (await medianOf(5, async (index) => conversation.fork?.(index)));
  const after = await place.bytes();
  const appendMs = conversation.append && (await medianOf(20, async (index) => conversation.append?.(index)));
  return {
    ...mark,
    ...(forkMs === undefined ? {} : { fork: forkMs, forkBytes: (after - before) / 5 }),
    ...(appendMs === undefined ? {} : { append: appendMs }),
  };
}

export async function measure(contestant: Contestant, place: Place, marks: readonly number[]): Promise<Measured> {
  const opened = await contestant.open(place.location);
  try {
    // The first conversation makes whatever is made once: tables, prepared statements, compiled code.
    const first = await opened.begin("first");
    await first.commit(turnOf(1));
    await first.remove();
    const empty = await place.bytes();
    const conversation = await opened.begin("measured");
    const measured: Mark[] = [];
    let last: number[] = [];
    const wanted = marks.filter((mark) => mark <= (contestant.most ?? Number.POSITIVE_INFINITY));
    for (let number = 1; number <= (wanted.at(-1) ?? 0); number++) {
      last = [...last.slice(-19), await timed(() => conversation.commit(turnOf(number)))];
      if (wanted.includes(number)) measured.push(await atMark(conversation, place, number, last, empty));
    }
    const end = measured.pop();
    if (end !== undefined) measured.push(await atEnd(conversation, place, end));
    const lost = await opened.lostOfPairs?.();
    const remove = await timed(() => conversation.remove());
    return { contestant, durability: await opened.durability(), marks: measured, remove, ...(lost === undefined ? {} : { lost }) };
  } finally {
    await opened.close();
  }
}
