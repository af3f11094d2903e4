import type { ErrorInfo } from "../../kernel/error.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import type { ToolOutcome } from "../../state/tool-outcome.ts";

/** A call and what became of it. */
export interface ToolExecution {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly result: ToolOutcome;
  readonly started_at: number;
  readonly ended_at: number;
}

/** The value that a call came back with; undefined if it did not. */
export const valueOf = ({ result }: ToolExecution): Json | undefined => (result.type === "ok" ? result.value : undefined);

/** The error of a call that failed; undefined if it did not. */
export const errorOf = ({ result }: ToolExecution): ErrorInfo | undefined => (result.type === "error" ? result.error : undefined);

/** Whether something forbade the call. */
export const wasBlocked = ({ result }: ToolExecution): boolean => result.type === "blocked";
