/** A page with `useSession` over the Throughline service, without the AI SDK. */
import { createClient } from "@throughline/client";
import { useSession } from "@throughline/client/react";
import { type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { Conversation, type ShownMessage } from "./view.tsx";

const authors = { customer: "You", agent: "Assistant", operator: "Operator", system: "Please note" };

const client = createClient({ baseUrl: location.origin });
const key = new URLSearchParams(location.search).get("chat") ?? "default";
// Your backend opens the session, and gives the page its id and a customer token. Locally, the page may do both itself.
const session = await client.sessions.open({ agent: "a1", customer_id: "ada", key });

function Page(): ReactNode {
  const { messages, approvals, status, connection, error, send, stop, approve, reject, regenerate } = useSession(session);
  const shown = messages.map(({ id, author, name, parts }): ShownMessage => {
    const items = parts.map((part): ShownMessage["items"][number] => {
      if (part.type === "text") return part;
      const { call_id, state, arguments: given, output, name } = part;
      const waiting = approvals.find((call) => call.call_id === call_id);
      const decide = waiting === undefined ? undefined : (approved: boolean) => void (approved ? approve(waiting) : reject(waiting));
      return { type: "call", id: call_id, name, state: decide === undefined ? state : "waiting", input: given, output, decide };
    });
    return { id, author: name ?? authors[author], items };
  });
  const problem = connection === "lost" && status !== "loading" ? "The connection was lost. The page tries to connect again." : undefined;
  return (
    <Conversation
      messages={shown}
      status={status === "working" ? "working" : "ready"}
      error={error === undefined ? problem : "This message could not be sent."}
      onSend={(text) => void send(text)}
      onStop={() => void stop()}
      onAgain={() => void regenerate()}
    />
  );
}

const root = document.getElementById("root");
if (root !== null) createRoot(root).render(<Page />);
