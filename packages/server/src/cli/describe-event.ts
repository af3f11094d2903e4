/** Formats events and state changes for the terminal. */
import { isPlainObject, type Json, jsonEqual, type JsonObject } from "throughline/kernel";
import { textOf, present } from "throughline/internal";
import type { Event, ToolCall } from "throughline";
import type { MessageData, SessionData, TurnData } from "throughline/session";
import type { Handover } from "throughline/store";
import type { Channel } from "./command-output.ts";
import { brief, clip, indent, jsonText, printable } from "./terminal-text.ts";

/** Maximum columns of an event's description. */
const width = 80;

/** Describes an event in one line. */
export function describeEvent(event: Event): string {
  switch (event.kind) {
    case "message":
      return clip(`${event.data.role}: ${event.data.redacted === true ? "(forgotten)" : wordsOf(event.data)}`, width);
    case "tool":
      return event.data.type === "called"
        ? clip(`called ${describeCall(event.data)}`, width)
        : clip(`returned ${reusedOf(event.data.reused_from)}${JSON.stringify(event.data.result)}`, width);
    case "status":
      return event.data.stage === undefined ? event.data.status : `${event.data.status} (${event.data.stage})`;
    case "custom":
      return brief(event.data.value, width);
    case "state": {
      const { patch, writer } = event.data;
      const who = "name" in writer && writer.name !== undefined ? `${writer.type} ${writer.name}` : writer.type;
      return clip(`${who}: ${patch.map((operation) => `${operation.op} ${operation.path}`).join(", ") || "no change"}`, width);
    }
    case "turn":
      return clip(describeTurn(event.data), width);
    case "session":
      return clip(describeSession(event.data), width);
    case "assessment":
      return `level ${event.data.level}`;
  }
}

const reusedOf = (offset: number | undefined): string => (offset === undefined ? "" : `(reused from ${offset}) `);

/** Describes a call of a tool, on one line. */
const describeCall = ({ name, arguments: given }: Pick<ToolCall, "name" | "arguments">): string => `${name}(${JSON.stringify(given)})`;

/** Describes a call that a message requests, whether or not it ran. */
export const requested = (call: ToolCall): string => `calls ${describeCall(call)}`;

/** The text of a message and its calls. */
const wordsOf = ({ parts, calls = [] }: MessageData): string => [textOf(parts), ...calls.map(requested)].filter((text) => text !== "").join(" ");

function describeTurn(data: TurnData): string {
  switch (data.type) {
    case "started":
      return `started (${data.cause}${data.answers.length === 0 ? "" : `, answers ${data.answers.join(", ")}`})`;
    case "stage":
      return `stage ${data.name} (${data.ms} ms)`;
    case "step":
      return `step ${data.step_id} (${data.finish_reason}, ${data.ms} ms)`;
    case "spent":
      return `model call answered, its step not recorded (${data.ms} ms)`;
    case "fields":
      return `fields of the turn: ${data.patch.map((operation) => `${operation.op} ${operation.path}`).join(", ")}`;
    case "attempt":
      return `step ${data.step_id} failed (${data.error.code}, ${data.ms} ms) and is retried`;
    case "merged":
      return `results of ${data.calls.join(", ")} are in the state (${data.ms} ms)`;
    case "signal":
      return `stop signal ${data.reason}: ${data.message}`;
    case "continue":
      return `continues after step ${data.step_id}, requested by ${data.source}`;
    case "paused":
      return `paused: ${data.pending.map((call) => `${call.kind} for ${call.name} (${call.call_id})`).join(", ")}`;
    case "decided":
      return `decided ${data.call_id}: ${data.decision.type}`;
    case "ended":
      return `ended: ${data.outcome.status}${data.outcome.status === "stopped" ? ` (${data.outcome.reason})` : data.outcome.status === "failed" ? ` (${data.outcome.error.code})` : ""}`;
  }
}

const describeCounts = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([what, count]) => `${count} ${what}`)
    .join(", ") || "nothing";

function describeSession(data: SessionData): string {
  switch (data.type) {
    case "created":
      return `created for agent ${data.agent}, definition ${data.definition}`;
    case "mode":
      return `mode ${data.mode}${data.handover === undefined ? "" : `, ${describeHandover(data.handover)}`}`;
    case "handover":
      return describeHandover(data.handover);
    case "episode":
      return `episode ${data.opened} began (${data.reason})`;
    case "remembered":
      return `episode ${data.episode} remembered: ${describeCounts(data.counts)}`;
    case "title":
      return data.title === null ? "title removed" : `title: ${data.title}`;
    case "withdrawn":
      return `withdrawn from ${data.from}${data.effects.length === 0 ? "" : `; done and not undone: ${data.effects.join(", ")}`}`;
    case "identified":
      return `customer ${data.customer_id}`;
    case "redacted":
      return `forgotten: the text of ${data.offsets.join(", ")}`;
    case "consent":
      return `consent ${data.given ? "given" : "withdrawn"} for ${data.purpose} (text ${data.text_version})`;
    case "disclosure":
      return `disclosure (${data.reason}): ${data.text}`;
    case "forked":
      return `forked at ${data.at}${data.reuse === undefined ? "" : `, reuses results recorded up to ${data.reuse}`}`;
  }
}

const describeHandover = ({ status, operator, reason, alert }: Handover): string =>
  [
    `handover ${status}`,
    ...(operator === undefined ? [] : [`by ${operator}`]),
    ...(alert === undefined ? [] : [`alert ${alert}`]),
    ...(reason === undefined ? [] : [`(${reason})`]),
  ].join(" ");

/** A field's value before and after a change; absent if it had none. */
export interface FieldChange {
  readonly field: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** Lists the fields that differ: first those of the later state in its order, then the removed ones. */
export function changesBetween(before: JsonObject, after: JsonObject): readonly FieldChange[] {
  const fields = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...fields].flatMap((field) => {
    const [old, value] = [before[field], after[field]];
    if (old === value || (old !== undefined && value !== undefined && jsonEqual(old, value))) return [];
    return [{ field, ...present({ before: old, after: value }) }];
  });
}

/** Formats changes in one line: `state +2: user_name = Ada, streak = 1`. The number counts fields. */
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

/** For a list that only grew, the number of added items. */
function grown(before: Json | undefined, after: Json): string | undefined {
  if (!Array.isArray(after) || after.length === 0 || (before !== undefined && !Array.isArray(before))) return undefined;
  const old: readonly Json[] = Array.isArray(before) ? before : [];
  const more = after.length - old.length;
  const kept = old.every((item, index) => jsonEqual(item, after[index] as Json));
  return kept && more > 0 && after.some((item: Json) => typeof item === "object") ? `+${more}` : undefined;
}

/** Splits a change of an object into changes of its members, named by path. Most changes of a large object affect few members. */
function innermost({ field, before, after }: FieldChange): readonly FieldChange[] {
  if (!isPlainObject(before) || !isPlainObject(after)) return [{ field, ...present({ before, after }) }];
  return changesBetween(before, after).flatMap((change) => innermost({ ...change, field: `${field}.${change.field}` }));
}

/** The items added to a list that only grew. */
function added({ before, after }: FieldChange): readonly Json[] | undefined {
  if (!Array.isArray(before) || before.length === 0 || !Array.isArray(after)) return undefined;
  return grown(before, after) === undefined ? undefined : after.slice(before.length);
}

/** Formats changes over several lines, old → new. */
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
