/** The log as a list: one row for each event, filtered by kind, source and words. */
import { useEffect, useMemo } from "preact/hooks";
import type { WireEvent } from "@throughline/client";
import { changeQuery, place } from "../../base/router.ts";
import { Icon } from "../../parts/icon.tsx";
import { Clock } from "../../parts/time.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { texts } from "../../base/page-texts.ts";
import { filtered, summaryOf } from "../../parts/event-summary.ts";
import { lookAt, shown } from "./session-keys.ts";
import { indexAt, type LiveSession } from "./live-session.ts";

interface LogProps {
  readonly view: LiveSession;
  readonly at: number;
  readonly follows: boolean;
}

export function Timeline({ view, at, follows }: LogProps) {
  const filter = place.value.query["filter"] ?? "";
  const { value: events } = view.events;
  const rows = useMemo(() => filtered(events, filter), [events, filter]);
  useEffect(() => void (shown.value = rows), [rows]);
  const selected = indexAt(rows, at);
  return (
    <>
      <div class="pane-tools">
        <label class="filter">
          <Icon name="search" />
          <span class="unseen">{texts.session.filterLabel}</span>
          <input
            id="event-filter"
            type="search"
            autocomplete="off"
            spellcheck={false}
            placeholder={texts.session.filterPlaceholder}
            value={filter}
            onInput={(event) => changeQuery({ filter: event.currentTarget.value }, { replace: true })}
          />
        </label>
        <span class="count">{texts.session.shown(rows.length, events.length, view.older.value)}</span>
      </div>
      <VirtualList
        id="events"
        label={texts.session.timeline}
        count={rows.length}
        selected={selected}
        follows={follows}
        row={(index) => <Row event={rows[index]} />}
        rowClass={(index) => (rows[index]?.turn_id !== undefined && rows[index]?.turn_id === rows[selected]?.turn_id ? "same-turn" : "")}
        onSelect={(index) => lookAt(rows[index]?.offset ?? 0)}
      />
    </>
  );
}

function Row({ event }: { readonly event: WireEvent | undefined }) {
  if (event === undefined) return null;
  return (
    <>
      <span class="offset">{event.offset}</span>
      <span class={`kind ${event.kind}`}>
        <Icon name={event.kind} />
        {texts.kinds[event.kind]}
      </span>
      <bdi class="summary">{summaryOf(event)}</bdi>
      <span class="at">
        <Clock at={event.created_at} />
      </span>
    </>
  );
}
