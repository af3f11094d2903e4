/** What a turn recalled of the person: how it was looked for, each piece with its score, and what became of it. */
import { client, useLoaded } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { LongText } from "../../parts/long-text.tsx";
import { EmptyState, Failure } from "../../parts/notice.tsx";
import type { TabProps } from "./live-session.ts";
import { turnAt } from "./turn-at.ts";

const score = new Intl.NumberFormat("en", { maximumFractionDigits: 3 });

export function RecallTab({ session, at }: TabProps) {
  const turn = turnAt(session.events.value, at)?.id;
  const { value, error, fresh } = useLoaded(turn === undefined ? undefined : `${session.id} ${turn}`, (signal) =>
    client().call("getTurnMemory", { path: { session_id: session.id, turn_id: turn ?? "" }, signal }),
  );
  if (turn === undefined) return <EmptyState title={texts.recall.none.title} text={texts.recall.none.text} />;
  if (error !== undefined) return <Failure error={error} />;
  if (value === undefined || (!fresh && value.turn_id !== turn)) return <p class="waiting">{texts.loading}</p>;
  const { diagnostics, items } = value;
  if (diagnostics === null) return <EmptyState title={texts.recall.none.title} text={texts.recall.none.text} />;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={texts.session.tabs.recall}>
      <dl class="event-facts">
        {Object.entries(diagnostics).map(([name, fact]) => (
          <div key={name}>
            <dt>{name.replaceAll("_", " ")}</dt>
            <dd>
              <bdi>{typeof fact === "number" ? score.format(fact) : String(fact)}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      {items.length === 0 ? <p class="waiting">{texts.recall.nothing}</p> : undefined}
      <ol class="calls">
        {items.map(({ entry_id, placement, score: sum, parts, tokens, catch_up, text }) => (
          <li key={entry_id} class="card tool-call">
            <div class="card-head">
              <span class={`badge ${placement === "in prompt" ? "ok" : "skipped"}`}>{placement}</span>
              {catch_up === true ? <span class="badge">{texts.recall.catchUp}</span> : undefined}
              <span>{texts.recall.score(score.format(sum))}</span>
              <span class="faint">{texts.recall.tokens(tokens)}</span>
              <span class="faint id">{entry_id}</span>
            </div>
            {text === null ? <p class="hint">{texts.recall.forgotten}</p> : <LongText text={text} />}
            <p class="hint score-parts">
              {Object.entries(parts).map(([name, part]) => (
                <span key={name}>
                  <bdi>{name.replaceAll("_", " ")}</bdi> {score.format(part)}
                </span>
              ))}
            </p>
          </li>
        ))}
      </ol>
    </div>
  );
}
