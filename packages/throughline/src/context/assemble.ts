/** Assembles a prompt within its budget, and records what it was made of and what was left out. */
import type { Placement } from "../memory/recalled.ts";
import type { ModelMessage, ModelRequest, PromptSection } from "../model/port.ts";
import type { Message } from "../session/session-messages.ts";
import { fitExactly, type Load, loadOf, type Piece, piecesOf, sectionOf } from "./piece.ts";
import { historyFor, type PromptOptions, type Style, styleOf } from "./prompt-options.ts";
import { conversationOf, type ConversationSources, type HistoryWindow, type PromptPart, type Provenance, type SectionContext } from "./section.ts";
import type { SessionStage } from "./session-stage.ts";
import { toModelMessage } from "./to-model.ts";
import { charactersOverFour, messageTokens, sectionTokens, type TokenCounter } from "./tokens.ts";

/** Everything a prompt is made of. */
export interface PromptSources extends SectionContext<never>, Omit<ConversationSources, "state"> {}

/** How a prompt is made. */
interface AssembleOptions {
  readonly prompt?: PromptOptions;
  /** Counts tokens where the options name no tokenizer. */
  readonly counter?: TokenCounter;
}

/** A request for a model, and what it was made of. */
export interface Assembled {
  readonly request: ModelRequest;
  /** The response style; null for a value that is none of the agent's styles. */
  readonly style: Style;
  /** Counts, where that was not needed for the request. */
  readonly record: () => PromptRecord;
}

/** What of the conversation goes when the budget is short, unless it says otherwise. */
const usualPriority = 50;

/** The request for a model: the sections that have text, in order, and what it sees of the conversation. */
export const assemble = (parts: readonly PromptPart[], sources: PromptSources, options: AssembleOptions = {}): ModelRequest =>
  assembled(parts, sources, options).request;

/** The request for a model, and the record of what was left out of it and why. */
export function assembled(parts: readonly PromptPart[], sources: PromptSources, { prompt = {}, counter: other }: AssembleOptions = {}): Assembled {
  const counter = prompt.tokenizer ?? other ?? charactersOverFour;
  const style = styleOf(prompt, sources.state);
  const history = historyFor(parts, style);
  const shown = parts.filter((part) => part.type === "section" || part === history);
  const pieces = piecesOf(shown, sources, style, counter);
  const said = conversationOf(history, sources);
  const { budget } = prompt;
  // Who has no budget and asks for no record needs nothing counted, and nothing taken apart.
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

/** What a prompt is made of before it is known what there is room for. */
interface Made {
  readonly pieces: readonly Piece[];
  /** What was said before, in groups that stay together, the newest first. */
  readonly earlier: readonly (readonly ModelMessage[])[];
  /** What the turn answers, and its own work: never left out. */
  readonly own: readonly ModelMessage[];
  readonly counter: TokenCounter;
}

/** The conversation as what was said before, and what is the turn's own. */
function apart(said: readonly Message[], own: readonly Message[]): Pick<Made, "earlier" | "own"> {
  const groups: ModelMessage[][] = [];
  for (const message of said.slice(0, said.length - own.length).map(toModelMessage)) {
    if (message.role === "tool") groups.at(-1)?.push(message);
    else groups.push([message]);
  }
  return { earlier: groups.toReversed(), own: own.map(toModelMessage) };
}

interface Recorded {
  /** What is kept of each part; undefined: everything. */
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
    ...(style === undefined ? {} : { style }),
    ...(sources.stage === undefined ? {} : { stage: sources.stage }),
    counter: made.counter.name,
    tokens,
    ...(budget === undefined ? {} : { budget, ...(tokens > budget ? { over_budget: true as const } : {}) }),
    parts: [...made.pieces.flatMap((piece, index) => pieceRecord(made, piece, kept[index] ?? 0)), ...talkRecords(made, kept, history.window)],
  };
}

/** How much of each piece is kept when there is room for all. */
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

/** What became of a section; nothing for one that had nothing to say. */
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
