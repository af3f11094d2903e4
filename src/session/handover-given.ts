import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject } from "../kernel/json.ts";
import { isStorableText } from "../kernel/text.ts";
import type { Handover } from "../store/port.ts";

/** What is said of a hand-over by whoever asks for it. */
export interface HandoverGiven {
  /** Who has it from now on, by the integration's own id of a person; without, it waits for somebody to take it up. */
  readonly operator?: string;
  /** Why, for whoever takes it up: 1 to 500 characters. */
  readonly reason?: string;
  /** Level of a safety alert, 1 to 1,000: alerts stand in front. */
  readonly alert?: number;
}

const wrong = (path: string, message: string): ThroughlineError => new ThroughlineError("handover.invalid", message, { details: { path } });

/** Checks the integration's own id of a person, if it is there: 1 to 200 characters, not blank. */
export function checkPerson(path: string, person: unknown): void {
  if (person === undefined || (typeof person === "string" && person.trim() !== "" && person.length <= 200 && isStorableText(person))) return;
  throw wrong(path, `${path} names a person, in 1 to 200 characters, got ${seen(person)}.`);
}

/** What is said of a hand-over, checked; `handover.invalid` names what is wrong. */
export function handoverGiven(given: HandoverGiven): HandoverGiven {
  if (!isPlainObject(given)) throw wrong("", `A hand-over is described by an object, got ${seen(given)}.`);
  const { operator, reason, alert } = given as HandoverGiven;
  checkPerson("operator", operator);
  if (reason !== undefined && (typeof reason !== "string" || reason.trim() === "" || reason.length > 500))
    throw wrong("reason", `A reason has 1 to 500 characters, got ${seen(reason)}.`);
  if (alert !== undefined && !(Number.isInteger(alert) && alert >= 1 && alert <= 1_000))
    throw wrong("alert", `An alert is a level from 1 to 1,000, got ${seen(alert)}.`);
  return { ...(operator === undefined ? {} : { operator }), ...(reason === undefined ? {} : { reason }), ...(alert === undefined ? {} : { alert }) };
}

/** A hand-over that begins: with whom it is decides where it stands. */
export const begunHandover = (at: number, given: HandoverGiven): Handover => ({
  status: given.operator === undefined ? "waiting" : "assigned",
  since: at,
  ...given,
});
