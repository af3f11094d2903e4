/** The calls of tools in a session, up to an offset: arguments, effects, result and duration. */
import type { WireEvent } from "@throughline/client";
import { resultText, type ReturnedResult } from "../../parts/event-detail.ts";
import { LongText } from "../../parts/long-text.tsx";
import { EmptyState, Failure } from "../../parts/notice.tsx";
import { useLoaded } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { PendingCalls } from "./actions/decisions.tsx";
import { pending } from "./actions/session-work.ts";
import type { LiveSession, TabProps } from "./live-session.ts";
import { lookAt } from "./session-keys.ts";

type ToolData = Extract<WireEvent, { readonly kind: "tool" }>["data"];

/** One call with its result, if it has one. */
interface Call {
  readonly call_id: string;
  readonly offset: number;
  readonly data: Extract<ToolData, { readonly type: "called" }>;
  readonly result?: ReturnedResult;
  readonly ms?: number;
}

/** The most calls that are shown. */
const mostShown = 50;

/** The calls of some events, newest first. */
function callsOf(events: readonly WireEvent[]): readonly Call[] {
  const calls = new Map<string, Call & { readonly begun: number }>();
  for (const { kind, data, offset, created_at } of events) {
    if (kind !== "tool") continue;
    const { call_id } = data;
    const call = calls.get(call_id);
    if (data.type === "called") calls.set(call_id, { call_id, offset, data, begun: created_at });
    else if (call !== undefined) calls.set(call_id, { ...call, result: data.result, ms: created_at - call.begun });
  }
  return [...calls.values()].toReversed();
}

/** The last event of a tool at or before an offset, if it is among the lines that are loaded; else the offset. */
function lastCall({ log }: LiveSession, at: number): number {
  void log.version.value;
  const from = log.indexOf(at);
  for (let index = from; index >= 0 && from - index < 1000; index--) {
    const line = log.at(index);
    if (line === undefined) break;
    if (line.kind === "tool") return line.offset;
  }
  return at;
}

export function ToolsTab({ session, at }: TabProps) {
  // While the log is followed, a call that has come is read, and nothing else.
  const { value, error } = useLoaded(`${session.id} ${lastCall(session, at)}`, (signal) => session.newest(["tool"], at, mostShown * 4, signal));
  if (error !== undefined) return <Failure error={error} />;
  if (value === undefined) return <p class="waiting">{texts.loading}</p>;
  const calls = callsOf(value.events);
  if (calls.length === 0 && pending.value.length === 0) return <EmptyState title={texts.tools.none.title} text={texts.tools.none.text} />;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={texts.session.tabs.tools}>
      <PendingCalls />
      <ul class="calls">
        {calls.slice(0, mostShown).map((call) => (
          <CallItem key={`${call.call_id} ${call.offset}`} call={call} />
        ))}
      </ul>
      {calls.length > mostShown || value.more ? <p class="hint">{texts.tools.more(Math.min(calls.length, mostShown))}</p> : undefined}
    </div>
  );
}

function CallItem({ call: { call_id, offset, data, result, ms } }: { readonly call: Call }) {
  return (
    <li class="card tool-call">
      <div class="card-head">
        <h2>
          <bdi>{data.name}</bdi>
        </h2>
        <span class={`badge ${result?.type ?? "open"}`}>{texts.tools.results[result?.type ?? "open"]}</span>
        <span class="badge plain">{texts.tools.effects[data.effects]}</span>
        <button type="button" class="offset-link" onClick={() => lookAt(offset)} aria-label={texts.session.lookAt(offset)}>
          #{offset}
        </button>
        {ms === undefined ? undefined : <span class="faint">{texts.ms(ms)}</span>}
      </div>
      <dl>
        <dt>{texts.tools.arguments}</dt>
        <dd>
          <LongText text={JSON.stringify(data.arguments, null, 2)} code />
        </dd>
        {result === undefined ? undefined : (
          <>
            <dt>{texts.tools.result}</dt>
            <dd>
              <LongText text={resultText(result, 2)} code />
            </dd>
          </>
        )}
        <dt>{texts.tools.call}</dt>
        <dd class="id">{call_id}</dd>
        <dt>{texts.tools.key}</dt>
        <dd class="id">{data.key}</dd>
      </dl>
    </li>
  );
}
