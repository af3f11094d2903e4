/** The input with which a caller enters a routine. */
import { invalidAt } from "../extension/failure.ts";
import { seen, type ThroughlineError } from "../kernel/error.ts";
import { isPlainObject, type Json } from "../kernel/json.ts";
import { type Routine, shapeOf } from "./routine.ts";

/** Returns the error for an autonomous routine that a caller enters in a conversation: it would have no deadline, no callback and no result. */
export const notEntered = ({ id }: Routine): ThroughlineError =>
  invalidAt("input.invalid", "routine", `Routine "${id}" is autonomous. Start it with runs.start, in this session with session_id.`);

/** Returns the checked input of a routine. Throws `input.invalid`. */
export function inputOf({ id, input: shape }: Routine, given: unknown): Json | undefined {
  const isEmpty = given === undefined || (isPlainObject(given) && Object.keys(given).length === 0);
  if (shape === undefined) {
    if (isEmpty) return undefined;
    throw invalidAt("input.invalid", "", `Routine "${id}" takes no input, got ${seen(given)}.`);
  }
  if (!isEmpty && !isPlainObject(given)) throw invalidAt("input.invalid", "", `The input of routine "${id}" is an object, got ${seen(given)}.`);
  const checked = shapeOf(shape).check(isEmpty ? {} : given);
  if (checked.ok) return checked.value as Json;
  const why = checked.issues.map(({ path, message }) => `${path} ${message.replace("is not a parameter", "is not a member")}`.trim()).join("; ");
  throw invalidAt("input.invalid", checked.issues[0]?.path ?? "", `The input of routine "${id}" is wrong: ${why}.`);
}
