import { turnIdOf, turnNumberOf, type SessionId } from "../kernel/id.ts";
import type { Event } from "../session/event.ts";
import type { DraftPiece, SessionRow } from "../store/port.ts";
import { draftEndBy, draftEndOf, type DraftEnd } from "./draft-end.ts";
import type { Draft } from "./drafts.ts";

type Place = Pick<DraftPiece, "turn" | "epoch" | "message">;

/** So many pieces wait for a reader one by one; what comes then is joined to the last. */
const mostPieces = 64;

const compare = (left: Place, right: Place): number => left.epoch - right.epoch || left.message - right.message;

/**
 * What a reader is still to get of a session's drafts. Pieces come from the store, and their end from there or from the log, whichever is first; the
 * reader gets one reset for every draft that it was shown any of, and nothing of the draft after it. What waits is at most one draft's text.
 */
export class DraftFeed {
  readonly #session: SessionId;
  readonly #head: number;
  #waiting: Draft[] = [];
  /** The draft that is open, and whether any of its text was taken or waits to be. */
  #open: (Place & { readonly shown: boolean }) | undefined;
  /** The last draft that is over, and the last turn. */
  #over: Place;
  #overTurn = 0;

  /** `since`: the session's header of before its drafts were watched. */
  constructor(session: SessionId, since: Pick<SessionRow, "head" | "epoch">) {
    this.#session = session;
    this.#head = since.head;
    // A turn of an earlier epoch has ended, or was fenced.
    this.#over = { turn: 0, epoch: since.epoch, message: -1 };
  }

  /** Takes a piece from the store. */
  piece(piece: DraftPiece): void {
    if (piece.turn <= this.#overTurn || compare(piece, this.#over) <= 0) return;
    if (this.#open !== undefined && compare(piece, this.#open) < 0) return;
    // Another epoch has the session, or another message is begun, and the end of this one was lost.
    if (this.#open !== undefined && compare(piece, this.#open) > 0) this.#close(piece.epoch > this.#open.epoch ? "fence" : "end");
    const { turn, epoch, message, text, ended } = piece;
    this.#open ??= { turn, epoch, message, shown: false };
    if (text !== "") this.#show(this.#open, text);
    if (ended !== undefined) this.#close(draftEndOf(ended));
  }

  /** Takes an event of the log, before the reader gets it: a draft that it ends is reset first. */
  event(event: Event): void {
    const number = event.turn_id === undefined ? undefined : turnNumberOf(event.turn_id);
    if (event.kind === "turn" && event.data.type === "ended" && number !== undefined) this.#overTurn = Math.max(this.#overTurn, number);
    const open = this.#open;
    if (open === undefined) return;
    if (number !== undefined && number > open.turn) return this.#close("fence");
    if (number === open.turn || (number === undefined && event.offset > this.#head)) {
      const end = endBy(event);
      if (end !== undefined) this.#close(end);
    }
  }

  /** Ends what is open: the session is gone. */
  gone(): void {
    if (this.#open !== undefined) this.#close("fence");
  }

  /** How many items wait. */
  get size(): number {
    return this.#waiting.length;
  }

  /** The next that the reader gets, if there is one. */
  *next(): Generator<Draft, void, undefined> {
    const draft = this.#waiting.shift();
    if (draft !== undefined) yield draft;
  }

  #show(place: Place, text: string): void {
    const { turn, epoch, message } = place;
    this.#open = { turn, epoch, message, shown: true };
    const last = this.#waiting.at(-1);
    if (this.#waiting.length >= mostPieces && last?.type === "draft.delta") {
      this.#waiting[this.#waiting.length - 1] = { ...last, text: last.text + text };
      return;
    }
    this.#waiting.push({ type: "draft.delta", session_id: this.#session, turn_id: turnIdOf(this.#session, turn), epoch, message, text });
  }

  #close(reason: DraftEnd): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    this.#over = open;
    if (!open.shown) return;
    const { turn, epoch, message } = open;
    this.#waiting.push({ type: "draft.reset", session_id: this.#session, turn_id: turnIdOf(this.#session, turn), epoch, message, reason });
    this.#forget();
  }

  /** Of drafts that came and went while the reader was elsewhere the last is kept, and the reset of the first, which the reader may have begun. */
  #forget(): void {
    const resets = [...this.#waiting.entries()].filter(([, draft]) => draft.type === "draft.reset");
    const [first] = resets;
    const before = resets.at(-2);
    if (resets.length > 2 && first !== undefined && before !== undefined) this.#waiting = [first[1], ...this.#waiting.slice(before[0] + 1)];
  }
}

/** Why no draft is open after an event; undefined if one may be. */
function endBy(event: Event): DraftEnd | undefined {
  switch (event.kind) {
    case "message":
      if (event.data.role !== "assistant" || event.turn_id === undefined) return undefined;
      return event.data.origin?.is_trace === true ? "failed" : "end";
    case "session":
      if (event.data.type === "withdrawn") return "fence";
      return event.data.type === "mode" && event.data.mode === "manual" ? "manual" : undefined;
    case "turn":
      return event.data.type === "ended" ? draftEndBy(event.data.outcome) : undefined;
    default:
      return undefined;
  }
}
