import type { PromptOptions } from "../../context/prompt-options.ts";
import type { PromptPart } from "../../context/section.ts";
import type { Budget } from "../../execution/ledger.ts";
import type { Apologies } from "../../extension/apology.ts";
import type { Extension } from "../../extension/port.ts";
import type { Stage } from "../../extension/stage.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { MessageData } from "../../session/event.ts";
import { textOf } from "../../session/session-messages.ts";
import type { StateDefinition } from "../../state/define.ts";
import type { Migration } from "../../state/migrate-state.ts";
import type { Reply } from "../loop/reply-port.ts";
import type { Variable } from "../variables/variable.ts";

/** An agent as the runtime uses it: checked and frozen. */
export interface Agent {
  readonly name: string;
  readonly version: number;
  readonly state: StateDefinition;
  readonly stages: readonly Stage[];
  readonly reply: Reply;
  readonly sections: readonly PromptPart[];
  readonly prompt: PromptOptions;
  /** Milliseconds that the request of a step is kept. Undefined if requests are not kept. */
  readonly keepRequestsMs: number | undefined;
  /** Extensions of its turns, in order of precedence. */
  readonly extensions: readonly Extension[];
  readonly variables: readonly Variable[];
  readonly budget: Budget;
  readonly migrations: readonly Migration[];
  readonly episodeSilenceMs: number | undefined;
  readonly waitingLimit: number | undefined;
  /** What the customer reads if a turn ends without an answer. */
  readonly apology: Apologies;
  readonly onNewMessage: "queue" | "supersede";
  readonly onMessageWhilePaused: "reject" | "wait";
}

/** Returns the input values of a turn: the text of its last message under `message`, and the message's other input. */
export function inputValues(agent: Agent, message: Pick<MessageData, "parts" | "input"> | undefined): JsonObject {
  const { parts = [], input = {} } = message ?? {};
  return Object.hasOwn(agent.state.fields, "message") && agent.state.fields["message"]?.lifecycle === "input"
    ? { message: textOf(parts), ...input }
    : input;
}
