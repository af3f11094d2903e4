/** `events tail`: follows the events of all sessions. */
import { eventsOfAppend, followAppends } from "throughline/internal/runtime";
import type { Event } from "throughline";
import { ThroughlineError } from "throughline/kernel";
import { type CommandContext, withStore } from "../command-context.ts";
import { describeEvent } from "../describe-event.ts";
import { cut } from "../terminal-text.ts";
import { parseKinds } from "./log-commands.ts";

/** `events tail`: prints each event of any session as it is committed, one per line, until SIGINT or SIGTERM. Starts with new events by default. */
export async function tailEvents(
  context: CommandContext,
  { after, kinds, limit = Number.POSITIVE_INFINITY }: { readonly after?: number; readonly kinds?: string; readonly limit?: number },
): Promise<void> {
  const { output } = context;
  const filter = kinds === undefined ? {} : { kinds: parseKinds(kinds) };
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.once(signal, end);
  let printed = 0;
  const print = (position: number, event: Event): void => {
    if (ended.signal.aborted) return;
    output.out.line(output.json ? JSON.stringify({ position, event }) : cut(lineOf(position, event), output.out.columns(200)));
    printed += 1;
    if (printed === limit) end();
  };
  try {
    await withStore(context, async (store) => {
      const { last } = await store.appends({ after: after ?? Number.MAX_SAFE_INTEGER, limit: 1 });
      const from = after ?? last;
      if (from > last) throw new ThroughlineError("cursor.invalid", `--after ${from} is after the last position, ${last}.`);
      for await (const appends of followAppends(store, { after: from, limit: 16, signal: ended.signal }))
        for (const append of appends) for (const event of (await eventsOfAppend(store, append, filter))?.events ?? []) print(append.position, event);
    });
  } finally {
    for (const signal of signals) process.off(signal, end);
  }
}

const lineOf = (position: number, event: Event): string =>
  `${position}  ${event.session_id} ${event.offset}  ${new Date(event.created_at).toISOString()}  ${event.kind}  ${event.source}  ${describeEvent(event)}`;
