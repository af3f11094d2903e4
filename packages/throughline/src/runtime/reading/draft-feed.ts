import type { DraftEnd, StartedCall } from "../../extension/port.ts";
import { turnIdOf, type SessionId } from "../../kernel/id.ts";
import type { Json } from "../../kernel/json.ts";
import { textOf } from "../../session/session-messages.ts";
import type { Event } from "../../session/event.ts";
import type { DraftPiece, SessionRow } from "../../store/port.ts";
import { draftEndBy, draftEndOf } from "../turn/draft-end.ts";
import type { Draft } from "../turn/drafts.ts";

type Place = Pick<DraftPiece, "epoch" | "message">;

/** The draft that the reader is shown. */
interface OpenPlace extends Place {
  readonly turn: number;
  readonly of: DraftPiece["of"];
  /** The draft comes after the event with this offset. */
  readonly after: number;
  /** What the reader was shown, or is about to be. */
  readonly text: string;
}

/** Up to this many pieces wait for a reader one by one; later ones are joined to the last. */
const mostPieces = 64;

const compare = (left: Place, right: Place): number => left.epoch - right.epoch || left.message - right.message;

/** How a reader begins. */
export interface FeedStart {
  /** The session's epoch before its drafts were watched. */
  readonly epoch: SessionRow["epoch"];
  /** The first offset that the reader gets. */
  readonly minOffset: number;
  /** Whether the reader is shown the calls that have started. */
  readonly calls: boolean;
}

/**
 * Puts a session's drafts between the events of its log for one reader.
 *
 * A draft names the event that it comes after (`after`). The reader gets the draft once that event has passed, and an event up to that one never ends
 * the draft. The log says how a text ends that was committed, and its message completes what the reader was shown of it, so that pieces may come
 * late or not at all. The store says how any other draft ends. The reader gets one reset for every draft of which it was shown any part, and nothing
 * of the draft after it. Of a reader that lags, few pieces wait: then it gets fewer and longer ones, and of older drafts the messages alone.
 */
export class DraftFeed {
  readonly #session: SessionId;
  readonly #showsCalls: boolean;
  #waiting: Draft[] = [];
  /** Pieces of drafts of which the event that they come after has not passed. */
  #held: DraftPiece[] = [];
  #open: OpenPlace | undefined;
  /** The last draft that is over. */
  #over: Place;
  /** The offset up to which all events have passed. */
  #passed: number;
  /** The offset of the last event that ended a draft: drafts that come after an earlier one are over. */
  #endedAt = -1;

  constructor(session: SessionId, { epoch, minOffset, calls }: FeedStart) {
    this.#session = session;
    this.#showsCalls = calls;
    // A turn of an earlier epoch has ended, or was fenced.
    this.#over = { epoch, message: -1 };
    this.#passed = minOffset - 1;
  }

  /** Takes a piece from the store. */
  piece(piece: DraftPiece): void {
    // The turn was taken over. Another turn's draft waits until the end of this one has passed.
    if (this.#open?.turn === piece.turn && piece.epoch > this.#open.epoch && piece.ended !== undefined) this.#close("fence");
    const newest = this.#held.at(-1) ?? this.#open;
    const order = newest === undefined ? 1 : compare(piece, newest);
    // A piece that ends a draft may not say where the draft stands; the pieces before it did.
    if (order < 0 || compare(piece, this.#over) <= 0 || (order > 0 && piece.after < this.#endedAt)) return;
    if (this.#held.length > 0 || piece.after > this.#passed) this.#hold(piece);
    else this.#take(piece);
  }

  /** Takes an event of the log before the reader gets it: the draft that it ends is reset first. `passed` says when the reader has it. */
  event(event: Event): void {
    this.passed(event.offset);
    const end = endBy(event);
    if (end !== undefined) {
      const open = this.#open;
      if (open !== undefined && event.offset > open.after) {
        if (event.kind === "message") this.#complete(open, textOf(event.data.parts));
        this.#close(end);
      }
      this.#endedAt = event.offset;
      this.#held = this.#held.filter(({ after }) => after >= event.offset);
    }
  }

  /** All events below the offset have passed, whether or not the reader was given them. */
  passed(next_offset: number): void {
    this.#passed = Math.max(this.#passed, next_offset - 1);
    for (let [first] = this.#held; first !== undefined && first.after <= this.#passed; [first] = this.#held) {
      this.#held.shift();
      this.#take(first);
    }
  }

  /** Ends what is open: the session is gone. */
  gone(): void {
    this.#held = [];
    this.#close("fence");
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

  #hold(piece: DraftPiece): void {
    const last = this.#held.at(-1);
    const [first] = this.#held;
    if (this.#held.length < mostPieces || first === undefined || last === undefined) this.#held.push(piece);
    else if (compare(last, piece) === 0) this.#held[mostPieces - 1] = { ...piece, after: last.after, at: last.at, text: last.text + piece.text };
    else this.#held = [...this.#held.filter((held) => compare(held, first) > 0), piece];
  }

  #take(piece: DraftPiece): void {
    const { turn, epoch, message, of, after, text, ended } = piece;
    if (this.#open !== undefined && compare(piece, this.#open) > 0) this.#close(givenUp(this.#open, piece));
    this.#open ??= { turn, epoch, message, of, after, text: "" };
    this.#show(this.#open, text);
    // The log ends a text that was committed.
    if (ended !== undefined && (ended !== "end" || this.#open.of === "calls")) this.#close(draftEndOf(ended));
  }

  /** Shows the rest of a text that was committed, some of which was shown. */
  #complete(open: OpenPlace, text: string): void {
    if (open.of !== "calls" && open.text !== "" && text.startsWith(open.text)) this.#show(open, text.slice(open.text.length));
  }

  #show(open: OpenPlace, text: string): void {
    if (text === "" || (open.of === "calls" && !this.#showsCalls)) return;
    this.#open = { ...open, text: open.text + text };
    const place = this.#placeOf(open);
    if (open.of === "calls") {
      for (const { call_id, name } of startedIn(text)) this.#waiting.push({ type: "tool.started", ...place, call_id, name });
      return;
    }
    const last = this.#waiting.at(-1);
    if (this.#waiting.length >= mostPieces && last?.type === "draft.delta")
      this.#waiting[this.#waiting.length - 1] = { ...last, text: last.text + text };
    else this.#waiting.push({ type: "draft.delta", ...place, text });
  }

  #close(reason: DraftEnd): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    this.#over = open;
    if (open.text === "") return;
    this.#waiting.push({ type: "draft.reset", ...this.#placeOf(open), reason });
    this.#forget();
  }

  #placeOf({ turn, epoch, message }: OpenPlace): Omit<Extract<Draft, { type: "draft.reset" }>, "type" | "reason"> {
    return { session_id: this.#session, turn_id: turnIdOf(this.#session, turn), epoch, message };
  }

  /** Of the drafts that have come and gone while they waited, keeps the first, which the reader may have some of, and the last. */
  #forget(): void {
    const resets = [...this.#waiting.entries()].flatMap(([index, draft]) => (draft.type === "draft.reset" ? [index] : []));
    const [first] = resets;
    const before = resets.at(-2);
    if (first !== undefined && before !== undefined && before > first)
      this.#waiting = [...this.#waiting.slice(0, first + 1), ...this.#waiting.slice(before + 1)];
  }
}

/** Why a draft is over when the next one begins: the message of a text that was committed has passed before. */
const givenUp = (open: OpenPlace, next: Place): DraftEnd => (next.epoch > open.epoch ? "fence" : open.of === "calls" ? "end" : "failed");

/** The calls that a piece of text names, as `openDraft` writes them. */
const startedIn = (text: string): readonly StartedCall[] =>
  text.split("\n").flatMap((line) => {
    const { call_id, name } = line === "" ? {} : (JSON.parse(line) as Readonly<Record<string, Json>>);
    return typeof call_id === "string" && typeof name === "string" ? [{ call_id, name }] : [];
  });

/** Why no draft that began before an event is open after it; undefined if one may be. */
function endBy(event: Event): DraftEnd | undefined {
  switch (event.kind) {
    case "message":
      // Only the model's own messages have a step: what hooks and stages add ends nothing.
      if (event.data.role !== "assistant" || event.turn_id === undefined || event.data.origin?.step_id === undefined) return undefined;
      return event.data.origin.stands_in === true ? "failed" : "end";
    case "session":
      if (event.data.type === "withdrawn") return "fence";
      return event.data.type === "mode" && event.data.mode === "manual" ? "manual" : undefined;
    case "turn":
      if (event.data.type === "ended") return draftEndBy(event.data.outcome);
      return event.data.type === "paused" ? "end" : undefined;
    default:
      return undefined;
  }
}
