/** A conversation as the customer sees it, by the React hook of the client. The bundle replaces React with Preact. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type ClientSession, RequestError } from "@throughline/client";
import { type ConversationMessage, type ConversationPart, useSession } from "@throughline/client/react";
import { failureOf } from "../base/page-actions.ts";
import { lost } from "../base/page-service.ts";
import { texts } from "../base/page-texts.ts";
import { addressOf } from "../base/router.ts";
import { Icon } from "../parts/icon.tsx";
import { LongText } from "../parts/long-text.tsx";
import { EmptyState, Failure } from "../parts/notice.tsx";

interface CustomerChatProps {
  readonly session: ClientSession;
  /** The window or the frame where links to the inspector open. */
  readonly inspectorWindow: string;
}

/** Pixels from the end within which the page follows the conversation. */
const nearEnd = 80;

export function CustomerChat(props: CustomerChatProps) {
  const [attempt, setAttempt] = useState(0);
  return <Conversation key={attempt} {...props} readAgain={() => setAttempt(attempt + 1)} />;
}

function Conversation({ session, inspectorWindow, readAgain }: CustomerChatProps & { readonly readAgain: () => void }) {
  const { messages, approvals, status, connection, error, send, stop, approve, reject, regenerate } = useSession(session);
  const [handover, setHandover] = useState<"none" | "asked" | RequestError>("none");
  const field = useRef<HTMLTextAreaElement>(null);
  const log = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  /** The text of the last command, if it was a message. */
  const sent = useRef<string | undefined>(undefined);
  const focus = (): void => field.current?.focus();
  useEffect(focus, []);
  useEffect(() => {
    // A message that was not sent comes back, unless the customer has begun another one.
    if (error === undefined || sent.current === undefined || field.current?.value !== "") return;
    field.current.value = sent.current;
    sent.current = undefined;
  }, [error]);
  useLayoutEffect(() => {
    if (follows.current && log.current !== null) log.current.scrollTop = log.current.scrollHeight;
  }, [messages, approvals]);
  const submit = (): void => {
    const text = field.current?.value.trim() ?? "";
    if (text === "" || field.current === null) return;
    field.current.value = "";
    sent.current = text;
    follows.current = true;
    void send(text);
    focus();
  };
  /** Runs a command that sends no message. */
  const run = (command: () => Promise<void>): void => {
    sent.current = undefined;
    void command();
    focus();
  };
  const askForPerson = async (): Promise<void> => {
    try {
      await session.handOver({ reason: texts.chat.handoverReason });
      setHandover("asked");
    } catch (failure) {
      setHandover(failureOf(failure));
    }
  };
  const isBusy = status === "working";
  const inspect = (offset?: number): string => addressOf(`sessions/${session.id}`, { at: offset });
  return (
    <section class="chat" aria-label={texts.chat.conversation}>
      <div
        class="chat-log"
        role="log"
        ref={log}
        tabIndex={0}
        aria-label={texts.chat.conversation}
        aria-live="polite"
        aria-busy={isBusy || status === "loading"}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) =>
          (follows.current = scrollHeight - scrollTop - clientHeight < nearEnd)
        }
      >
        {messages.length === 0 && status !== "loading" ? <EmptyState title={texts.chat.none.title} text={texts.chat.none.text} /> : undefined}
        {messages.map((message) => (
          <article key={message.id} class={`said ${message.author}`} data-as-offset={message.offset}>
            <h2>
              <bdi>{message.name ?? texts.chat.authors[message.author]}</bdi>
              {message.offset === undefined ? (
                <span class="hint">{texts.chat.sending}</span>
              ) : (
                <a class="offset-link" href={inspect(message.offset)} target={inspectorWindow} aria-label={texts.chat.lookAt(message.offset)}>
                  #{message.offset}
                </a>
              )}
            </h2>
            {message.parts.map((part, index) =>
              part.type === "text" ? <LongText key={index} text={part.text} /> : <Call key={part.call_id} part={part} decide={decisionsOn(part)} />,
            )}
          </article>
        ))}
      </div>
      <p class="chat-status" role="status">
        {connection === "lost" && status !== "loading" && lost.value === undefined ? texts.chat.reconnecting : texts.chat.status[status]}
        {handover === "asked" ? (
          <>
            {" "}
            {texts.chat.handedOver}{" "}
            <a class="link" href={addressOf("handover")} target={inspectorWindow}>
              {texts.commands.handover}
            </a>
          </>
        ) : undefined}
      </p>
      {handover === "none" || handover === "asked" ? undefined : <Failure error={handover} />}
      {error === undefined ? undefined : (
        <>
          <Problem error={error} />
          {status === "loading" ? (
            <button type="button" class="button" onClick={readAgain}>
              {texts.lost.retry}
            </button>
          ) : undefined}
        </>
      )}
      <form
        class="composer"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <label for="message">{texts.chat.message}</label>
        <textarea
          id="message"
          ref={field}
          rows={2}
          aria-describedby="message-hint"
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            submit();
          }}
        />
        <p class="hint" id="message-hint">
          {texts.chat.hint}
        </p>
        <div class="composer-tools">
          <button type="submit" class="button primary">
            {texts.chat.send}
          </button>
          <button type="button" class="button" disabled={!isBusy} onClick={() => run(stop)}>
            {texts.chat.stop}
          </button>
          <button type="button" class="button" disabled={status !== "ready" || messages.length === 0} onClick={() => run(regenerate)}>
            {texts.chat.again}
          </button>
          <button type="button" class="button" onClick={() => void askForPerson()}>
            <Icon name="person" />
            {texts.chat.person}
          </button>
        </div>
      </form>
    </section>
  );

  function decisionsOn(part: ConversationPart): Decisions | undefined {
    const waiting = part.type === "call" ? approvals.find((call) => call.call_id === part.call_id) : undefined;
    return waiting === undefined ? undefined : { approve: () => run(() => approve(waiting)), reject: () => run(() => reject(waiting)) };
  }
}

interface Decisions {
  readonly approve: () => void;
  readonly reject: () => void;
}

type CallPart = Extract<ConversationMessage["parts"][number], { readonly type: "call" }>;

/** A call of a tool, with the buttons that decide whether it may run. */
function Call({ part, decide }: { readonly part: CallPart; readonly decide: Decisions | undefined }) {
  const { call_id, name, state, arguments: given, output } = part;
  const shownState = decide === undefined ? state : "waiting";
  return (
    <section class="card chat-call" aria-labelledby={`call-${call_id}`} data-state={shownState}>
      <div class="card-head">
        <Icon name="tool" />
        <h3 id={`call-${call_id}`}>
          <bdi>{name}</bdi>
        </h3>
        <span class={`badge ${shownState === "done" ? "ok" : shownState === "failed" ? "error" : "open"}`}>{texts.chat.calls[shownState]}</span>
      </div>
      {given === undefined ? undefined : <LongText text={JSON.stringify(given)} code />}
      {output === undefined ? undefined : <LongText text={typeof output === "string" ? output : JSON.stringify(output)} />}
      {decide === undefined ? undefined : (
        <div class="composer-tools">
          <span>{texts.chat.mayRun(name)}</span>
          <button type="button" class="button primary" onClick={decide.approve}>
            {texts.chat.approve}
          </button>
          <button type="button" class="button" onClick={decide.reject}>
            {texts.chat.reject}
          </button>
        </div>
      )}
    </section>
  );
}

/** Why a command failed. A service that could not store a message may have a reply to show at once. */
function Problem({ error }: { readonly error: unknown }) {
  const { reply } = RequestError.is(error) ? error : {};
  return reply === undefined ? (
    <Failure error={failureOf(error)} />
  ) : (
    <div class="failure" role="alert">
      <Icon name="warning" />
      <LongText text={reply} />
    </div>
  );
}
