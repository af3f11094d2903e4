/** `events tail`: follows the events of all sessions. */
import { eventsOfAppend, followAppends } from "throughline/internal/runtime";
import type { Event } from "throughline";
import { type CommandContext, withStore } from "../command-context.ts";
import { describeEvent } from "../describe-event.ts";
import { cut } from "../terminal-text.ts";
import { parseKinds } from "./log-commands.ts";

/** `events tail`: prints each event of any session as it is committed, one per line, until SIGINT or SIGTERM. Starts with new events by default. */
export async function tailEvents(
  context: CommandContext,
  { after, kinds: only, limit = Number.POSITIVE_INFINITY }: { readonly after?: number; readonly kinds?: string; readonly limit?: number },
): Promise<void> {
  const { output } = context;
  const kinds = only === undefined ? undefined : parseKinds(only);
  const done = new AbortController();
  const end = (): void => done.abort();
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.once(signal, end);
  try {
    await withStore(context, async (store) => {
      const from = after ?? (await store.appends({ after: Number.MAX_SAFE_INTEGER, limit: 1 })).last;
      let left = limit;
      for await (const appends of followAppends(store, { after: from, signal: done.signal }))
        for (const append of appends)
          for (const event of (await eventsOfAppend(store, append, { kinds }))?.events ?? []) {
            if (done.signal.aborted) return;
            const { position } = append;
            output.out.line(output.json ? JSON.stringify({ position, event }) : cut(lineOf(position, event), output.out.columns(200)));
            if (--left === 0) return;
          }
    });
  } finally {
    for (const signal of signals) process.off(signal, end);
  }
}

const lineOf = (position: number, event: Event): string =>
  `${position}  ${event.session_id} ${event.offset}  ${new Date(event.created_at).toISOString()}  ${event.kind}  ${event.source}  ${describeEvent(event)}`;
