/** A section as it is rendered for one step: whole, in pieces, or not at all where there is no room. */
import type { PromptSection } from "../model/port.ts";
import { summaryIn } from "../session/session-history.ts";
import { sees, type Style } from "./prompt-options.ts";
import {
  type ChangeRate,
  changeRates,
  isForeign,
  type LeftItem,
  linesOf,
  type PromptItem,
  type PromptPart,
  type Provenance,
  type SectionContext,
} from "./section.ts";
import { asData, defused } from "./to-model.ts";
import { cutToTokens, sectionTokens, type TokenCounter } from "./tokens.ts";

/** A section that is rendered, and what of it there is room for. */
export interface Piece {
  readonly name: string;
  readonly provenance: Provenance;
  readonly changes: ChangeRate;
  readonly priority: number | undefined;
  readonly budget: number | undefined;
  readonly says: string | undefined;
  /** False if the style may not see it: then it was not rendered. */
  readonly seen: boolean;
  /** A text has one item. */
  readonly items: readonly PromptItem[];
  /** Whether its items are listed in the record of the prompt. */
  readonly listed: boolean;
  readonly left: readonly LeftItem[];
  /** How many of the items its own budget has room for. */
  readonly room: number;
  readonly cut: boolean;
}

/** The sections of a prompt in the order in which a model gets them: what changes stands behind what does not. */
export function piecesOf(parts: readonly PromptPart[], context: SectionContext<never>, style: Style, counter: TokenCounter): readonly Piece[] {
  const pieces = parts.flatMap((part) => pieceOf(part, context, style) ?? []).map((piece) => withinBudget(piece, counter));
  return pieces.toSorted((one, other) => changeRates.indexOf(one.changes) - changeRates.indexOf(other.changes));
}

function pieceOf(part: PromptPart, context: SectionContext<never>, style: Style): Piece | undefined {
  const seen = sees(style, part);
  const whole = { seen, left: [], cut: false, listed: false, priority: part.priority, budget: undefined, says: undefined, changes: "never" } as const;
  if (part.type === "history") {
    if (part.summary === undefined || !seen) return undefined;
    const text = summaryIn(context.state, part.summary)?.text ?? "";
    // What the conversation came to stays as long as the conversation that it stands for is not shown.
    return { ...whole, priority: undefined, name: part.summary, provenance: "conversation", ...items([{ id: part.summary, text }]) };
  }
  const { name, provenance, budget, says, changes = "never" } = part;
  const told = { ...whole, name, provenance, budget, says, changes };
  if (!seen) return { ...told, ...items([]) };
  const rendered = part.render(context);
  if (typeof rendered === "object") return { ...told, listed: true, left: rendered.left ?? [], ...items(rendered.items) };
  return { ...told, ...items(rendered === undefined ? [] : [{ id: name, text: rendered }]) };
}

function items(all: readonly PromptItem[]): Pick<Piece, "items" | "room"> {
  const said = all.filter(({ text }) => text.trim() !== "");
  return { items: said, room: said.length };
}

/** The section with its first `kept` items; undefined if that is nothing. */
export function sectionOf(
  { name, provenance, says, items: all }: Pick<Piece, "name" | "provenance" | "says" | "items">,
  kept: number,
): PromptSection | undefined {
  const lines = linesOf(all.slice(0, kept));
  const text = isForeign(provenance) ? asData(name, lines, says) : lines.join("\n");
  return text.trim() === "" ? undefined : { name, text };
}

/** What the items of a piece take one by one; the first one pays for what is around them all. */
export function loadOf(piece: Piece, counter: TokenCounter): Load {
  let before = 0;
  const pieces = piece.items.slice(0, piece.room).map((_item, index) => {
    const section = sectionOf(piece, index + 1);
    const tokens = section === undefined ? 0 : sectionTokens(counter, section);
    const own = Math.max(0, tokens - before);
    before = tokens;
    return own;
  });
  return { priority: piece.priority, pieces };
}

function withinBudget(piece: Piece, counter: TokenCounter): Piece {
  const { budget, listed, provenance, items: all } = piece;
  const [only] = all;
  if (budget === undefined || only === undefined) return piece;
  const measure = (given: Pick<Piece, "name" | "provenance" | "says" | "items">, kept: number): number => {
    const section = sectionOf(given, kept);
    return section === undefined ? 0 : sectionTokens(counter, section);
  };
  if (measure(piece, all.length) <= budget) return piece;
  if (listed) {
    const [room = 0] = fitExactly([{ ...loadOf(piece, counter), priority: 0 }], budget, ([kept = 0]) => measure(piece, kept));
    return { ...piece, room, cut: room > 0 };
  }
  const text = isForeign(provenance) ? defused(only.text) : only.text;
  const around = measure({ ...piece, items: [{ id: only.id, text: "x" }] }, 1) - counter.count("x");
  const shorter = cutToTokens(text, budget - around, counter);
  return { ...piece, items: shorter === "" ? all : [{ ...only, text: shorter }], room: shorter === "" ? 0 : 1, cut: shorter !== "" };
}

/** What could be left out of one part. */
export interface Load {
  /** The lower goes first; undefined: it never goes. */
  readonly priority: number | undefined;
  /** Tokens of its pieces; the last one goes first. */
  readonly pieces: readonly number[];
}

/** How many pieces of each load stay, so that all together have at most `room` tokens: of equal priority the later load goes first. */
export function fit(loads: readonly Load[], room: number): readonly number[] {
  const kept = loads.map(({ pieces }) => pieces.length);
  let tokens = loads.reduce((sum, { pieces }) => sum + weightOf(pieces), 0);
  const order = loads
    .flatMap(({ priority, pieces }, index) => (priority === undefined ? [] : [{ priority, pieces, index }]))
    .toSorted((one, other) => one.priority - other.priority || other.index - one.index);
  for (const { pieces, index } of order)
    for (let last = pieces.length - 1; last >= 0 && tokens > room; last -= 1) {
      tokens -= pieces[last] ?? 0;
      kept[index] = last;
    }
  return kept;
}

const weightOf = (pieces: readonly number[]): number => pieces.reduce((sum, piece) => sum + piece, 0);

/** Whether anything more could go. */
const canGo = (loads: readonly Load[], kept: readonly number[]): boolean =>
  loads.some(({ priority }, index) => priority !== undefined && (kept[index] ?? 0) > 0);

/**
 * The most that fits, when `measure` tells what is really taken: texts joined may have other tokens than their pieces. Nothing is left out that has no priority,
 * so it may be too much all the same.
 */
export function fitExactly(loads: readonly Load[], budget: number, measure: (kept: readonly number[]) => number): readonly number[] {
  for (let room = budget; ;) {
    const kept = fit(loads, room);
    if (measure(kept) <= budget || !canGo(loads, kept)) return kept;
    room = loads.reduce((sum, { pieces }, index) => sum + weightOf(pieces.slice(0, kept[index])), 0) - 1;
  }
}
