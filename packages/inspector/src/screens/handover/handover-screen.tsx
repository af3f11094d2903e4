/** Sessions that are with people: who waits, who answers, and the work of an operator. */
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { announce } from "../../base/overlays.ts";
import { actionFailure } from "../../base/page-actions.ts";
import { key } from "../../base/page-access.ts";
import { reconnections } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { addressOf, place } from "../../base/router.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { LongText, oneLine } from "../../parts/long-text.tsx";
import { messageText } from "../../parts/message-text.ts";
import { EmptyState, Failure } from "../../parts/notice.tsx";
import { OperatorField } from "../../parts/operator-field.tsx";
import { Responder } from "../../parts/responder.tsx";
import { Ago, Said } from "../../parts/time.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import {
  asAgent,
  chooseTalk,
  claimCommand,
  handBackCommand,
  putBackCommand,
  queueName,
  replyText,
  resumes,
  sendCommand,
  shownQueue,
  shownTalk,
  summaryText,
} from "./handover-keys.ts";
import { HandoverQueue, type QueuedSession, queueNames } from "./handover-queue.ts";
import { HandoverTalk } from "./handover-talk.ts";
import { operator } from "../../base/operator-name.ts";
import { useShown } from "../../base/use-shown.ts";

const own = texts.handover;

export function HandoverView() {
  const name = queueName();
  const who = operator.value.trim();
  const queue = useMemo(() => new HandoverQueue(name, who), [name, name === "mine" ? who : "", reconnections.value, key.value]);
  useEffect(() => {
    const left = new AbortController();
    queue.start(left.signal);
    return () => left.abort();
  }, [queue]);
  useShown(shownQueue, queue);
  useEffect(() => () => void (actionFailure.value = undefined), []);
  const { value: items } = queue.items;
  const { value: ready } = queue.ready;
  useEffect(() => {
    if (ready) announce("queue", own.count(items.length, queue.more.peek()));
  }, [ready, items.length]);
  const { value: error } = queue.error;
  const chosen = place.value.query["session"];
  const selected = items.findIndex(({ session_id }) => session_id === chosen);
  const none = name === "mine" && who === "" ? own.none.noName : own.none[name];
  return (
    <div class="screen handover">
      <header class="screen-head">
        <h1>{own.title}</h1>
        <span class="count">{ready ? own.count(items.length, queue.more.value) : ""}</span>
        <OperatorField id="operator" />
      </header>
      <ul class="views" aria-label={own.queuesLabel}>
        {queueNames.map((one) => (
          <li key={one}>
            <button type="button" class="chip" aria-pressed={one === name} onClick={() => chooseTalk(undefined, one)}>
              {own.queues[one]}
            </button>
          </li>
        ))}
      </ul>
      <div class="panes">
        <section class="pane" aria-label={own.queues[name]}>
          {error === undefined ? undefined : <Failure error={error} />}
          {items.length === 0 ? (
            ready ? (
              <EmptyState title={none.title} text={none.text} />
            ) : undefined
          ) : (
            <VirtualList
              id="queue"
              kind="grid"
              label={own.queues[name]}
              count={items.length}
              selected={selected}
              rowHeight={44}
              header={<Header />}
              row={(index) => <Row queued={items[index]} />}
              onSelect={(index) => chooseTalk(items[index]?.session_id)}
            />
          )}
        </section>
        {chosen === undefined ? (
          <section class="pane" aria-label={own.chosen}>
            <EmptyState title={own.none.choose.title} text={own.none.choose.text} />
          </section>
        ) : (
          <TalkPane key={chosen} id={chosen} />
        )}
      </div>
    </div>
  );
}

const columns = ["responder", "session", "reason", "since"] as const;

const Header = () => (
  <>
    {columns.map((name) => (
      <span key={name} role="columnheader" class={`cell ${name}`}>
        {own.columns[name]}
      </span>
    ))}
  </>
);

function Row({ queued }: { readonly queued: QueuedSession | undefined }) {
  if (queued === undefined) return null;
  const { session_id, title, customer_id, handover } = queued;
  return (
    <>
      <span role="gridcell" class="cell responder">
        <Responder mode={handover.status === "resolved" ? "auto" : "manual"} handover={handover} />
      </span>
      <span role="gridcell" class="cell session">
        <bdi>{title === null ? (customer_id ?? session_id) : oneLine(title)}</bdi>
        {title === null ? undefined : <bdi class="faint">{customer_id ?? texts.anonymous}</bdi>}
      </span>
      <span role="gridcell" class="cell reason">
        <bdi>{oneLine(handover.reason ?? "")}</bdi>
      </span>
      <span role="gridcell" class="cell since">
        <Ago at={handover.since} />
      </span>
    </>
  );
}

function TalkPane({ id }: { readonly id: string }) {
  const talk = useMemo(() => new HandoverTalk(id), [id, reconnections.value, key.value]);
  useEffect(() => {
    const left = new AbortController();
    void talk.open(left.signal);
    return () => left.abort();
  }, [talk]);
  useShown(shownTalk, talk);
  const { value: info } = talk.info;
  const { value: error } = talk.error;
  const { value: failure } = actionFailure;
  return (
    <section class="pane talk" aria-label={own.chosen}>
      {error === undefined ? undefined : <Failure error={error} />}
      {info === undefined ? (
        error === undefined ? (
          <p class="waiting">{texts.loading}</p>
        ) : undefined
      ) : (
        <>
          <div class="pane-tools">
            <Responder mode={info.mode} handover={info.handover} />
            <bdi class="faint">{oneLine(info.handover?.reason ?? "")}</bdi>
            <a href={addressOf(`sessions/${id}`)}>{own.openSession}</a>
          </div>
          <div class="pane-tools">
            <ActionButton command={claimCommand} kind="primary" icon="person" />
            <ActionButton command={putBackCommand} />
          </div>
        </>
      )}
      {failure === undefined ? undefined : <Failure error={failure} />}
      <Messages talk={talk} />
      {info?.mode === "manual" ? <Answer /> : undefined}
    </section>
  );
}

function Messages({ talk }: { readonly talk: HandoverTalk }) {
  const { value: messages } = talk.messages;
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [messages]);
  return (
    <div class="conversation" ref={box} tabIndex={0} role="region" aria-label={own.talk}>
      <ol>
        {messages.map(({ offset, source, data, created_at }) => {
          const name = data.participant?.display_name;
          return (
            <li key={offset} class={`entry message ${data.role}`}>
              <div class="entry-head">
                <span class="author">{name === undefined ? texts.sources[source] : <bdi>{name}</bdi>}</span>
                <a href={addressOf(`sessions/${talk.id}`, { at: offset })} aria-label={texts.session.lookAt(offset)}>
                  #{offset}
                </a>
                <Said at={created_at} />
              </div>
              <LongText text={data.redacted === true ? texts.session.redacted : messageText(data)} />
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** Replies to the customer, and hands back to the agent. */
const Answer = () => (
  <div class="answer">
    <label>
      <span>{own.reply}</span>
      <textarea
        id="reply"
        rows={2}
        placeholder={own.replyPlaceholder}
        value={replyText.value}
        onInput={(event) => (replyText.value = event.currentTarget.value)}
      />
    </label>
    <div class="answer-tools">
      <label class="check">
        <input type="checkbox" checked={asAgent.value} onChange={(event) => (asAgent.value = event.currentTarget.checked)} />
        {own.asAgent}
      </label>
      <ActionButton command={sendCommand} kind="primary" />
    </div>
    <label>
      <span>{own.summary}</span>
      <textarea
        id="summary"
        rows={1}
        placeholder={own.summaryPlaceholder}
        value={summaryText.value}
        onInput={(event) => (summaryText.value = event.currentTarget.value)}
      />
    </label>
    <div class="answer-tools">
      <label class="check">
        <input type="checkbox" checked={resumes.value} onChange={(event) => (resumes.value = event.currentTarget.checked)} />
        {own.resume}
      </label>
      <ActionButton command={handBackCommand} />
    </div>
  </div>
);
