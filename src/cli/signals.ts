/** Ending when told to: by SIGTERM or SIGINT, in peace; by a second one, at once. */

/** What was heard. */
export interface Signals {
  readonly first: Promise<NodeJS.Signals>;
  readonly second: Promise<NodeJS.Signals>;
  stop(): void;
}

/** Listens for the signals that end a process. */
export function listenForSignals(): Signals {
  const first = Promise.withResolvers<NodeJS.Signals>();
  const second = Promise.withResolvers<NodeJS.Signals>();
  let heard = 0;
  const hear = (signal: NodeJS.Signals): void => {
    heard += 1;
    (heard === 1 ? first : second).resolve(signal);
  };
  const names = ["SIGTERM", "SIGINT"] as const;
  for (const name of names) process.on(name, hear);
  return {
    first: first.promise,
    second: second.promise,
    stop: () => {
      for (const name of names) process.off(name, hear);
    },
  };
}

/** Milliseconds after the second signal until what does not answer is left behind: its leases run out by themselves. */
const patienceMs = 2_000;

/** Ends what is under way within `drainMs`, and after the second signal at once. `close` may be called a second time. */
export async function drain(
  close: (options: { readonly drainMs: number }) => Promise<void>,
  drainMs: number,
  hurry: Promise<unknown>,
): Promise<void> {
  const hurried = hurry.then(async () => {
    const timer = Promise.withResolvers<void>();
    setTimeout(timer.resolve, patienceMs);
    await Promise.race([close({ drainMs: 0 }), timer.promise]);
  });
  await Promise.race([close({ drainMs }), hurried]);
}
