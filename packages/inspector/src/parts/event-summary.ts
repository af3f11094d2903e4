/** An event in one line, whether it belongs to the conversation, and the filter of the timeline. */
import type { WireEvent, WireSession } from "@throughline/client";
import { oneLine } from "./long-text.tsx";
import { messageText } from "./message-text.ts";

const brief = (value: unknown): string => oneLine(JSON.stringify(value) ?? "");

/** Whether an event is part of the conversation. */
export const isEntry = (event: WireEvent): boolean =>
  event.kind === "message" ||
  event.kind === "custom" ||
  (event.kind === "tool" && event.data.type === "called") ||
  (event.kind === "session" && event.data.type !== "remembered" && event.data.type !== "created") ||
  (event.kind === "turn" && event.data.type === "ended" && event.data.outcome.status !== "completed");

/** What happened, in one line. */
export function summaryOf(event: WireEvent): string {
  switch (event.kind) {
    case "message": {
      const { data } = event;
      const calls = (data.calls ?? []).map((call) => `→ ${call.name}(${brief(call.arguments)})`);
      return oneLine([data.redacted === true ? "(redacted)" : messageText(data), ...calls].filter(Boolean).join(" "));
    }
    case "tool":
      return event.data.type === "called"
        ? oneLine(`${event.data.name}(${brief(event.data.arguments)})`)
        : oneLine(`${event.data.result.type} ${"value" in event.data.result ? brief(event.data.result.value) : brief(detailOf(event.data.result))}`);
    case "status":
      return [event.data.status, event.data.stage, event.data.error?.code].filter(Boolean).join(" · ");
    case "custom":
      return brief(event.data.value);
    case "state": {
      const { patch } = event.data;
      return oneLine(`${writerOf(event)}${patch.map(({ op, path }) => `${op} ${path}`).join(", ")}`);
    }
    case "turn":
      return oneLine(turnSummary(event.data));
    case "session":
      return oneLine(sessionSummary(event.data));
    case "assessment":
      return `level ${event.data.level}`;
  }
}

const detailOf = (result: object): object => Object.fromEntries(Object.entries(result).filter(([name]) => name !== "type"));

/** Who wrote a state event, with a colon; empty if the service does not say. */
function writerOf({ data: { writer } }: Extract<WireEvent, { readonly kind: "state" }>): string {
  if (writer === undefined) return "";
  return `${writer.type}${"name" in writer && writer.name !== undefined ? ` ${writer.name}` : ""}: `;
}

function turnSummary(data: Extract<WireEvent, { readonly kind: "turn" }>["data"]): string {
  switch (data.type) {
    case "started":
      return `started · ${data.cause}${data.answers.length === 0 ? "" : ` · answers ${data.answers.join(", ")}`}`;
    case "stage":
      return `stage ${data.name} · ${Math.round(data.ms)} ms`;
    case "step":
      return `step ${data.model ?? ""} · ${data.finish_reason} · ${Math.round(data.ms)} ms`;
    case "spent":
      return `model call without a step · ${Math.round(data.ms)} ms`;
    case "fields":
      return `fields ${data.patch.map(({ path }) => path).join(", ")}`;
    case "attempt":
      return `attempt failed · ${data.error.code}`;
    case "merged":
      return `results merged · ${data.calls.length}`;
    case "signal":
      return `stop signal ${data.reason} · ${data.message}`;
    case "continue":
      return `continues · ${data.source}`;
    case "paused":
      return `paused · ${data.pending.map(({ kind, name }) => `${kind} for ${name}`).join(", ")}`;
    case "decided":
      return `decided · ${data.decision.type}`;
    case "ended":
      return `ended · ${data.outcome.status}${data.outcome.error === undefined ? "" : ` · ${data.outcome.error.code}`}`;
  }
}

function handoverSummary({ status, operator, reason, alert }: NonNullable<WireSession["handover"]>): string {
  return ["handover", status, operator, alert === undefined ? undefined : `alert ${alert}`, reason].filter(Boolean).join(" · ");
}

function sessionSummary(data: Extract<WireEvent, { readonly kind: "session" }>["data"]): string {
  switch (data.type) {
    case "created":
      return `created · ${data.agent}`;
    case "mode":
      return `mode ${data.mode}${data.handover === undefined ? "" : ` · ${handoverSummary(data.handover)}`}`;
    case "handover":
      return handoverSummary(data.handover);
    case "episode":
      return `episode ${data.opened} · ${data.reason}`;
    case "remembered":
      return `remembered · ${brief(data.counts)}`;
    case "title":
      return `title ${data.title ?? "removed"}`;
    case "withdrawn":
      return `withdrawn from ${data.from}${data.effects === undefined || data.effects.length === 0 ? "" : ` · not undone: ${data.effects.join(", ")}`}`;
    case "identified":
      return `identified · ${data.customer_id}`;
    case "redacted":
      return `redacted · ${data.offsets.join(", ")}`;
    case "consent":
      return `consent ${data.given ? "given" : "withdrawn"} · ${data.purpose}`;
    case "disclosure":
      return `disclosure · ${data.text}`;
    case "forked":
      return `forked at ${data.at}`;
  }
}

/** One word of the timeline's filter. */
interface Term {
  readonly negative: boolean;
  readonly name: "kind" | "source" | "turn" | "text";
  readonly value: string;
}

/** Reads `kind:tool -kind:status source:customer words`. */
function termsOf(filter: string): readonly Term[] {
  return filter
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => {
      const [, minus, name, rest = ""] = /^(-?)(?:(kind|source|turn):)?(.*)$/.exec(word) ?? [];
      return { negative: minus === "-", name: name === "kind" || name === "source" || name === "turn" ? name : "text", value: rest };
    });
}

/** The events that a filter of the timeline lets through. */
export function filtered(events: readonly WireEvent[], filter: string): readonly WireEvent[] {
  const terms = termsOf(filter).filter(({ value }) => value !== "");
  if (terms.length === 0) return events;
  const fits = (event: WireEvent, { name, value }: Term): boolean => {
    if (name === "kind") return event.kind === value || `${event.kind}.${"type" in event.data ? event.data.type : ""}` === value;
    if (name === "source") return event.source === value;
    if (name === "turn") return event.turn_id?.toLowerCase() === value;
    return summaryOf(event).toLowerCase().includes(value);
  };
  return events.filter((event) => terms.every((term) => fits(event, term) !== term.negative));
}
