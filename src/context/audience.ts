/** Which response style sees what. */
import type { PromptOptions } from "./prompt-options.ts";
import type { HistoryWindow, PromptPart } from "./section.ts";
import { historyPart } from "./conversation.ts";

/** The style that a prompt is for: none where the agent has no styles, null where the state holds none of them. */
export type Style = string | null | undefined;

/** The style that the state asks for. */
export function styleOf({ style, styles = [] }: PromptOptions, state: Readonly<Record<string, unknown>>): Style {
  if (style === undefined) return undefined;
  return styles.find((one) => one === state[style]) ?? null;
}

/** Whether a style sees a part. Without a style everything is seen, and a style that is unknown sees only what is for all. */
export const sees = (style: Style, { audience }: Pick<PromptPart, "audience">): boolean =>
  style === undefined || audience === undefined || (style !== null && audience.includes(style));

/** A cell of the matrix: whether a style sees a part, or how many messages of the conversation; 0 means only those that the turn answers. */
export interface PromptMatrixCell {
  /** Name of the section; `recent history` and `current message` for the conversation. */
  readonly part: string;
  readonly seen: boolean;
  /** Of the conversation: messages at most. */
  readonly window?: number;
}

/** A style, and the parts that it sees. */
export interface PromptMatrixRow {
  /** Null for a value that is none of the styles, and for an agent without styles. */
  readonly style: string | null;
  readonly cells: readonly PromptMatrixCell[];
}

/** The input of a matrix: an agent, or the needed parts of one. */
export interface Prompted {
  readonly sections: readonly PromptPart[];
  readonly prompt: PromptOptions;
}

/**
 * Who sees what, as data: a row for each response style and one for a value that is none, a cell for each section in the order of the agent, and for what
 * is seen of the conversation.
 */
export function promptMatrix({ sections, prompt }: Prompted): readonly PromptMatrixRow[] {
  const styles: readonly Style[] = prompt.styles === undefined ? [undefined] : [...prompt.styles, null];
  return styles.map((style) => ({ style: style ?? null, cells: cellsOf(sections, style) }));
}

function cellsOf(parts: readonly PromptPart[], style: Style): readonly PromptMatrixCell[] {
  const { window } = historyFor(parts, style);
  return [
    ...parts.flatMap((part) => (part.type === "section" ? [{ part: part.name, seen: sees(style, part) }] : [])),
    { part: "recent history", seen: window > 0, window },
    { part: "current message", seen: true },
  ];
}

const noHistory: HistoryWindow = Object.freeze({ type: "history", window: 0, traces: "own" });

/** What a style sees of the conversation. */
export function historyFor(parts: readonly PromptPart[], style: Style): HistoryWindow {
  const windows = parts.filter((part) => part.type === "history");
  return windows.length === 0 ? historyPart(parts) : (windows.find((part) => sees(style, part)) ?? noHistory);
}
