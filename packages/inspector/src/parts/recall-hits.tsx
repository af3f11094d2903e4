/** What a recall found: each piece with its score, its parts, and what became of it. */
import type { ResultOf } from "@throughline/client";
import type { ComponentChildren } from "preact";
import { texts } from "../base/page-texts.ts";
import { LongText } from "./long-text.tsx";

const score = new Intl.NumberFormat("en", { maximumFractionDigits: 3 });

type Hit = NonNullable<ResultOf<"getTurnMemory">["items"]>[number];

interface RecallHitsProps {
  readonly diagnostics: ResultOf<"recallCustomerMemory">["diagnostics"];
  readonly items: readonly Hit[];
  /** What stands for the id of a piece. */
  readonly idOf?: (entry_id: string) => ComponentChildren;
}

export const RecallHits = ({ diagnostics, items, idOf = (entry_id) => entry_id }: RecallHitsProps) => (
  <>
    {items.length === 0 ? <p class="waiting">{texts.recall.nothing}</p> : undefined}
    <ol class="calls">
      {items.map(({ entry_id, placement, score: sum, parts, tokens, catch_up, text }) => (
        <li key={entry_id} class="card tool-call">
          <div class="card-head">
            <span class={`badge ${placement === "in prompt" ? "ok" : "skipped"}`}>{placement}</span>
            {catch_up === true ? <span class="badge">{texts.recall.catchUp}</span> : undefined}
            <span>{texts.recall.score(score.format(sum))}</span>
            <span class="faint">{texts.recall.tokens(tokens)}</span>
            <span class="faint id">{idOf(entry_id)}</span>
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
    <h2 class="sub">{texts.recall.figures}</h2>
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
  </>
);
