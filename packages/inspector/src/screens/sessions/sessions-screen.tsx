/** The list of sessions: who talks with which agent, who answers, and when something last happened. */
import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { announce } from "../../base/overlays.ts";
import { addressOf, changeQuery, place } from "../../base/router.ts";
import type { Screen } from "../../base/screen-shape.ts";
import { useTyped } from "../../base/typed-text.ts";
import { acting, reasonOf } from "../../base/page-actions.ts";
import { reconnections } from "../../base/page-service.ts";
import { key } from "../../base/page-access.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { oneLine } from "../../parts/long-text.tsx";
import { EmptyState, Failure } from "../../parts/notice.tsx";
import { Ago } from "../../parts/time.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { Responder } from "../../parts/responder.tsx";
import { texts } from "../../base/page-texts.ts";
import { removeView, savedViews, saveView, standardViews } from "./saved-views.ts";
import { importCommand } from "./import-command.ts";
import { levelOf, readUsage, safetyScopes, useLevels, usageOf, usageScopes } from "./session-figures.ts";
import { filterNames, readFilter } from "./session-filter.ts";
import { type ListedSession, SessionPages } from "./session-pages.ts";
import { chosen, listed, openSession } from "./sessions-keys.ts";

/** Pixels of a row, which has two lines. */
const rowHeight = 48;

export const sessionsScreen: Screen = {
  id: "sessions",
  path: "",
  entry: { title: texts.sessions.title, icon: "sessions" },
  title: () => texts.sessions.title,
  view: SessionsView,
};

function SessionsView() {
  const filter = place.value.query["q"] ?? "";
  const left = useMemo(() => new AbortController(), [filter, reconnections.value, key.value]);
  const { faults, notes } = useMemo(() => readFilter(filter), [filter]);
  const isFaulty = faults.length > 0;
  const pages = useMemo(() => new SessionPages(filter, isFaulty ? [] : listed.peek()), [left]);
  useEffect(() => {
    // A filter that cannot be applied as a whole selects nothing.
    if (!isFaulty) pages.start(left.signal);
    chosen.value = 0;
    return () => left.abort();
  }, [pages]);
  const { value: items } = pages.items;
  useLayoutEffect(() => void (listed.value = items), [items]);
  const [[first, last], setRows] = useState<readonly [number, number]>([0, -1]);
  useLevels(items.slice(first, last + 1));
  const noLevels = reasonOf({ needs: safetyScopes });
  const { value: ready } = pages.ready;
  useEffect(() => {
    if (ready) announce("sessions", texts.sessions.count(items.length, pages.more.peek()));
  }, [ready, items.length]);
  const { value: error } = pages.error;
  return (
    <div class={`screen sessions ${noLevels === undefined ? "" : "without-levels"}`}>
      <header class="screen-head">
        <h1>{texts.sessions.title}</h1>
        <span class="count">{ready ? texts.sessions.count(items.length, pages.more.value) : ""}</span>
        <ActionButton command={importCommand} />
      </header>
      <FilterBar filter={filter} />
      {noLevels === undefined || items.length === 0 ? undefined : <p class="hint no-levels">{texts.sessions.noLevels(noLevels)}</p>}
      {faults.map((fault) => (
        <p key={fault} class="fault" role="alert">
          {fault}
        </p>
      ))}
      {notes.map((note) => (
        <p key={note} class="hint note">
          {note}
        </p>
      ))}
      {error === undefined ? undefined : <Failure error={error} />}
      {isFaulty || (ready && items.length === 0) ? (
        <NoSessions filtered={filter !== ""} />
      ) : (
        <VirtualList
          id="sessions"
          kind="grid"
          label={texts.sessions.title}
          rowHeight={rowHeight}
          count={items.length}
          selected={items.length === 0 ? -1 : Math.min(chosen.value, items.length - 1)}
          header={<Header />}
          row={(index) => <Row session={items[index]} />}
          onSelect={(index) => {
            chosen.value = index;
            openSession(items[index]);
          }}
          onEnd={() => pages.next(left.signal)}
          onRange={(from, to) => setRows([from, to])}
        />
      )}
    </div>
  );
}

function FilterBar({ filter }: { readonly filter: string }) {
  const [typed, setTyped] = useTyped(filter, (q) => changeQuery({ q }, { replace: true }));
  const views = [...standardViews, ...savedViews.value];
  const isSaved = views.some((view) => view.filter === filter);
  return (
    <div class="filter-bar">
      <label class="filter">
        <Icon name="search" />
        <span class="unseen">{texts.sessions.filterLabel}</span>
        <input
          id="session-filter"
          type="search"
          autocomplete="off"
          spellcheck={false}
          placeholder={texts.sessions.filterPlaceholder}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
      <ul class="views" aria-label={texts.sessions.viewsLabel}>
        {views.map(({ name, filter: own }) => (
          <li key={own}>
            <button type="button" class="chip" aria-pressed={own === filter} onClick={() => changeQuery({ q: own })}>
              <bdi>{name}</bdi>
            </button>
          </li>
        ))}
        {filter === "" || (isSaved && !savedViews.value.some((view) => view.filter === filter)) ? undefined : (
          <li>
            <button type="button" class="chip action" onClick={() => (isSaved ? removeView(filter) : saveView(filter))}>
              <Icon name={isSaved ? "close" : "star"} />
              {isSaved ? texts.sessions.removeView : texts.sessions.saveView}
            </button>
          </li>
        )}
      </ul>
    </div>
  );
}

const columns = ["session", "customer", "agent", "responder", "turns", "events", "safety", "usage", "updated"] as const;

const Header = () => (
  <>
    {columns.map((name) => (
      <span key={name} role="columnheader" class={`cell ${name}`}>
        {texts.sessions.columns[name]}
      </span>
    ))}
  </>
);

function Row({ session }: { readonly session: ListedSession | undefined }) {
  if (session === undefined) return null;
  const { id, title, customer_id, agent, mode, handover, head, turns, updated_at, match, origin } = session;
  return (
    <>
      <span role="gridcell" class="cell session">
        <span class="line">
          {origin === undefined ? undefined : <Icon name="fork" />}
          <bdi class="whose">{customer_id === undefined ? texts.anonymous : oneLine(customer_id, 80)}</bdi>
          <a href={addressOf(`sessions/${id}`, { at: match?.offset })} tabIndex={-1}>
            <bdi class={title === null ? "id" : ""}>{title === null ? id : oneLine(title)}</bdi>
          </a>
          {match === undefined ? undefined : <bdi class="match">{oneLine(match.text)}</bdi>}
        </span>
        <LastMessage session={session} />
      </span>
      <span role="gridcell" class="cell customer">
        {customer_id === undefined ? <span class="faint">{texts.anonymous}</span> : <bdi>{oneLine(customer_id, 80)}</bdi>}
      </span>
      <span role="gridcell" class="cell agent">
        <bdi>{agent}</bdi>
      </span>
      <span role="gridcell" class="cell responder">
        <Responder mode={mode} handover={handover} />
        <Waits session={session} />
      </span>
      <span role="gridcell" class="cell turns">
        {turns ?? "–"}
      </span>
      <span role="gridcell" class="cell events">
        {head + 1}
      </span>
      <Level session={session} />
      <UsageCell session={session} />
      <span role="gridcell" class="cell updated">
        <Ago at={updated_at} />
      </span>
    </>
  );
}

function LastMessage({ session: { last_message } }: { readonly session: ListedSession }) {
  if (last_message === undefined) return null;
  return (
    <span class="line last-message">
      <span class="unseen">{texts.sessions.lastMessage}</span>
      <span class="speaker">{texts.sources[last_message.source]}</span>
      <bdi>{oneLine(last_message.text)}</bdi>
    </span>
  );
}

/** What a person has to decide so that the session goes on. */
function Waits({ session: { waits_for = [] } }: { readonly session: ListedSession }) {
  if (waits_for.length === 0) return null;
  return (
    <span class="waits" title={waits_for.map((one) => texts.sessions.waits.title[one]).join(" ")}>
      <Icon name="warning" />
      <span class="unseen">{texts.sessions.waits.label}</span>
      {waits_for.map((one) => texts.sessions.waits[one]).join(", ")}
    </span>
  );
}

function Level({ session }: { readonly session: ListedSession }) {
  const level = levelOf(session);
  const meaning = level === undefined ? undefined : level === null ? texts.sessions.notAssessed : texts.safety.meaning(level);
  return (
    <span role="gridcell" class="cell safety" title={meaning}>
      {level === undefined || level === null ? <span class="faint">–</span> : <span class={`badge level-${level}`}>{texts.safety.level(level)}</span>}
    </span>
  );
}

function UsageCell({ session }: { readonly session: ListedSession }) {
  const usage = usageOf(session);
  const reason = reasonOf({ needs: usageScopes });
  return (
    <span role="gridcell" class="cell usage" title={reason}>
      {usage !== undefined ? (
        texts.sessions.usage(usage.tokens, usage.cost)
      ) : reason !== undefined ? (
        <span class="faint">–</span>
      ) : (
        <button
          type="button"
          class="link"
          tabIndex={-1}
          aria-label={texts.sessions.commands.usage}
          disabled={acting.value !== undefined}
          onClick={(event) => {
            event.stopPropagation();
            void readUsage(session);
          }}
        >
          {texts.sessions.showUsage}
        </button>
      )}
    </span>
  );
}

function NoSessions({ filtered }: { readonly filtered: boolean }) {
  if (filtered)
    return (
      <EmptyState title={texts.sessions.none.filtered} text={texts.sessions.none.filteredText(Object.keys(filterNames).join(", "))}>
        <button type="button" class="button" onClick={() => changeQuery({ q: undefined })}>
          {texts.sessions.commands.clear}
        </button>
      </EmptyState>
    );
  const command = `curl -X POST ${location.origin}/v1/sessions \\\n  -H 'content-type: application/json' \\\n  -d '{"agent":"companion"}'`;
  return (
    <EmptyState title={texts.sessions.none.title} text={texts.sessions.none.text}>
      <pre tabIndex={0}>{`npx throughline chat\n\n${command}`}</pre>
      <CopyButton label={texts.copy.command} text={() => command} />
    </EmptyState>
  );
}
