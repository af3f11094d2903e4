/** A request that was kept, as it is shown to a person: what it was made of, what that cost, and what was left out. */
import type { PromptPartRecord, PromptRecord } from "../context/prompt-record.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { SessionPrompt } from "../runtime/turn/kept-requests.ts";
import type { Channel } from "./output.ts";
import { clip, indent, printable, table } from "./text.ts";

const barWidth = 20;

/** A part's share of all tokens, as a bar. */
const barOf = (tokens: number, all: number): string => "█".repeat(Math.round((barWidth * tokens) / Math.max(1, all)));

function rowOf({ name, provenance, tokens, placement, cut, dropped, items }: PromptPartRecord, all: number): readonly string[] {
  const left = items?.filter((item) => item.placement !== "in prompt").length ?? 0;
  const more = [
    ...(cut === true ? ["cut"] : []),
    ...(items === undefined ? [] : [`${items.length - left} of ${items.length} pieces`]),
    ...(dropped === undefined ? [] : [`${dropped} older messages left out`]),
  ];
  return [clip(name, 30), provenance, String(tokens), clip([placement, ...more].join(", "), 60), placement === "in prompt" ? barOf(tokens, all) : ""];
}

/** What a prompt was made of, as a table and one line. */
export function recordLines(record: PromptRecord, channel: Pick<Channel, "paint">): readonly string[] {
  const { parts, tokens, budget, counter, style, stage, over_budget } = record;
  const facts = [
    `${tokens}${budget === undefined ? "" : ` of ${budget}`} tokens by ${counter}`,
    ...(over_budget === true ? ["over the budget"] : []),
    ...(style === undefined ? [] : [`style ${style ?? "(none of the agent's)"}`]),
    ...(stage === undefined ? [] : [`stage ${stage}`]),
  ];
  return [
    table([["PART", "FROM", "TOKENS", "PLACEMENT", ""], ...parts.map((part) => rowOf(part, tokens))]),
    channel.paint("dim", printable(facts.join(" · "))),
  ];
}

/** The request of a step: each section and message in full, and below what it was made of. */
export function promptLines({ turn_id, step, request, record }: SessionPrompt, channel: Pick<Channel, "paint">): readonly string[] {
  const { sections, messages, tools } = request;
  return [
    channel.paint("dim", `The request of step ${step} of ${turn_id}, as it was sent:`),
    ...sections.map(({ name, text }) => `${channel.paint("bold", `[${printable(name)}]`)}\n${indent(printable(text))}`),
    channel.paint("bold", "[messages]"),
    ...messages.map((message) => indent(`${message.role}: ${printable(message.text)}`)),
    ...(tools.length === 0 ? [] : [`${channel.paint("bold", "[tools]")} ${tools.map(({ name }) => printable(name)).join(", ")}`]),
    "",
    ...recordLines(record, channel),
  ];
}

/** The same as a document; null if no request is kept. */
export const promptDocument = (kept: SessionPrompt | undefined): JsonObject => ({ prompt: kept === undefined ? null : ({ ...kept } as never) });

/** What to say when no request is kept. */
export const notKept = "No request is kept. An agent keeps them with `keepRequests: true`: encrypted and erased with the session, and for 7 days.";
