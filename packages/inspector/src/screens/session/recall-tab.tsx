/** What a turn recalled of the person: how it was looked for, each piece with its score, and what became of it. */
import { client, useLoaded } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { EmptyState, Failure } from "../../parts/notice.tsx";
import { RecallHits } from "../../parts/recall-hits.tsx";
import type { TabProps } from "./live-session.ts";
import { useTurn } from "./turn-at.ts";

export function RecallTab({ session, at }: TabProps) {
  const turn = useTurn(session, at)?.id;
  const { value, error, fresh } = useLoaded(
    turn === undefined ? undefined : `${session.id} ${turn}`,
    (signal) => client().call("getTurnMemory", { path: { session_id: session.id, turn_id: turn ?? "" }, signal }),
    "memory:read",
  );
  if (turn === undefined) return <EmptyState title={texts.recall.none.title} text={texts.recall.none.text} />;
  if (error !== undefined) return <Failure error={error} />;
  if (value === undefined || (!fresh && value.turn_id !== turn)) return <p class="waiting">{texts.loading}</p>;
  const { diagnostics, items } = value;
  if (diagnostics === null) return <EmptyState title={texts.recall.none.title} text={texts.recall.none.text} />;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={texts.session.tabs.recall}>
      <RecallHits diagnostics={diagnostics} items={items} />
    </div>
  );
}
