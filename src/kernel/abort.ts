/** Resolves with the result of `work`. When the signal aborts, rejects immediately with the signal's reason and does not wait for `work`. */
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

/** Yields the items of `items` until the signal aborts. Then throws the signal's reason immediately, even if the source ignores the signal. */
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
    // Not awaited, because a hanging source would block the caller.
    if (open) Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
