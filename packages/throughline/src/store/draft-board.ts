import type { SessionId } from "../kernel/id.ts";
import type { DraftPiece } from "./port.ts";

type Listener = (piece: DraftPiece) => void;
type Place = Pick<DraftPiece, "epoch" | "message">;

/** The drafts of a watched session. */
interface Watched {
  readonly listeners: Set<Listener>;
  /** The last ended draft. Later pieces of it are not shown. */
  over?: Place;
}

/** Returns a number below zero if `left` is the earlier draft, and zero if both are the same. */
const compare = (left: Place, right: Place): number => left.epoch - right.epoch || left.message - right.message;

/**
 * Open drafts of a session and their readers, within one process. Pieces may arrive twice, from this process and from a shared table, or after the
 * end of their draft. Listeners get every part of a draft once, in order, and nothing after its end.
 */
export class DraftBoard {
  readonly #open = new Map<SessionId, DraftPiece & { readonly shared: boolean }>();
  readonly #watched = new Map<SessionId, Watched>();

  /** Watched sessions. */
  get sessions(): readonly SessionId[] {
    return [...this.#watched.keys()];
  }

  isWatched(session: SessionId): boolean {
    return this.#watched.has(session);
  }

  /** Returns the open part of the session's last draft, in one piece. `shared`: another process writes it. */
  openOf(session: SessionId): (DraftPiece & { readonly shared: boolean }) | undefined {
    return this.#open.get(session);
  }

  /** Shows the new part of a piece to the listeners. A draft of a later epoch or message replaces the previous one. `shared`: another process writes it. */
  write(piece: DraftPiece, { shared = false }: { readonly shared?: boolean } = {}): void {
    const { session_id } = piece;
    const watched = this.#watched.get(session_id);
    const open = this.#open.get(session_id);
    if (watched?.over !== undefined && compare(piece, watched.over) <= 0) return;
    const order = open === undefined ? 1 : compare(piece, open);
    if (order < 0) return;
    if (piece.ended !== undefined) {
      this.#open.delete(session_id);
      if (watched !== undefined) watched.over = { epoch: piece.epoch, message: piece.message };
      return tell(watched, piece);
    }
    const before = order === 0 && open !== undefined ? open.text : "";
    // The known part ends before this piece. The piece in between will arrive.
    if (piece.at > before.length) return;
    const text = piece.text.slice(before.length - piece.at);
    if (order === 0 && text === "") return;
    if (watched !== undefined || !shared) this.#open.set(session_id, { ...piece, at: 0, text: before + text, shared });
    tell(watched, { ...piece, at: before.length, text });
  }

  /** Ends the open draft of a deleted session. */
  drop(session: SessionId): void {
    const open = this.#open.get(session);
    if (open === undefined) return;
    const { shared: _, ...piece } = open;
    this.write({ ...piece, at: open.text.length, text: "", ended: "fence" });
  }

  /** Calls `listener` with the open draft, and with every later piece. Returns a function that stops it. */
  watch(session: SessionId, listener: Listener): () => void {
    const watched = this.#watched.get(session) ?? { listeners: new Set<Listener>() };
    // One function may listen twice, and each stops separately.
    const own: Listener = (piece) => listener(piece);
    watched.listeners.add(own);
    this.#watched.set(session, watched);
    const open = this.#open.get(session);
    if (open !== undefined) {
      const { shared: _, ...piece } = open;
      own(piece);
    }
    return () => {
      watched.listeners.delete(own);
      if (watched.listeners.size > 0 || this.#watched.get(session) !== watched) return;
      this.#watched.delete(session);
      // This process no longer receives drafts of other processes.
      if (this.#open.get(session)?.shared === true) this.#open.delete(session);
    };
  }
}

function tell(watched: Watched | undefined, piece: DraftPiece): void {
  for (const listener of [...(watched?.listeners ?? [])]) listener(piece);
}
