/** Events on one line. A summary of the service and an event that follows live look the same. */
import type { ResultOf, WireEvent } from "@throughline/client";
import { messageText } from "./message-text.ts";

/** An event without its data, as lists show it. */
export type Line = ResultOf<"listEventSummaries">["items"][number];

/** The most characters of a preview, as the service cuts it. */
const previewCharacters = 80;

/** The line of an event, as `listEventSummaries` has it. */
export function lineOf(event: WireEvent): Line {
  const { offset, kind, source, created_at: at, turn_id } = event;
  const { type, preview = "" } = described(event);
  const line = begin(preview);
  return {
    ...{ offset, kind, source, at },
    ...(type === undefined ? {} : { type }),
    ...(turn_id === undefined ? {} : { turn_id }),
    ...(line === "" ? {} : { preview: line }),
  };
}

/** The begin of a text, on one line. */
function begin(text: string): string {
  const characters = Array.from(
    text
      .slice(0, previewCharacters * 4)
      .replaceAll(/\s+/g, " ")
      .trim(),
  );
  return characters.length <= previewCharacters ? characters.join("") : `${characters.slice(0, previewCharacters - 1).join("")}…`;
}

interface Described {
  readonly type?: string | undefined;
  readonly preview?: string | undefined;
}

function described(event: WireEvent): Described {
  switch (event.kind) {
    case "message": {
      const { role, calls = [] } = event.data;
      return { type: role, preview: [messageText(event.data), ...calls.map(({ name }) => `${name}()`)].filter((text) => text !== "").join(" ") };
    }
    case "tool": {
      const { data } = event;
      if (data.type === "called") return { type: data.type, preview: data.name };
      return { type: data.type, preview: data.reused_from === undefined ? data.result.type : `${data.result.type}, reused` };
    }
    case "status":
      return { type: event.data.status, preview: event.data.stage };
    case "custom":
      return { preview: JSON.stringify(event.data.value) };
    case "state":
      return { type: event.data.writer?.type, preview: [...new Set(event.data.patch.map(({ path }) => path.split("/", 2)[1] ?? ""))].join(", ") };
    case "turn":
      return { type: event.data.type, preview: ofTurn(event.data) };
    case "session":
      return { type: event.data.type, preview: ofSession(event.data) };
    case "assessment":
      return { preview: `level ${event.data.level}` };
  }
}

type DataOf<Kind extends WireEvent["kind"]> = Extract<WireEvent, { readonly kind: Kind }>["data"];

function ofTurn(data: DataOf<"turn">): string | undefined {
  switch (data.type) {
    case "started":
      return data.cause;
    case "stage":
      return data.name;
    case "step":
    case "spent":
      return data.model;
    case "attempt":
      return data.error.code;
    case "signal":
      return data.reason;
    case "paused":
      return data.pending.map(({ name }) => name).join(", ");
    case "decided":
      return data.decision.type;
    case "ended":
      return data.outcome.status === "stopped" ? `stopped: ${data.outcome.reason}` : data.outcome.status;
    case "fields":
    case "merged":
    case "continue":
      return undefined;
  }
}

function ofSession(data: DataOf<"session">): string | undefined {
  switch (data.type) {
    case "created":
      return data.agent;
    case "mode":
      return data.mode;
    case "handover":
      return data.handover.status;
    case "episode":
      return data.reason;
    case "title":
      return data.title ?? undefined;
    case "withdrawn":
      return `from ${data.from}`;
    case "forked":
      return `at ${data.at}`;
    case "consent":
      return data.given ? "given" : "withdrawn";
    case "disclosure":
      return data.reason;
    case "identified":
    case "redacted":
    case "remembered":
      return undefined;
  }
}

/** Whether an event is part of the conversation. */
export const isEntry = ({ kind, type, preview }: Line): boolean =>
  kind === "message" ||
  kind === "custom" ||
  (kind === "tool" && type === "called") ||
  (kind === "session" && type !== "remembered" && type !== "created") ||
  (kind === "turn" && type === "ended" && preview !== "completed");

/** What a line says besides its kind. The role of a message follows from its source. */
export const lineText = ({ kind, type, preview }: Line): string =>
  [kind === "message" ? undefined : type, preview].filter((part) => part !== undefined && part !== "").join(" · ");

/** One word of the timeline's filter. */
interface Term {
  readonly negative: boolean;
  readonly name: "kind" | "source" | "turn" | "text";
  readonly value: string;
}

/** Reads `kind:tool -kind:status source:customer words`. */
export function termsOf(filter: string): readonly Term[] {
  return filter
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .map((word): Term => {
      const [, minus, name, rest = ""] = /^(-?)(?:(kind|source|turn):)?(.*)$/.exec(word) ?? [];
      return { negative: minus === "-", name: name === "kind" || name === "source" || name === "turn" ? name : "text", value: rest };
    })
    .filter(({ value }) => value !== "");
}

/** The lines that a filter of the timeline lets through. */
export function filtered(lines: Iterable<Line>, terms: readonly Term[]): readonly Line[] {
  const fits = (line: Line, { name, value }: Term): boolean => {
    if (name === "kind") return line.kind === value || `${line.kind}.${line.type ?? ""}` === value;
    if (name === "source") return line.source === value;
    if (name === "turn") return line.turn_id?.toLowerCase() === value;
    return lineText(line).toLowerCase().includes(value);
  };
  const found: Line[] = [];
  for (const line of lines) if (terms.every((term) => fits(line, term) !== term.negative)) found.push(line);
  return found;
}
