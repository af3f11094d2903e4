/** How a conversation looks: a log that screen readers announce, cards of calls, questions with buttons, and a form. */
import { type ReactNode, type SubmitEvent, useEffect, useId, useRef } from "react";

/** A call as the page shows it. */
export interface ShownCall {
  readonly type: "call";
  readonly id: string;
  readonly name: string;
  readonly state: "running" | "waiting" | "done" | "failed";
  readonly input: unknown;
  readonly output?: unknown;
  /** Present if the user decides whether the call may run. */
  readonly decide?: ((approved: boolean) => void) | undefined;
}

/** A message as the page shows it. */
export interface ShownMessage {
  readonly id: string;
  readonly author: string;
  readonly items: readonly ({ readonly type: "text"; readonly text: string } | ShownCall)[];
}

interface ConversationProps {
  readonly messages: readonly ShownMessage[];
  /** `ready`, or what the agent is doing. */
  readonly status: string;
  readonly error: string | undefined;
  readonly onSend: (text: string) => void;
  readonly onStop: () => void;
  readonly onAgain: () => void;
}

/** A conversation with its form. While a reply is written, the log is busy, so that it is announced once and not letter by letter. */
export function Conversation({ messages, status, error, onSend, onStop, onAgain }: ConversationProps): ReactNode {
  const field = useRef<HTMLInputElement>(null);
  const isWorking = status !== "ready" && status !== "error";
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    const text = field.current?.value.trim() ?? "";
    if (text === "" || field.current === null) return;
    field.current.value = "";
    onSend(text);
  };
  return (
    <main>
      <h1>Chat</h1>
      <div role="log" aria-label="Conversation" aria-live="polite" aria-busy={isWorking}>
        {messages.map(({ id, author, items }) => (
          <article key={id} aria-label={author}>
            <h2>{author}</h2>
            {items.map((item, index) =>
              item.type === "text" ? <p key={index}>{item.text}</p> : <CallCard key={item.id} call={item} leave={() => field.current?.focus()} />,
            )}
          </article>
        ))}
      </div>
      <p role="status">{isWorking ? "The assistant is writing." : ""}</p>
      {error === undefined ? null : <p role="alert">{error}</p>}
      <form onSubmit={send}>
        <label htmlFor="message">Message</label>
        <input id="message" ref={field} autoComplete="off" autoFocus />
        <button type="submit">Send</button>
        <button type="button" disabled={!isWorking} onClick={onStop}>
          Stop
        </button>
        <button type="button" disabled={isWorking || messages.length === 0} onClick={onAgain}>
          Write again
        </button>
      </form>
    </main>
  );
}

/** The card of a call. The buttons go with the decision, so the focus goes back to the form. */
function CallCard({ call, leave }: { readonly call: ShownCall; readonly leave: () => void }): ReactNode {
  const heading = useId();
  const { name, state, input, output, decide } = call;
  const answer = (approved: boolean) => () => {
    decide?.(approved);
    leave();
  };
  return (
    <section aria-labelledby={heading} data-state={state}>
      <h3 id={heading}>{name}</h3>
      <code>{JSON.stringify(input)}</code>
      <p>{output === undefined ? state : JSON.stringify(output)}</p>
      {decide === undefined ? null : (
        <p>
          May {name} run? <button onClick={answer(true)}>Approve</button> <button onClick={answer(false)}>Reject</button>
        </p>
      )}
    </section>
  );
}

/** Calls back when the browser is online again, and every second until then after a lost connection. */
export function useReconnect(isLost: boolean, reconnect: () => void): void {
  const latest = useRef(reconnect);
  useEffect(() => {
    latest.current = reconnect;
  });
  useEffect(() => {
    if (!isLost) return;
    const again = (): void => latest.current();
    const timer = setInterval(again, 1000);
    globalThis.addEventListener("online", again);
    return () => {
      clearInterval(timer);
      globalThis.removeEventListener("online", again);
    };
  }, [isLost]);
}
