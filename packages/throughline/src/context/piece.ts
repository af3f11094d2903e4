/** Renders a section for one step: whole, in pieces, or not at all if there is no room. */
import type { PromptSection } from "../model/model-port.ts";
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

/** A rendered section, and how much of it fits. */
export interface Piece {
  readonly name: string;
  readonly provenance: Provenance;
  readonly changes: ChangeRate;
  readonly priority: number | undefined;
  readonly budget: number | undefined;
  readonly says: string | undefined;
  /** False if the style may not see it. It was not rendered then. */
  readonly seen: boolean;
  /** A text has one item. */
  readonly items: readonly PromptItem[];
  /** Whether the record of the prompt lists its items. */
  readonly listed: boolean;
  readonly left: readonly LeftItem[];
  /** Number of items that fit its own budget. */
  readonly room: number;
  readonly cut: boolean;
}

/** Returns the sections of a prompt in the model's order: sections that change come after those that do not. */
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
    // The summary stays, because the conversation that it replaces is not shown.
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

/** Returns the section with its first `kept` items. Undefined if there are none. */
export function sectionOf(
  { name, provenance, says, items: all }: Pick<Piece, "name" | "provenance" | "says" | "items">,
  kept: number,
): PromptSection | undefined {
  const lines = linesOf(all.slice(0, kept));
  const text = isForeign(provenance) ? asData(name, lines, says) : lines.join("\n");
  return text.trim() === "" ? undefined : { name, text };
}

/** Returns the tokens of each item of a piece. The first one includes the text around all items. */
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

/** The removable pieces of one part. */
export interface Load {
  /** The lowest is removed first. Undefined: never removed. */
  readonly priority: number | undefined;
  /** Tokens of its pieces. The last one is removed first. */
  readonly pieces: readonly number[];
}

/** Returns how many pieces of each load stay, so that all together have at most `room` tokens. Of equal priority, the later load is removed first. */
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

/** Whether anything more can be removed. */
const canGo = (loads: readonly Load[], kept: readonly number[]): boolean =>
  loads.some(({ priority }, index) => priority !== undefined && (kept[index] ?? 0) > 0);

/**
 * Returns the most that fits by the actual tokens, which `measure` counts, because joined texts may have other tokens than their pieces. Loads
 * without a priority are never removed, so the result may still exceed the budget.
 */
export function fitExactly(loads: readonly Load[], budget: number, measure: (kept: readonly number[]) => number): readonly number[] {
  for (let room = budget; ;) {
    const kept = fit(loads, room);
    if (measure(kept) <= budget || !canGo(loads, kept)) return kept;
    room = loads.reduce((sum, { pieces }, index) => sum + weightOf(pieces.slice(0, kept[index])), 0) - 1;
  }
}
