import type { ErrorInfo } from "../../kernel/error.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";

/** What became of a call. */
export type ToolOutcome =
  | { readonly type: "ok"; readonly value: Json }
  | { readonly type: "error"; readonly error: ErrorInfo }
  | { readonly type: "blocked"; readonly by: string; readonly reason: string }
  | { readonly type: "skipped"; readonly reason: string }
  | { readonly type: "unknown" };

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

/** What a model reads of a result: a string as it is, another value as JSON, anything else as JSON that says what became of the call. */
export function outcomeText(result: ToolOutcome): string {
  if (result.type === "ok") return typeof result.value === "string" ? result.value : JSON.stringify(result.value);
  if (result.type === "error") {
    const { code, message, details } = result.error;
    return JSON.stringify({ error: details === undefined ? { code, message } : { code, message, details } });
  }
  const { type, ...about } = result;
  return JSON.stringify({ [type]: about });
}
