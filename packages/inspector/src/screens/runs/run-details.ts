/** What a run stands at: its input and its position, as the session of the run has them. */
import { RequestError, type ResultOf, type WireJson, type WireJsonObject } from "@throughline/client";
import { client } from "../../base/page-service.ts";

export type Run = ResultOf<"getRun">;
export type RoutineGraph = NonNullable<ResultOf<"getAgent">["routines"]>[number];

/** The statuses of a run, in the order of their filters. */
export const runStatuses = ["queued", "running", "waiting", "completed", "failed", "cancelled"] as const satisfies readonly Run["status"][];

/** Whether a run goes on. */
export const isOpen = ({ finished_at }: Run): boolean => finished_at === undefined;

/** A routine that a run follows, and where it is. */
export interface Frame {
  readonly routine: string;
  readonly node: string;
  readonly visits: Readonly<Record<string, number>>;
  /** When a wait ends. */
  readonly until?: number;
}

export interface RunDetails {
  readonly run: Run;
  /** What it was started with, and the offset at which it was; undefined if the session does not say. */
  readonly start: { readonly input: WireJson | undefined; readonly offset: number } | undefined;
  /** The routine of the run first, then those that it runs. Empty for a run that is over or has not begun. */
  readonly frames: readonly Frame[];
  /** The routine, if its agent is loaded and the key may read state. */
  readonly graph: RoutineGraph | undefined;
  /** Why the session could not be asked. */
  readonly without: RequestError | undefined;
}

const isList = (value: WireJson | undefined): value is readonly WireJson[] => Array.isArray(value);
const isObject = (value: WireJson | undefined): value is WireJsonObject => typeof value === "object" && value !== null && !isList(value);
/** The member of a value; undefined if it has none. */
const memberOf = (value: WireJson | undefined, name: string): WireJson | undefined => (isObject(value) ? value[name] : undefined);

/** Pages of custom events in which the start of a run is sought. */
const mostPages = 5;

async function readStart({ id, session_id }: Run, signal: AbortSignal): Promise<RunDetails["start"]> {
  const session = client().sessions.get(session_id);
  for (let from = 0, pages = 0; pages < mostPages; pages++) {
    const { items, next_offset } = await session.page({ min_offset: from, limit: 1_000, kinds: ["custom"] }, { signal });
    for (const { kind, data, offset } of items) {
      const command = kind === "custom" ? memberOf(data.value, "routine") : undefined;
      if (memberOf(command, "run") === id && memberOf(command, "enter") !== undefined) return { input: memberOf(command, "input"), offset };
    }
    if (next_offset <= from || items.length === 0) return undefined;
    from = next_offset;
  }
  return undefined;
}

/** The frames of a run in the position that the state holds. */
async function readFrames({ id, session_id }: Run, signal: AbortSignal): Promise<readonly Frame[]> {
  const { state } = await client().call("getState", { path: { session_id }, query: { view: "internal" }, signal });
  const position = memberOf(state["routines"], "frames");
  const frames = isList(position) ? position.filter(isObject) : [];
  const first = frames.findIndex((frame) => frame["run"] === id);
  return (first < 0 ? [] : frames.slice(first)).map(({ routine, node, visits, at }) => {
    const nameOf = (value: WireJson | undefined): string => (typeof value === "string" ? value : "");
    const until = memberOf(at, "until");
    const counts = Object.entries(isObject(visits) ? visits : {}).map(([name, count]) => [name, Number(count)] as const);
    return { routine: nameOf(routine), node: nameOf(node), visits: Object.fromEntries(counts), ...(typeof until === "number" ? { until } : {}) };
  });
}

/** Reads a run, and what its session says of it. A session that is gone, or that the key may not read, leaves the rest. */
export async function readRun(run_id: string, signal: AbortSignal): Promise<RunDetails> {
  const run = await client().runs.get(run_id, { signal });
  let without: RequestError | undefined;
  const ask = async <Value>(work: Promise<Value>): Promise<Value | undefined> => {
    try {
      return await work;
    } catch (error) {
      if (!RequestError.is(error) || signal.aborted) throw error;
      without ??= error;
      return undefined;
    }
  };
  const [start, frames, agent] = await Promise.all([
    ask(readStart(run, signal)),
    isOpen(run) ? ask(readFrames(run, signal)) : undefined,
    ask(client().agents.get(run.agent, { signal })),
  ]);
  return { run, start, frames: frames ?? [], graph: agent?.routines?.find(({ id }) => id === run.routine), without };
}
