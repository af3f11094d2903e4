/** The live parts of one turn, made from the events of its log and its drafts. Pure: a process, a connection and a test get the same parts. */
import type { DraftEnd } from "../../extension/port.ts";
import type { TurnId } from "../../kernel/id.ts";
import type { PatchOperation } from "../../kernel/json-patch.ts";
import { type Json, type JsonObject, present } from "../../kernel/json.ts";
import type { Event, EventDataByKind, EventOf, MessageData, PendingCall, StatusData, ToolCall, ToolData, ToolResult } from "../../session/event.ts";
import { textOf } from "../../session/session-messages.ts";
import type { StateDefinition } from "../../state/define.ts";
import { publicOperations } from "../../state/views.ts";
import type { EventKind } from "../../store/port.ts";
import type { FedDraft } from "./draft-feed.ts";
import type { OutcomeTarget, TurnResult } from "./outcome.ts";

/** A call that waits for a decision, as the log has it. */
export interface RequestedCall extends Omit<PendingCall, "arguments"> {
  /** Arguments of the call if it is approved unchanged. Absent for a call of a child agent; `session.pending()` has them. */
  readonly arguments?: JsonObject;
  /** The waiting turn. */
  readonly turn_id: TurnId;
  /** Time of the question. */
  readonly asked_at: number;
}

/**
 * Why shown text is void. `replaced`: the committed text is different, or its message is not shown to this reader. The other reasons are those of a
 * draft.
 */
export type TextReset = Exclude<DraftEnd, "end"> | "replaced";

/** A live part, without its position. */
type Part<Output = JsonObject, Public = JsonObject> =
  /** The agent's activity. */
  | { readonly type: "status"; readonly status: StatusData["status"]; readonly stage?: string }
  /** Text of the next `message`. It is provisional until that part. */
  | { readonly type: "text.delta"; readonly text: string }
  /** The text since the last `message` is void. */
  | { readonly type: "draft.reset"; readonly reason: TextReset }
  /** A committed message of the agent. Its text is that of the deltas since the last `message` or `draft.reset`. */
  | { readonly type: "message"; readonly text: string; readonly calls: readonly ToolCall[] }
  /** A running call. A call of a tool with effects `none` is announced before it is in the log, and has no arguments then. */
  | { readonly type: "tool.started"; readonly call_id: string; readonly name: string; readonly arguments?: JsonObject }
  /** What a running call reports with `context.progress`. It replaces the earlier progress of the call, and is not stored. */
  | { readonly type: "tool.progress"; readonly call_id: string; readonly progress: Json }
  /** The result of a call, also of one that was not started. */
  | { readonly type: "tool.result"; readonly call_id: string; readonly name: string; readonly result: ToolResult }
  /** The turn waits for decisions. */
  | { readonly type: "approval.requested"; readonly calls: readonly RequestedCall[] }
  /** A change of the state's public fields. */
  | { readonly type: "state"; readonly patch: readonly PublicOperation<Public>[] }
  /** The outcome. It is the last part. */
  | { readonly type: "end"; readonly result: TurnResult<Output> };

/** An operation on a public field or inside one. Its path begins with the field's name, as a JSON Pointer. */
export type PublicOperation<Public = JsonObject> = string extends keyof Public
  ? PatchOperation
  : PatchOperation & { readonly path: `/${keyof Public & string}` | `/${keyof Public & string}/${string}` };

/** One item of a turn's live stream. `offset`: the event that it is, or the last event before it. A reader continues with `after: offset`. */
export type LivePart<Output = JsonObject, Public = JsonObject> = Part<Output, Public> & { readonly offset: number };

/** Kinds of events that parts are made from. */
export const kindsOfParts = ["message", "tool", "status", "state", "turn", "session"] as const;

/** What an event shows to a reader. */
type ShownEvent = { readonly [Kind in EventKind]: { readonly kind: Kind; readonly data: EventDataByKind[Kind] } }[EventKind];

/** What a reader may see of a turn. */
export interface PartsView {
  /** Returns what an event shows to the reader; undefined if it shows nothing. */
  readonly event: (event: Event) => ShownEvent | undefined;
  /** Whether the reader may see calls of tools. */
  readonly calls: boolean;
}

const wholeView: PartsView = { event: (event) => event, calls: true };

/** Where a reader of a turn starts, and what it may see. */
interface PartsOptions {
  /** Offset up to which the reader has the parts of the log. */
  readonly after?: number | undefined;
  /** Declares the public fields. Without it there are no parts of the state. */
  readonly state?: StateDefinition | undefined;
  /** Everything by default. */
  readonly view?: PartsView | undefined;
}

/**
 * Makes the parts of the turn that answers a message, or of a turn that was queued without one. If another turn answers the message after all, the
 * parts of that turn follow.
 *
 * It takes the log from the target's offset on, and drafts between its events. Each event gives at most one part of its own, at its offset. Text that
 * precedes it is at the offset before. So a reader that continues after any part misses nothing but drafts.
 */
export class TurnParts {
  readonly #target: Pick<OutcomeTarget, "offset" | "message">;
  readonly #after: number;
  readonly #state: StateDefinition | undefined;
  readonly #view: PartsView;
  #turn: TurnId | undefined;
  #passed: number;
  /** Text since the last `message` or reset. */
  #shown = "";
  /** The last draft of which text was shown. */
  #draft: string | undefined;
  /** The draft of which nothing more is shown, because a part of it was not, or because another message stands in its middle. */
  #dropped: string | undefined;
  #calls = new Map<string, ToolCall>();
  #started = new Set<string>();
  readonly #returned = new Set<string>();
  #asked = new Map<string, number>();
  readonly #ended = new Set<TurnId>();

  constructor(target: Pick<OutcomeTarget, "offset" | "message" | "turn_id">, { after = -1, state, view = wholeView }: PartsOptions = {}) {
    this.#target = target;
    this.#after = after;
    this.#state = state;
    this.#view = view;
    this.#turn = target.message ? undefined : target.turn_id;
    this.#passed = target.offset;
  }

  /** The last event that has passed. */
  get passed(): number {
    return this.#passed;
  }

  /** Whether the end of a turn of the target has passed. */
  hasEnded(turn: TurnId): boolean {
    return this.#ended.has(turn);
  }

  /** Returns the parts of a draft. */
  draft(draft: FedDraft): readonly LivePart[] {
    if (draft.turn_id !== this.#turn) return [];
    const key = `${draft.epoch} ${draft.message}`;
    if (this.#passed < this.#after) this.#dropped = key;
    if (draft.type === "draft.reset") {
      // A committed text is confirmed by its message.
      if (draft.reason === "end") return [];
      this.#started.clear();
      return this.#reset(draft.reason);
    }
    if (key === this.#dropped) return [];
    if (draft.type === "draft.delta") {
      this.#draft = key;
      return this.#write(draft.text);
    }
    if (draft.type === "tool.progress") {
      const { call_id, progress } = draft;
      return this.#view.calls && !this.#returned.has(call_id) ? [this.#placed({ type: "tool.progress", call_id, progress })] : [];
    }
    const { call_id, name } = draft;
    if (this.#isStarted(call_id) || !this.#view.calls) return [];
    return [this.#placed({ type: "tool.started", call_id, name })];
  }

  /** Returns the parts of an event. */
  event(event: Event): readonly LivePart[] {
    const { offset } = event;
    this.#passed = offset - 1;
    const shown = this.#view.event(event);
    const before = this.#before(event, shown);
    const own = this.#own(event, shown);
    this.#passed = offset;
    if (offset <= this.#after) return [];
    return own === undefined ? before : [...before, this.#placed(own)];
  }

  /** Reports that all events below the offset have passed. */
  reached(next_offset: number): void {
    this.#passed = Math.max(this.#passed, next_offset - 1);
  }

  /** Returns the last parts. A reply that is not in the log has no `message`. */
  end(result: TurnResult): readonly LivePart[] {
    const isUnsaved = result.saved !== undefined;
    const reset = this.#reset(isUnsaved ? "failed" : "fence");
    const reply = isUnsaved ? this.#write(result.reply ?? "") : [];
    return [...reset, ...reply, this.#placed({ type: "end", result })];
  }

  #placed(part: Part): LivePart {
    return { ...part, offset: Math.max(this.#passed, this.#after) };
  }

  #write(text: string): readonly LivePart[] {
    if (text === "") return [];
    this.#shown += text;
    return [this.#placed({ type: "text.delta", text })];
  }

  #reset(reason: TextReset): readonly LivePart[] {
    if (this.#shown === "") return [];
    this.#shown = "";
    return [this.#placed({ type: "draft.reset", reason })];
  }

  /** Notes the start of a call. Returns whether it was noted before. */
  #isStarted(call_id: string): boolean {
    const known = this.#started.has(call_id);
    this.#started.add(call_id);
    return known;
  }

  /** Returns what completes or voids the text before an event. */
  #before(event: Event, shown: ShownEvent | undefined): readonly LivePart[] {
    if (this.#begins(event)) {
      const reset = this.#reset("fence");
      this.#turn = event.turn_id;
      this.#started.clear();
      return reset;
    }
    if (event.turn_id !== this.#turn || this.#turn === undefined) return [];
    if (event.kind === "turn") return event.data.type === "ended" || event.data.type === "paused" ? this.#reset("replaced") : [];
    if (!isOfAgent(event)) return [];
    // Messages of hooks and stages can stand in the middle of a draft, which goes on after them.
    const isOwn = event.data.origin?.step_id !== undefined;
    if (shown?.kind !== "message") return isOwn ? this.#reset("replaced") : [];
    const text = textOf(shown.data.parts);
    if (!isOwn) this.#dropped = this.#draft;
    if (isOwn && text.startsWith(this.#shown)) return this.#write(text.slice(this.#shown.length));
    return [...this.#reset("replaced"), ...this.#write(text)];
  }

  #begins(event: Event): boolean {
    if (event.kind !== "turn" || event.data.type !== "started" || event.turn_id === this.#turn) return false;
    return this.#target.message && event.data.answers.includes(this.#target.offset);
  }

  /** Returns the part that an event is. */
  #own(event: Event, shown: ShownEvent | undefined): Part | undefined {
    if (event.turn_id !== this.#turn || this.#turn === undefined) return undefined;
    if (event.kind === "turn" && event.data.type === "ended") this.#ended.add(this.#turn);
    if (isOfAgent(event)) for (const call of event.data.calls ?? []) this.#calls.set(call.call_id, call);
    if (event.kind === "tool" && event.data.type === "returned") this.#returned.add(event.data.call_id);
    const isFirst = event.kind === "tool" && event.data.type === "called" && this.#called(event.data);
    switch (shown?.kind) {
      case "status":
        return { type: "status", status: shown.data.status, ...present({ stage: shown.data.stage }) };
      case "message":
        return isOfAgent(event) ? this.#message(shown.data) : undefined;
      case "tool": {
        const { data } = shown;
        if (data.type === "returned")
          return { type: "tool.result", call_id: data.call_id, name: this.#calls.get(data.call_id)?.name ?? "", result: data.result };
        return isFirst ? { type: "tool.started", call_id: data.call_id, name: data.name, arguments: data.arguments } : undefined;
      }
      case "state": {
        const patch = this.#state === undefined ? [] : publicOperations(this.#state, shown.data.patch);
        return patch.length === 0 ? undefined : { type: "state", patch };
      }
      case "turn":
        return shown.data.type === "paused" ? { type: "approval.requested", calls: this.#requested(shown.data.pending, event) } : undefined;
      default:
        return undefined;
    }
  }

  #message({ calls = [] }: MessageData): Part {
    const text = this.#shown;
    this.#shown = "";
    return { type: "message", text, calls };
  }

  /** Notes a call. Returns whether its start was not shown yet. */
  #called({ call_id, name, arguments: args }: Extract<ToolData, { readonly type: "called" }>): boolean {
    this.#calls.set(call_id, { ...this.#calls.get(call_id), call_id, name, arguments: args });
    return !this.#isStarted(call_id);
  }

  #requested(pending: readonly PendingCall[], { created_at, turn_id }: Event): readonly RequestedCall[] {
    return pending.flatMap((call) => {
      const key = `${call.call_id} ${call.index} ${call.arguments_hash}`;
      const asked_at = this.#asked.get(key) ?? created_at;
      this.#asked.set(key, asked_at);
      const args = call.child === undefined ? (call.arguments ?? this.#calls.get(call.call_id)?.arguments) : undefined;
      return turn_id === undefined ? [] : [{ ...call, ...present({ arguments: args }), turn_id, asked_at }];
    });
  }
}

const isOfAgent = (event: Event): event is EventOf<"message"> => event.kind === "message" && event.data.role === "assistant";
