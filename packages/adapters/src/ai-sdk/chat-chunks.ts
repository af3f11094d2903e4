/** Turns the live parts of a turn into chunks of a UI message stream. */
import type { UIMessage, UIMessageChunk } from "ai";
import type { LivePart, PatchOperation, ToolResult, TurnResult } from "throughline";

/** What an assistant message says about its turn, as the message's `metadata`. */
export interface ChatMetadata {
  /** The turn that wrote the message, once it has ended or paused. */
  readonly turn_id?: string;
  /** How the turn ended. */
  readonly status?: TurnResult["status"];
  /** Name of the operator who wrote the message, if it was not the agent. */
  readonly operator?: string;
}

/** Data parts of a stream. They are transient: `useChat` hands them to `onData` and keeps none. */
export interface ChatData extends Record<string, unknown> {
  /** A change of the state's public fields, with its offset. Apply those whose offset is greater than that of the state that you have. */
  readonly state: { readonly offset: number; readonly patch: readonly PatchOperation[] };
  /** How the turn ended, before the stream ends. */
  readonly outcome: { readonly offset: number; readonly status: TurnResult["status"] };
}

/** A message as `useChat` keeps it. */
export type ChatMessage = UIMessage<ChatMetadata, { [Name in keyof ChatData]: ChatData[Name] }>;

/** A chunk of a stream. */
export type ChatChunk = UIMessageChunk<ChatMetadata, { [Name in keyof ChatData]: ChatData[Name] }>;

/** What the browser's user may see and decide of an agent's calls. By default nothing: arguments and results may hold what only the agent should know. */
export interface ChatTools {
  /** Names of the tools whose calls the browser shows, with arguments and results; `"all"` for all tools. */
  readonly visibleTools?: readonly string[] | "all";
  /** Names of the tools whose approvals and questions the browser's user decides; `"all"` for all tools. Their calls are shown, too. */
  readonly decidableTools?: readonly string[] | "all";
}

/** A call that waits for a decision, as the log has it. */
type Asked = Extract<LivePart, { readonly type: "approval.requested" }>["calls"][number];

const named = (names: readonly string[] | "all" = [], name: string): boolean => names === "all" || names.includes(name);

/** Whether the browser's user may decide calls of a tool. */
export const isDecidable = ({ decidableTools }: ChatTools, name: string): boolean => named(decidableTools, name);

/** Id of the message with the reply to the message, or of the turn, at an offset. */
export const replyIdOf = (offset: number): string => `reply-${offset}`;

/** The call of the parent agent through which a child agent's call was made, or the call itself. */
const ownCallOf = (call_id: string): string => call_id.split("/", 1)[0] ?? call_id;

type ReviewedId = Pick<Asked, "call_id" | "index" | "arguments_hash">;

/** Id of an approval: the call, the question, and the arguments that were shown. A decision on other arguments is refused. */
export const approvalIdOf = ({ call_id, index, arguments_hash }: ReviewedId): string => `${index}.${arguments_hash}.${call_id}`;

/** Reads an id of an approval. Undefined if it is none. */
export function approvalOf(id: string): ReviewedId | undefined {
  const [, index, arguments_hash, call_id] = /^(\d{1,9})\.([0-9a-f]+)\.(.+)$/s.exec(id) ?? [];
  return arguments_hash === undefined || call_id === undefined ? undefined : { call_id, index: Number(index), arguments_hash };
}

/** Why a call has no output, for the customer. What the tool said is for the model. */
const withoutOutput: Readonly<Record<Exclude<ToolResult["type"], "ok">, string>> = {
  error: "The call failed.",
  blocked: "The call was not allowed.",
  skipped: "The call was skipped.",
  unknown: "The result of the call is not known.",
};

/**
 * Writes the chunks of one message from the parts of its turn, from the first part on. A step of the message is a message of the agent with the results
 * of its calls. A step is provisional until the `message` part; `reset-step` removes what was shown of it.
 */
export class ChunkWriter {
  readonly #tools: ChatTools;
  /** Whether anything of the message was shown. */
  #isBegun = false;
  #step: "none" | "draft" | "committed" = "none";
  /** Id of the open text. */
  #text: string | undefined;
  #texts = 0;
  /** Calls that were announced before their message. */
  #announced = new Set<string>();
  /** Arguments of the calls of messages, as JSON. */
  readonly #calls = new Map<string, string>();
  /** Calls with a result. */
  readonly #settled = new Set<string>();
  /** What was asked about each call that has no result. */
  readonly #asked = new Map<string, Asked>();

  constructor(tools: ChatTools) {
    this.#tools = tools;
  }

  /** Returns the chunks of a part. */
  write(part: LivePart): readonly ChatChunk[] {
    switch (part.type) {
      case "status":
      case "tool.progress":
        return [];
      case "text.delta":
        return [...this.#open(), ...this.#delta(part.text)];
      case "draft.reset":
        return this.#reset();
      case "message":
        return this.#message(part);
      case "tool.started":
        return this.#isVisible(part.name) ? this.#start(part) : [];
      case "tool.result":
        return this.#isVisible(part.name) ? this.#result(part.call_id, part.result) : [];
      case "approval.requested":
        for (const call of part.calls) this.#asked.set(ownCallOf(call.call_id), call);
        return [];
      case "state":
        return [{ type: "data-state", data: { offset: part.offset, patch: part.patch }, transient: true }];
      case "end":
        return this.#end(part.result, part.offset);
    }
  }

  #isVisible(name: string): boolean {
    return named(this.#tools.visibleTools, name) || isDecidable(this.#tools, name);
  }

  /** Begins a step, unless a provisional one is open. */
  #open(): readonly ChatChunk[] {
    const before = this.#step === "committed" ? this.#close() : [];
    if (this.#step === "draft") return before;
    this.#step = "draft";
    this.#isBegun = true;
    return [...before, { type: "start-step" }];
  }

  #close(): readonly ChatChunk[] {
    if (this.#step === "none") return [];
    this.#step = "none";
    return [{ type: "finish-step" }];
  }

  #delta(delta: string): readonly ChatChunk[] {
    const isNew = this.#text === undefined;
    const id = (this.#text ??= `text-${++this.#texts}`);
    return [...(isNew ? [{ type: "text-start", id } as const] : []), { type: "text-delta", id, delta }];
  }

  /** Removes what the open step shows, unless its message is committed. */
  #reset(): readonly ChatChunk[] {
    const isShown = this.#step === "draft" && (this.#text !== undefined || this.#announced.size > 0);
    this.#text = undefined;
    this.#announced.clear();
    return isShown ? [{ type: "reset-step" }] : [];
  }

  #message({ text, calls }: Extract<LivePart, { readonly type: "message" }>): readonly ChatChunk[] {
    const visible = calls.filter(({ name }) => this.#isVisible(name));
    // A call that was announced and is not in the message was never made.
    const isReplaced = [...this.#announced].some((id) => !visible.some(({ call_id }) => call_id === id));
    const chunks: ChatChunk[] = isReplaced ? [...this.#reset(), ...(text === "" ? [] : this.#delta(text))] : [];
    if (visible.length > 0) chunks.push(...this.#open());
    if (this.#text !== undefined) chunks.push({ type: "text-end", id: this.#text });
    for (const { call_id, name, arguments: input } of visible) {
      this.#calls.set(call_id, JSON.stringify(input));
      chunks.push({ type: "tool-input-available", toolCallId: call_id, toolName: name, input });
    }
    this.#text = undefined;
    this.#announced.clear();
    if (this.#step === "draft") this.#step = "committed";
    return chunks;
  }

  #start({ call_id, name, arguments: input }: Extract<LivePart, { readonly type: "tool.started" }>): readonly ChatChunk[] {
    const known = this.#calls.get(call_id);
    if (known === undefined) {
      if (this.#announced.has(call_id)) return [];
      const opened = this.#open();
      this.#announced.add(call_id);
      return [...opened, { type: "tool-input-start", toolCallId: call_id, toolName: name }];
    }
    // A person or a hook has changed the arguments.
    if (input === undefined || JSON.stringify(input) === known) return [];
    this.#calls.set(call_id, JSON.stringify(input));
    return [{ type: "tool-input-available", toolCallId: call_id, toolName: name, input }];
  }

  #result(toolCallId: string, result: ToolResult): readonly ChatChunk[] {
    if (!this.#calls.has(toolCallId) || this.#settled.has(toolCallId)) return [];
    this.#settled.add(toolCallId);
    const asked = this.#asked.get(toolCallId);
    this.#asked.delete(toolCallId);
    const isDenied = result.type === "blocked" && asked !== undefined && isDecidable(this.#tools, asked.name);
    const decided = asked === undefined ? [] : [...this.#ask(asked), ...this.#decided(asked, !isDenied)];
    if (isDenied) return [...decided, { type: "tool-output-denied", toolCallId }];
    if (result.type === "ok") return [...decided, { type: "tool-output-available", toolCallId, output: result.value }];
    return [...decided, { type: "tool-output-error", toolCallId, errorText: withoutOutput[result.type] }];
  }

  /** Asks about a call, if it is the browser's to decide. The arguments of a child agent's call are not among those of the parent's. */
  #ask(asked: Asked): readonly ChatChunk[] {
    const { call_id, name, kind, question, child, arguments: input } = asked;
    const toolCallId = ownCallOf(call_id);
    if (!isDecidable(this.#tools, name) || !this.#calls.has(toolCallId)) return [];
    const reason = typeof question === "string" ? question : question === undefined ? undefined : JSON.stringify(question);
    const descriptor = { kind, name, ...(child === undefined || input === undefined ? {} : { input }) };
    const request = { type: "tool-approval-request", approvalId: approvalIdOf(asked), toolCallId, approvalDescriptor: descriptor } as const;
    return [{ ...request, ...(reason === undefined ? {} : { reason }) }];
  }

  #decided(asked: Asked, approved: boolean): readonly ChatChunk[] {
    if (!isDecidable(this.#tools, asked.name) || !this.#calls.has(ownCallOf(asked.call_id))) return [];
    return [{ type: "tool-approval-response", approvalId: approvalIdOf(asked), approved }];
  }

  #end({ status, turn_id, pending = [] }: TurnResult, offset: number): readonly ChatChunk[] {
    const chunks: ChatChunk[] = [...this.#reset()];
    if (status === "paused") for (const call of pending) chunks.push(...this.#ask(call));
    else if (status !== "waiting") chunks.push(...this.unsettled());
    chunks.push(...this.#close(), { type: "data-outcome", data: { offset, status }, transient: true });
    const messageMetadata: ChatMetadata | undefined = turn_id === undefined || !this.#isBegun ? undefined : { turn_id, status };
    const about = messageMetadata === undefined ? {} : { messageMetadata };
    if (status !== "stopped") return [...chunks, { type: "finish", finishReason: finishReasons[status], ...about }];
    return [...chunks, ...(messageMetadata === undefined ? [] : [{ type: "message-metadata", messageMetadata } as const]), { type: "abort" }];
  }

  /** Returns the chunks for calls that an ended turn left without a result. `useChat` would send their approvals again and again. */
  unsettled(): readonly ChatChunk[] {
    const left = [...this.#calls.keys()].filter((call_id) => !this.#settled.has(call_id));
    return left.map((toolCallId) => ({ type: "tool-output-error", toolCallId, errorText: withoutOutput.skipped }));
  }
}

const finishReasons = {
  completed: "stop",
  failed: "error",
  paused: "tool-calls",
  waiting: "other",
  withdrawn: "other",
} as const satisfies Record<Exclude<TurnResult["status"], "stopped">, string>;
