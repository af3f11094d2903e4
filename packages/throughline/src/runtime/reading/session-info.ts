import type { SessionId } from "../../kernel/id.ts";
import { deepFreeze } from "../../kernel/json.ts";
import { isIncognito } from "../../session/session-view.ts";
import { metadataOf, type Metadata } from "../../session/session-variables.ts";
import type { SessionMode, SessionRow } from "../../store/port.ts";

/** A session's header, without its log. */
export interface SessionInfo {
  readonly id: SessionId;
  readonly agent: string;
  readonly definition: number;
  readonly customer_id: string | undefined;
  /** The session that it was forked from, and the last shared offset. The id is absent if that session has been deleted. */
  readonly origin: SessionRow["origin"];
  readonly mode: SessionMode;
  /** Status of its last handover. Undefined if it was never handed over. */
  readonly handover: SessionRow["handover"];
  readonly title: string | null;
  readonly labels: readonly string[];
  /** Data for the integration. The agent never sees it. */
  readonly metadata: Metadata;
  readonly consumers: Readonly<Record<string, number>>;
  /** The session stores no memories and recalls none. */
  readonly incognito?: true;
  readonly episode: number;
  /** Number of the last turn, which may be queued: how many turns there were. A fork counts on from its origin's turns. */
  readonly turns: number;
  readonly head: number;
  readonly created_at: number;
  readonly updated_at: number;
  /** Increases with each change of mode, title, metadata, labels and consumers. */
  readonly version: number;
}

/** Converts the row of a session for callers. */
export const toInfo = (row: SessionRow): SessionInfo =>
  deepFreeze({
    id: row.session_id,
    agent: row.agent,
    definition: row.agent_version,
    customer_id: row.customer_id,
    origin: row.origin,
    mode: row.mode,
    handover: row.handover,
    title: row.title,
    labels: row.labels,
    metadata: metadataOf(row.metadata),
    consumers: row.consumers,
    ...(isIncognito(row) ? { incognito: true as const } : {}),
    episode: row.episode,
    turns: row.last_turn,
    head: row.head,
    created_at: row.created_at,
    updated_at: row.updated_at,
    version: row.version,
  });
