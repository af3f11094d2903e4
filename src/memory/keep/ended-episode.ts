/** Ending an episode and waiting for what it leaves behind, for whoever wants to say goodbye with it. */
import type { ExtensionContext } from "../../extension/port.ts";
import { arcEntryId, type Arc } from "../entry.ts";
import { decodeEntry } from "../write/decode.ts";
import type { SessionRow } from "../../store/port.ts";
import type { EpisodeReport } from "./closing-record.ts";
import { memoryOf } from "../settings.ts";
import { closeEpisodes } from "./keeper-of.ts";
import { isIncognito } from "../../session/session-marks.ts";

/** What an episode that has ended left in memory. */
export interface EndedEpisode {
  readonly episode: number;
  /** Whether something of it is remembered now. */
  readonly finalized: boolean;
  /** In 2 to 4 sentences; null without one. */
  readonly summary: string | null;
  /** What was written, or why nothing was, in a sentence. */
  readonly detail: string;
  readonly themes: readonly string[];
  readonly mood_opened: string | null;
  readonly mood_closed: string | null;
  /** Messages of the person that the summary is about. */
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

/** What became of the episode that a session has ended last: closed now, if nobody has done so. */
export async function endedEpisode(runtime: ExtensionContext, session: SessionRow): Promise<EndedEpisode> {
  const episode = session.episode - 1;
  const reports = await closeEpisodes(runtime, session);
  const report = reports.find((one) => one.session_id === session.session_id && one.episode === episode);
  const arc = await arcOf(runtime, session, episode);
  const told = report === undefined ? (arc === undefined ? [] : ["a summary"]) : written(report, arc);
  const finalized = told.length > 0;
  return {
    episode,
    finalized,
    summary: arc?.summary ?? null,
    detail: finalized ? `Remembered: ${told.join(", ")}.` : whyNothing(runtime, session, report),
    themes: arc?.themes ?? [],
    mood_opened: arc?.mood?.opened ?? null,
    mood_closed: arc?.mood?.closed ?? null,
    turn_count: arc?.turn_count ?? 0,
    open_loops: arc?.open_loops ?? [],
    resolved_threads: arc?.resolved ?? [],
  };
}
