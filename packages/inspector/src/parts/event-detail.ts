/** An event of the conversation, in one line with its details. */
import type { WireEvent, WireSession } from "@throughline/client";
import { oneLine } from "./long-text.tsx";
import { lineOf, lineText } from "./event-line.ts";

/** What a tool returned. */
export type ReturnedResult = Extract<Extract<WireEvent, { readonly kind: "tool" }>["data"], { readonly type: "returned" }>["result"];

/** A result as JSON. */
export const resultText = (result: ReturnedResult, indent?: number): string =>
  JSON.stringify("value" in result ? result.value : result, null, indent);

const brief = (value: unknown): string => oneLine(JSON.stringify(value) ?? "");

/** The most characters of a line with an error. */
const mostOfError = 600;

/** What happened, in one line. */
export function detailOf(event: WireEvent): string {
  const { kind, data } = event;
  if (kind === "tool" && data.type === "called") return oneLine(`${data.name}(${brief(data.arguments)})`);
  if (kind === "custom") return brief(data.value);
  if (kind === "turn" && data.type === "ended") {
    const { status, reason, message, error } = data.outcome;
    return oneLine(["ended", status, reason, message, error?.code, error?.message].filter(Boolean).join(" · "), mostOfError);
  }
  if (kind === "session") return oneLine(sessionDetail(event));
  return lineText(lineOf(event));
}

function handoverDetail({ status, operator, reason, alert }: NonNullable<WireSession["handover"]>): string {
  return ["handover", status, operator, alert === undefined ? undefined : `alert ${alert}`, reason].filter(Boolean).join(" · ");
}

function sessionDetail(event: Extract<WireEvent, { readonly kind: "session" }>): string {
  const { data } = event;
  switch (data.type) {
    case "mode":
      return `mode ${data.mode}${data.handover === undefined ? "" : ` · ${handoverDetail(data.handover)}`}`;
    case "handover":
      return handoverDetail(data.handover);
    case "episode":
      return `episode ${data.opened} · ${data.reason}`;
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
    case "created":
    case "remembered":
      return lineText(lineOf(event));
  }
}
