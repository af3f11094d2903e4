/**
 * Requests that a stage or a tool makes of its turn, and the details of a handover that one of them may be. A stage or a tool returns them; they are
 * never written to the state.
 */
import { described, type Descriptor, type Infer, literals, named, object, optional, plain, text, textOf, time, whole } from "../kernel/descriptor.ts";
import { seen, ThroughlineError } from "../kernel/error.ts";
import { isPlainObject, isStorableText, present } from "../kernel/json.ts";
import { type Handover, handoverStatuses, sessionModes } from "../store/port.ts";

const members = {
  /** Id of the operator who takes the session, in the integration's own scheme. If absent, the session waits for an operator. */
  operator: described(optional(textOf({ min: 1, max: 200 })), "Id of the operator, in the integration's own scheme."),
  /** The reason, shown to the operator: 1 to 500 characters. */
  reason: optional(textOf({ min: 1, max: 500 })),
  /** Level of a safety alert, 1 to 1,000. Alerts come first in the queue. */
  alert: described(plain(optional(whole({ min: 1, max: 1000 }))), "Level of a safety alert. Alerts come first in the queue, the highest first."),
};
/** Declares {@link HandoverGiven} as stored data. */
const handoverShape = object(members, "key");
/** Details of a handover request. */
export interface HandoverGiven extends Infer<typeof handoverShape> {}

/** A handover as events record it. */
export const handover: Descriptor<Handover> = named(
  "Handover",
  object({ status: plain(literals(...handoverStatuses)), since: plain(time), ...members }, "key"),
);

const wrong = (path: string, message: string): ThroughlineError => new ThroughlineError("handover.invalid", message, { details: { path } });

/** Checks an operator id in the integration's own scheme, if present: 1 to 200 characters, not blank. Throws `handover.invalid`. */
export function checkPerson(path: string, person: unknown): void {
  if (person === undefined || (typeof person === "string" && person.trim() !== "" && person.length <= 200 && isStorableText(person))) return;
  throw wrong(path, `${path} must be an id of 1 to 200 characters, got ${seen(person)}.`);
}

/** Checks the details of a handover request and returns a copy of its known members. Throws `handover.invalid` with the path of the invalid member. */
export function checkedHandover(given: HandoverGiven): HandoverGiven {
  if (!isPlainObject(given)) throw wrong("", `A handover is an object with operator, reason and alert, got ${seen(given)}.`);
  const { operator, reason, alert } = given;
  checkPerson("operator", operator);
  if (reason !== undefined && (typeof reason !== "string" || reason.trim() === "" || reason.length > 500))
    throw wrong("reason", `reason must have 1 to 500 characters, got ${seen(reason)}.`);
  if (alert !== undefined && !(Number.isInteger(alert) && alert >= 1 && alert <= 1_000))
    throw wrong("alert", `alert must be an integer from 1 to 1,000, got ${seen(alert)}.`);
  return present({ operator, reason, alert });
}

/** Returns a new handover: assigned if an operator is named, waiting otherwise. */
export const newHandover = (at: number, given: HandoverGiven): Handover => ({
  status: given.operator === undefined ? "waiting" : "assigned",
  since: at,
  ...given,
});

export const sessionMode = described(literals(...sessionModes), "Who answers: the agent (`auto`) or a human operator (`manual`).");

const controlShape = object(
  {
    /** Replies with this text and skips the remaining stages and the agent loop. Only a stage can request this. */
    reply: optional(text),
    /** Sets the session's mode when this turn ends. `manual` hands the session to a human operator. */
    mode: plain(optional(sessionMode)),
    /** With `mode: "manual"`: the reason, the urgency and the operator. */
    handover: optional<HandoverGiven>(handoverShape),
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
export const withControl = <const Result = undefined>(control: Control, result?: Result): Controlled<Result> =>
  Object.freeze({ [controlled]: Object.freeze({ result, control: checkedControl(control) }) });

/** Controls are stored and shown to operators, so they are validated where they are created. */
function checkedControl(control: Control): Control {
  const wrong = (path: string, message: string): ThroughlineError => new ThroughlineError("input.invalid", message, { details: { path } });
  if (!isPlainObject(control)) throw wrong("", `withControl takes an object with a reply or a mode, got ${seen(control)}.`);
  const { reply, mode, handover, memory, ...rest } = control;
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) throw wrong(unknown, `withControl has no option ${seen(unknown)}; it has reply, mode, handover and memory.`);
  if (reply !== undefined && (typeof reply !== "string" || reply.trim() === ""))
    throw wrong("reply", `reply must be a text that is not blank, got ${seen(reply)}.`);
  if (mode !== undefined && mode !== "auto" && mode !== "manual") throw wrong("mode", `mode must be "auto" or "manual", got ${seen(mode)}.`);
  if (memory !== undefined && memory !== "skip") throw wrong("memory", `memory must be "skip", got ${seen(memory)}.`);
  if (handover !== undefined && mode !== "manual") throw wrong("handover", `handover requires the mode "manual", got ${seen(mode)}.`);
  return Object.freeze({
    ...present({ reply, mode, memory }),
    ...(handover === undefined ? {} : { handover: checkedHandover(handover) }),
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
