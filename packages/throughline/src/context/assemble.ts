/** Assembles a prompt within its budget, and records its parts and what was left out. */
import { present } from "../kernel/json.ts";
import type { Placement } from "../memory/recalled.ts";
import type { ModelMessage, ModelRequest, PromptSection } from "../model/model-port.ts";
import type { Message } from "../session/session-messages.ts";
import { fitExactly, type Load, loadOf, type Piece, piecesOf, sectionOf } from "./piece.ts";
import { historyFor, type PromptOptions, type Style, styleOf } from "./prompt-options.ts";
import { conversationOf, type ConversationSources, type HistoryWindow, type PromptPart, type Provenance, type SectionContext } from "./section.ts";
import type { SessionStage } from "./session-stage.ts";
import { toModelMessage } from "./to-model.ts";
import { charactersOverFour, messageTokens, sectionTokens, type TokenCounter } from "./tokens.ts";

/** The inputs of a prompt. */
export interface PromptSources extends SectionContext<never>, Omit<ConversationSources, "state"> {}

/** Options of the assembly. */
interface AssembleOptions {
  readonly prompt?: PromptOptions;
  /** Counts tokens if the options name no tokenizer. */
  readonly counter?: TokenCounter;
}

/** A request for a model, and the record of its parts. */
export interface Assembled {
  readonly request: ModelRequest;
  /** The response style. Null for a value that is none of the agent's styles. */
  readonly style: Style;
  /** Returns the record. Counts tokens now if the request did not need them. */
  readonly record: () => PromptRecord;
}

/** Default priority of the conversation when the budget is short. */
const usualPriority = 50;

/** Returns the request for a model: the sections with text, in order, and the visible conversation. */
export const assemble = (parts: readonly PromptPart[], sources: PromptSources, options: AssembleOptions = {}): ModelRequest =>
  assembled(parts, sources, options).request;

/** Returns the request for a model, and the record of what was left out and why. */
export function assembled(parts: readonly PromptPart[], sources: PromptSources, { prompt = {}, counter: other }: AssembleOptions = {}): Assembled {
  const counter = prompt.tokenizer ?? other ?? charactersOverFour;
  const style = styleOf(prompt, sources.state);
  const history = historyFor(parts, style);
  const shown = parts.filter((part) => part.type === "section" || part === history);
  const pieces = piecesOf(shown, sources, style, counter);
  const said = conversationOf(history, sources);
  const { budget } = prompt;
  // Without a budget and a record, nothing needs to be counted or split.
  const made = (): Made => ({ pieces, ...apart(said, conversationOf({ ...history, window: 0 }, sources)), counter });
  if (budget === undefined) {
    const sections = sectionsOf({ pieces }, everything(pieces));
    const request = { sections, messages: said.map(toModelMessage), tools: [] };
    return { request, style, record: () => recordOf(made(), { kept: undefined, style, sources, prompt, history }) };
  }
  const whole = made();
  const kept = fitExactly(loadsOf(whole, history.priority), budget, (some) => tokensOf(whole, some));
  const request = { sections: sectionsOf(whole, kept), messages: messagesOf(whole, kept), tools: [] };
  return { request, style, record: () => recordOf(whole, { kept, style, sources, prompt, history }) };
}

/** The parts of a prompt before they are fitted to the budget. */
interface Made {
  readonly pieces: readonly Piece[];
  /** Earlier messages, in groups that stay together, the newest first. */
  readonly earlier: readonly (readonly ModelMessage[])[];
  /** The messages that the turn answers, and its own work. They are never left out. */
  readonly own: readonly ModelMessage[];
  readonly counter: TokenCounter;
}

/** Splits the conversation into earlier messages and those of the turn. */
function apart(said: readonly Message[], own: readonly Message[]): Pick<Made, "earlier" | "own"> {
  const groups: ModelMessage[][] = [];
  for (const message of said.slice(0, said.length - own.length).map(toModelMessage)) {
    if (message.role === "tool") groups.at(-1)?.push(message);
    else groups.push([message]);
  }
  return { earlier: groups.toReversed(), own: own.map(toModelMessage) };
}

interface Recorded {
  /** How much of each part is kept. Undefined: everything. */
  readonly kept: readonly number[] | undefined;
  readonly style: Style;
  readonly sources: PromptSources;
  readonly prompt: PromptOptions;
  readonly history: HistoryWindow;
}

function recordOf(made: Made, { kept: some, style, sources, prompt: { budget }, history }: Recorded): PromptRecord {
  const kept = some ?? [...everything(made.pieces), made.earlier.length];
  const tokens = tokensOf(made, kept);
  return {
    ...present({ style, stage: sources.stage }),
    counter: made.counter.name,
    tokens,
    ...(budget === undefined ? {} : { budget, ...(tokens > budget ? { over_budget: true as const } : {}) }),
    parts: [...made.pieces.flatMap((piece, index) => pieceRecord(made, piece, kept[index] ?? 0)), ...talkRecords(made, kept, history.window)],
  };
}

/** Returns how much of each piece is kept when there is room for all. */
const everything = (pieces: readonly Piece[]): readonly number[] => pieces.map(({ room }) => room);

const loadsOf = (made: Made, priority = usualPriority): readonly Load[] => [
  ...made.pieces.map((piece) => loadOf(piece, made.counter)),
  { priority, pieces: made.earlier.map((group) => tokensIn(made, group)) },
  { priority: undefined, pieces: [tokensIn(made, made.own)] },
];

const sectionsOf = ({ pieces }: Pick<Made, "pieces">, kept: readonly number[]): readonly PromptSection[] =>
  pieces.flatMap((piece, index) => sectionOf(piece, kept[index] ?? 0) ?? []);

const earlierOf = ({ pieces, earlier }: Made, kept: readonly number[]): readonly ModelMessage[] =>
  earlier.slice(0, kept[pieces.length]).toReversed().flat();

const messagesOf = (made: Made, kept: readonly number[]): readonly ModelMessage[] => [...earlierOf(made, kept), ...made.own];

const tokensIn = ({ counter }: Made, messages: readonly ModelMessage[]): number =>
  messages.reduce((sum, message) => sum + messageTokens(counter, message), 0);

const tokensOf = (made: Made, kept: readonly number[]): number =>
  sectionsOf(made, kept).reduce((sum, section) => sum + sectionTokens(made.counter, section), 0) + tokensIn(made, messagesOf(made, kept));

/** Returns the record of a section. Empty for a section without text. */
function pieceRecord({ counter }: Made, piece: Piece, kept: number): readonly PromptPartRecord[] {
  const { name, provenance, seen, items, left, listed, cut } = piece;
  if (!seen) return [{ name, provenance, tokens: 0, placement: "dropped: policy" }];
  const whole = sectionOf(piece, kept > 0 ? kept : items.length);
  const tokens = whole === undefined ? 0 : sectionTokens(counter, whole);
  const listing: readonly PromptItemRecord[] = [
    ...items.map(({ id, text }, rank) => ({
      ...{ id, tokens: counter.count(text) },
      placement: rank < kept ? ("in prompt" as const) : ("dropped: budget" as const),
    })),
    ...left,
  ];
  const more = { ...(cut && kept > 0 ? { cut: true as const } : {}), ...(listed ? { items: listing } : {}) };
  if (whole !== undefined) return [{ name, provenance, tokens, placement: kept > 0 ? "in prompt" : "dropped: budget", ...more }];
  const [first] = left;
  return first === undefined ? [] : [{ name, provenance, tokens: 0, placement: first.placement, ...more }];
}

function talkRecords(made: Made, kept: readonly number[], window: number): readonly PromptPartRecord[] {
  const { earlier, own, pieces } = made;
  const dropped = earlier.length - (kept[pieces.length] ?? 0);
  const all = dropped === earlier.length;
  const recent = { name: "recent history", provenance: "conversation" } as const;
  const history: readonly PromptPartRecord[] =
    window === 0
      ? [{ ...recent, tokens: 0, placement: "dropped: policy" }]
      : earlier.length === 0
        ? []
        : [
            {
              ...recent,
              tokens: tokensIn(made, all ? earlier.flat() : earlierOf(made, kept)),
              placement: all ? "dropped: budget" : "in prompt",
              ...(dropped === 0 ? {} : { dropped }),
            },
          ];
  return [...history, { name: "current message", provenance: "conversation", tokens: tokensIn(made, own), placement: "in prompt" }];
}

/** The record of a piece of a section. */
export interface PromptItemRecord {
  readonly id: string;
  readonly tokens: number;
  readonly placement: Placement;
}

/** The record of a part. */
export interface PromptPartRecord {
  /** Name of the section. `recent history` and `current message` for the conversation. */
  readonly name: string;
  readonly provenance: Provenance;
  /**
   * Tokens of the text in the prompt. For a part that was left out, the tokens that it would have taken. 0 for a part that the style may not see,
   * because it was not rendered.
   */
  readonly tokens: number;
  readonly placement: Placement;
  /** Whether the part was cut to its own budget. */
  readonly cut?: true;
  /** Pieces, in the section's ranking. Messages of the conversation are counted in `dropped`. */
  readonly items?: readonly PromptItemRecord[];
  /** Number of messages, the oldest, that did not fit. */
  readonly dropped?: number;
}

/** The record of a step's prompt. */
export interface PromptRecord {
  /** The response style. Null for a value that is none of the agent's styles. Absent if the agent has none. */
  readonly style?: string | null;
  readonly stage?: SessionStage;
  /** Name of the token counter. */
  readonly counter: string;
  /** Tokens of sections and conversation together. */
  readonly tokens: number;
  readonly budget?: number;
  /** Whether the prompt exceeds the budget although nothing more can be left out. */
  readonly over_budget?: true;
  /** In the order of the prompt. Parts that were left out are at their places. */
  readonly parts: readonly PromptPartRecord[];
}
