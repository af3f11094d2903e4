/** How the processes on one database tell each other what happened. */
import type { SessionId } from "../../../kernel/id.ts";
import type { DraftPiece } from "../../port.ts";

/** Something that other processes may wait for. It names things and contains no person's text. */
export type News =
  /** The log of a session ends at `head` now. */
  | { readonly of: "head"; readonly session_id: SessionId; readonly head: number }
  /** A turn was queued or released. */
  | { readonly of: "turns" }
  /** Whatever is waited for may have happened. */
  | { readonly of: "anything" }
  /** A draft grew. */
  | { readonly of: "draft"; readonly session_id: SessionId }
  /** A draft is over; `text` is empty. */
  | { readonly of: "draft_end"; readonly piece: DraftPiece & { readonly ended: string } };

export type Hear = (news: News) => void;

/** A driver's way to other processes on the same database. */
export interface Link {
  /** Begins to hear, if it does not yet; resolves when it does, or cannot for now. News of before that may be lost. */
  attend(hear: Hear): Promise<void>;
  /** No reader waits in this process: listening may stop. */
  rest(): void;
  /** Tells the others, soon and without a promise: what is lost is found by their own looks. */
  tell(news: News): void;
}
