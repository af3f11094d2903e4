/** Why the last turn was told what it was told of the memory: each piece that was found, what its score is made of, and what became of it. */
import type { PromptRecord } from "../context/prompt-record.ts";
import type { Recallable } from "../memory/entry.ts";
import type { Placement, RecallRecord } from "../memory/recalled.ts";
import { renderDated } from "../memory/write/render.ts";
import { keptPrompt } from "../runtime/kept-requests.ts";
import { itemsOf } from "../runtime/lists.ts";
import { ownEvents } from "../runtime/turns.ts";
import type { TurnId, OwnerId } from "../kernel/id.ts";
import type { SessionRow, Store } from "../store/port.ts";

/** Turns that are looked at for the last one that recalled something. */
const lookBack = 10;

/** A piece that was found. */
export interface WhyItem {
  readonly entry_id: string;
  readonly placement: Placement;
  readonly score: number;
  /** What the score is made of. */
  readonly parts: Readonly<Record<string, number>>;
  readonly tokens: number;
  /** Told because an episode began. */
  readonly catch_up?: true;
  /** The line as it is now; null for one that has been forgotten since. */
  readonly text: string | null;
}

/** What a turn recalled. */
export interface Why {
  readonly turn_id: TurnId;
  /** One line: what was found, of how much, and how. */
  readonly note: string;
  readonly floor: number;
  readonly top_score: number;
  readonly items: readonly WhyItem[];
}

/** What the last turn recalled that recalled anything; undefined if none of the last ones did. */
export async function whyOf(store: Store, session: SessionRow): Promise<Why | undefined> {
  const { session_id, owner_id } = session;
  let looked = 0;
  for await (const row of itemsOf(store, { of: "turns", session_id, order: "desc", limit: lookBack })) {
    const record = (await ownEvents(store, row))
      .flatMap((event) => (event.kind === "turn" && event.data.type === "stage" ? [event.data.recall] : []))
      .findLast((recall) => recall !== undefined) as RecallRecord | undefined;
    if (record !== undefined) {
      const { retrieval_note, floor, top_score } = record.diagnostics;
      const kept = await keptPrompt(store, session, { turn: row.turn_id });
      const items = await Promise.all(record.entries.map((entry) => itemOf(store, owner_id, { entry, prompt: kept?.record })));
      return { turn_id: row.turn_id, note: retrieval_note, floor, top_score, items };
    }
    looked += 1;
    if (looked === lookBack) return undefined;
  }
  return undefined;
}

async function itemOf(
  store: Store,
  owner_id: OwnerId,
  { entry, prompt }: { readonly entry: RecallRecord["entries"][number]; readonly prompt: PromptRecord | undefined },
): Promise<WhyItem> {
  const { entry_id, placement, score, parts, tokens, catch_up } = entry;
  const [row] = await store.entries({ owner_id, entry_id, newest: true, limit: 1 });
  const data = row?.data as Recallable | null | undefined;
  return {
    ...{ entry_id, score, parts, tokens },
    // The recall had room for it, and then the prompt may have had none.
    placement: prompt === undefined ? placement : placedBy(prompt, entry_id, placement),
    ...(catch_up === undefined ? {} : { catch_up }),
    text: data === undefined || data === null ? null : (renderDated(data) ?? null),
  };
}

function placedBy({ parts }: PromptRecord, entry_id: string, placement: Placement): Placement {
  if (placement !== "in prompt") return placement;
  const section = parts.find(({ items }) => items?.some(({ id }) => id === entry_id));
  if (section === undefined)
    return parts.some(({ provenance, placement: whole }) => provenance === "memory" && whole === "dropped: policy") ? "dropped: policy" : placement;
  return section.items?.find(({ id }) => id === entry_id)?.placement ?? placement;
}
