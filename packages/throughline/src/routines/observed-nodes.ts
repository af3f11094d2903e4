/** Visits of nodes as observers see them: from the arrival at a node, or the start of the turn, to the departure, or the end of the turn. */
import type { ExtensionTurn, WorkEnd } from "../extension/port.ts";
import type { Claim } from "../store/port.ts";
import type { Frame } from "./position.ts";
import type { Routine } from "./routine.ts";

type VisitEnd = NonNullable<WorkEnd["visit"]>;

/** A visit that goes on. */
interface Visit {
  readonly key: string;
  readonly end: (how: VisitEnd) => void;
  /** Resolves once all observers have seen the end. */
  readonly seen: Promise<unknown>;
}

/** The visits of each running turn, that of the lowest routine first. */
const visits = new WeakMap<Claim, Visit[]>();

/** Ends the visits of nodes that the turn has left, and begins those of nodes at which it has arrived. `how`: how the former end. */
export function visitNodes(
  turn: ExtensionTurn,
  frames: readonly Frame[],
  { routines, how = "left" }: { readonly routines: ReadonlyMap<string, Routine>; readonly how?: VisitEnd },
): void {
  const open = visits.get(turn.claim) ?? [];
  visits.set(turn.claim, open);
  let same = 0;
  while (same < open.length && same < frames.length && open[same]?.key === keyOf(frames[same])) same += 1;
  for (const visit of open.splice(same).toReversed()) visit.end(how);
  for (const frame of frames.slice(same)) open.push(begun(turn, frame, routines));
}

/** Ends the visits of a turn that ends. */
export async function endVisits({ claim }: ExtensionTurn): Promise<void> {
  const open = visits.get(claim) ?? [];
  visits.delete(claim);
  for (const visit of open.toReversed()) visit.end("waiting");
  await Promise.all(open.map(({ seen }) => seen));
}

const keyOf = (frame: Frame | undefined): string =>
  frame === undefined ? "" : [frame.routine, frame.since, frame.node, frame.visits[frame.node] ?? 0].join(" ");

function begun(turn: ExtensionTurn, frame: Frame, routines: ReadonlyMap<string, Routine>): Visit {
  const { promise, resolve } = Promise.withResolvers<VisitEnd>();
  const { routine, version, node: name } = frame;
  const does = routines.get(routine)?.nodes[name]?.kind ?? "unknown";
  const seen = turn.observed(
    { kind: "node", name, routine, version, does },
    () => promise,
    (visit) => ({ visit }),
  );
  return { key: keyOf(frame), end: resolve, seen };
}
