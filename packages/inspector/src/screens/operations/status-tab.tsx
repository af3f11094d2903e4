/** What runs: version, schema, agents, open turns, whether requests should be sent here, and the limits in force. */
import { RequestError } from "@throughline/client";
import { client, useLoaded } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { oneLine } from "../../parts/long-text.tsx";
import { Failure } from "../../parts/notice.tsx";
import { reads } from "./operations-keys.ts";

const own = texts.operations.status;

/** The limits of keys and of customers, in the order of their rows. */
const perMinute = ["requests_per_minute", "event_reads_per_minute", "waiters"] as const;
const sizes = ["body_bytes", "event_bytes", "page_events", "wait_ms"] as const;

/** The name of an engine. The store of somebody else calls it what it likes. */
const engineName = (engine: string | undefined): string | undefined =>
  Object.entries(own.engines).find(([id]) => id === engine)?.[1] ?? (engine === undefined ? undefined : oneLine(engine, 40));

/** Whether the service wants requests. Anybody may ask. */
async function readiness(signal: AbortSignal): Promise<string> {
  try {
    await client().call("readyz", { signal });
    return own.ready;
  } catch (error) {
    if (!RequestError.is(error)) throw error;
    return own.notReady(error.message);
  }
}

export function StatusTab() {
  const { value, error } = useLoaded(`status ${reads.value}`, (signal) => client().operations.status({ signal }));
  const { value: ready } = useLoaded(`readyz ${reads.value}`, readiness);
  return (
    <div class="cards" tabIndex={0} role="region" aria-label={own.title}>
      {error === undefined ? undefined : <Failure error={error} />}
      {value === undefined ? (
        error === undefined ? (
          <p class="waiting">{texts.loading}</p>
        ) : undefined
      ) : (
        <>
          <section class="card" aria-label={own.service}>
            <h2>{own.service}</h2>
            <dl class="counts">
              <div>
                <dt>{own.version}</dt>
                <dd>{value.version}</dd>
              </div>
              <div>
                <dt>{own.readiness}</dt>
                <dd>{ready ?? texts.loading}</dd>
              </div>
              <div>
                <dt>{own.schema}</dt>
                <dd>{own.migrated(value.schema, engineName(value.engine))}</dd>
              </div>
              <div>
                <dt>{own.openTurns}</dt>
                <dd>{own.turns(value.open_turns.total, value.open_turns.held)}</dd>
              </div>
            </dl>
          </section>
          <section class="card" aria-label={own.agents}>
            <h2>{own.agents}</h2>
            <dl class="counts">
              {value.agents.map(({ name, version }) => (
                <div key={name}>
                  <dt>
                    <bdi>{oneLine(name, 80)}</bdi>
                  </dt>
                  <dd>{own.versionOf(version)}</dd>
                </div>
              ))}
            </dl>
          </section>
          <section class="card" aria-label={own.limits}>
            <h2>{own.limits}</h2>
            <table class="figures">
              <thead>
                <tr>
                  <td />
                  <th scope="col">{own.key}</th>
                  <th scope="col">{own.customer}</th>
                </tr>
              </thead>
              <tbody>
                {perMinute.map((name) => (
                  <tr key={name}>
                    <th scope="row">{own.names[name]}</th>
                    <td>{own.limit(value.limits[name])}</td>
                    <td>{own.limit(value.limits.customer[name])}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            <dl class="counts">
              {sizes.map((name) => (
                <div key={name}>
                  <dt>{own.names[name]}</dt>
                  <dd>{own.sizes[name](value.limits[name])}</dd>
                </div>
              ))}
            </dl>
          </section>
        </>
      )}
    </div>
  );
}
