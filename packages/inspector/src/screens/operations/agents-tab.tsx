/** The agents of the service with their variables, which all their sessions see. */
import { usePaged } from "../../base/paged-items.ts";
import { client, useLoaded } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { LongText, oneLine } from "../../parts/long-text.tsx";
import { Failure } from "../../parts/notice.tsx";
import { Facts, RecordPanes } from "../../parts/record-panes.tsx";
import { reads } from "./operations-keys.ts";

const own = texts.operations.agents;

export function AgentsTab() {
  const { list, more } = usePaged({ of: "agents", reads: reads.value }, async (_cursor, signal) => ({
    items: await client().agents.list({ signal }),
    next_cursor: null,
  }));
  return (
    <RecordPanes
      id="agents"
      label={own.title}
      list={list}
      more={more}
      idOf={({ name }) => name}
      columns={[
        ["name", own.name],
        ["version", own.version],
      ]}
      cells={({ name, version }) => [<bdi>{oneLine(name, 80)}</bdi>, version]}
      none={own.none}
      details={({ name, version }) => (
        <>
          <Facts
            facts={[
              [own.name, name],
              [own.version, version],
            ]}
          />
          <Variables key={name} agent={name} />
        </>
      )}
    />
  );
}

function Variables({ agent }: { readonly agent: string }) {
  const { value, error } = useLoaded(`variables of ${agent} ${reads.value}`, (signal) => client().agents.variables(agent).list({ signal }));
  const entries = Object.entries(value?.values ?? {});
  return (
    <section class="evidence" aria-label={own.variables}>
      <h2>{own.variables}</h2>
      <p class="hint">{own.about}</p>
      {error === undefined ? undefined : <Failure error={error} />}
      {value === undefined ? undefined : entries.length === 0 ? (
        <p class="faint">{own.noVariables}</p>
      ) : (
        <dl class="values">
          {entries.map(([name, given]) => (
            <div key={name}>
              <dt>
                <bdi>{oneLine(name, 120)}</bdi>
              </dt>
              <dd>
                <LongText text={JSON.stringify(given)} code />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
