/** Who looked at, or did, what matters, newest first. */
import { usePaged } from "../../base/paged-items.ts";
import { client } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { addressOf } from "../../base/router.ts";
import { oneLine } from "../../parts/long-text.tsx";
import { Facts, RecordPanes } from "../../parts/record-panes.tsx";
import { Ago, Moment } from "../../parts/time.tsx";
import { reads } from "./operations-keys.ts";

const own = texts.operations.audit;

export function AuditTab() {
  // Each read is an entry of its own, so it is not repeated without a wish.
  const { list, more } = usePaged({ of: "audit", reads: reads.value }, (cursor, signal) =>
    client().call("listAudit", { query: { limit: 100, ...cursor }, signal }),
  );
  return (
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
      none={own.none}
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
  );
}
