/** The routines that an agent follows. */
import type { Agent } from "throughline";
import { isPlainObject } from "throughline/kernel";
import type { Routine } from "throughline/routines";

/** Returns the routines of an agent, in the order of its definition. */
export const routinesOf = ({ extensions }: Agent): readonly Routine[] => extensions.flatMap(({ settings }) => routinesIn(settings));

function routinesIn(settings: unknown): readonly Routine[] {
  const list: unknown = isPlainObject(settings) ? settings["routines"] : undefined;
  return Array.isArray(list) ? list.filter((one: unknown): one is Routine => isPlainObject(one) && one["type"] === "routine") : [];
}
