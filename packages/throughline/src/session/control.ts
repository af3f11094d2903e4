/**
 * Requests that a stage or a tool makes of its turn, and the details of a handover that one of them may be. A stage or a tool returns them; they are
 * never written to the state.
 */
import { described, type Descriptor, type Infer, literals, named, object, optional, plain, text, textOf, time, whole } from "../kernel/descriptor.ts";
import { seen, ThroughlineError } from "../kernel/error.ts";
import { isPlainObject, isStorableText } from "../kernel/json.ts";
import { type Handover, handoverStatuses, sessionModes } from "../store/port.ts";

const given = {
  /** Id of the operator who takes the session, in the integration's own scheme. If absent, the session waits for an operator. */
  operator: described(optional(textOf({ min: 1, max: 200 })), "The integration's own id of a person."),
  /** The reason, shown to the operator: 1 to 500 characters. */
  reason: optional(textOf({ min: 1, max: 500 })),
  /** Level of a safety alert, 1 to 1,000. Alerts come first in the queue. */
  alert: described(plain(optional(whole({ min: 1, max: 1000 }))), "Level of a safety alert; alerts stand in front, the highest before all others."),
};
/** Declares {@link HandoverGiven} as stored data. */
const handoverAsked = object(given, "key");
/** Details of a handover request. */
export interface HandoverGiven extends Infer<typeof handoverAsked> {}

/** A handover as events record it. */
export const handover: Descriptor<Handover> = named(
  "Handover",
  object({ status: plain(literals(...handoverStatuses)), since: plain(time), ...given }, "key"),
);

const wrong = (path: string, message: string): ThroughlineError => new ThroughlineError("handover.invalid", message, { details: { path } });

/** Checks an operator id in the integration's own scheme, if present: 1 to 200 characters, not blank. Throws `handover.invalid`. */
export function checkPerson(path: string, person: unknown): void {
  if (person === undefined || (typeof person === "string" && person.trim() !== "" && person.length <= 200 && isStorableText(person))) return;
  throw wrong(path, `${path} names a person, in 1 to 200 characters, got ${seen(person)}.`);
}

/** Checks the details of a handover request and returns a copy of its known members. Throws `handover.invalid` with the path of the invalid member. */
export function handoverGiven(given: HandoverGiven): HandoverGiven {
  if (!isPlainObject(given)) throw wrong("", `A hand-over is described by an object, got ${seen(given)}.`);
  const { operator, reason, alert } = given;
  checkPerson("operator", operator);
  if (reason !== undefined && (typeof reason !== "string" || reason.trim() === "" || reason.length > 500))
    throw wrong("reason", `A reason has 1 to 500 characters, got ${seen(reason)}.`);
  if (alert !== undefined && !(Number.isInteger(alert) && alert >= 1 && alert <= 1_000))
    throw wrong("alert", `An alert is a level from 1 to 1,000, got ${seen(alert)}.`);
  return { ...(operator === undefined ? {} : { operator }), ...(reason === undefined ? {} : { reason }), ...(alert === undefined ? {} : { alert }) };
}

/** Returns a new handover: assigned if an operator is named, waiting otherwise. */
export const begunHandover = (at: number, given: HandoverGiven): Handover => ({
  status: given.operator === undefined ? "waiting" : "assigned",
  since: at,
  ...given,
});

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
