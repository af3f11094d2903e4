import { unreadable, type Failure } from "../call/failure.ts";
import type { FinishReason, ModelPart, ModelToolCall, Usage } from "../port.ts";
import { cut, type Received } from "./exchange.ts";
import { assembleCalls } from "./tool-calls.ts";

const noUsage: Usage = { input: 0, output: 0, cache_write: 0, cache_read: 0, reasoning: 0 };

/** What is received, as parts of an answer: text at once, tool calls when they are whole, then the end. */
export async function* answerOf(
  received: AsyncIterable<Received>,
  { host, newId }: { readonly host: string; readonly newId: () => string },
): AsyncGenerator<ModelPart | Failure, void, undefined> {
  const assembly = assembleCalls(newId);
  let usage = noUsage;
  let reason: FinishReason | undefined;
  let refused = false;
  for await (const piece of received) {
    if (piece.type === "failure") return yield piece;
    if (piece.type === "filtered") return yield { type: "finish", reason: "content_filter", usage };
    if (piece.text !== "") yield { type: "text_delta", text: piece.text };
    for (const call of piece.calls) assembly.add(call);
    refused ||= piece.refused;
    usage = piece.usage ?? usage;
    reason = piece.reason ?? reason;
  }
  if (reason === undefined) return yield cut(host);
  const calls = assembly.calls();
  // A limit or a filter may have cut a call in two: what the model did not finish asking for is not asked.
  const isCut = reason === "length" || reason === "content_filter";
  const whole = calls.filter((call): call is ModelToolCall => call !== undefined && !(isCut && call.malformed !== undefined));
  if (calls.includes(undefined) && !isCut) return yield unreadable(`${host} sent a tool call without a name.`, { again: false });
  for (const call of whole) yield { type: "tool_call", call };
  const shown = refused ? "content_filter" : reason === "stop" && whole.length > 0 ? "tool_calls" : reason;
  yield { type: "finish", reason: shown, usage };
}
