/** Requests that a stage or a tool makes of its turn. It returns them; they are never written to the state. */
import { described, type Descriptor, type Infer, literals, object, optional, plain, text } from "../kernel/descriptor.ts";
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject } from "../kernel/json.ts";
import { sessionModes } from "../store/port.ts";
import { handoverAsked, handoverGiven, type HandoverGiven } from "./handover-given.ts";

export const sessionMode = described(literals(...sessionModes), "Who answers: the agent, or a person.");

const controlShape = object(
  {
    /** Replies with this text and skips the remaining stages and the agent loop. Only a stage can request this. */
    reply: optional(text),
    /** Sets the session's mode when this turn ends. `manual` hands the session to a human operator. */
    mode: plain(optional(sessionMode)),
    /** With `mode: "manual"`: the reason, the urgency and the operator. */
    handover: optional<HandoverGiven>(handoverAsked),
    /**
     * Skips memory for this turn: nothing is recalled and nothing is remembered. Meant for crises and for requests about the memory itself. A later
     * request cannot revoke it.
     */
    memory: optional(literals("skip")),
  },
  "key",
);
/** Requests of a stage or a tool to its turn. */
export interface Control extends Infer<typeof controlShape> {}
/** Declares {@link Control} as stored data. */
export const control: Descriptor<Control> = controlShape;

const controlled: unique symbol = Symbol("throughline.controlled");

/** A stage's delta or a tool's result, combined with a control. */
export interface Controlled<Result> {
  readonly [controlled]: { readonly result: Result | undefined; readonly control: Control };
}

/**
 * Combines a stage's delta or a tool's result with requests to the turn. Throws `input.invalid` if the reply is blank or not a string, or if an
 * option is unknown or invalid. Throws `handover.invalid` if the handover details are invalid.
 * @example withControl({ mode: "manual", handover: { reason: "asks for a person", alert: 1 } })
 */
export const withControl = <const Result>(control: Control, result?: Result): Controlled<Result> =>
  Object.freeze({ [controlled]: Object.freeze({ result, control: checkedControl(control) }) });

/** Controls are stored and shown to operators, so they are validated where they are created. */
function checkedControl(control: Control): Control {
  const wrong = (path: string, message: string): ThroughlineError => new ThroughlineError("input.invalid", message, { details: { path } });
  if (!isPlainObject(control)) throw wrong("", `withControl takes an object with a reply or a mode, got ${seen(control)}.`);
  const { reply, mode, handover, memory, ...rest } = control;
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) throw wrong(unknown, `withControl has no option ${seen(unknown)}; it has reply, mode, handover and memory.`);
  if (reply !== undefined && (typeof reply !== "string" || reply.trim() === ""))
    throw wrong("reply", `A reply is a text that is not blank, got ${seen(reply)}.`);
  if (mode !== undefined && mode !== "auto" && mode !== "manual") throw wrong("mode", `A session's mode is "auto" or "manual", not ${seen(mode)}.`);
  if (memory !== undefined && memory !== "skip") throw wrong("memory", `What a turn asks of the memory is "skip", not ${seen(memory)}.`);
  if (handover !== undefined && mode !== "manual") throw wrong("handover", `A hand-over goes with the mode "manual", got ${seen(mode)}.`);
  return Object.freeze({
    ...(reply === undefined ? {} : { reply }),
    ...(mode === undefined ? {} : { mode }),
    ...(memory === undefined ? {} : { memory }),
    ...(handover === undefined ? {} : { handover: handoverGiven(handover) }),
  });
}

/** Separates a stage's or a tool's return value into its result and its control. */
export function controlOf(returned: unknown): { readonly result: unknown; readonly control: Control } {
  return typeof returned === "object" && returned !== null && controlled in returned
    ? (returned as Controlled<unknown>)[controlled]
    : { result: returned, control: {} };
}

/** Merges two successive controls. The later value of each option wins, an absent option changes nothing, and an alert is never lowered. */
export function joinControl(before: Control, after: Control): Control {
  const { handover: earlier, ...kept } = before;
  const { handover: later } = after;
  if (after.mode === "auto" || (earlier === undefined && later === undefined)) return { ...kept, ...after };
  const alert = Math.max(earlier?.alert ?? 0, later?.alert ?? 0);
  return { ...kept, ...after, handover: { ...earlier, ...later, ...(alert === 0 ? {} : { alert }) } };
}
