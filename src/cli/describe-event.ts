import type { Event, SessionData, TurnData } from "../session/event.ts";
import { textOf } from "../session/result-text.ts";
import type { Handover } from "../store/port.ts";
import { brief, clip } from "./text.ts";

/** Columns of an event's description. */
const width = 80;

/** What an event says, in one line. */
export function describeEvent(event: Event): string {
  switch (event.kind) {
    case "message":
      return clip(`${event.data.role}: ${event.data.redacted === true ? "(forgotten)" : textOf(event.data.parts)}`, width);
    case "tool":
      return event.data.type === "called"
        ? clip(`called ${event.data.name}(${JSON.stringify(event.data.arguments)})`, width)
        : clip(`returned ${JSON.stringify(event.data.result)}`, width);
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
      return `step ${data.step_id} failed (${data.error.code}, ${data.ms} ms) and is tried again`;
    case "merged":
      return `results of ${data.calls.join(", ")} are in the state (${data.ms} ms)`;
    case "signal":
      return `stop signal ${data.reason}: ${data.message}`;
    case "continue":
      return `goes on after step ${data.step_id}, asked by ${data.source}`;
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
      return data.title === null ? "title taken away" : `title: ${data.title}`;
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
      return `forked at ${data.at}`;
  }
}

const describeHandover = ({ status, operator, reason, alert }: Handover): string =>
  [
    `hand-over ${status}`,
    ...(operator === undefined ? [] : [`by ${operator}`]),
    ...(alert === undefined ? [] : [`alert ${alert}`]),
    ...(reason === undefined ? [] : [`(${reason})`]),
  ].join(" ");
