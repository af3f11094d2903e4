import { turnIdOf, type SessionId, type TurnId } from "../kernel/id.ts";
import { ThroughlineError } from "../kernel/error.ts";
import type { Claim, DraftPiece } from "../store/port.ts";
import type { RuntimeContext } from "./context.ts";
import type { DraftEnd } from "./draft-end.ts";

/**
 * Provisional live text of a reply. A reader drops what it has of a draft on its `draft.reset`, which ends every draft; nothing of a draft comes
 * after it. The final `message` event comes after the reset.
 */
export type Draft =
  | {
      readonly type: "draft.delta";
      readonly session_id: SessionId;
      readonly turn_id: TurnId;
      readonly epoch: number;
      readonly message: number;
      readonly text: string;
    }
  | {
      readonly type: "draft.reset";
      readonly session_id: SessionId;
      readonly turn_id: TurnId;
      readonly epoch: number;
      readonly message: number;
      readonly reason: DraftEnd;
    };

/** A draft that is being written. */
export interface OpenDraft {
  /** Appends text, which every reader gets soon. */
  write(text: string): void;
  /** Ends what was written so far; what comes next is the draft of another message. Nothing was written: nothing happens. */
  next(reason: DraftEnd): void;
  /** Ends the draft. Every draft ends; a second end is ignored. */
  end(reason: DraftEnd): void;
}

/**
 * Opens the draft of a turn's message: `message` counts the messages of the turn, from 0. What is written goes to the store in the background: a
 * draft neither delays nor fails its turn. A turn that is taken over takes back at once what the one before it showed.
 */
export function openDraft({ store, logger }: RuntimeContext, { session_id, epoch, turn }: Claim, message = 0): OpenDraft {
  let place = { session_id, turn: turn.number, epoch, message };
  let at = 0;
  let begun = false;
  let ended = false;
  const write = async (piece: DraftPiece): Promise<void> => {
    try {
      await store.writeDraft(piece);
    } catch (error) {
      logger.debug("draft not shown", { turn_id: turnIdOf(session_id, turn.number), code: ThroughlineError.from(error).code });
    }
  };
  if (turn.attempts > 1) {
    begun = true;
    void write({ ...place, at, text: "" });
  }
  return {
    write: (text) => {
      if (ended || text === "") return;
      begun = true;
      void write({ ...place, at, text });
      at += text.length;
    },
    next: (reason) => {
      if (ended || !begun) return;
      void write({ ...place, at, text: "", ended: reason });
      begun = false;
      at = 0;
      place = { ...place, message: place.message + 1 };
    },
    end: (reason) => {
      if (ended) return;
      ended = true;
      if (begun) void write({ ...place, at, text: "", ended: reason });
    },
  };
}
