/** How far each target of the webhooks is in one session. The address names the session. */
import { usePaged } from "../../base/paged-items.ts";
import { client } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { addressOf, changeQuery, place } from "../../base/router.ts";
import { useTyped } from "../../base/typed-text.ts";
import { Icon } from "../../parts/icon.tsx";
import { oneLine } from "../../parts/long-text.tsx";
import { EmptyState } from "../../parts/notice.tsx";
import { Facts, RecordPanes } from "../../parts/record-panes.tsx";
import { Moment } from "../../parts/time.tsx";
import { reads } from "./operations-keys.ts";

const own = texts.operations.positions;
/** Milliseconds between two reads. */
const refreshMs = 5_000;

export function PositionsTab() {
  const session = place.value.query["session"] ?? "";
  const [typed, setTyped] = useTyped(session, (text) => changeQuery({ session: text, item: undefined }, { replace: true }));
  return (
    <>
      <div class="pane-tools">
        <label class="filter">
          <Icon name="search" />
          <span class="unseen">{own.session}</span>
          <input
            id="position-session"
            type="search"
            autocomplete="off"
            spellcheck={false}
            maxLength={100}
            placeholder={own.session}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
          <kbd aria-hidden="true">/</kbd>
        </label>
      </div>
      {session === "" ? <EmptyState title={own.ask.title} text={own.ask.text} /> : <Positions key={session} session={session} />}
    </>
  );
}

function Positions({ session }: { readonly session: string }) {
  const { list, more } = usePaged({ of: `positions ${session}`, reads: reads.value, everyMs: refreshMs }, (cursor, signal) =>
    client().call("listSessionWebhooks", { path: { session_id: session }, query: { limit: 100, ...cursor }, signal }),
  );
  return (
    <RecordPanes
      id="positions"
      label={own.title}
      list={list}
      more={more}
      idOf={({ target }) => target}
      columns={[
        ["target", own.target],
        ["next", own.next],
        ["state", own.state],
      ]}
      cells={({ target, next_offset, attempts }) => [
        <bdi>{oneLine(target, 80)}</bdi>,
        `#${next_offset}`,
        <span class={`badge ${attempts > 0 ? "open" : "ok"}`}>{attempts > 0 ? own.failed(attempts) : own.fine}</span>,
      ]}
      none={own.none}
      details={({ target, next_offset, attempts, next_at, error }) => (
        <Facts
          facts={[
            [own.target, target],
            [own.session, <a href={addressOf(`sessions/${session}`)}>{oneLine(session, 60)}</a>],
            [own.next, <a href={addressOf(`sessions/${session}`, { at: next_offset, tab: "log" })}>{`#${next_offset}`}</a>],
            [own.attempts, attempts],
            error === undefined ? undefined : [own.error, error],
            next_at === undefined ? undefined : [own.again, <Moment at={next_at} />],
          ]}
        />
      )}
    />
  );
}
