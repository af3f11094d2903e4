/** The calls of tools with effects outside, after an offset. */
import type { ResultOf } from "@throughline/client";
import { texts } from "../../../base/page-texts.ts";
import { useLoaded } from "../../../base/page-service.ts";
import { LongText } from "../../../parts/long-text.tsx";
import { Failure } from "../../../parts/notice.tsx";
import { sessionHere } from "./session-work.ts";

type Effects = ResultOf<"listEffects">;

interface EffectListProps {
  readonly after: number;
  readonly title: string;
  readonly none: string;
}

export function EffectList({ after, title, none }: EffectListProps) {
  const session = sessionHere();
  const { value, error } = useLoaded(session === undefined ? undefined : `${session.id} ${after}`, async (signal): Promise<Effects | undefined> =>
    session?.effects({ after }, { signal }),
  );
  if (error !== undefined) return <Failure error={error} />;
  if (value === undefined) return <p class="hint">{texts.loading}</p>;
  if (value.items.length === 0) return <p class="hint">{none}</p>;
  return (
    <section class="effects" aria-label={title}>
      <h3>{title}</h3>
      <ul tabIndex={0} aria-label={title}>
        {value.items.map(({ offset, call_id, name, effects, arguments: given, result }) => (
          <li key={`${offset} ${call_id}`}>
            <span class="offset">#{offset}</span>
            <bdi class="effect-name">{name}</bdi>
            <span class="badge plain">{texts.tools.effects[effects]}</span>
            <span class={`badge ${result === undefined ? "unknown" : "ok"}`}>
              {result === undefined ? texts.actions.noResult : texts.actions.recorded}
            </span>
            <LongText text={JSON.stringify(given)} />
          </li>
        ))}
      </ul>
      {value.next_after === null ? undefined : <p class="hint">{texts.actions.moreEffects}</p>}
    </section>
  );
}
