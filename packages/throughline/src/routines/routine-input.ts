/** The input with which a caller enters a routine. */
import { invalidAt } from "../extension/failure.ts";
import { isPlainObject, type Json } from "../kernel/json.ts";
import { type Routine, shapeOf } from "./routine.ts";

/** Returns the checked input of a routine. Throws `input.invalid`. */
export function inputOf({ id, input: shape }: Routine, given: unknown): Json | undefined {
  if (shape === undefined) return undefined;
  const checked = shapeOf(shape).check(isPlainObject(given) ? given : {});
  if (checked.ok) return checked.value as Json;
  const why = checked.issues.map(({ path, message }) => `${path} ${message}`.trim()).join("; ");
  throw invalidAt("input.invalid", checked.issues[0]?.path ?? "", `The input of routine "${id}" is wrong: ${why}.`);
}
