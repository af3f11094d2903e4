/** What the measurements of the service share. */
import type { Engine } from "./engine.ts";
import type { Sender } from "./load.ts";
import type { ServiceChild } from "./service-child.ts";

/** Two services on one database, and sessions in it. */
export interface ServiceBench {
  readonly engine: Engine;
  readonly quick: boolean;
  /** How long memory is watched. */
  readonly minutes: number;
  readonly first: ServiceChild;
  readonly second: ServiceChild;
  /** Sends to the first one. */
  readonly sender: Sender;
  readonly sessions: readonly string[];
}

/** What is posted: it queues no turn. */
export const message = { kind: "message", source: "human_agent", text: "One moment, please.", participant: { display_name: "Ada" } };

/** The offset of the event that an answer holds. */
export const offsetOf = (text: string): number => (JSON.parse(text) as { readonly offset: number }).offset;
