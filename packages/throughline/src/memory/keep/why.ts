/** Why the last turn was told what it was told of the memory: each piece that was found, what its score is made of, and what became of it. */
import type { PromptRecord } from "../../context/assemble.ts";
import type { TurnId, OwnerId } from "../../kernel/id.ts";
import type { Placement, RecallDiagnostics, RecallRecord } from "../recalled.ts";
import { decodeEntry } from "../write/decode.ts";
import { renderDated } from "../write/render.ts";
import type { SessionRow, Store, TurnRow } from "../../store/port.ts";
import { keptPrompt } from "../../extension/kept-requests.ts";
import { itemsOf } from "../../extension/lists.ts";
import { numberIn, ownEvents } from "../../extension/turn-events.ts";

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
  /** The numbers of the recall, with a line for people. */
  readonly diagnostics: RecallDiagnostics;
  readonly items: readonly WhyItem[];
}

/** What a turn recalled, or the last one that recalled anything; undefined if it did not, or none of the last ones. `turn.not_found` for an id that is no turn of the session. */
export async function whyOf(store: Store, session: SessionRow, { turn }: { readonly turn?: string } = {}): Promise<Why | undefined> {
  const { session_id } = session;
  const which = turn === undefined ? { limit: lookBack } : { number: numberIn(session, turn) };
  let looked = 0;
  for await (const row of itemsOf(store, { of: "turns", session_id, order: "desc", ...which })) {
    const why = await whyOfTurn(store, session, row);
    looked += 1;
    if (why !== undefined || looked === lookBack) return why;
  }
  return undefined;
}

async function whyOfTurn(store: Store, session: SessionRow, row: TurnRow): Promise<Why | undefined> {
  const record = (await ownEvents(store, row))
    .flatMap((event) => (event.kind === "turn" && event.data.type === "stage" ? [event.data.recall] : []))
    .findLast((recall) => recall !== undefined) as RecallRecord | undefined;
  if (record === undefined) return undefined;
  const kept = await keptPrompt(store, session, { turn: row.turn_id });
  const items = await Promise.all(record.entries.map((entry) => itemOf(store, session.owner_id, { entry, prompt: kept?.record })));
  return { turn_id: row.turn_id, diagnostics: record.diagnostics, items };
}

async function itemOf(
  store: Store,
  owner_id: OwnerId,
  { entry, prompt }: { readonly entry: RecallRecord["entries"][number]; readonly prompt: PromptRecord | undefined },
): Promise<WhyItem> {
  const { entry_id, placement, score, parts, tokens, catch_up } = entry;
  const [row] = await store.entries({ owner_id, entry_id, newest: true, limit: 1 });
  const kept = row === undefined ? undefined : decodeEntry(row)?.entry;
  return {
    ...{ entry_id, score, parts, tokens },
    // The recall had room for it, and then the prompt may have had none.
    placement: prompt === undefined ? placement : placedBy(prompt, entry_id, placement),
    ...(catch_up === undefined ? {} : { catch_up }),
    text: kept?.type === "fact" || kept?.type === "turn" || kept?.type === "arc" ? (renderDated(kept) ?? null) : null,
  };
}

function placedBy({ parts }: PromptRecord, entry_id: string, placement: Placement): Placement {
  if (placement !== "in prompt") return placement;
  const section = parts.find(({ items }) => items?.some(({ id }) => id === entry_id));
  if (section === undefined)
    return parts.some(({ provenance, placement: whole }) => provenance === "memory" && whole === "dropped: policy") ? "dropped: policy" : placement;
  return section.items?.find(({ id }) => id === entry_id)?.placement ?? placement;
}
