import type { DraftEnd } from "../../extension/port.ts";
import { turnIdOf, type SessionId } from "../../kernel/id.ts";
import type { Json } from "../../kernel/json.ts";
import { textOf } from "../../session/session-messages.ts";
import type { Event } from "../../session/event.ts";
import type { DraftPiece, SessionRow } from "../../store/port.ts";
import { type Draft, draftEndBy, draftEndOf, type ToolProgress } from "../turn/drafts.ts";

type Place = Pick<DraftPiece, "epoch" | "message">;

/** The draft that the reader is currently shown. */
interface OpenPlace extends Place {
  readonly turn: number;
  readonly of: DraftPiece["of"];
  /** Offset of the event that precedes the draft. */
  readonly after: number;
  /** The text that the reader was shown, or will be shown next. */
  readonly text: string;
}

/** Maximum number of pieces that wait separately for a reader. Later ones are joined to the last. */
const mostPieces = 64;

const compare = (left: Place, right: Place): number => left.epoch - right.epoch || left.message - right.message;

/** Starting point of a reader. */
export interface FeedStart {
  /** The session's epoch before its drafts were watched. */
  readonly epoch: SessionRow["epoch"];
  /** The first offset for the reader. */
  readonly minOffset: number;
  /** Whether the reader is shown started calls, and their progress, too. */
  readonly calls: boolean | "with progress";
}

/** An item for a reader. */
export type FedDraft = Draft | ToolProgress;

/**
 * Inserts a session's drafts between the events of its log for one reader.
 *
 * A draft names the event that precedes it (`after`). The reader gets the draft after that event, and no event up to that one ends the draft. The log
 * ends the draft of a committed text: its message supplies the rest of the text, so pieces may come late or be lost. The store ends every other
 * draft.
 *
 * If the reader was shown a part of a draft, it gets exactly one reset, and no part of the draft afterwards. For a slow reader the
 * number of waiting pieces is limited. It gets fewer and longer pieces, and of older drafts only the messages.
 */
export class DraftFeed {
  readonly #session: SessionId;
  readonly #calls: FeedStart["calls"];
  #waiting: FedDraft[] = [];
  /** Pieces of drafts whose preceding event has not passed yet. */
  #held: DraftPiece[] = [];
  #open: OpenPlace | undefined;
  /** The last draft that has ended. */
  #over: Place;
  /** The offset up to which all events have passed. */
  #passed: number;
  /** Offset of the last event that ended a draft. A draft with a lower `after` has ended. */
  #endedAt = -1;

  constructor(session: SessionId, { epoch, minOffset, calls }: FeedStart) {
    this.#session = session;
    this.#calls = calls;
    // A turn of an earlier epoch has ended or was fenced.
    this.#over = { epoch, message: -1 };
    this.#passed = minOffset - 1;
  }

  /** Adds a piece from the store. */
  piece(piece: DraftPiece): void {
    // The turn was taken over. Another turn's draft waits until the end of this one has passed.
    if (this.#open?.turn === piece.turn && piece.epoch > this.#open.epoch && piece.ended !== undefined) this.#close("fence");
    const newest = this.#held.at(-1) ?? this.#open;
    const order = newest === undefined ? 1 : compare(piece, newest);
    // The piece that ends a draft may lack its position. The earlier pieces have it.
    if (order < 0 || compare(piece, this.#over) <= 0 || (order > 0 && piece.after < this.#endedAt)) return;
    if (this.#held.length > 0 || piece.after > this.#passed) this.#hold(piece);
    else this.#take(piece);
  }

  /** Processes an event of the log before the reader gets it, and first resets the draft that it ends. `passed` reports that the reader has it. */
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

  /** Reports that all events below the offset have passed, whether or not the reader got them. */
  passed(next_offset: number): void {
    this.#passed = Math.max(this.#passed, next_offset - 1);
    for (let [first] = this.#held; first !== undefined && first.after <= this.#passed; [first] = this.#held) {
      this.#held.shift();
      this.#take(first);
    }
  }

  /** Ends the open draft because the session is deleted. */
  gone(): void {
    this.#held = [];
    this.#close("fence");
  }

  /** Number of waiting items. */
  get size(): number {
    return this.#waiting.length;
  }

  /** Yields the next items for the reader. */
  *next(): Generator<FedDraft, void, undefined> {
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
    // The log ends a committed text.
    if (ended !== undefined && (ended !== "end" || this.#open.of === "calls")) this.#close(draftEndOf(ended));
  }

  /** Shows the rest of a committed text of which a part was shown. */
  #complete(open: OpenPlace, text: string): void {
    if (open.of !== "calls" && open.text !== "" && text.startsWith(open.text)) this.#show(open, text.slice(open.text.length));
  }

  #show(open: OpenPlace, text: string): void {
    if (text === "" || (open.of === "calls" && this.#calls === false)) return;
    const place = this.#placeOf(open);
    if (open.of === "calls") {
      const shown = callsIn(text).filter(({ type }) => type === "tool.started" || this.#calls === "with progress");
      for (const call of shown) this.#wait({ ...place, ...call });
      // Only that something was shown counts, as these drafts are never compared with a message.
      if (shown.length > 0) this.#open = { ...open, text: "shown" };
      return;
    }
    this.#open = { ...open, text: open.text + text };
    const last = this.#waiting.at(-1);
    if (this.#waiting.length >= mostPieces && last?.type === "draft.delta")
      this.#waiting[this.#waiting.length - 1] = { ...last, text: last.text + text };
    else this.#waiting.push({ type: "draft.delta", ...place, text });
  }

  /** Adds a call. Its newest progress replaces the one that waits. */
  #wait(call: Extract<FedDraft, { readonly type: "tool.started" | "tool.progress" }>): void {
    const older = this.#waiting.findIndex(
      ({ type, ...waiting }) => type === "tool.progress" && "call_id" in waiting && waiting.call_id === call.call_id,
    );
    if (call.type === "tool.progress" && older >= 0) this.#waiting[older] = call;
    else this.#waiting.push(call);
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

  /** Drops waiting drafts that have already ended. Keeps the first, which the reader may have seen in part, and the last. */
  #forget(): void {
    const resets = [...this.#waiting.entries()].flatMap(([index, draft]) => (draft.type === "draft.reset" ? [index] : []));
    const [first] = resets;
    const before = resets.at(-2);
    if (first !== undefined && before !== undefined && before > first)
      this.#waiting = [...this.#waiting.slice(0, first + 1), ...this.#waiting.slice(before + 1)];
  }
}

/** Returns why a draft has ended when the next one starts. The message of a committed text would have passed before. */
const givenUp = (open: OpenPlace, next: Place): DraftEnd => (next.epoch > open.epoch ? "fence" : open.of === "calls" ? "end" : "failed");

/** A line of a draft of calls. */
type CallLine =
  | { readonly type: "tool.started"; readonly call_id: string; readonly name: string }
  | { readonly type: "tool.progress"; readonly call_id: string; readonly progress: Json };

/** Returns the calls in a piece of text, in the format that `openDraft` writes. */
const callsIn = (text: string): readonly CallLine[] =>
  text.split("\n").flatMap((line): readonly CallLine[] => {
    const { call_id, name, progress } = line === "" ? {} : (JSON.parse(line) as Readonly<Record<string, Json>>);
    if (typeof call_id !== "string") return [];
    if (progress !== undefined) return [{ type: "tool.progress", call_id, progress }];
    return typeof name === "string" ? [{ type: "tool.started", call_id, name }] : [];
  });

/** Returns why drafts from before an event have ended after it. Undefined if one may still be open. */
function endBy(event: Event): DraftEnd | undefined {
  switch (event.kind) {
    case "message":
      // Only the model's own messages have a step. Messages of hooks and stages end no draft.
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
