/** Formats memory for the terminal, and the prompt of a turn with its recalled items, token counts and omissions. */
import type { PromptPartRecord, PromptRecord, SessionPrompt } from "throughline/context";
import type { JsonObject } from "throughline/kernel";
import type { ForgetReport, ListedEntry, MemoryStatus, EndedEpisode, Why, WhyItem } from "throughline/memory";
import type { Channel } from "./command-output.ts";
import { clip, indent, printable, table } from "./terminal-text.ts";

const round = (value: number): string => String(Math.round(value * 100) / 100);

function whyRow({ placement, score, parts, text, catch_up }: WhyItem, width: number): readonly string[] {
  const made = Object.entries(parts)
    .toSorted(([, one], [, other]) => Math.abs(other) - Math.abs(one))
    .map(([name, part]) => `${name} ${round(part)}`);
  return [
    placement,
    catch_up === true ? "-" : round(score),
    clip(catch_up === true ? "the episode begins" : made.join(" + "), 40),
    text === null ? "(forgotten since)" : clip(text, width),
  ];
}

/** Formats the items that a turn recalled, with the parts of each score and the placement. */
export function whyLines({ diagnostics, items }: Pick<Why, "diagnostics" | "items">, channel: Pick<Channel, "paint" | "columns">): readonly string[] {
  const { retrieval_note, floor, top_score, semantic_hits, episodic_hits, semantic_store_size, episodic_store_size } = diagnostics;
  const width = Math.max(30, channel.columns(120) - 60);
  return [
    `Of ${semantic_store_size} facts and messages and ${episodic_store_size} sessions that are remembered, ${semantic_hits + episodic_hits} were chosen.`,
    channel.paint("dim", printable(`${retrieval_note} (floor ${floor}, best ${round(top_score)})`)),
    items.length === 0 ? "Nothing was found." : table([["PLACEMENT", "SCORE", "MADE OF", "WHAT"], ...items.map((item) => whyRow(item, width))]),
  ];
}

/** Formats the memory that an ended episode left. */
export function endedLines({ detail, summary, themes, open_loops, mood_opened, mood_closed }: EndedEpisode): readonly string[] {
  return [
    detail,
    ...(summary === null ? [] : [printable(summary)]),
    ...(themes.length === 0 ? [] : [`themes: ${printable(themes.join(", "))}`]),
    ...(mood_opened === null || mood_closed === null ? [] : [`mood: ${printable(mood_opened)} → ${printable(mood_closed)}`]),
    ...open_loops.map((open) => `open: ${printable(open)}`),
  ];
}

/** Shown if no turn has recalled anything. */
export const nothingRecalled = "The last turns recalled nothing.";

function marksOf({ in_force, entry }: ListedEntry): string {
  const marks = [
    ...(in_force ? [] : ["history"]),
    ...(entry.pinned === true ? ["pinned"] : []),
    ...("never_recall" in entry ? ["never recalled"] : []),
  ];
  return marks.join(", ") || "-";
}

/** The least width for entries of one line each. */
const wideEnough = 110;

/** Formats memory entries: one per line, or in a narrow terminal two lines each. */
export function entryLines(items: readonly ListedEntry[], channel: Pick<Channel, "columns">): string {
  const width = channel.columns(160);
  const isWide = width >= wideEnough;
  const rows = items.map((item) => [item.kind, String(item.index ?? "-"), marksOf(item), item.entry_id]);
  if (isWide) return table([["KIND", "N", "MARKS", "ID", "WHAT"], ...rows.map((row, at) => [...row, clip(items[at]?.text ?? "", width - 60)])]);
  const [header = "", ...lines] = table([["KIND", "N", "MARKS", "ID"], ...rows]).split("\n");
  return [header, ...lines.flatMap((line, at) => [line, `  ${clip(items[at]?.text ?? "", width - 2)}`])].join("\n");
}

/** Formats the size of a memory. */
export function statusLines({ facts, turns, arcs, rules, held, never_recalled, recall_enabled, incognito }: MemoryStatus): string {
  return table([
    ...(incognito === true ? [["incognito", "this session neither stores nor recalls memories"]] : []),
    ["facts", String(facts)],
    ["messages, word for word", String(turns)],
    ["session summaries", String(arcs)],
    ["rules", String(rules)],
    ["held until a conversation ends", String(held)],
    ["never recalled", String(never_recalled)],
    ["mentioned unprompted", recall_enabled ? "yes" : "no"],
  ]);
}

/** Summarizes a deletion in one sentence. */
export function forgottenLine({ facts, turns, arcs, rules, candidates, masked, redacted }: ForgetReport): string {
  const count = (places: ForgetReport["masked"]): number => places.reduce((sum, { offsets }) => sum + offsets.length, 0);
  const parts = [`facts ${facts}`, `messages word for word ${turns}`, `session summaries ${arcs}`, `rules ${rules}`, `held ${candidates}`];
  return `Forgotten: ${parts.join(", ")}. Masked messages: ${count(masked)}; with removed text: ${count(redacted)}.`;
}

const barWidth = 20;

/** A bar for a part's share of all tokens. */
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

/** Formats the parts of a prompt as a table, with a summary line. */
function recordLines(record: PromptRecord, channel: Pick<Channel, "paint">): readonly string[] {
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

/** Formats the request of a step: each section and message in full, then the parts with their tokens. */
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

/** The same as JSON; null if no request is kept. */
export const promptDocument = (kept: SessionPrompt | undefined): JsonObject => ({ prompt: kept === undefined ? null : ({ ...kept } as never) });

/** Shown if no request is kept. */
export const notKept = "No request is kept. An agent with `keepRequests: true` keeps requests for 7 days, encrypted and erased with the session.";
