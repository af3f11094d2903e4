/** The open turn of each session that has one, with the process that holds it and the end of its lease. */
import type { ResultOf } from "@throughline/client";
import { usePaged } from "../../base/paged-items.ts";
import { client } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { addressOf, changeQuery, place } from "../../base/router.ts";
import { oneLine } from "../../parts/long-text.tsx";
import { Facts, RecordPanes } from "../../parts/record-panes.tsx";
import { Ago, Moment } from "../../parts/time.tsx";
import { reads } from "./operations-keys.ts";

const own = texts.operations.turns;
type OpenTurn = ResultOf<"listOpenTurns">["items"][number];

/** A turn that nobody holds until a time waits for something, such as a decision. */
const statusOf = ({ status, worker, until }: OpenTurn): string =>
  own.statuses[status === "running" && worker === undefined && until !== undefined ? "waiting" : status];

/** Milliseconds between two reads. */
const refreshMs = 5_000;

export function TurnsTab() {
  const held = place.value.query["held"] !== undefined;
  const { list, more } = usePaged({ of: `turns ${held}`, reads: reads.value, everyMs: refreshMs }, (cursor, signal) =>
    client().operations.openTurns({ limit: 100, ...cursor, ...(held ? { held } : {}) }, { signal }),
  );
  const workers = new Map<string, number>();
  for (const { worker } of list.items.value) if (worker !== undefined) workers.set(worker, (workers.get(worker) ?? 0) + 1);
  return (
    <>
      <div class="pane-tools">
        <button type="button" class="chip" aria-pressed={held} onClick={() => changeQuery({ held: held ? undefined : 1, item: undefined })}>
          {own.held}
        </button>
        {[...workers].map(([worker, count]) => (
          <span key={worker} class="badge">
            <bdi>{oneLine(worker, 60)}</bdi> {own.holds(count)}
          </span>
        ))}
      </div>
      <RecordPanes
        id="turns"
        label={own.title}
        list={list}
        more={more}
        idOf={({ session_id }) => session_id}
        columns={[
          ["session", own.session],
          ["status", own.status],
          ["worker", own.worker],
        ]}
        cells={(turn) => [
          <span class="id">{turn.session_id}</span>,
          statusOf(turn),
          <bdi>{turn.worker === undefined ? own.nobody : oneLine(turn.worker, 60)}</bdi>,
        ]}
        none={own.none}
        details={(turn) => {
          const { session_id, agent, turn_id, cause, attempts, urgent, created_at, worker, until } = turn;
          return (
            <Facts
              facts={[
                [own.session, <a href={addressOf(`sessions/${session_id}`)}>{session_id}</a>],
                [own.agent, oneLine(agent, 80)],
                [own.turn, turn_id],
                [own.cause, cause],
                [own.status, urgent === true ? `${statusOf(turn)}, ${own.urgent}` : statusOf(turn)],
                [own.attempts, attempts],
                [own.created, <Ago at={created_at} />],
                [own.worker, worker ?? own.nobody],
                until === undefined ? undefined : [worker === undefined ? own.waits : own.lease, <Moment at={until} />],
              ]}
            />
          );
        }}
      />
    </>
  );
}
