import type { ExecutionId, StepId } from "../../kernel/id.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { ModelToolCall } from "../../model/port.ts";

/** Where a message came from. */
export interface MessageTags {
  readonly agent_id: string;
  readonly execution_id: ExecutionId;
  readonly step_id: StepId;
  /** Work on the way to an answer: messages of steps that called tools or had errors. */
  readonly is_trace?: true;
}

/** The content of a message. */
export interface AgentMessageGiven {
  readonly role: "user" | "assistant" | "system" | "tool";
  readonly text: string;
  readonly name?: string;
  /** The calls that an assistant message asks for. */
  readonly calls?: readonly ModelToolCall[];
  /** The call that a tool message is the result of. */
  readonly call_id?: string;
  readonly metadata?: JsonObject;
}

/** An entry of an agent's log of messages. It never changes, moves or vanishes. */
export interface AgentMessage extends AgentMessageGiven {
  /** Its position in the log. */
  readonly id: number;
  readonly created_at: number;
  readonly tags?: MessageTags;
}

/** Messages by their ids, from one up to, not including, another. */
export interface MessageRange {
  readonly from: number;
  readonly to: number;
}

/** A text that stands in for a range of messages. */
export interface MessageSummary extends MessageRange {
  readonly text: string;
  readonly created_at: number;
}
