/** Reports about a session for callers: the recall of a turn with its reasons, and what the last ended episode left in memory. */
import { present } from "../../kernel/json.ts";
import type { PromptRecord } from "../../context/assemble.ts";
import { keptPrompt } from "../../extension/kept-requests.ts";
import { itemsOf } from "../../extension/lists.ts";
import type { ExtensionContext } from "../../extension/port.ts";
import { numberIn, ownEvents } from "../../extension/turn-events.ts";
import type { OwnerId, TurnId } from "../../kernel/id.ts";
import { isIncognito } from "../../session/session-view.ts";
import type { SessionRow, Store, TurnRow } from "../../store/port.ts";
import { type Arc, arcEntryId } from "../entry.ts";
import type { Placement, RecallDiagnostics, RecallRecord } from "../recalled.ts";
import { memoryOf } from "../memory-settings.ts";
import { decodeEntry } from "../write/decode.ts";
import { renderDated } from "../write/render.ts";
import { closeEpisodes, type EpisodeReport } from "./memory-work.ts";

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
    ...present({ catch_up }),
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

/** What an ended episode left in memory. */
export interface EndedEpisode {
  readonly episode: number;
  /** Whether anything of the episode is remembered. */
  readonly finalized: boolean;
  /** 2 to 4 sentences, or null if there is no summary. */
  readonly summary: string | null;
  /** One sentence: what was written, or why nothing was. */
  readonly detail: string;
  readonly themes: readonly string[];
  readonly mood_opened: string | null;
  readonly mood_closed: string | null;
  /** Number of the user's messages that the summary covers. */
  readonly turn_count: number;
  readonly open_loops: readonly string[];
  readonly resolved_threads: readonly string[];
}

async function arcOf({ store }: Pick<ExtensionContext, "store">, { owner_id, session_id }: SessionRow, episode: number): Promise<Arc | undefined> {
  const [row] = await store.entries({ owner_id, entry_id: arcEntryId(session_id, episode), newest: true, limit: 1 });
  const entry = row === undefined ? undefined : decodeEntry(row)?.entry;
  return entry?.type === "arc" ? entry : undefined;
}

const counted = (count: number, what: string): readonly string[] => (count === 0 ? [] : [`${count} ${what}${count === 1 ? "" : "s"}`]);

function written({ written: facts, bumped, rules }: EpisodeReport, arc: Arc | undefined): readonly string[] {
  return [
    ...counted(facts.length, "fact"),
    ...(bumped.length === 0 ? [] : [...counted(bumped.length, "fact").map((one) => `${one} again`)]),
    ...counted(rules.length, "rule"),
    ...(arc === undefined ? [] : ["a summary"]),
  ];
}

function whyNothing(runtime: ExtensionContext, session: SessionRow, report: EpisodeReport | undefined): string {
  if (memoryOf(runtime.agents.get(session.agent)) === undefined) return "Nothing is remembered: the agent has no memory.";
  if (isIncognito(session)) return "Nothing is remembered: the session is incognito.";
  if (report === undefined) return "It left no fact, rule or summary so far.";
  return report.privacy === undefined ? "It left no fact, rule or summary." : "Nothing is remembered, as the person asked.";
}

/** Returns the result of the session's last ended episode. Closes it now if that has not happened yet. */
export async function endedEpisode(runtime: ExtensionContext, session: SessionRow): Promise<EndedEpisode> {
  const episode = session.episode - 1;
  const reports = await closeEpisodes(runtime, session);
  const report = reports.find((one) => one.session_id === session.session_id && one.episode === episode);
  const arc = await arcOf(runtime, session, episode);
  const left = report === undefined ? (arc === undefined ? [] : ["a summary"]) : written(report, arc);
  const finalized = left.length > 0;
  return {
    episode,
    finalized,
    summary: arc?.summary ?? null,
    detail: finalized ? `Remembered: ${left.join(", ")}.` : whyNothing(runtime, session, report),
    themes: arc?.themes ?? [],
    mood_opened: arc?.mood?.opened ?? null,
    mood_closed: arc?.mood?.closed ?? null,
    turn_count: arc?.turn_count ?? 0,
    open_loops: arc?.open_loops ?? [],
    resolved_threads: arc?.resolved ?? [],
  };
}
