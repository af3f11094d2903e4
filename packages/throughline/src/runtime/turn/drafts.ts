/** The drafts of a turn: output that readers see before it is in the log, and why it ended. */
import { eventsOf } from "../../extension/lists.ts";
import type { DraftEnd, OpenDraft, StartedCall } from "../../extension/port.ts";
import type { Rewrite } from "../../extension/stored.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { type SessionId, type TurnId, turnIdOf } from "../../kernel/id.ts";
import type { Json } from "../../kernel/json.ts";
import type { Outcome } from "../../session/event.ts";
import { decodeEvent } from "../../session/fold.ts";
import type { Claim, DraftPiece, Store } from "../../store/port.ts";
import type { RuntimeContext } from "../context.ts";

/** Identifies a draft. `message` numbers the drafts of the turn, from 0. */
interface DraftPlace {
  readonly session_id: SessionId;
  readonly turn_id: TurnId;
  readonly epoch: number;
  readonly message: number;
}

/**
 * Output of a turn before it is in the log: text of an unfinished message (`draft.delta`), or a running call of a tool with effects `none`
 * (`tool.started`). Tools with other effects are in the log before they start.
 *
 * Every draft ends with a `draft.reset`, on which a reader discards the draft. No part of the draft follows it. The `message` or `tool` event follows
 * the reset.
 */
export type Draft =
  | (DraftPlace & { readonly type: "draft.delta"; readonly text: string })
  | (DraftPlace & { readonly type: "tool.started" } & Pick<StartedCall, "call_id" | "name">)
  | (DraftPlace & { readonly type: "draft.reset"; readonly reason: DraftEnd });

/** The progress of a running call. Only streams of a turn show it. */
export type ToolProgress = DraftPlace & { readonly type: "tool.progress"; readonly call_id: string; readonly progress: Json };

/** Length of the text of a draft of calls after which another draft begins, because stores keep the text of an open draft. */
const mostOfCalls = 262_144;

/**
 * Opens the drafts of a turn. They are written to the store in the background, so a draft neither delays nor fails its turn. A new attempt
 * immediately resets the drafts of the attempt before it.
 */
export function openDraft(runtime: RuntimeContext, claim: Claim): OpenDraft {
  const draft = openPlain(runtime, claim);
  return runtime.rewrite === undefined ? draft : sentenceBySentence(draft, runtime, runtime.rewrite);
}

/** Returns the end of the last sentence or line of an unfinished text. */
function lastEnd(text: string): number {
  const ends = [...text.matchAll(/[.!?…。！？]["'”’)\]]*\s|\n/gu)].at(-1);
  return ends === undefined ? 0 : ends.index + ends[0].length;
}

/** Wraps a draft so that extensions rewrite the text that readers see. It emits whole sentences, because text to be rewritten may arrive in several pieces. */
function sentenceBySentence(draft: OpenDraft, { logger }: RuntimeContext, rewrite: Rewrite): OpenDraft {
  let held = "";
  const show = (end: number, after: number): void => {
    const ready = held.slice(0, end);
    held = held.slice(end);
    if (ready === "") return;
    try {
      draft.write(rewrite.text(ready, { of: "draft", name: "message" }), after);
    } catch (error) {
      logger.error("a draft was not shown", { code: ThroughlineError.from(error).code }, error);
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
      try {
        const { progress } = call;
        draft.started(
          { ...call, ...(progress === undefined ? {} : { progress: rewrite.value(progress, { of: "draft", name: "progress" }) }) },
          after,
        );
      } catch (error) {
        logger.error("a draft was not shown", { code: ThroughlineError.from(error).code }, error);
      }
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
  /** Lines of the calls that have started since the last message. */
  let calls = "";
  let ended = false;
  const write = async (piece: DraftPiece): Promise<void> => {
    try {
      await store.writeDraft(piece);
    } catch (error) {
      logger.debug("draft not shown", { turn_id: turnIdOf(session_id, turn.number), code: ThroughlineError.from(error).code }, error);
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
  const started = (call: StartedCall, after: number): void => {
    const { call_id, name, progress } = call;
    const line = `${JSON.stringify(progress === undefined ? { call_id, name } : { call_id, progress })}\n`;
    if (progress === undefined) calls += line;
    else if (at + line.length > mostOfCalls) {
      close("end");
      append(calls, { after, of: "calls" });
    }
    append(line, { after, of: "calls" });
  };
  return {
    write: (text, after) => append(text, { after }),
    started,
    next: (reason) => {
      calls = "";
      if (!ended) close(reason);
    },
    end: (reason) => {
      if (!ended) close(reason);
      ended = true;
    },
  };
}

const draftEnds: readonly DraftEnd[] = ["end", "fence", "manual", "stopped", "failed"];

/** Returns the end that a piece reports. The store port allows any string. */
export const draftEndOf = (ended: string): DraftEnd => draftEnds.find((end) => end === ended) ?? "fence";

const endByReason: Readonly<Record<string, DraftEnd>> = { manual: "manual", withdrawn: "fence", superseded: "fence" };

/** Returns the draft's end for the outcome of a turn. */
export function draftEndBy(outcome: Outcome): DraftEnd {
  if (outcome.status === "completed") return "end";
  if (outcome.status === "failed") return "failed";
  return endByReason[outcome.reason] ?? "stopped";
}

/** Returns the draft's end for a turn that was taken from its worker. The log has the reason, unless another worker continues the turn. */
export async function draftEndInLog(store: Pick<Store, "read">, { session_id, turn }: Claim): Promise<DraftEnd> {
  try {
    for await (const stored of eventsOf(store, { session_id, min_offset: turn.started_offset ?? 0, kinds: ["turn"], trace_id: turn.trace_id })) {
      const event = decodeEvent(stored);
      if (event.kind === "turn" && event.turn_id === turn.turn_id && event.data.type === "ended") return draftEndBy(event.data.outcome);
    }
  } catch (error) {
    // If the log cannot be read, the reason is unknown, but the draft must still end.
    if (!ThroughlineError.is(error)) throw error;
  }
  return "fence";
}
