/** The calls of tools in a session, up to an offset: arguments, effects, result and duration. */
import { useMemo } from "preact/hooks";
import type { WireEvent } from "@throughline/client";
import { LongText } from "../../parts/long-text.tsx";
import { EmptyState } from "../../parts/notice.tsx";
import { texts } from "../../base/page-texts.ts";
import type { TabProps } from "./live-session.ts";
import { lookAt } from "./session-keys.ts";

type ToolData = Extract<WireEvent, { readonly kind: "tool" }>["data"];
type Result = Extract<ToolData, { readonly type: "returned" }>["result"];

/** One call with its result, if it has one. */
interface Call {
  readonly call_id: string;
  readonly offset: number;
  readonly data: Extract<ToolData, { readonly type: "called" }>;
  readonly result?: Result;
  readonly ms?: number;
}

/** The most calls that are shown. */
const mostShown = 50;

/** The calls up to an offset, newest first. */
function callsUntil(events: readonly WireEvent[], at: number): readonly Call[] {
  const calls = new Map<string, Call & { readonly begun: number }>();
  for (const { kind, data, offset, created_at } of events) {
    if (offset > at) break;
    if (kind !== "tool") continue;
    const { call_id } = data;
    const call = calls.get(call_id);
    if (data.type === "called") calls.set(call_id, { call_id, offset, data, begun: created_at });
    else if (call !== undefined) calls.set(call_id, { ...call, result: data.result, ms: created_at - call.begun });
  }
  return [...calls.values()].toReversed();
}

export function ToolsTab({ session, at }: TabProps) {
  const { value: events } = session.events;
  const calls = useMemo(() => callsUntil(events, at), [events, at]);
  if (calls.length === 0) return <EmptyState title={texts.tools.none.title} text={texts.tools.none.text} />;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={texts.session.tabs.tools}>
      <ul class="calls">
        {calls.slice(0, mostShown).map((call) => (
          <CallItem key={`${call.call_id} ${call.offset}`} call={call} />
        ))}
      </ul>
      {calls.length > mostShown ? <p class="hint">{texts.tools.more(calls.length - mostShown)}</p> : undefined}
    </div>
  );
}

const textOf = (result: Result): string => JSON.stringify("value" in result ? result.value : result, null, 2);

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
              <LongText text={textOf(result)} code />
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
