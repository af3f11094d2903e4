/** Draws what stands apart from the talk at a terminal: the panel of context, a reply in a crisis, and the farewell. Pure functions of facts and width. */
import type { EndedEpisode } from "throughline/memory";
import type { Channel } from "../command-output.ts";
import { clip, cut, printable, widthOf, wrapped } from "../terminal-text.ts";

type Paint = Channel["paint"];

/** The size of a terminal. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** What the panel shows. Absent facts are shown as none, so that nobody has to remember what could be there. */
export interface PanelFacts {
  readonly agent: string;
  /** What answers: the mode, or that people do. */
  readonly answers: string;
  /** What the chat does now, such as answering. */
  readonly doing?: string;
  readonly route?: string;
  readonly style?: string;
  readonly approach?: string;
  readonly level?: number;
  readonly exercise?: string;
  /** What was recalled for the last turn, and the number of memories that it was chosen from. */
  readonly memories: readonly string[];
  readonly remembered?: number;
  readonly incognito: boolean;
  readonly tokens?: number;
  readonly budget?: number;
}

const levelWords = ["ordinary", "check-in", "crisis", "danger"] as const;

/** A level of the gate in words: never its number alone. */
export const levelInWords = (level: number): string => `${level} ${levelWords[level] ?? "danger"}`;

const barWidth = 10;

function budgetOf({ tokens, budget }: PanelFacts): string {
  if (tokens === undefined) return "none used";
  if (budget === undefined) return `${tokens} tokens`;
  const filled = Math.min(barWidth, Math.round((barWidth * tokens) / Math.max(1, budget)));
  return `${"▓".repeat(filled)}${"░".repeat(barWidth - filled)} ${tokens} of ${budget} tokens`;
}

/** The named facts in their order. */
const factsOf = (facts: PanelFacts): readonly (readonly [name: string, value: string])[] => [
  ["route", facts.route ?? "none"],
  ["style", facts.style ?? "none"],
  ["approach", facts.approach ?? "none"],
  ["level", facts.level === undefined ? "none" : levelInWords(facts.level)],
  ["exercise", facts.exercise ?? "none"],
  ["budget", budgetOf(facts)],
];

/** The least width of a memory's name: rather fewer names than shorter ones. */
const leastName = 26;

function memoriesOf({ memories, remembered, incognito }: PanelFacts, width: number): string {
  if (incognito) return "off: this thread is incognito";
  const of = remembered === undefined ? "" : ` of ${remembered}`;
  if (memories.length === 0) return remembered === undefined ? "none" : `none recalled${of}`;
  const count = ` (${memories.length}${of})`;
  const whole = `${memories.join("; ")}${count}`;
  if (widthOf(whole) <= width) return whole;
  const each = Math.max(leastName, Math.floor((width - widthOf(count)) / memories.length) - 2);
  const kept: string[] = [];
  let used = widthOf(count) + 3;
  for (const memory of memories) {
    const name = clip(memory, each);
    used += widthOf(name) + 2;
    if (used > width && kept.length > 0) return `${kept.join("; ")}; …${count}`;
    kept.push(name);
  }
  return `${kept.join("; ")}${count}`;
}

/** Joins texts into lines of at most `width` columns. */
function flow(texts: readonly string[], between: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const text of texts) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last) + widthOf(between) + widthOf(text) <= width) lines[lines.length - 1] = `${last}${between}${text}`;
    else lines.push(cut(text, width));
  }
  return lines;
}

/** The greatest part of the terminal that the panel may take, and the rows below which there is none. */
const share = 3;
const leastRows = 9;
const leastColumns = 24;

/** A rule with a title, of `width` columns. */
function ruleOf(title: string, width: number, [dash, corner]: readonly [string, string]): string {
  const text = cut(title, width - 4);
  return `${corner}${dash} ${text} ${dash.repeat(Math.max(0, width - widthOf(text) - 4))}`;
}

/** The lines of the panel; none in a terminal that is too small. No line is as wide as the terminal, so that none breaks. */
export function panelLines(facts: PanelFacts, { columns, rows }: Size, paint: Paint): readonly string[] {
  if (rows < leastRows || columns < leastColumns) return [];
  const width = columns - 1;
  const grave = (facts.level ?? 0) >= 2;
  const style = grave ? "red" : "green";
  const title = [facts.agent, facts.answers, ...(facts.doing === undefined ? [] : [facts.doing])].map(printable).join(" · ");
  const named = factsOf(facts).map(([name, value]) => printable(`${name} ${value}`));
  const body = [...flow(named, " · ", width), cut(`memories: ${printable(memoriesOf(facts, width - 10))}`, width)];
  const most = Math.max(1, Math.floor(rows / share) - 1);
  return [paint(style, ruleOf(title, width, ["─", "─"])), ...body.slice(0, most).map((line) => (grave ? paint("red", line) : paint("dim", line)))];
}

/** The same in words, for screen readers: only what there is. */
export function panelInWords(facts: PanelFacts): string {
  const { answers, incognito, memories, tokens, budget } = facts;
  const named = factsOf(facts).flatMap(([name, value]) => (value === "none" || name === "budget" ? [] : [`${name} ${value}`]));
  const recalled = incognito ? ["this thread is incognito"] : memories.length === 0 ? [] : [`memories recalled: ${memories.join("; ")}`];
  const used = tokens === undefined ? [] : [`${tokens}${budget === undefined ? "" : ` of ${budget}`} tokens`];
  return printable(`Status: answered by ${answers}, ${[...named, ...used, ...recalled].join(", ")}.`);
}

/** The widest text between the bars, for readability. */
const widest = 100;

/** Sets a text apart by a bar on its left and by titled rules. A right border would break at characters whose width a terminal shows differently. */
export function framed(
  text: string,
  {
    columns,
    title,
    end,
    paint,
  }: { readonly columns: number; readonly title: string; readonly end: string; readonly paint: (text: string) => string },
): string {
  const width = Math.min(widest, Math.max(20, columns - 1));
  const lines = wrapped(text.trim(), width - 2).split("\n");
  return [
    paint(ruleOf(title, width, ["━", "┏"])),
    ...lines.map((line) => (line === "" ? paint("┃") : `${paint("┃")} ${line}`)),
    paint(ruleOf(end, width, ["━", "┗"])),
  ].join("\n");
}

/** Sets a reply in a crisis apart, in color and in words. */
export function crisisReply(
  text: string,
  given: { readonly level: number; readonly name: string; readonly columns: number; readonly plain: boolean; readonly paint: Paint },
): string {
  const { level, name, columns, plain, paint } = given;
  const title = `Safety reply of ${name}, an AI · level ${levelInWords(level)}`;
  const end = "End of the safety reply";
  if (plain) return `${title.replace(" · ", ", ")}.\n${wrapped(text.trim(), columns - 1)}\n${end}.`;
  return framed(text, { columns, title: title.toUpperCase(), end, paint: (part) => paint("red", part) });
}

/** What an ended episode left, and the names of the new memories. */
export interface Farewell extends EndedEpisode {
  readonly memories: readonly string[];
  /** Messages that are kept word for word. */
  readonly quotes: readonly string[];
}

/** How many quotes a farewell names. */
const mostQuotes = 4;

/** What is remembered of an ended episode, one thing per line. */
export function farewellLines({
  detail,
  summary,
  memories,
  quotes,
  themes,
  open_loops,
  resolved_threads,
  mood_opened,
  mood_closed,
}: Farewell): readonly string[] {
  const list = (name: string, items: readonly string[]): readonly string[] =>
    items.length === 0 ? [] : [`${name}:`, ...items.map((item) => `- ${item}`)];
  return [
    detail,
    ...(summary === null ? [] : [summary]),
    ...list("New memories", memories),
    ...list("Kept word for word", [
      ...quotes.slice(0, mostQuotes),
      ...(quotes.length > mostQuotes ? [`and ${quotes.length - mostQuotes} more: /memory`] : []),
    ]),
    ...(themes.length === 0 ? [] : [`Themes: ${themes.join(", ")}`]),
    ...(mood_opened === null || mood_closed === null ? [] : [`Mood: ${mood_opened} → ${mood_closed}`]),
    ...list("Open", open_loops),
    ...list("Resolved", resolved_threads),
  ].map((line) => printable(line));
}
