/** How the processes on one database notify each other. */
import type { SessionId } from "../../../kernel/id.ts";
import type { DraftPiece } from "../../port.ts";

/** Something that other processes may wait for. It contains ids and no personal data. */
export type News =
  /** The log of a session has a new `head`. */
  | { readonly of: "head"; readonly session_id: SessionId; readonly head: number }
  /** A turn was queued or released. */
  | { readonly of: "turns" }
  /** Anything may have happened. */
  | { readonly of: "anything" }
  /** A draft grew. */
  | { readonly of: "draft"; readonly session_id: SessionId }
  /** A draft has ended. `text` is empty. */
  | { readonly of: "draft_end"; readonly piece: DraftPiece & { readonly ended: string } };

export type Hear = (news: News) => void;

/** A driver's link to other processes on the same database. */
export interface Link {
  /** Starts to listen if necessary. Resolves when it listens, or cannot for now. Earlier news may be lost. */
  attend(hear: Hear): Promise<void>;
  /** No reader waits in this process, so listening may stop. */
  rest(): void;
  /** Notifies the other processes soon, without a guarantee. Their polls find what is lost. */
  tell(news: News): void;
}
