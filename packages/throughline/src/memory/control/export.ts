/** Exports a memory as JSON or Markdown. */
import { inForce, type Arc, type Fact, type Kept, type RememberedTurn, type Rule, type Source } from "../entry.ts";
import { dayOf, oneLine } from "../write/render.ts";
import type { ExportedMemory } from "./owner-memory.ts";
import type { MemorySnapshot } from "./snapshot-listing.ts";

/** Exports everything with its provenance, including history and held candidates. Vectors and bars are left out, since they add no information. */
export const exportedJson = (memory: MemorySnapshot, now: number): ExportedMemory => ({
  format: "throughline.memory/1",
  exported_at: now,
  version: memory.version,
  facts: memory.facts,
  turns: memory.turns,
  arcs: memory.arcs,
  profile: memory.profile,
  held: memory.buffers.map(({ entry_id, entry }) => ({ entry_id, data: entry })),
  masks: memory.masks.map(({ entry: { session_id, offsets } }) => ({ session_id, offsets })),
});

/** Escapes Markdown characters. */
const plain = (text: string): string => oneLine(text).replaceAll(/([\\`*_[\]<>#|])/gu, "\\$1");

const where = ({ session_id, offset, at }: Source): string => `${dayOf(at)}, ${session_id} at ${offset}`;

function marks(entry: Fact | RememberedTurn | Arc): string {
  const words = [
    ...(entry.pinned === true ? ["pinned"] : []),
    ...(entry.never_recall === true ? ["never recalled"] : []),
    ...(entry.sensitivity === "ordinary" ? [] : [entry.sensitivity]),
  ];
  return words.length === 0 ? "" : ` (${words.join(", ")})`;
}

function factLines({ entry_id, entry }: Kept<Fact>): readonly string[] {
  const { subject, predicate, object, quote, sources, authority, valid_from, valid_to, category } = entry;
  const validity = [
    ...(valid_from === undefined ? [] : [`from ${dayOf(valid_from)}`]),
    ...(valid_to === undefined ? [] : [`until ${dayOf(valid_to)}`]),
  ];
  const by = authority === "person" ? "your own word" : authority === "program" ? "written by a program" : "taken from what you said";
  return [
    `- **${plain(category)}**: ${plain(subject.id)} ${plain(predicate.replaceAll("_", " ").toLowerCase())} ${plain(object.id)}${marks(entry)}`,
    `  > ${plain(quote)}`,
    `  - said ${sources.map(where).map(plain).join("; ")}; ${by}${validity.length === 0 ? "" : `; ${validity.join(" ")}`}`,
    ...(inForce(entry) ? [] : [`  - no longer in force since ${entry.retracted_at === undefined ? "it was replaced" : dayOf(entry.retracted_at)}`]),
    `  - ${plain(entry_id)}`,
  ];
}

function arcLines({ entry_id, entry }: Kept<Arc>): readonly string[] {
  const { started_at, ended_at, summary, themes, open_loops, resolved, goal } = entry;
  const list = (name: string, items: readonly string[]): readonly string[] =>
    items.length === 0 ? [] : [`  - ${name}: ${items.map(plain).join("; ")}`];
  return [
    `- **${dayOf(started_at)} to ${dayOf(ended_at)}**: ${plain(summary)}${marks(entry)}`,
    ...list("themes", themes),
    ...list("open", open_loops),
    ...list("resolved", resolved),
    ...list("goal", goal === undefined ? [] : [goal]),
    `  - ${plain(entry_id)}`,
  ];
}

const ruleLines = ({ text, evidence, added_at, archived_at }: Rule): readonly string[] => [
  `- ${plain(text)} (since ${dayOf(added_at)}${archived_at === undefined ? "" : `, until ${dayOf(archived_at)}`})`,
  ...evidence.map((quote) => `  > ${plain(quote)}`),
];

const turnLines = ({ entry_id, entry }: Kept<RememberedTurn>): readonly string[] => [
  `- ${dayOf(entry.source.at)}: “${plain(entry.text)}”${marks(entry)}`,
  `  - ${plain(entry_id)}`,
];

/** Exports a readable page. Each entry has its quotes, their dates, and whether it is active. */
export function exportedMarkdown(memory: MemorySnapshot, now: number): string {
  const { profile } = memory;
  const section = (title: string, entries: readonly (readonly string[])[]): readonly string[] =>
    entries.length === 0 ? [] : ["", `## ${title}`, "", ...entries.flat()];
  const held = memory.buffers.flatMap(({ entry }) => entry.held.map(({ quote }) => [`- “${plain(quote)}”`]));
  const sections = [
    ...section("Facts", memory.facts.filter(({ entry }) => inForce(entry)).map(factLines)),
    ...section("Facts that no longer hold", memory.facts.filter(({ entry }) => !inForce(entry)).map(factLines)),
    ...section("Sessions", memory.arcs.map(arcLines)),
    ...section("How to talk with you", profile.rules.map(ruleLines)),
    ...section("Former rules", profile.archived.map(ruleLines)),
    ...section("Your messages, word for word", memory.turns.map(turnLines)),
    ...section("Held until the conversation ends", held),
  ];
  const head = [
    "# What is remembered of you",
    "",
    `As of ${dayOf(now)}. Bringing things up unasked is ${profile.recall_enabled ? "on" : "off"}.`,
    ...(sections.length === 0 ? ["", "Nothing."] : []),
  ];
  return `${[...head, ...sections].join("\n")}\n`;
}
