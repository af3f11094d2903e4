import type { Event } from "../../session/event.ts";
import { changesBetween, type FieldChange } from "../changes.ts";
import { documentAt, firstOffsetOf, readEvents, turnsOf } from "../reading.ts";
import type { Conversation } from "./conversation.ts";

/** What was taken back. */
interface Rewound {
  readonly turns: number;
  readonly events: readonly Event[];
  readonly changes: readonly FieldChange[];
}

/** Withdraws the last turns that are visible; undefined if there is none. */
export async function rewind({ session, store }: Conversation, count: number): Promise<Rewound | undefined> {
  const open = await session();
  const session_id = open.id;
  let from: number | undefined;
  let turns = 0;
  for await (const turn of turnsOf(store, session_id)) {
    const first = await firstOffsetOf(store, turn);
    if (first === undefined) continue;
    from = Math.min(from ?? first, first);
    if (++turns === count) break;
  }
  if (from === undefined) return undefined;
  const before = await documentAt(store, session_id);
  const { events } = await readEvents(store, { session_id, min_offset: from, limit: 1000 });
  await open.withdraw({ from });
  return { turns, events, changes: changesBetween(before, await documentAt(store, session_id)) };
}
