import { ThroughlineError } from "../../kernel/error.ts";
import type { Event } from "../../session/event.ts";
import { type EventKind, eventKinds } from "../../store/port.ts";
import { type CommandContext, withStore } from "../context.ts";
import { describeEvent } from "../describe-event.ts";
import { chosenSession, readEvents } from "../reading.ts";
import { cut, table } from "../text.ts";

export interface ListEventsOptions {
  readonly session?: string;
  readonly minOffset: number;
  readonly kinds?: readonly EventKind[];
  readonly limit: number;
  readonly withdrawn: boolean;
}

/** Kinds of events from a list with commas; `cli.usage` names those there are. */
export function parseKinds(text: string): readonly EventKind[] {
  const names = text.split(",").map((name) => name.trim());
  const wrong = names.find((name) => !eventKinds.some((kind) => kind === name));
  if (wrong === undefined) return eventKinds.filter((kind) => names.includes(kind));
  throw new ThroughlineError("cli.usage", `"${wrong}" is not a kind of event.`, { hint: `The kinds are ${eventKinds.join(", ")}.` });
}

/** `events list`: from an offset on, oldest first. */
export async function listEvents(context: CommandContext, options: ListEventsOptions): Promise<void> {
  const { output } = context;
  const { minOffset, kinds, limit, withdrawn } = options;
  const page = await withStore(context, async (store) => {
    const { session_id } = await chosenSession(store, options.session);
    return {
      session_id,
      ...(await readEvents(store, {
        session_id,
        ...(minOffset === 0 ? {} : { min_offset: minOffset }),
        limit,
        withdrawn,
        ...(kinds === undefined ? {} : { kinds }),
      })),
    };
  });
  if (output.json) return output.document({ session_id: page.session_id, events: page.events, next_offset: page.next_offset, head: page.head });
  if (page.events.length > 0) output.out.line(eventLines(page.events, output.out.columns(160)));
  if (page.next_offset <= page.head) output.err.line(output.err.paint("dim", `more with --min-offset ${page.next_offset} (head ${page.head})`));
}

/** Events, one a line of at most `width` columns. */
export function eventLines(events: readonly Event[], width: number): string {
  const digits = String(events.at(-1)?.offset ?? 0).length;
  const rows = events.map((event) => [
    String(event.offset).padStart(digits),
    new Date(event.created_at).toISOString(),
    event.kind,
    event.source,
    describeEvent(event),
  ]);
  return table(rows)
    .split("\n")
    .map((line) => cut(line, width))
    .join("\n");
}
