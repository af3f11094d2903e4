/** One session: its conversation and its log on the left, what was true at an offset on the right. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { key } from "../../base/page-access.ts";
import { addressOf, changeQuery, place } from "../../base/router.ts";
import type { PathParts } from "../../base/screen-shape.ts";
import { reconnections, useLoaded } from "../../base/page-service.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { oneLine } from "../../parts/long-text.tsx";
import { Failure } from "../../parts/notice.tsx";
import { Responder } from "../../parts/responder.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { texts } from "../../base/page-texts.ts";
import { useShown } from "../../base/use-shown.ts";
import { ActionBar } from "./actions/action-bar.tsx";
import { Composer } from "./actions/composer.tsx";
import { PendingCalls } from "./actions/decisions.tsx";
import { useWork } from "./actions/session-work.ts";
import { Conversation } from "./conversation.tsx";
import { Scrubber } from "./scrubber.tsx";
import { addressedOffset, chooseTab, current, listed, offsetNow, tabIds } from "./session-keys.ts";
import { tabViews } from "./session-tabs.ts";
import { LiveSession } from "./live-session.ts";
import { Timeline } from "./timeline.tsx";

export function SessionView({ parts: { session: id = "" } }: { readonly parts: PathParts }) {
  const session = useMemo(() => new LiveSession(id), [id, reconnections.value, key.value]);
  // The last view stays on the screen until the next one has events.
  const [before, setBefore] = useState<LiveSession>(session);
  useEffect(() => {
    const left = new AbortController();
    void session.open(left.signal);
    return () => left.abort();
  }, [session]);
  const isReady = session.info.value !== undefined || session.error.value !== undefined;
  useEffect(() => {
    if (isReady) setBefore(session);
  }, [isReady, session]);
  const view = isReady ? session : before;
  useShown(current, view);
  const { value: error } = session.error;
  if (error !== undefined && session.info.value === undefined)
    return (
      <div class="screen">
        <Failure error={error} />
        <a class="button" href={addressOf("")}>
          {texts.commands.sessions}
        </a>
      </div>
    );
  if (view.info.value === undefined || current.value === undefined) return <p class="waiting">{texts.loading}</p>;
  return (
    <div class="screen session">
      <SessionHead view={view} />
      <ActionBar />
      {error === undefined ? undefined : <Failure error={error} />}
      <div class="panes">
        <LogPane view={view} />
        <DetailPane view={view} />
      </div>
    </div>
  );
}

function SessionHead({ view }: { readonly view: LiveSession }) {
  const { value: info } = view.info;
  const { value: safety } = useLoaded(`${view.id} ${view.assessed.value}`, (signal) => view.safety(signal));
  if (info === undefined) return null;
  const { title, agent, customer_id, mode, handover, origin } = info;
  return (
    <header class="screen-head">
      <nav aria-label={texts.breadcrumb} class="breadcrumb">
        <a href={addressOf("", listed.value)}>{texts.sessions.title}</a>
        <Icon name="forward" />
      </nav>
      <h1>
        <bdi>{oneLine(title ?? texts.session.untitled(customer_id ?? texts.anonymous))}</bdi>
      </h1>
      <dl class="facts">
        <div>
          <dt>{texts.session.facts.id}</dt>
          <dd class="id">
            {info.id}
            <CopyButton label={texts.copy.id} text={() => info.id} />
          </dd>
        </div>
        <div>
          <dt>{texts.session.facts.customer}</dt>
          <dd>
            {customer_id === undefined ? (
              <span class="faint">{texts.anonymous}</span>
            ) : (
              <a href={addressOf(`customers/${encodeURIComponent(customer_id)}`)}>
                <bdi>{oneLine(customer_id, 60)}</bdi>
              </a>
            )}
          </dd>
        </div>
        <div>
          <dt>{texts.session.facts.agent}</dt>
          <dd>
            <bdi>{agent}</bdi>
          </dd>
        </div>
        <div>
          <dt>{texts.session.facts.responder}</dt>
          <dd>
            <Responder mode={mode} handover={handover} />
          </dd>
        </div>
        {safety?.session_id === info.id && safety.level !== null ? (
          <div class="safety">
            <dt>{texts.session.facts.safety}</dt>
            <dd>
              <button
                type="button"
                class={`badge level-${safety.level}`}
                title={texts.safety.showHighest}
                onClick={() => changeQuery({ at: safety.offset, tab: "safety" })}
              >
                {texts.safety.level(safety.level)}: {texts.safety.meaning(safety.level)}
              </button>
            </dd>
          </div>
        ) : undefined}
        {origin === undefined ? undefined : (
          <div>
            <dt>{texts.session.facts.origin}</dt>
            <dd>
              {origin.session_id === null ? (
                texts.session.deletedOrigin(origin.at)
              ) : (
                <a href={addressOf(`sessions/${origin.session_id}`, { at: origin.at })}>{texts.session.origin(origin.at)}</a>
              )}
            </dd>
          </div>
        )}
      </dl>
    </header>
  );
}

/** Where log and tabs stand one above the other, the composer is folded until it is wanted. */
const isNarrow = matchMedia("(max-width: 860px)");

function LogPane({ view }: { readonly view: LiveSession }) {
  useWork(view);
  const isTimeline = place.value.query["log"] === "timeline";
  const at = offsetNow();
  const follows = addressedOffset() === undefined;
  return (
    <section class="pane log-pane" aria-label={texts.session.log}>
      <div class="pane-head">
        <div class="switch" role="group" aria-label={texts.session.log}>
          <button type="button" aria-pressed={!isTimeline} onClick={() => changeQuery({ log: undefined })}>
            {texts.session.conversation}
          </button>
          <button type="button" aria-pressed={isTimeline} onClick={() => changeQuery({ log: "timeline" })}>
            {texts.session.timeline}
          </button>
        </div>
        <a class="button quiet" href={addressOf(`sessions/${view.id}/compare`, { at: place.value.query["at"] })}>
          {texts.compare.heading}
        </a>
        <Connection view={view} />
      </div>
      {isTimeline ? <Timeline view={view} at={at} follows={follows} /> : <Conversation view={view} at={at} follows={follows} />}
      <PendingCalls />
      <Scrubber view={view} at={at} follows={follows} />
      {isNarrow.matches ? (
        <details class="fold">
          <summary>{texts.actions.commands.write}</summary>
          <Composer />
        </details>
      ) : (
        <Composer />
      )}
    </section>
  );
}

function Connection({ view }: { readonly view: LiveSession }) {
  const { value: connection } = view.connection;
  return (
    <span class={`connection ${connection}`}>
      <span class="dot" aria-hidden="true" />
      {texts.session.connection[connection]}
    </span>
  );
}

function DetailPane({ view }: { readonly view: LiveSession }) {
  const wanted = place.value.query["tab"];
  const tab = tabIds.find((id) => id === wanted) ?? tabIds[0];
  const View = tabViews[tab];
  return (
    <section class="pane detail-pane" aria-label={texts.session.details}>
      <Tabs label={texts.session.details} tabs={tabIds.map((id) => ({ id, title: texts.session.tabs[id] }))} chosen={tab} onChoose={chooseTab}>
        <View session={view} at={offsetNow()} />
      </Tabs>
    </section>
  );
}
