import { isPlainObject } from "../../kernel/json.ts";
import type { ModelMessage, ModelRequest } from "../port.ts";
import { systemText, wireName } from "../prompt.ts";
import type { AiSdkCall, AiSdkMessage } from "./language-model.ts";

/** The parts of a call that are made of the request. */
export function promptOf(request: ModelRequest): Pick<AiSdkCall, "prompt" | "tools" | "responseFormat" | "maxOutputTokens"> {
  const { sections, messages, tools, response_format, max_output_tokens } = request;
  const system = systemText(sections);
  return {
    prompt: [...(system === "" ? [] : [{ role: "system" as const, content: system }]), ...conversationOf(messages)],
    ...(tools.length === 0
      ? {}
      : { tools: tools.map(({ name, description, parameters }) => ({ type: "function" as const, name, description, inputSchema: parameters })) }),
    ...(response_format === undefined
      ? {}
      : {
          responseFormat: {
            type: "json" as const,
            name: "answer",
            ...(isPlainObject(response_format) ? { schema: response_format } : {}),
          },
        }),
    ...(max_output_tokens === undefined ? {} : { maxOutputTokens: max_output_tokens }),
  };
}

/** The conversation; results of calls that follow each other are one message, as the specification has it. */
function conversationOf(messages: readonly ModelMessage[]): readonly AiSdkMessage[] {
  const conversation: AiSdkMessage[] = [];
  const names = new Map<string, string>();
  for (const message of messages) {
    const last = conversation.at(-1);
    const next = messageOf(message, names);
    if (next.role === "tool" && last?.role === "tool") last.content.push(...next.content);
    else conversation.push(next);
  }
  return conversation;
}

function messageOf(message: ModelMessage, names: Map<string, string>): AiSdkMessage {
  if (message.role === "tool") {
    const { call_id, name, text } = message;
    const part = {
      type: "tool-result" as const,
      toolCallId: call_id,
      toolName: name === undefined ? (names.get(call_id) ?? "unknown") : wireName(name),
    };
    return { role: "tool", content: [{ ...part, output: { type: "text", value: text } }] };
  }
  const { role, text, calls = [] } = message;
  // Several providers refuse a system message in the middle of a conversation.
  if (role === "system") return { role: "user", content: [{ type: "text", text: `[from the system, not from the customer:] ${text}` }] };
  // A customer who writes the mark is not the system.
  if (role === "user") return { role, content: [{ type: "text", text: text.replaceAll(/[[［](?=\s*from the system)/giu, "(") }] };
  for (const { call_id, name } of calls) names.set(call_id, wireName(name));
  return {
    role,
    content: [
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...calls.map(({ call_id, name, arguments: input }) => ({ type: "tool-call" as const, toolCallId: call_id, toolName: wireName(name), input })),
    ],
  };
}
