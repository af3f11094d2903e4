/** The log as a conversation: messages, calls, handovers, and the reply that is being written. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { WireEvent } from "@throughline/client";
import { Icon } from "../../parts/icon.tsx";
import { LongText } from "../../parts/long-text.tsx";
import { messageText } from "../../parts/message-text.ts";
import { EmptyState } from "../../parts/notice.tsx";
import { Clock } from "../../parts/time.tsx";
import { texts } from "../../base/page-texts.ts";
import { isEntry, summaryOf } from "../../parts/event-summary.ts";
import { lookAt, shown } from "./session-keys.ts";
import { indexAt, type LiveSession } from "./live-session.ts";

/** Entries that are shown at once, and that come with one more click. */
const windowSize = 40;

interface ConversationProps {
  readonly view: LiveSession;
  readonly at: number;
  readonly follows: boolean;
}

export function Conversation({ view, at, follows }: ConversationProps) {
  const { value: events } = view.events;
  const entries = useMemo(() => events.filter(isEntry), [events]);
  useEffect(() => void (shown.value = entries), [entries]);
  const [more, setMore] = useState(0);
  const selected = indexAt(entries, at);
  // The window ends a little after the selected entry.
  const end = follows ? entries.length : Math.min(entries.length, selected + 1 + windowSize / 4);
  const start = Math.max(0, end - windowSize - more);
  const box = useRef<HTMLDivElement>(null);
  const { value: drafts } = view.drafts;
  useLayoutEffect(() => {
    const { current } = box;
    if (current === null) return;
    if (follows) current.scrollTop = current.scrollHeight;
    else current.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [selected, follows, drafts, follows ? entries.length : 0]);
  if (entries.length === 0 && drafts.length === 0 && !view.older.value)
    return <EmptyState title={texts.session.none.title} text={texts.session.none.text} />;
  return (
    <div class="conversation" ref={box} tabIndex={0} role="region" aria-label={texts.session.conversation}>
      {start === 0 ? undefined : (
        <button type="button" class="button" onClick={() => setMore(more + windowSize)}>
          {texts.session.earlier(Math.min(start, windowSize))}
        </button>
      )}
      <ol>
        {entries.slice(start, end).map((event, index) => (
          <Entry key={event.offset} event={event} isCurrent={start + index === selected && !follows} />
        ))}
        {follows
          ? drafts.map(({ turn_id, text }) => (
              <li key={turn_id} class="entry message assistant draft" aria-busy="true">
                <div class="entry-head">
                  <span class="author">{texts.session.writing}</span>
                </div>
                <LongText text={text} />
              </li>
            ))
          : undefined}
      </ol>
      {end === entries.length ? undefined : <p class="more">{texts.session.later(entries.length - end)}</p>}
    </div>
  );
}

function Entry({ event, isCurrent }: { readonly event: WireEvent; readonly isCurrent: boolean }) {
  const frame = (name: string, author: ComponentChildren, content: ComponentChildren) => (
    <li class={`entry ${name}`} aria-current={isCurrent ? "true" : undefined} data-as-offset={event.offset}>
      <div class="entry-head">
        <span class="author">{author}</span>
        <button type="button" class="offset-link" onClick={() => lookAt(event.offset)} aria-label={texts.session.lookAt(event.offset)}>
          #{event.offset}
        </button>
        <Clock at={event.created_at} />
      </div>
      {content}
    </li>
  );
  if (event.kind === "message") {
    const { data, source } = event;
    const name = data.participant?.display_name;
    const text = data.redacted === true ? texts.session.redacted : messageText(data);
    const author = name === undefined ? texts.sources[source] : <bdi>{name}</bdi>;
    return frame(
      `message ${data.role}`,
      author,
      <>
        {text === "" ? undefined : <LongText text={text} />}
        {(data.calls ?? []).map((call) => (
          <p key={call.call_id} class="call">
            <Icon name="tool" />
            <bdi>{call.name}</bdi>
          </p>
        ))}
      </>,
    );
  }
  return frame(
    `note ${event.kind}`,
    <>
      <Icon name={event.kind} />
      {texts.kinds[event.kind]}
    </>,
    <p class="note-text">
      <bdi>{summaryOf(event)}</bdi>
    </p>,
  );
}
