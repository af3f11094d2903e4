/** What a prompt was made of, and what was left out of it and why. */
import type { Placement } from "../memory/recalled.ts";
import type { Provenance } from "./part.ts";
import type { SessionStage } from "./session-stage.ts";

/** What became of a piece of a section. */
export interface PromptItemRecord {
  readonly id: string;
  readonly tokens: number;
  readonly placement: Placement;
}

/** What became of a part. */
export interface PromptPartRecord {
  /** Name of the section; `recent history` and `current message` for the conversation. */
  readonly name: string;
  readonly provenance: Provenance;
  /** Of what is in the prompt; of a part that was left out, what it would have taken. 0 for one that the style may not see: it was not even made. */
  readonly tokens: number;
  readonly placement: Placement;
  /** The part was longer than its own budget and is in the prompt up to there. */
  readonly cut?: true;
  /** Pieces, as the section ranked them; messages of the conversation are counted in `dropped`. */
  readonly items?: readonly PromptItemRecord[];
  /** Messages of the conversation that were left out for want of room, the oldest. */
  readonly dropped?: number;
}

/** The parts of a step's prompt. */
export interface PromptRecord {
  /** The response style; null for a value that is none of the agent's styles, left out where it has none. */
  readonly style?: string | null;
  readonly stage?: SessionStage;
  /** Name of what counted the tokens. */
  readonly counter: string;
  /** Of sections and conversation together. */
  readonly tokens: number;
  readonly budget?: number;
  /** Nothing more could be left out, and it is above the budget. */
  readonly over_budget?: true;
  /** In the order of the prompt, those that were left out where they would have been. */
  readonly parts: readonly PromptPartRecord[];
}
