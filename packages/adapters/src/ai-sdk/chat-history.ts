/** The history of a session as UI messages: the same chunks as a stream's, folded. */
import type { UIMessage } from "ai";
import { type Event, type EventOf, type LivePart, type Session, textOf, type TurnResult } from "throughline";
import { type ChatChunk, type ChatMessage, type ChatTools, ChunkWriter, replyIdOf } from "./chat-chunks.ts";

/** Options of a history. */
export interface HistoryOptions extends ChatTools {
  /** How many of the last turns to read: 1 to 100, 50 by default. */
  readonly turns?: number;
}

/** What a history is read from. */
type Readable = Pick<Session, "events" | "turns" | "pending">;

/** Member of a message's metadata with the id that the page gave it. */
const idMember = "ui_message_id";

/** Metadata of a message that `useChat` sent. The history gives the message the same id. */
export const metadataOf = (id: string): Readonly<Record<string, string>> => ({ [idMember]: id });

/** Id of a customer's message: the one that the page gave it, or its offset. */
export function messageIdOf({ offset, metadata }: Event): string {
  const id = metadata?.[idMember];
  return typeof id === "string" ? id : `${offset}`;
}

/** Returns the offset from which the last turns can be read whole. Undefined for the beginning of the log. */
export async function startOf(session: Pick<Session, "turns">, limit = 50): Promise<number | undefined> {
  const { items, next_cursor } = await session.turns({ limit });
  const oldest = items.at(-1);
  if (oldest === undefined || next_cursor === null) return undefined;
  const offsets = [oldest.started_offset, ...(oldest.answers ?? [])].filter((offset) => offset !== undefined);
  return offsets.length === 0 ? undefined : Math.min(...offsets);
}

/**
 * Returns the messages of a session as `useChat` keeps them: those of the customer, of operators, and one for each reply, with its calls. A reply that is
 * still being written has its committed steps; the resumed stream has the same id and replaces it.
 */
export async function loadUIMessages(session: Readable, { turns, ...tools }: HistoryOptions = {}): Promise<ChatMessage[]> {
  const { calls } = await session.pending();
  const minOffset = await startOf(session, turns);
  const history = new History(tools);
  const kinds = ["message", "tool", "turn"] as const;
  for await (const event of session.events({ ...(minOffset === undefined ? {} : { minOffset }), kinds, follow: false })) history.add(event);
  return history.messages(calls);
}

interface Reply {
  readonly message: ChatMessage;
  readonly writer: ChunkWriter;
}

class History {
  readonly #tools: ChatTools;
  readonly #messages: ChatMessage[] = [];
  readonly #replies = new Map<string, Reply>();
  /** The reply that each turn writes. */
  readonly #ofTurn = new Map<string, string>();
  /** Names of requested calls. */
  readonly #names = new Map<string, string>();

  constructor(tools: ChatTools) {
    this.#tools = tools;
  }

  add(event: Event): void {
    const { turn_id } = event;
    if (event.kind === "message" && event.data.role !== "assistant") return this.#fromPerson(event);
    if (turn_id === undefined) return event.kind === "message" ? this.#fromOperator(event) : undefined;
    if (event.kind === "turn" && event.data.type === "started") this.#ofTurn.set(turn_id, replyIdOf(event.data.answers.at(-1) ?? event.offset));
    for (const part of this.#partsOf(event)) this.#write(turn_id, part);
  }

  messages(pending: TurnResult["pending"] = []): ChatMessage[] {
    const [first] = pending;
    if (first !== undefined) this.#write(first.turn_id, endOf({ turn_id: first.turn_id, status: "paused", pending }, 0));
    return this.#messages;
  }

  #fromPerson(event: EventOf<"message">): void {
    if (event.source !== "customer" || event.data.redacted === true) return;
    this.#messages.push({ id: messageIdOf(event), role: "user", parts: [{ type: "text", text: textOf(event.data.parts) }] });
  }

  #fromOperator(event: EventOf<"message">): void {
    const name = event.data.participant?.display_name;
    const metadata = event.source === "human_agent" && name !== undefined ? { metadata: { operator: name } } : {};
    const parts: ChatMessage["parts"] = [{ type: "text", text: textOf(event.data.parts), state: "done" }];
    this.#messages.push({ id: `${event.offset}`, role: "assistant", ...metadata, parts });
  }

  /** The live parts that an event is, as a reader without drafts gets them. */
  #partsOf({ kind, data, offset, turn_id, created_at }: Event): readonly LivePart[] {
    if (kind === "message") {
      const text = textOf(data.parts);
      for (const { call_id, name } of data.calls ?? []) this.#names.set(call_id, name);
      const delta: readonly LivePart[] = text === "" ? [] : [{ type: "text.delta", text, offset }];
      return [...delta, { type: "message", text, calls: data.calls ?? [], offset }];
    }
    if (kind === "tool") {
      const name = this.#names.get(data.call_id) ?? "";
      if (data.type === "returned") return [{ type: "tool.result", call_id: data.call_id, name, result: data.result, offset }];
      return [{ type: "tool.started", call_id: data.call_id, name: data.name, arguments: data.arguments, offset }];
    }
    if (kind !== "turn" || turn_id === undefined) return [];
    if (data.type === "paused")
      return [{ type: "approval.requested", calls: data.pending.map((call) => ({ ...call, turn_id, asked_at: created_at })), offset }];
    return data.type === "ended" ? [endOf({ turn_id, status: data.outcome.status }, offset)] : [];
  }

  #write(turn_id: string, part: LivePart): void {
    const id = this.#ofTurn.get(turn_id);
    if (id === undefined) return;
    let reply = this.#replies.get(id);
    reply ??= { message: { id, role: "assistant", parts: [] }, writer: new ChunkWriter(this.#tools) };
    this.#replies.set(id, reply);
    for (const chunk of reply.writer.write(part)) apply(reply.message, chunk);
    if (reply.message.parts.length > 0 && !this.#messages.includes(reply.message)) this.#messages.push(reply.message);
  }
}

/** The end of a turn, for what the writer reads of it. */
const endOf = (result: Pick<TurnResult, "turn_id" | "status" | "pending">, offset: number): LivePart => ({
  type: "end",
  offset,
  result: { offset, reply: undefined, output: {}, diagnostics: {}, ...result },
});

type MessagePart = UIMessage["parts"][number];
type CallPart = Extract<ChatMessage["parts"][number], { readonly toolCallId: string }>;

const isCall = (part: MessagePart): part is CallPart => "toolCallId" in part;

/** Folds a chunk into a message as `useChat` does. History has no provisional text, so no step is reset. */
function apply(message: ChatMessage, chunk: ChatChunk): void {
  const { parts } = message;
  const change = (fits: (part: CallPart) => boolean, values: (part: CallPart) => object): void => {
    const index = parts.findLastIndex((part) => isCall(part) && fits(part));
    const part = parts[index];
    if (part !== undefined && isCall(part)) parts[index] = { ...part, ...values(part) };
  };
  switch (chunk.type) {
    case "start-step":
      parts.push({ type: "step-start" });
      return;
    case "text-delta":
      parts.push({ type: "text", text: chunk.delta, state: "done" });
      return;
    case "tool-input-available": {
      const { toolCallId, toolName, input } = chunk;
      const isKnown = parts.some((part) => isCall(part) && part.toolCallId === toolCallId);
      if (isKnown)
        change(
          (part) => part.toolCallId === toolCallId,
          () => ({ state: "input-available", input }),
        );
      else parts.push({ type: `tool-${toolName}`, toolCallId, state: "input-available", input });
      return;
    }
    case "tool-approval-request": {
      const { approvalId: id, toolCallId, approvalDescriptor: descriptor, reason: requestReason } = chunk;
      const approval = { id, descriptor, ...(requestReason === undefined ? {} : { requestReason }) };
      return change(
        (part) => part.toolCallId === toolCallId,
        () => ({ state: "approval-requested", approval }),
      );
    }
    case "tool-approval-response": {
      const { approvalId, approved } = chunk;
      return change(
        ({ approval }) => approval?.id === approvalId,
        ({ approval }) => ({ state: "approval-responded", approval: { ...approval, approved } }),
      );
    }
    case "tool-output-available":
      return change(
        (part) => part.toolCallId === chunk.toolCallId,
        () => ({ state: "output-available", output: chunk.output }),
      );
    case "tool-output-error":
      return change(
        (part) => part.toolCallId === chunk.toolCallId,
        () => ({ state: "output-error", errorText: chunk.errorText }),
      );
    case "tool-output-denied":
      return change(
        (part) => part.toolCallId === chunk.toolCallId,
        () => ({ state: "output-denied" }),
      );
    case "finish":
    case "message-metadata":
      if (chunk.messageMetadata !== undefined) message.metadata = chunk.messageMetadata;
      return;
    default:
  }
}
