/** Preamble: a short first sentence while the reply takes long. @module */
import { invalidAgent } from "./extension/failure.ts";
import { type Answer, defineExtension, type Extension, type ExtensionTurn, type OpenDraft } from "./extension/port.ts";
import { seen, ThroughlineError } from "./kernel/error.ts";

/** Options of a preamble. */
export interface PreambleOptions {
  /** Milliseconds without text after which the sentence is shown, 100 to 60,000. Default 1,500. */
  readonly afterMs?: number;
  /**
   * The sentence, such as "One moment, I will look that up.". A function can choose it for the turn, for example in the customer's language, and
   * returns undefined to show none. What it throws is logged, and none is shown.
   */
  readonly say: string | ((turn: Pick<ExtensionTurn, "agent" | "answered" | "journal" | "messages">) => string | undefined);
}

/**
 * Creates an extension that shows a sentence as a draft while stages, models and tools of a turn take long, and shows it again when a step ends.
 *
 * If a reply follows, the sentence is its beginning, in the log as well. If none does (the turn fails, stops or waits for a decision, or a tool's
 * result is the reply), the draft is reset and the sentence is dropped. It is not shown if the model's own text came first, in a greeting, in two
 * replies in a row, and to a customer at risk. While it is shown, started calls are not.
 *
 * Throws `agent.invalid` for an invalid `afterMs` or a blank sentence.
 */
export function preamble({ afterMs = 1_500, say }: PreambleOptions): Extension {
  if (!(afterMs >= 100 && afterMs <= 60_000))
    throw invalidAgent(`The preamble's afterMs is ${seen(afterMs)}; it must be 100 to 60,000 milliseconds.`);
  if (typeof say === "string" && say.trim() === "") throw invalidAgent("The preamble's say is blank; use a sentence, or leave the extension out.");
  return defineExtension({
    name: "preamble",
    answer: async (turn, { draft, next }) => {
      const sentence = sentenceFor(turn, typeof say === "function" ? chosen(turn, say) : say);
      if (sentence === undefined) return next(draft);
      const lead = createLead(turn, draft, sentence);
      const done = new AbortController();
      const waiting = showWhenLate(turn, lead, { afterMs, signal: AbortSignal.any([turn.signal, done.signal]) });
      try {
        const answer = await next(lead.draft);
        return "paused" in answer || !isBegun(answer) || !lead.shown ? answer : { ...answer, text: `${sentence}${answer.text}` };
      } finally {
        done.abort();
        await waiting;
      }
    },
  });
}

/** Returns what the function chooses. One that throws chooses none: the reply does not depend on it. */
function chosen(turn: ExtensionTurn, say: Exclude<PreambleOptions["say"], string>): string | undefined {
  try {
    return say(turn);
  } catch (error) {
    const { turn_id, session_id } = turn.claim.turn;
    turn.runtime.logger.error("preamble not chosen", { session_id, turn_id, code: ThroughlineError.from(error).code }, error);
    return undefined;
  }
}

/** Returns the sentence with the space after it, or undefined if none should be shown. */
function sentenceFor({ answered, messages, told }: ExtensionTurn, text: string | undefined): string | undefined {
  const said = text?.trim() ?? "";
  if (said === "" || answered.length === 0 || (told.assessment?.level ?? 0) > 0) return undefined;
  const last = messages.findLast(({ role, is_trace }) => role === "assistant" && !is_trace);
  if (last?.text.startsWith(said) === true) return undefined;
  return /[。！？…]$/u.test(said) ? said : `${said} `;
}

/** Whether the answer is a text of the model, which the sentence can begin. */
const isBegun = ({ final, outcome, text }: Answer): boolean =>
  final && text.trim() !== "" && outcome.status === "completed" && outcome.ended_by === undefined;

/** The sentence in the draft of a turn. */
interface Lead {
  /** Whether readers have seen the sentence in this turn. */
  readonly shown: boolean;
  /** Whether text of the reply is in the current draft. */
  readonly passed: boolean;
  /** Shows the sentence, unless the current draft still holds it, or the signal has ended. */
  show(signal: AbortSignal): Promise<void>;
  readonly draft: OpenDraft;
}

function createLead({ journal }: ExtensionTurn, draft: OpenDraft, sentence: string): Lead {
  let shown = false;
  let passed = false;
  /** The head after which the current draft holds the sentence. A message after it ends that draft. */
  let heldAfter: number | undefined;
  const write = (after: number): void => {
    if (shown) draft.next("end");
    draft.write(sentence, after);
    shown = true;
    heldAfter = after;
  };
  return {
    get shown() {
      return shown;
    },
    get passed() {
      return passed;
    },
    show: async (signal) => {
      await journal.flush();
      // The answer may have come while the journal was flushed.
      if (!signal.aborted && !passed && heldAfter !== journal.head) write(journal.head);
    },
    draft: {
      write: (text, after) => {
        if (text === "") return;
        if (shown && !passed && heldAfter !== after) write(after);
        passed = true;
        draft.write(text, after);
      },
      started: (call, after) => {
        if (!shown) draft.started(call, after);
      },
      next: (reason) => {
        passed = false;
        heldAfter = undefined;
        draft.next(reason);
      },
      end: (reason) => draft.end(reason),
    },
  };
}

/** Shows the sentence whenever `afterMs` pass without text. Ends with the signal, and if the turn can no longer commit. */
async function showWhenLate(
  { runtime: { clock } }: ExtensionTurn,
  lead: Lead,
  { afterMs, signal }: { readonly afterMs: number; readonly signal: AbortSignal },
): Promise<void> {
  try {
    while (!signal.aborted) {
      await clock.sleep(afterMs, signal);
      if (!lead.passed) await lead.show(signal);
    }
  } catch {
    // The reply has come, or the turn was taken from this worker, which the reply itself reports.
  }
}
