/** How long the parts of a turn took: stages, model calls and tools, in the order of the log. */
import type { WireEvent } from "@throughline/client";
import { texts } from "../../base/page-texts.ts";
import { EmptyState } from "../../parts/notice.tsx";
import { lookAt } from "./session-keys.ts";
import type { TabProps } from "./live-session.ts";
import { useTurn, useWhole } from "./turn-at.ts";

/** A part of a turn. */
interface Span {
  readonly offset: number;
  readonly kind: "stage" | "model" | "failed" | "tool";
  readonly name: string;
  readonly ms: number;
  readonly detail: string;
}

type TurnData = Extract<WireEvent, { readonly kind: "turn" }>["data"];
type Usage = Extract<TurnData, { readonly type: "step" }>["usage"];

const tokensOf = ({ input = 0, output = 0, cache_read = 0 }: Usage): string => texts.waterfall.tokens(input, output, cache_read);

/** The parts of a turn with a duration. */
function spansOf(events: readonly WireEvent[]): readonly Span[] {
  const begun = new Map<string, { readonly name: string; readonly at: number }>();
  return events.flatMap((event): readonly Span[] => {
    const { offset } = event;
    if (event.kind === "tool") {
      const { data, created_at } = event;
      if (data.type === "called") begun.set(data.call_id, { name: data.name, at: created_at });
      const call = data.type === "returned" ? begun.get(data.call_id) : undefined;
      return call === undefined || data.type !== "returned"
        ? []
        : [{ offset, kind: "tool", name: call.name, ms: created_at - call.at, detail: data.result.type }];
    }
    if (event.kind !== "turn") return [];
    const { data } = event;
    if (data.type === "stage") return [{ offset, kind: "stage", name: data.name, ms: data.ms, detail: "" }];
    if (data.type === "step")
      return [{ offset, kind: "model", name: data.model ?? texts.waterfall.model, ms: data.ms, detail: tokensOf(data.usage) }];
    if (data.type === "spent")
      return [{ offset, kind: "model", name: data.model ?? texts.waterfall.model, ms: data.ms, detail: tokensOf(data.usage) }];
    if (data.type === "attempt") return [{ offset, kind: "failed", name: texts.waterfall.attempt, ms: data.ms, detail: data.error.code }];
    return [];
  });
}

export function WaterfallTab({ session, at }: TabProps) {
  const turn = useTurn(session, at);
  const { events, complete } = useWhole(session, turn?.lines.filter(({ kind }) => kind === "turn" || kind === "tool") ?? []);
  const spans = spansOf(events);
  if (!complete) return <p class="waiting">{texts.loading}</p>;
  if (turn === undefined || spans.length === 0) return <EmptyState title={texts.waterfall.none.title} text={texts.waterfall.none.text} />;
  const all = spans.reduce((sum, { ms }) => sum + ms, 0);
  let before = 0;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={texts.session.tabs.waterfall}>
      <div class="pane-tools">
        <span>{texts.waterfall.sum(all)}</span>
        <span class="faint">{texts.waterfall.order}</span>
      </div>
      <ol class="waterfall">
        {spans.map(({ offset, kind, name, ms, detail }) => {
          const left = all === 0 ? 0 : (before / all) * 100;
          before += ms;
          return (
            <li key={offset}>
              <button type="button" class="offset-link" onClick={() => lookAt(offset)} aria-label={texts.session.lookAt(offset)}>
                #{offset}
              </button>
              <span class={`span-kind ${kind}`}>{texts.waterfall.kinds[kind]}</span>
              <bdi class="span-name">{name}</bdi>
              <span class="span-ms">{texts.ms(ms)}</span>
              <span class="track">
                <span class={`bar-of ${kind}`} style={{ marginInlineStart: `${left}%`, width: `${all === 0 ? 0 : (ms / all) * 100}%` }} />
              </span>
              {detail === "" ? undefined : <bdi class="faint span-detail">{detail}</bdi>}
            </li>
          );
        })}
      </ol>
    </div>
  );
}
