/** What `work` resolves with, or the signal's reason as soon as it aborts: work that does not listen to the signal is not waited for. */
export async function abortable<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  if (signal.aborted) {
    work.catch(() => {});
    throw signal.reason;
  }
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
    work.catch(() => {});
  }
}

/** The items of `items` until the signal aborts, which throws its reason at once, also from a source that does not listen. */
export async function* abortableItems<Item>(items: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item, void, undefined> {
  const iterator = items[Symbol.asyncIterator]();
  let open = true;
  try {
    for (;;) {
      const next = await abortable(iterator.next(), signal);
      if (next.done === true) {
        open = false;
        return;
      }
      yield next.value;
    }
  } finally {
    // Not awaited: a hanging source would block a caller that has left.
    if (open) Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
