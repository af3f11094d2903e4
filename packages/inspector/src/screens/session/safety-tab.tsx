/** What the safety gate found in a turn, and the levels of the session with the messages that they are about. The record of an assessment has no text. */
import type { WireEvent, WireJson, WireJsonObject } from "@throughline/client";
import { client, useLoaded } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import type { Line } from "../../parts/event-line.ts";
import { EmptyState, Failure } from "../../parts/notice.tsx";
import { safetyScope, type TabProps } from "./live-session.ts";
import { lookAt } from "./session-keys.ts";
import { useTurn, useWhole } from "./turn-at.ts";

/** The most assessments and messages that are read. */
const mostRead = 500;

/** The verdict of a stage of a turn. */
const verdictOf = (events: readonly WireEvent[]): WireJsonObject | undefined =>
  events
    .map((event) => (event.kind === "turn" && event.data.type === "stage" ? event.data.assessment : undefined))
    .find((found) => found !== undefined);

/** A value of a verdict in words. Ids of rules are kept as they are. */
function wordOf(name: string, value: WireJson): string {
  if (typeof value !== "string") return JSON.stringify(value);
  const known: Readonly<Record<string, string>> = texts.safety.words;
  return Object.hasOwn(known, value) ? (known[value] ?? value) : name === "matches" ? value : value.replaceAll("_", " ");
}

/** The value of a verdict's part in words; undefined if it says nothing. */
function valueOf(name: string, value: WireJson | undefined): string | undefined {
  if (value === undefined || value === "none") return undefined;
  if (Array.isArray(value)) return value.map((item: WireJson) => wordOf(name, item)).join(", ") || undefined;
  return typeof value === "number" ? `${value}: ${texts.safety.meaning(value)}` : wordOf(name, value);
}

/** An assessment with the message that it is about, if that is known. */
interface Assessed {
  readonly line: Line;
  readonly level: number;
  readonly message: Line | undefined;
}

/** The assessments among lines, oldest first. Each is about the last message of the customer before it, in the same turn. */
function assessedIn(lines: readonly Line[]): readonly Assessed[] {
  const found: Assessed[] = [];
  let message: Line | undefined;
  for (const line of lines) {
    if (line.kind === "message" && (line.source === "customer" || line.source === "customer_ui")) message = line;
    const [, level] = line.kind === "assessment" ? (/^level (\d)$/.exec(line.preview ?? "") ?? []) : [];
    if (level !== undefined) found.push({ line, level: Number(level), message: message?.turn_id === line.turn_id ? message : undefined });
  }
  return found;
}

export function SafetyTab({ session, at }: TabProps) {
  const turn = useTurn(session, at);
  const { events, complete } = useWhole(session, turn?.lines.filter(({ kind, type }) => kind === "turn" && type === "stage") ?? []);
  const verdict = verdictOf(events);
  const { value, error } = useLoaded(
    `${session.id} ${session.head.value}`,
    async (signal) => {
      const range = { max_offset: session.head.peek(), order: "desc", limit: mostRead, withdrawn: true } as const;
      const { items } = await client()
        .sessions.get(session.id)
        .summaries({ ...range, kinds: ["assessment", "message"] }, { signal });
      return items.toReversed();
    },
    safetyScope,
  );
  if (error !== undefined) return <Failure error={error} />;
  if (value === undefined || !complete) return <p class="waiting">{texts.loading}</p>;
  const levels = assessedIn(value);
  if (verdict === undefined && levels.length === 0) return <EmptyState title={texts.safety.none.title} text={texts.safety.none.text} />;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={texts.session.tabs.safety}>
      {verdict === undefined ? (
        <p class="waiting">{texts.safety.noVerdict}</p>
      ) : (
        <dl class="event-facts">
          {Object.entries(texts.safety.verdict).map(([name, title]) => {
            const text = valueOf(name, verdict[name]);
            return text === undefined ? undefined : (
              <div key={name}>
                <dt>{title}</dt>
                <dd>
                  <bdi>{text}</bdi>
                </dd>
              </div>
            );
          })}
        </dl>
      )}
      <h2 class="sub">{texts.safety.levels}</h2>
      <ol class="levels">
        {levels.map(({ line: { offset }, level, message }) => (
          <li key={offset} aria-current={offset === at ? "true" : undefined}>
            <button type="button" class="offset-link" onClick={() => lookAt(offset)} aria-label={texts.session.lookAt(offset)}>
              #{offset}
            </button>
            <span class={`badge level-${level}`} title={texts.safety.meaning(level)}>
              {texts.safety.level(level)}
            </span>
            {message === undefined ? undefined : (
              <button type="button" class="link" onClick={() => lookAt(message.offset)}>
                #{message.offset} <bdi>{message.preview ?? texts.session.redacted}</bdi>
              </button>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}
