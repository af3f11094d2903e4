import { described, type Descriptor, type Infer, literals, named, object, optional, plain, textOf, time, whole } from "../kernel/descriptor.ts";
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject, isStorableText } from "../kernel/json.ts";
import { type Handover, handoverStatuses } from "../store/port.ts";

const given = {
  /** Id of the operator who takes the session, in the integration's own scheme. If absent, the session waits for an operator. */
  operator: described(optional(textOf({ min: 1, max: 200 })), "The integration's own id of a person."),
  /** The reason, shown to the operator: 1 to 500 characters. */
  reason: optional(textOf({ min: 1, max: 500 })),
  /** Level of a safety alert, 1 to 1,000. Alerts come first in the queue. */
  alert: described(plain(optional(whole({ min: 1, max: 1000 }))), "Level of a safety alert; alerts stand in front, the highest before all others."),
};
/** Declares {@link HandoverGiven} as stored data. */
export const handoverAsked = object(given, "key");
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
