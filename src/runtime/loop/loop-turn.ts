import type { DraftEnd, StartedCall } from "../../extension/port.ts";
import type { Turn } from "../turn/begin.ts";
import type { ReplyTurn } from "./reply.ts";

/** Where the runtime keeps what a loop needs of its turn besides. */
export const inner = Symbol("throughline.turn");

/** Ends what was shown as a draft: it is work on the way, or is written anew. */
export type EndDraft = (reason: DraftEnd) => void;

/** A turn as a loop is given it. */
export interface LoopTurn extends ReplyTurn {
  readonly [inner]: {
    readonly turn: Turn;
    readonly endDraft: EndDraft;
    /** Shows live readers that a call has started that is not in the log yet. */
    readonly started: (call: StartedCall) => void;
  };
}
