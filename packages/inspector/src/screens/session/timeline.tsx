/** The log as a list: one row for each event, filtered by kind, source and words. */
import { useEffect, useLayoutEffect, useMemo } from "preact/hooks";
import { changeQuery, place } from "../../base/router.ts";
import { Icon } from "../../parts/icon.tsx";
import { Clock } from "../../parts/time.tsx";
import { Left } from "../../parts/notice.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { texts } from "../../base/page-texts.ts";
import { filtered, type Line, lineText, termsOf } from "../../parts/event-line.ts";
import { lookAt, shown } from "./session-keys.ts";
import { type LiveSession, safetyScope } from "./live-session.ts";
import { rowsOf } from "./log-rows.ts";

interface LogProps {
  readonly view: LiveSession;
  readonly at: number;
  readonly follows: boolean;
}

export function Timeline({ view, at, follows }: LogProps) {
  const filter = place.value.query["filter"] ?? "";
  const { log } = view;
  const { value: version } = log.version;
  const terms = useMemo(() => termsOf(filter), [filter]);
  const isFiltered = terms.length > 0;
  const rows = useMemo(() => (isFiltered ? rowsOf(filtered(log.lines(), terms)) : log), [log, terms, isFiltered ? version : 0]);
  useLayoutEffect(() => void (shown.value = rows), [rows]);
  // A filter shows what is loaded, so everything is read while there is one.
  useEffect(() => {
    if (!isFiltered) return;
    log.wantAll();
    return () => log.stopWantingAll();
  }, [log, isFiltered]);
  const selected = rows.indexOf(at);
  const turn = rows.at(selected)?.turn_id;
  if (!isFiltered && rows.at(selected) === undefined) log.want(selected);
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
        <Left needs={safetyScope} />
        <span class="count">{texts.session.shown(rows.count, isFiltered ? log.loaded : log.count, isFiltered && log.partial)}</span>
      </div>
      <VirtualList
        id="events"
        label={texts.session.timeline}
        count={rows.count}
        selected={selected}
        follows={follows}
        row={(index) => <Row line={rows.at(index)} offset={isFiltered ? undefined : log.offsetOf(index)} />}
        rowClass={(index) => (turn !== undefined && rows.at(index)?.turn_id === turn ? "same-turn" : "")}
        onSelect={(index) => lookAt(isFiltered ? (rows.at(index)?.offset ?? 0) : log.offsetOf(index))}
        onRange={isFiltered ? undefined : (first, last) => log.want(first, last)}
      />
    </>
  );
}

/** A line, or the offset of one that is not loaded. */
function Row({ line, offset }: { readonly line: Line | undefined; readonly offset: number | undefined }) {
  if (line === undefined)
    return (
      <>
        <span class="offset">{offset}</span>
        <span class="faint">{texts.loading}</span>
      </>
    );
  const { kind, at } = line;
  return (
    <>
      <span class="offset">{line.offset}</span>
      <span class={`kind ${kind}`}>
        <Icon name={kind} />
        {texts.kinds[kind]}
      </span>
      <bdi class="summary">{lineText(line)}</bdi>
      <span class="at">
        <Clock at={at} />
      </span>
    </>
  );
}
