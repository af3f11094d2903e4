/** An event of the conversation, in one line with its details. */
import type { WireEvent, WireSession } from "@throughline/client";
import { oneLine } from "./long-text.tsx";
import { lineOf, lineText } from "./event-line.ts";

const brief = (value: unknown): string => oneLine(JSON.stringify(value) ?? "");

/** What happened, in one line. */
export function detailOf(event: WireEvent): string {
  const { kind, data } = event;
  if (kind === "tool" && data.type === "called") return oneLine(`${data.name}(${brief(data.arguments)})`);
  if (kind === "custom") return brief(data.value);
  if (kind === "turn" && data.type === "ended")
    return oneLine(`ended · ${data.outcome.status}${data.outcome.error === undefined ? "" : ` · ${data.outcome.error.code}`}`);
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
