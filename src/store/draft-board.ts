import type { SessionId } from "../kernel/id.ts";
import type { DraftPiece } from "./port.ts";

type Listener = (piece: DraftPiece) => void;

/** What is open of a session's drafts, and who watches them, within one process. */
export class DraftBoard {
  readonly #open = new Map<SessionId, DraftPiece>();
  readonly #listeners = new Map<SessionId, Set<Listener>>();

  /** Shows a piece to the listeners. A draft of a later epoch or message replaces the one before. */
  write(piece: DraftPiece): void {
    const open = this.#open.get(piece.session_id);
    if (open !== undefined && open.epoch > piece.epoch) return;
    if (piece.ended !== undefined) this.#open.delete(piece.session_id);
    else if (open?.epoch === piece.epoch && open.message === piece.message)
      this.#open.set(piece.session_id, { ...open, text: open.text + piece.text });
    else this.#open.set(piece.session_id, piece);
    for (const listener of this.#listeners.get(piece.session_id) ?? []) listener(piece);
  }

  /** Calls `listener` with what is open, and with every piece from now on. Returns how to stop. */
  watch(session: SessionId, listener: Listener): () => void {
    const listeners = this.#listeners.get(session) ?? new Set();
    this.#listeners.set(session, listeners.add(listener));
    const open = this.#open.get(session);
    if (open !== undefined) listener(open);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(session) === listeners) this.#listeners.delete(session);
    };
  }
}
