/** What the safety gate found in a turn, and the levels of the session. It shows levels and codes; the record of an assessment has no text. */
import type { WireEvent, WireJson, WireJsonObject } from "@throughline/client";
import { useLoaded } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { EmptyState, Failure } from "../../parts/notice.tsx";
import { safetyScope, type TabProps } from "./live-session.ts";
import { lookAt } from "./session-keys.ts";
import { useTurn, useWhole } from "./turn-at.ts";

/** The most assessments that are shown. */
const mostShown = 200;

/** The verdict of a stage of a turn. */
const verdictOf = (events: readonly WireEvent[]): WireJsonObject | undefined =>
  events
    .map((event) => (event.kind === "turn" && event.data.type === "stage" ? event.data.assessment : undefined))
    .find((found) => found !== undefined);

const textOf = (value: WireJson): string =>
  Array.isArray(value) ? value.map((item: WireJson) => textOf(item)).join(", ") || "–" : typeof value === "string" ? value : JSON.stringify(value);

export function SafetyTab({ session, at }: TabProps) {
  const turn = useTurn(session, at);
  const { events, complete } = useWhole(session, turn?.lines.filter(({ kind, type }) => kind === "turn" && type === "stage") ?? []);
  const verdict = verdictOf(events);
  const { value, error } = useLoaded(
    `${session.id} ${session.head.value}`,
    (signal) => session.newest(["assessment"], session.head.peek(), mostShown, signal),
    safetyScope,
  );
  if (error !== undefined) return <Failure error={error} />;
  if (value === undefined || !complete) return <p class="waiting">{texts.loading}</p>;
  const levels = value.events.flatMap((event) => (event.kind === "assessment" ? [{ offset: event.offset, ...event.data }] : []));
  if (verdict === undefined && levels.length === 0) return <EmptyState title={texts.safety.none.title} text={texts.safety.none.text} />;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={texts.session.tabs.safety}>
      {verdict === undefined ? (
        <p class="waiting">{texts.safety.noVerdict}</p>
      ) : (
        <dl class="event-facts">
          {Object.entries(verdict).map(([name, value]) => (
            <div key={name}>
              <dt>{name.replaceAll("_", " ")}</dt>
              <dd>
                <bdi>{textOf(value)}</bdi>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <h2 class="sub">{texts.safety.levels}</h2>
      <ol class="levels">
        {levels.map(({ offset, level, audit_id }) => (
          <li key={offset} aria-current={offset === at ? "true" : undefined}>
            <button type="button" class="offset-link" onClick={() => lookAt(offset)} aria-label={texts.session.lookAt(offset)}>
              #{offset}
            </button>
            <span class={`badge level-${level}`}>{texts.safety.level(level)}</span>
            <span class="id faint">{audit_id}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}
