/** Reads the response of a chat completions server: text immediately, tool calls when they are complete. */
import { isPlainObject, type JsonObject } from "../../kernel/json.ts";
import { type Failure, malformedCall, unreadable } from "../call/call-failure.ts";
import type { FinishReason, ModelPart, ModelToolCall, Usage } from "../model-port.ts";
import { type CallDelta, cut, type Received } from "./completion-exchange.ts";

const noUsage: Usage = { input: 0, output: 0, cache_write: 0, cache_read: 0, reasoning: 0 };

/** Yields the response as parts: text immediately, tool calls when they are complete, then the end. */
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
  // A limit or a filter may have cut a call in two. An incomplete call is not made.
  const isCut = reason === "length" || reason === "content_filter";
  const whole = calls.filter((call): call is ModelToolCall => call !== undefined && !(isCut && call.malformed !== undefined));
  if (calls.includes(undefined) && !isCut) return yield unreadable(`${host} sent a tool call without a name.`, { again: false });
  for (const call of whole) yield { type: "tool_call", call };
  const shown = refused ? "content_filter" : reason === "stop" && whole.length > 0 ? "tool_calls" : reason;
  yield { type: "finish", reason: shown, usage };
}

interface OpenCall {
  readonly index: number | undefined;
  id: string | undefined;
  name: string;
  readonly pieces: string[];
}

/** Tool calls, assembled from their pieces. */
interface CallAssembly {
  add(delta: CallDelta): void;
  /** Returns the calls, with undefined for a call without a name. */
  calls(): readonly (ModelToolCall | undefined)[];
}

/** Creates an empty assembly. `newId` creates an id for a call that the server gave none. */
function assembleCalls(newId: () => string): CallAssembly {
  const open: OpenCall[] = [];
  const callOf = (delta: CallDelta): OpenCall | undefined => {
    const known = delta.index === undefined ? open.at(-1) : open.findLast((call) => call.index === delta.index);
    // Servers that number all calls 0, or none, distinguish them by their ids.
    const another = delta.id !== undefined && known?.id !== undefined && delta.id !== known.id && delta.name !== undefined;
    const unnumbered = delta.index === undefined && delta.id === undefined && delta.name !== undefined;
    return another || unnumbered ? undefined : known;
  };
  return {
    add(delta) {
      let call = callOf(delta);
      if (call === undefined) open.push((call = { index: delta.index, id: undefined, name: "", pieces: [] }));
      call.id ??= delta.id;
      if (call.name === "") call.name = delta.name ?? "";
      call.pieces.push(delta.arguments);
    },
    calls: () =>
      open.map(({ id, name, pieces }) => {
        if (name === "") return undefined;
        const sent = pieces.join("");
        const values = argumentsOf(sent);
        const call_id = id ?? newId();
        return values === undefined ? malformedCall(call_id, name, sent) : { call_id, name, arguments: values };
      }),
  };
}

/** Parses a call's arguments. An empty text means none. Undefined if the text is not a JSON object. */
function argumentsOf(text: string): JsonObject | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
