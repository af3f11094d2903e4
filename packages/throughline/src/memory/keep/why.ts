/** Explains the recall of a turn: each item found, the components of its score, and its placement. */
import type { PromptRecord } from "../../context/assemble.ts";
import type { TurnId, OwnerId } from "../../kernel/id.ts";
import type { Placement, RecallDiagnostics, RecallRecord } from "../recalled.ts";
import { decodeEntry } from "../write/decode.ts";
import { renderDated } from "../write/render.ts";
import type { SessionRow, Store, TurnRow } from "../../store/port.ts";
import { keptPrompt } from "../../extension/kept-requests.ts";
import { itemsOf } from "../../extension/lists.ts";
import { numberIn, ownEvents } from "../../extension/turn-events.ts";

/** Number of turns searched for the last one that recalled. */
const lookBack = 10;

/** An item that was found. */
export interface WhyItem {
  readonly entry_id: string;
  readonly placement: Placement;
  readonly score: number;
  /** Components of the score. */
  readonly parts: Readonly<Record<string, number>>;
  readonly tokens: number;
  /** Recalled because an episode started. */
  readonly catch_up?: true;
  /** The current line, or null if the entry was forgotten since. */
  readonly text: string | null;
}

/** The recall of a turn. */
export interface Why {
  readonly turn_id: TurnId;
  /** Metrics of the recall, with a readable line. */
  readonly diagnostics: RecallDiagnostics;
  readonly items: readonly WhyItem[];
}

/**
 * Returns the recall of a turn, or of the last turn that recalled. Returns undefined if the turn, or none of the last 10 turns, recalled. Throws
 * `turn.not_found` for an id that is not a turn of the session.
 */
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
    // Recall may have had room for the item when the prompt had none.
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
