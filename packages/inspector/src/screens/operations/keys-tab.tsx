/** API keys: the list, a form for a new one, and revoking. */
import { useLayoutEffect } from "preact/hooks";
import { now } from "../../base/browser.ts";
import { usePaged } from "../../base/paged-items.ts";
import { client } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { useShown } from "../../base/use-shown.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { oneLine } from "../../parts/long-text.tsx";
import { Facts, RecordPanes } from "../../parts/record-panes.tsx";
import { Ago, Moment } from "../../parts/time.tsx";
import { OneTimeSecret } from "./one-time-secret.tsx";
import {
  type ApiKey,
  chosenKey,
  confirmRevokeCommand,
  createKeyCommand,
  type KeyScope,
  keyScopes,
  newKey,
  newKeyCommand,
  newKeyFault,
  reads,
  revokeCommand,
  revoking,
  shownSecret,
} from "./operations-keys.ts";

const own = texts.operations.keys;

export function KeysTab() {
  const { list, more } = usePaged({ of: "keys", reads: reads.value }, (cursor, signal) =>
    client().call("listKeys", { query: { limit: 100, ...cursor }, signal }),
  );
  return (
    <>
      <div class="pane-tools">
        <ActionButton command={newKeyCommand} kind="primary" icon="key" />
        <span class="hint">{own.audited}</span>
      </div>
      <RecordPanes
        id="keys"
        label={own.title}
        list={list}
        more={more}
        idOf={({ id }) => id}
        columns={[
          ["name", own.name],
          ["state", own.state],
          ["used", own.used],
        ]}
        cells={(key) => [
          <bdi>{oneLine(key.name, 80)}</bdi>,
          <KeyState apiKey={key} />,
          key.last_used_at === undefined ? own.never : <Ago at={key.last_used_at} />,
        ]}
        none={own.none}
        details={(key) => <KeyDetails key={key.id} apiKey={key} />}
        {...(newKey.value !== undefined ? { instead: <NewKey /> } : shownSecret.value !== undefined ? { instead: <OneTimeSecret /> } : {})}
      />
    </>
  );
}

function KeyState({ apiKey: { revoked_at, expires_at } }: { readonly apiKey: ApiKey }) {
  if (revoked_at !== undefined) return <span class="badge blocked">{own.revoked}</span>;
  if (expires_at !== undefined && expires_at <= now()) return <span class="badge skipped">{own.expired}</span>;
  return <span class="badge ok">{own.inForce}</span>;
}

function KeyDetails({ apiKey }: { readonly apiKey: ApiKey }) {
  const { id, name, scopes, created_at, expires_at, revoked_at, last_used_at } = apiKey;
  useShown(chosenKey, apiKey);
  useLayoutEffect(() => () => void (revoking.value = false), []);
  return (
    <>
      <Facts
        facts={[
          [own.name, name],
          [own.id, id],
          [own.state, <KeyState apiKey={apiKey} />],
          [own.created, <Moment at={created_at} />],
          [own.used, last_used_at === undefined ? own.never : <Moment at={last_used_at} />],
          [own.expires, expires_at === undefined ? own.never : <Moment at={expires_at} />],
          revoked_at === undefined ? undefined : [own.revokedAt, <Moment at={revoked_at} />],
          [own.scopes, scopes.join(", ")],
        ]}
      />
      <div class="pane-tools">
        <ActionButton command={revokeCommand} kind="danger" />
      </div>
      {revoking.value ? (
        <div class="answer" id="revoke" tabIndex={-1}>
          <p>{own.confirm}</p>
          <div class="answer-tools">
            <button type="button" class="button" onClick={() => (revoking.value = false)}>
              {own.cancel}
            </button>
            <ActionButton command={confirmRevokeCommand} kind="danger" />
          </div>
        </div>
      ) : undefined}
    </>
  );
}

function NewKey() {
  const { value: written } = newKey;
  if (written === undefined) return null;
  const { name, scopes, days } = written;
  const toggle = (scope: KeyScope): void =>
    void (newKey.value = { ...written, scopes: scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope] });
  return (
    <form
      class="answer"
      aria-label={own.newKey}
      onSubmit={(event) => {
        event.preventDefault();
        createKeyCommand.run();
      }}
    >
      <label>
        <span>{own.name}</span>
        <input
          id="key-name"
          type="text"
          autocomplete="off"
          maxLength={100}
          value={name}
          onInput={(event) => (newKey.value = { ...written, name: event.currentTarget.value })}
        />
      </label>
      <fieldset class="scopes">
        <legend>{own.scopes}</legend>
        {keyScopes.map((scope) => (
          <label key={scope} class="check">
            <input type="checkbox" checked={scopes.includes(scope)} onChange={() => toggle(scope)} />
            {scope}
          </label>
        ))}
      </fieldset>
      <label>
        <span>{own.days}</span>
        <input
          type="text"
          inputMode="numeric"
          autocomplete="off"
          maxLength={4}
          value={days}
          onInput={(event) => (newKey.value = { ...written, days: event.currentTarget.value })}
        />
      </label>
      {newKeyFault.value === undefined ? undefined : (
        <p class="fault" role="alert">
          {newKeyFault.value}
        </p>
      )}
      <p class="hint">{own.hint}</p>
      <div class="answer-tools">
        <button type="button" class="button" onClick={() => (newKey.value = undefined)}>
          {own.cancel}
        </button>
        <ActionButton command={createKeyCommand} kind="primary" />
      </div>
    </form>
  );
}
