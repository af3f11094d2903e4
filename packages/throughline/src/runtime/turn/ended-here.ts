/** The result of a turn that ended in this process, from its own commits. Callers in this process that wait for it need no read. */
import { eventIdOf, type TurnId } from "../../kernel/id.ts";
import { isSuperseded } from "../../session/decide-command.ts";
import { decodeEvent } from "../../session/fold.ts";
import { noProgress, observe, type OutcomeTarget, resultOf, type TurnResult, viewOf } from "../reading/outcome.ts";
import type { Turn } from "./running-turn.ts";

/** A turn that ended in this process. */
export interface EndedHere {
  readonly turn_id: TurnId;
  /** Returns the result that reading the log would give, if this turn answers the message or is the turn in question. */
  resultFor(wanted: Pick<OutcomeTarget, "offset" | "turn_id" | "message">): TurnResult | undefined;
}

/**
 * Listens to the commits of a turn from its start. The returned function gives the end of the turn. It gives undefined if the log must be read,
 * because an earlier attempt started the turn or another writer has changed the state since.
 */
export function listenTo(turn: Turn): () => EndedHere | undefined {
  const { claim, agent, journal, answers, causes } = turn;
  if (turn.loaded.journal.length > 0) return () => undefined;
  const { session_id, turn: row } = claim;
  const { turn_id, trace_id } = row;
  const progress = noProgress(turn_id);
  let ended: ReturnType<typeof observe>;
  journal.onWritten((events, first) => {
    for (const [index, event] of events.entries()) {
      if (event.kind !== "turn" && event.kind !== "message") continue;
      const { kind, source, data, version = 1 } = event;
      const offset = first + index;
      const place = { session_id, offset, id: eventIdOf(session_id, offset), trace_id, turn_id, created_at: turn.began_at };
      ended = observe(progress, decodeEvent({ ...place, kind, source, version, data }), -1) ?? ended;
    }
  });
  return () => {
    const document = journal.stored;
    if (ended === undefined || ended === "withdrawn" || document === undefined || isSuperseded(ended.outcome)) return undefined;
    const end = ended;
    let output: TurnResult["output"] | undefined;
    return {
      turn_id,
      resultFor({ offset, turn_id: wanted, message }) {
        if (message ? !answers.includes(offset) : wanted !== turn_id) return undefined;
        output ??= viewOf(agent, document, { causes, patches: progress.patches, view: "output" });
        return resultOf(progress, { offset, ended: end, output });
      },
    };
  };
}
