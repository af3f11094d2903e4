/** Who looked at, or did, what matters, newest first. */
import { usePaged } from "../../base/paged-items.ts";
import { client } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { addressOf, changeQuery, place } from "../../base/router.ts";
import { oneLine } from "../../parts/long-text.tsx";
import { Facts, RecordPanes } from "../../parts/record-panes.tsx";
import { Ago, Moment } from "../../parts/time.tsx";
import { reads } from "./operations-keys.ts";

const own = texts.operations.audit;

/** Operations that only look. An export is not one of them: what leaves the service matters like a change. */
const looks = /^(get|list|find|follow|preview|recall|streamEvents)/;

export function AuditTab() {
  const withoutReads = place.value.query["reads"] === "no";
  // Each read is an entry of its own, so it is not repeated without a wish.
  const { list, more } = usePaged({ of: `audit ${withoutReads}`, reads: reads.value }, async (cursor, signal) => {
    const page = await client().call("listAudit", { query: { limit: 100, ...cursor }, signal });
    return withoutReads ? { ...page, items: page.items.filter(({ operation }) => !looks.test(operation)) } : page;
  });
  return (
    <>
      <div class="pane-tools">
        <button
          type="button"
          class="chip"
          aria-pressed={withoutReads}
          onClick={() => changeQuery({ reads: withoutReads ? undefined : "no", item: undefined })}
        >
          {own.withoutReads}
        </button>
      </div>
      <RecordPanes
        id="audit"
        label={own.title}
        list={list}
        more={more}
        idOf={({ id }) => id}
        columns={[
          ["operation", own.operation],
          ["actor", own.actor],
          ["at", own.at],
        ]}
        cells={({ operation, actor, at }) => [<bdi>{oneLine(operation, 80)}</bdi>, <bdi>{oneLine(actor, 80)}</bdi>, <Ago at={at} />]}
        none={withoutReads ? own.noneFits : own.none}
        details={({ id, operation, actor, status, request_id, objects, at }) => (
          <Facts
            facts={[
              [own.operation, operation],
              [own.actor, actor],
              [own.at, <Moment at={at} />],
              [own.status, status],
              ...Object.entries(objects).map(
                ([name, value]) => [name, name === "session_id" ? <a href={addressOf(`sessions/${value}`)}>{value}</a> : oneLine(value)] as const,
              ),
              request_id === undefined ? undefined : [own.request, request_id],
              [own.id, id],
            ]}
          />
        )}
      />
    </>
  );
}
