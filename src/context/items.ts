/** Text in pieces, of which a short budget leaves out the last ones. */
import type { Placement } from "../memory/recalled.ts";

/** A piece of a section's text. */
export interface PromptItem {
  /** Names it in the record of the prompt. */
  readonly id: string;
  readonly text: string;
  /** Pieces that have a time are shown in its order, whatever their rank. */
  readonly at?: number;
}

/** A piece that the section itself has left out, and why. */
export interface LeftItem {
  readonly id: string;
  readonly tokens: number;
  readonly placement: Exclude<Placement, "in prompt">;
}

/** The pieces that a section may render instead of a text. */
export interface PromptItems {
  /** Best first: the last ones go when there is no room. */
  readonly items: readonly PromptItem[];
  /** For the record of the prompt. */
  readonly left?: readonly LeftItem[];
}

/** The lines that a model is shown: by time where the pieces have one, else as they are ranked. */
export const linesOf = (items: readonly PromptItem[]): readonly string[] =>
  items.toSorted((one, other) => (one.at ?? 0) - (other.at ?? 0)).map(({ text }) => text);
