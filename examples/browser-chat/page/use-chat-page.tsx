/** A page with `useChat` of the AI SDK. */
import { useChat } from "@ai-sdk/react";
import type { ChatMessage } from "@throughline/adapters/ai-sdk";
import { DefaultChatTransport, isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import { type ReactNode, useMemo, useRef } from "react";
import { createRoot } from "react-dom/client";
import { Conversation, type ShownMessage, useReconnect } from "./view.tsx";

const api = "/api/chat";
const id = new URLSearchParams(location.search).get("chat") ?? "default";

/** The last turn that the page has whole. The server streams what has ended since, also after the connection was lost. */
const lastWhole = (messages: readonly ChatMessage[]): string =>
  messages.findLast(({ metadata }) => metadata?.turn_id !== undefined && metadata.status !== "paused")?.metadata?.turn_id ?? "";

function Page({ history }: { readonly history: ChatMessage[] }): ReactNode {
  const seen = useRef<readonly ChatMessage[]>(history);
  const transport = useMemo(
    () =>
      new DefaultChatTransport<ChatMessage>({
        api,
        // The server has the rest.
        prepareSendMessagesRequest: ({ id, messages, trigger, messageId }) => ({ body: { id, messages: messages.slice(-1), trigger, messageId } }),
        prepareReconnectToStreamRequest: () => ({ api: `${api}/${encodeURIComponent(id)}/stream?after=${lastWhole(seen.current)}` }),
      }),
    [],
  );
  const chat = useChat<ChatMessage>({
    ...{ id, messages: history, transport, resume: true },
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  seen.current = chat.messages;
  const isLost = chat.error instanceof TypeError;
  useReconnect(isLost, () => void chat.resumeStream());
  const stop = (): void => {
    void fetch(`${api}/${encodeURIComponent(id)}/stop`, { method: "POST" });
    void chat.stop();
  };
  return (
    <Conversation
      messages={chat.messages.map((message) => shownOf(message, chat))}
      status={chat.status}
      error={isLost ? "The connection was lost. The page tries to connect again." : chat.error?.message}
      onSend={(text) => void chat.sendMessage({ text })}
      onStop={stop}
      onAgain={() => void chat.regenerate()}
    />
  );
}

const ended: Readonly<Record<string, "done" | "failed">> = { "output-available": "done", "output-error": "failed", "output-denied": "failed" };

type Chat = Pick<ReturnType<typeof useChat<ChatMessage>>, "addToolApprovalResponse">;

function shownOf({ id, role, metadata, parts }: ChatMessage, { addToolApprovalResponse }: Chat): ShownMessage {
  const items = parts.flatMap((part): ShownMessage["items"] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    if (!isToolUIPart(part)) return [];
    const { toolCallId, state, input, output, approval } = part;
    const decide =
      state !== "approval-requested" ? undefined : (approved: boolean) => void addToolApprovalResponse({ id: approval?.id ?? "", approved });
    const shown = decide !== undefined ? "waiting" : (ended[state] ?? "running");
    return [{ type: "call", id: toolCallId, name: part.type.replace("tool-", ""), state: shown, input, output, decide }];
  });
  return { id, author: role === "user" ? "You" : (metadata?.operator ?? "Assistant"), items };
}

const response = await fetch(`${api}/${encodeURIComponent(id)}/messages`);
const { messages } = (await response.json()) as { readonly messages: ChatMessage[] };
const root = document.getElementById("root");
if (root !== null) createRoot(root).render(<Page history={messages} />);
