import { foldState } from "../../session/fold.ts";
import type { Event } from "../../session/event.ts";
import { changesBetween, type FieldChange } from "../changes.ts";
import { firstOffsetOf, loadAt, readEvents } from "../reading.ts";
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
  let cursor: string | undefined;
  do {
    const page = await store.list({ of: "turns", session_id, order: "desc", limit: 100, ...(cursor === undefined ? {} : { cursor }) });
    for (const turn of page.items) {
      const first = turns < count ? await firstOffsetOf(store, turn) : undefined;
      if (first === undefined) continue;
      from = Math.min(from ?? first, first);
      turns += 1;
    }
    cursor = page.next_cursor ?? undefined;
  } while (turns < count && cursor !== undefined);
  if (from === undefined) return undefined;
  const before = foldState(await loadAt(store, session_id)).document;
  const { events } = await readEvents(store, { session_id, min_offset: from, limit: 1000 });
  await open.withdraw({ from });
  return { turns, events, changes: changesBetween(before, foldState(await loadAt(store, session_id)).document) };
}
