/** Folds the events and drafts of a session into what a page shows. Pure. */
import type { WireDraft, WireEvent, WireJson, WireJsonObject } from "./wire.ts";

/** A part of a message: text, or a call of a tool. */
export type ConversationPart =
  | {
      readonly type: "text";
      readonly text: string;
      /** The text is still being written and may change. */
      readonly provisional?: true;
      readonly offset: number;
    }
  | {
      readonly type: "call";
      readonly call_id: string;
      /** Name of the tool. */
      readonly name: string;
      /** Absent until the call is in the log. */
      readonly arguments?: WireJsonObject;
      /** `failed`: it has no output, because it failed, was blocked or skipped, or its result is not known. */
      readonly state: "running" | "done" | "failed";
      readonly output?: WireJson;
      /** The tool has side effects, and the call has started. */
      readonly effects?: true;
      readonly provisional?: true;
      readonly offset: number;
    };

/** A message as a page shows it: one of a person, all that a turn of the agent says and does, or a notice to the customer. */
export interface ConversationMessage {
  /** The turn of a reply; otherwise the offset, or the key of a message that is being sent. */
  readonly id: string;
  /** `system`: a notice that the page must show, such as that the customer talks with an AI. */
  readonly author: "customer" | "agent" | "operator" | "system";
  /** Display name of the author, if known. */
  readonly name?: string;
  readonly parts: readonly ConversationPart[];
  /** Offset of the first event. Absent while the message is being sent. */
  readonly offset?: number;
}

/** What the events so far come to. */
export interface Conversation {
  readonly messages: readonly ConversationMessage[];
  /** `waiting`: a turn waits for decisions. */
  readonly status: "ready" | "working" | "waiting";
  /** The turn that works or waits. */
  readonly turn_id: string | undefined;
  /** The next offset to read. */
  readonly next: number;
  /** Offset of the last change of the state. */
  readonly state_offset: number;
  /** Whether the connection was lost since the last draft. What is shown of a draft stays until the draft comes again, from its beginning. */
  readonly isCut: boolean;
}

/** Returns the conversation before any event from an offset on. */
export const emptyConversation = (next: number): Conversation => ({
  ...{ messages: [], status: "ready", turn_id: undefined, next, state_offset: -1, isCut: false },
});

/** Returns the conversation after an event or a piece of a draft. */
export function withItem(before: Conversation, item: WireEvent | WireDraft): Conversation {
  if ("type" in item) return withDraft(before, item);
  if (item.offset < before.next) return before;
  const after = { ...before, next: item.offset + 1 };
  switch (item.kind) {
    case "message":
      return withMessage(after, item);
    case "tool":
      return withCall(after, item);
    case "status": {
      // The activity of a person belongs to no turn.
      if (item.turn_id === undefined) return after;
      const { status, stage } = item.data;
      const isOver = status === "ready" || status === "cancelled" || status === "error";
      if (isOver && after.turn_id !== undefined && after.turn_id !== item.turn_id) return after;
      if (stage === "paused") return { ...after, status: "waiting", turn_id: item.turn_id };
      return isOver
        ? { ...withoutProvisional(after, item.turn_id), status: "ready", turn_id: undefined }
        : { ...after, status: "working", turn_id: item.turn_id };
    }
    case "state":
      return { ...after, state_offset: item.offset };
    case "session": {
      const { data } = item;
      if (data.type === "disclosure") {
        const { offset } = item;
        const notice: ConversationMessage = { id: `${offset}`, author: "system", parts: [{ type: "text", text: data.text, offset }], offset };
        return { ...after, messages: [...after.messages, notice] };
      }
      if (data.type === "withdrawn")
        return { ...after, status: "ready", turn_id: undefined, messages: after.messages.filter(({ offset = -1 }) => offset < data.from) };
      return data.type === "redacted" ? keepingParts(after, ({ offset }) => !data.offsets.includes(offset)) : after;
    }
    default:
      return after;
  }
}

/** Returns the conversation without what is still being written. */
const withoutProvisional = (conversation: Conversation, turn_id?: string): Conversation =>
  keepingParts(conversation, ({ provisional }) => provisional !== true, turn_id);

function keepingParts(conversation: Conversation, keeps: (part: ConversationPart) => boolean, turn_id?: string): Conversation {
  const messages = conversation.messages.map((message) =>
    (turn_id !== undefined && message.id !== turn_id) || message.parts.every(keeps) ? message : { ...message, parts: message.parts.filter(keeps) },
  );
  return { ...conversation, messages: messages.filter(({ parts }) => parts.length > 0) };
}

/** Changes the parts of a turn's reply. If there is none yet, it begins at the offset. */
function inReply(
  conversation: Conversation,
  { turn_id, offset }: { readonly turn_id: string; readonly offset: number },
  change: (parts: readonly ConversationPart[]) => readonly ConversationPart[],
): Conversation {
  const { messages } = conversation;
  const index = messages.findLastIndex(({ id }) => id === turn_id);
  const known = messages[index] ?? { id: turn_id, author: "agent", parts: [], offset };
  // A draft has no event yet, so the first event places the reply.
  const placed = known.parts.every(({ provisional }) => provisional === true) ? { ...known, offset } : known;
  const reply = { ...placed, parts: change(known.parts) };
  if (reply.parts.length === 0 && index < 0) return conversation;
  return { ...conversation, messages: index < 0 ? [...messages, reply] : messages.with(index, reply) };
}

function withMessage(conversation: Conversation, event: Extract<WireEvent, { readonly kind: "message" }>): Conversation {
  const { data, offset, source, turn_id } = event;
  if (data.redacted === true) return conversation;
  const text = data.parts.map((part) => (part.type === "text" ? part.text : JSON.stringify(part.value))).join("\n");
  const texts: readonly ConversationPart[] = text === "" ? [] : [{ type: "text", text, offset }];
  if (source === "ai_agent" && turn_id !== undefined) {
    const calls = (data.calls ?? []).map(
      ({ call_id, name, arguments: args }) => ({ type: "call", call_id, name, arguments: args, state: "running", offset }) as const,
    );
    return inReply(conversation, { turn_id, offset }, (parts) => [...parts.filter(({ provisional }) => provisional !== true), ...texts, ...calls]);
  }
  const name = data.participant?.display_name;
  const author = source === "customer" ? "customer" : source === "human_agent" ? "operator" : "agent";
  const message: ConversationMessage = { id: `${offset}`, author, ...(name === undefined ? {} : { name }), parts: texts, offset };
  return texts.length === 0 ? conversation : { ...conversation, messages: [...conversation.messages, message] };
}

function withCall(conversation: Conversation, { data, offset, turn_id }: Extract<WireEvent, { readonly kind: "tool" }>): Conversation {
  if (turn_id === undefined) return conversation;
  return inReply(conversation, { turn_id, offset }, (parts) =>
    parts.map((part) => {
      if (part.type !== "call" || part.call_id !== data.call_id) return part;
      if (data.type === "called") return { ...part, arguments: data.arguments, ...(data.effects === "none" ? {} : { effects: true }) };
      return data.result.type === "ok" ? { ...part, state: "done", output: data.result.value } : { ...part, state: "failed" };
    }),
  );
}

function withDraft(before: Conversation, draft: WireDraft): Conversation {
  if (draft.type === "draft.reset") {
    if (draft.reason === "resumed") return { ...before, isCut: true };
    // The message that follows replaces the draft.
    return draft.reason === "end" ? before : withoutProvisional(before, draft.turn_id);
  }
  const conversation = before.isCut ? { ...withoutProvisional(before), isCut: false } : before;
  const offset = conversation.next;
  return inReply(conversation, { turn_id: draft.turn_id, offset }, (parts) => {
    if (draft.type === "draft.delta") {
      const last = parts.at(-1);
      const isOpen = last?.type === "text" && last.provisional === true;
      return [...(isOpen ? parts.slice(0, -1) : parts), { type: "text", text: (isOpen ? last.text : "") + draft.text, provisional: true, offset }];
    }
    const { call_id, name } = draft;
    if (parts.some((part) => part.type === "call" && part.call_id === call_id)) return parts;
    return [...parts, { type: "call", call_id, name, state: "running", provisional: true, offset }];
  });
}
