import { turnIdOf, type SessionId, type TurnId } from "../../kernel/id.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { Claim, DraftPiece } from "../../store/port.ts";
import type { RuntimeContext } from "../context.ts";
import type { Rewrite } from "../../extension/stored.ts";
import type { DraftEnd, OpenDraft, StartedCall } from "../../extension/port.ts";

/** Names a draft. `message` counts the drafts of the turn, from 0. */
interface DraftPlace {
  readonly session_id: SessionId;
  readonly turn_id: TurnId;
  readonly epoch: number;
  readonly message: number;
}

/**
 * What a turn shows before it is in the log: text of a message that is being written (`draft.delta`), or a call of a tool with effects `none` that is
 * running (`tool.started`). Tools with other effects are in the log before they start. A reader drops what it has of a draft on the draft's
 * `draft.reset`, which ends every draft; nothing of the draft comes after it. The `message` or `tool` event comes after the reset.
 */
export type Draft =
  | (DraftPlace & { readonly type: "draft.delta"; readonly text: string })
  | (DraftPlace & { readonly type: "tool.started" } & StartedCall)
  | (DraftPlace & { readonly type: "draft.reset"; readonly reason: DraftEnd });

/**
 * Opens the drafts of a turn. What is written goes to the store in the background: a draft neither delays nor fails its turn. A turn that is taken
 * over takes back at once what the one before it showed.
 */
export function openDraft(runtime: RuntimeContext, claim: Claim): OpenDraft {
  const draft = openPlain(runtime, claim);
  return runtime.rewrite === undefined ? draft : sentenceBySentence(draft, runtime, runtime.rewrite);
}

/** The end of the last sentence or line of a text that is still being written. */
function lastEnd(text: string): number {
  const ends = [...text.matchAll(/[.!?…。！？]["'”’)\]]*\s|\n/gu)].at(-1);
  return ends === undefined ? 0 : ends.index + ends[0].length;
}

/** A draft of which readers see what extensions make of it. Whole sentences are shown, since what is rewritten may come in several pieces. */
function sentenceBySentence(draft: OpenDraft, { logger }: RuntimeContext, rewrite: Rewrite): OpenDraft {
  let held = "";
  const show = (end: number, after: number): void => {
    const ready = held.slice(0, end);
    held = held.slice(end);
    if (ready === "") return;
    try {
      draft.write(rewrite.text(ready, { of: "draft", name: "message" }), after);
    } catch (error) {
      logger.error("a draft was not shown", { code: ThroughlineError.from(error).code });
    }
  };
  let last = 0;
  const close = (reason: DraftEnd): void => {
    if (reason === "end") show(held.length, last);
    held = "";
  };
  return {
    write: (text, after) => {
      held += text;
      last = after;
      show(lastEnd(held), after);
    },
    started: (call, after) => {
      close("end");
      draft.started(call, after);
    },
    next: (reason) => {
      close(reason);
      draft.next(reason);
    },
    end: (reason) => {
      close(reason);
      draft.end(reason);
    },
  };
}

function openPlain({ store, logger }: RuntimeContext, { session_id, epoch, turn }: Claim): OpenDraft {
  let place = { session_id, turn: turn.number, epoch, message: 0 };
  let open: Pick<DraftPiece, "of" | "after"> | undefined;
  let at = 0;
  let ended = false;
  const write = async (piece: DraftPiece): Promise<void> => {
    try {
      await store.writeDraft(piece);
    } catch (error) {
      logger.debug("draft not shown", { turn_id: turnIdOf(session_id, turn.number), code: ThroughlineError.from(error).code });
    }
  };
  const close = (reason: DraftEnd): void => {
    if (open === undefined) return;
    void write({ ...place, ...open, at, text: "", ended: reason });
    open = undefined;
    at = 0;
    place = { ...place, message: place.message + 1 };
  };
  const append = (text: string, begun: Pick<DraftPiece, "of" | "after">): void => {
    if (ended || text === "") return;
    if (open?.of !== begun.of) close("end");
    open ??= begun;
    void write({ ...place, ...open, at, text });
    at += text.length;
  };
  if (turn.attempts > 1) {
    open = { after: 0 };
    close("fence");
  }
  return {
    write: (text, after) => append(text, { after }),
    started: ({ call_id, name }, after) => append(`${JSON.stringify({ call_id, name })}\n`, { after, of: "calls" }),
    next: (reason) => {
      if (!ended) close(reason);
    },
    end: (reason) => {
      if (!ended) close(reason);
      ended = true;
    },
  };
}
