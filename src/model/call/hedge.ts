import type { Clock } from "../../kernel/clock.ts";
import type { Failure } from "./failure.ts";

/** Opens one request; the signal ends it at once. */
export type Open<Item> = (signal: AbortSignal) => AsyncGenerator<Item | Failure, void, undefined>;

interface Runner<Item> {
  readonly leave: AbortController;
  readonly items: AsyncGenerator<Item | Failure, void, undefined>;
  readonly first: Promise<IteratorResult<Item | Failure, void>>;
}

const isFailure = (item: unknown): item is Failure => typeof item === "object" && item !== null && "type" in item && item.type === "failure";

/**
 * The items of one request, or of two: if the first has shown nothing after `hedgeMs`, a second starts, and the one that begins to answer first
 * is read while the other is ended. A request that fails leaves the field to the other. Whoever stops reading ends both.
 */
export async function* hedged<Item>(
  open: Open<Item>,
  { signal, hedgeMs, clock }: { readonly signal: AbortSignal; readonly hedgeMs: number | undefined; readonly clock: Clock },
): AsyncGenerator<Item | Failure, void, undefined> {
  const runners: Runner<Item>[] = [];
  const start = (): Runner<Item> => {
    const leave = new AbortController();
    const items = open(AbortSignal.any([signal, leave.signal]));
    const first = items.next();
    // The loser is not awaited, and its failure must not end the process.
    first.catch(() => {});
    const runner = { leave, items, first };
    runners.push(runner);
    return runner;
  };
  try {
    const leader = start();
    let winner = leader;
    if (hedgeMs !== undefined && !(await settles(leader.first, hedgeMs, { signal, clock }))) winner = await quicker(leader, start());
    for (const runner of runners) if (runner !== winner) runner.leave.abort();
    const first = await winner.first;
    if (first.done === true) return;
    yield first.value;
    yield* winner.items;
  } finally {
    for (const { leave, items } of runners) {
      leave.abort();
      // Not awaited: the reader has left.
      items.return().catch(() => {});
    }
  }
}

/** Whether the promise settles in time. */
async function settles(
  promise: Promise<unknown>,
  ms: number,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<boolean> {
  const enough = new AbortController();
  const settled = promise.then(
    () => true,
    () => true,
  );
  const waited = clock.sleep(ms, AbortSignal.any([signal, enough.signal])).then(
    () => false,
    () => true,
  );
  try {
    return await Promise.race([settled, waited]);
  } finally {
    enough.abort();
  }
}

/** The runner that begins to answer first; if both fail, the one that began first. */
async function quicker<Item>(one: Runner<Item>, other: Runner<Item>): Promise<Runner<Item>> {
  const answers = async (runner: Runner<Item>): Promise<Runner<Item>> => {
    const { done, value } = await runner.first;
    if (done === true || isFailure(value)) throw new Error("It does not answer.");
    return runner;
  };
  return Promise.any([answers(one), answers(other)]).catch(() => one);
}
