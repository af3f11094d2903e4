/** The targets of webhooks with their health, and the events that could not be delivered. */
import { usePaged } from "../../base/paged-items.ts";
import { client } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { addressOf } from "../../base/router.ts";
import { useShown } from "../../base/use-shown.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { oneLine } from "../../parts/long-text.tsx";
import { Facts, RecordPanes } from "../../parts/record-panes.tsx";
import { Ago } from "../../parts/time.tsx";
import { chosenLetter, chosenWebhook, type DeadLetter, pauseCommand, reads, resendCommand, rotateCommand, type Webhook } from "./operations-keys.ts";
import { OneTimeSecret } from "./one-time-secret.tsx";

const own = texts.operations.webhooks;
const letters = texts.operations.letters;
/** Milliseconds between two reads. */
const refreshMs = 5_000;

export function WebhooksTab() {
  const { list, more } = usePaged({ of: "webhooks", reads: reads.value, everyMs: refreshMs }, (cursor, signal) =>
    client().call("listWebhooks", { query: { limit: 100, ...cursor }, signal }),
  );
  return (
    <RecordPanes
      id="webhooks"
      label={own.title}
      list={list}
      more={more}
      idOf={({ endpoint }) => endpoint}
      columns={[
        ["name", own.name],
        ["host", own.host],
        ["health", own.health],
      ]}
      cells={(webhook) => [<bdi>{oneLine(webhook.name, 80)}</bdi>, <bdi>{oneLine(webhook.host, 80)}</bdi>, <Health webhook={webhook} />]}
      none={own.none}
      details={(webhook) => <WebhookDetails key={webhook.endpoint} webhook={webhook} />}
    />
  );
}

const Health = ({ webhook: { paused, failures } }: { readonly webhook: Webhook }) => (
  <span class={`badge ${paused !== undefined ? "blocked" : failures > 0 ? "open" : "ok"}`}>
    {paused !== undefined ? own.paused[paused.reason] : failures > 0 ? own.failures(failures) : own.fine}
  </span>
);

function WebhookDetails({ webhook }: { readonly webhook: Webhook }) {
  const { name, endpoint, host, failures, paused } = webhook;
  useShown(chosenWebhook, webhook);
  return (
    <>
      <Facts
        facts={[
          [own.name, name],
          [own.host, host],
          [own.endpoint, endpoint],
          [own.health, <Health webhook={webhook} />],
          [own.letters, failures],
          paused === undefined ? undefined : [own.since, <Ago at={paused.at} />],
        ]}
      />
      <div class="pane-tools">
        <ActionButton command={pauseCommand} />
        <ActionButton command={rotateCommand} />
      </div>
      <OneTimeSecret />
    </>
  );
}

export function LettersTab() {
  const { list, more } = usePaged({ of: "letters", reads: reads.value, everyMs: refreshMs }, (cursor, signal) =>
    client().webhooks.deadLetters({ limit: 100, ...cursor }, { signal }),
  );
  return (
    <RecordPanes
      id="letters"
      label={letters.title}
      list={list}
      more={more}
      idOf={({ id }) => id}
      columns={[
        ["target", letters.target],
        ["error", letters.error],
        ["at", letters.at],
      ]}
      cells={({ target, error, at }) => [<bdi>{oneLine(target, 80)}</bdi>, <bdi>{oneLine(error, 80)}</bdi>, <Ago at={at} />]}
      none={letters.none}
      details={(letter) => <LetterDetails key={letter.id} letter={letter} />}
    />
  );
}

function LetterDetails({ letter }: { readonly letter: DeadLetter }) {
  const { id, target, host, session_id, offset, attempts, error, at } = letter;
  useShown(chosenLetter, letter);
  return (
    <>
      <Facts
        facts={[
          [letters.target, target],
          [letters.host, host],
          [letters.event, <a href={addressOf(`sessions/${session_id}`, { at: offset, tab: "log" })}>{letters.eventOf(session_id, offset)}</a>],
          [
            letters.positions,
            <a href={addressOf("operations", { tab: "positions", session: session_id, item: target })}>{letters.positionsOf(target)}</a>,
          ],
          [letters.attempts, attempts],
          [letters.error, error],
          [letters.at, <Ago at={at} />],
          [letters.id, id],
        ]}
      />
      <div class="pane-tools">
        <ActionButton command={resendCommand} kind="primary" />
      </div>
    </>
  );
}
