/** What changed between two states, field by field. */
import { isPlainObject, type Json, type JsonObject, jsonEqual } from "../kernel/json.ts";
import type { Channel } from "./output.ts";
import { brief, indent, jsonText, printable } from "./text.ts";

/** A field's value before and after; absent where it had none. */
export interface FieldChange {
  readonly field: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** The fields that differ, in the order of the later state, then those that are gone. */
export function changesBetween(before: JsonObject, after: JsonObject): readonly FieldChange[] {
  const fields = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...fields].flatMap((field) => {
    const [old, value] = [before[field], after[field]];
    if (old === value || (old !== undefined && value !== undefined && jsonEqual(old, value))) return [];
    return [{ field, ...(old === undefined ? {} : { before: old }), ...(value === undefined ? {} : { after: value }) }];
  });
}

/** Changes in one line: `state +2: user_name = Ada, streak = 1`. The number counts fields. */
export function changeLine(changes: readonly FieldChange[], width: number): string {
  const head = `state +${changes.length}: `;
  const shown: string[] = [];
  let used = head.length;
  for (const { field, before, after } of changes) {
    const text = after === undefined ? `${field} cleared` : `${field} ${grown(before, after) ?? `= ${brief(after)}`}`;
    if (shown.length > 0 && used + text.length + 12 > width) break;
    shown.push(text);
    used += text.length + 2;
  }
  const rest = changes.length - shown.length;
  return `${head}${shown.join(", ")}${rest > 0 ? `, ${rest} more` : ""}`;
}

/** A list that only became longer: how much. */
function grown(before: Json | undefined, after: Json): string | undefined {
  if (!Array.isArray(after) || after.length === 0 || (before !== undefined && !Array.isArray(before))) return undefined;
  const old: readonly Json[] = Array.isArray(before) ? before : [];
  const more = after.length - old.length;
  const kept = old.every((item, index) => jsonEqual(item, after[index] as Json));
  return kept && more > 0 && after.some((item: Json) => typeof item === "object") ? `+${more}` : undefined;
}

/** Of an object that was one before, its members that differ, by their paths: of forty members of a plan mostly two have changed. */
function innermost({ field, before, after }: FieldChange): readonly FieldChange[] {
  if (!isPlainObject(before) || !isPlainObject(after))
    return [{ field, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }];
  return changesBetween(before, after).flatMap((change) => innermost({ ...change, field: `${field}.${change.field}` }));
}

/** What a list that only became longer has got: not what it had. */
function added({ before, after }: FieldChange): readonly Json[] | undefined {
  if (!Array.isArray(before) || before.length === 0 || !Array.isArray(after)) return undefined;
  return grown(before, after) === undefined ? undefined : after.slice(before.length);
}

/** Changes over several lines, old → new. */
export function describeChanges(changes: readonly FieldChange[], paint: Channel["paint"]): string {
  const side = (value: Json | undefined, sign: "-" | "+"): string => {
    return paint(sign === "-" ? "red" : "green", indent(shown(value, 2), `  ${sign} `));
  };
  return changes
    .flatMap(innermost)
    .map((change) => {
      const { field, before, after } = change;
      const [old, value] = [shown(before), shown(after)];
      const head = paint("bold", printable(field));
      const more = added(change);
      if (more !== undefined) return `${head}: ${paint("green", more.map((item) => `+ ${shown(item)}`).join(", "))}`;
      return old.length + value.length <= 60 && !old.includes("\n") && !value.includes("\n")
        ? `${head}: ${paint("red", old)} → ${paint("green", value)}`
        : `${head}:\n${side(before, "-")}\n${side(after, "+")}`;
    })
    .join("\n");
}

const shown = (value: Json | undefined, indentation?: number): string =>
  value === undefined ? "(none)" : typeof value === "string" ? printable(value) : jsonText(value, indentation);
