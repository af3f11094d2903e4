/** One customer: what agents see of them, what they never see, their sessions and memory, and erasing them. */
import type { ClientCustomer } from "@throughline/client";
import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { actionFailure } from "../../base/page-actions.ts";
import { client, useLoaded } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { addressOf } from "../../base/router.ts";
import type { PathParts } from "../../base/screen-shape.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { oneLine } from "../../parts/long-text.tsx";
import { Failure } from "../../parts/notice.tsx";
import { Responder } from "../../parts/responder.tsx";
import { Ago, Said } from "../../parts/time.tsx";
import {
  addCommands,
  draft,
  draftFault,
  edit,
  eraseCommand,
  erasing,
  erasure,
  isStale,
  previewCommand,
  reads,
  rebase,
  removeCommand,
  resetCustomer,
  saveCommand,
  shownCustomer,
  typedId,
  type ValueKind,
} from "./customer-keys.ts";

const own = texts.customer;
/** Sessions that are shown. */
const sessionsShown = 10;

export function CustomerView({ parts: { customer: id = "" } }: { readonly parts: PathParts }) {
  const { value, error } = useLoaded(`customer ${id} ${reads.value}`, (signal) => client().customers.get(id, { signal }));
  useLayoutEffect(() => resetCustomer, [id]);
  useLayoutEffect(() => void (shownCustomer.value = value), [value]);
  const { value: customer } = shownCustomer;
  const { value: failure } = actionFailure;
  return (
    <div class="screen customer">
      <header class="screen-head">
        <nav aria-label={texts.breadcrumb} class="breadcrumb">
          <a href={addressOf("customers")}>{texts.customers.title}</a>
          <Icon name="forward" />
        </nav>
        <h1>
          <bdi>{oneLine(customer?.name ?? id, 120)}</bdi>
        </h1>
        {customer === undefined ? undefined : <Facts customer={customer} />}
      </header>
      {error === undefined ? undefined : <Failure error={error} />}
      {failure === undefined ? undefined : <Failure error={failure} />}
      {customer === undefined ? (
        error === undefined ? (
          <p class="waiting">{texts.loading}</p>
        ) : undefined
      ) : (
        <div class="cards" tabIndex={0} role="region" aria-label={own.details}>
          <Values kind="variables" customer={customer} />
          <Values kind="metadata" customer={customer} />
          <Sessions id={id} />
          <Memory id={id} />
          <Erasure customer={customer} />
        </div>
      )}
    </div>
  );
}

const Facts = ({ customer: { id, version, created_at } }: { readonly customer: ClientCustomer }) => (
  <dl class="facts">
    <div>
      <dt>{own.facts.id}</dt>
      <dd class="id">
        <bdi>{oneLine(id, 60)}</bdi>
      </dd>
    </div>
    <div>
      <dt>{own.facts.version}</dt>
      <dd>{version}</dd>
    </div>
    <div>
      <dt>{own.facts.created}</dt>
      <dd>
        <Ago at={created_at} />
      </dd>
    </div>
  </dl>
);

const Card = ({ name, title, children }: { readonly name: string; readonly title: ComponentChildren; readonly children: ComponentChildren }) => (
  <section class={`card ${name}`} aria-labelledby={`card-${name}`}>
    <h2 id={`card-${name}`}>{title}</h2>
    {children}
  </section>
);

function Values({ kind, customer }: { readonly kind: ValueKind; readonly customer: ClientCustomer }) {
  const values = customer[kind];
  const isPrivate = kind === "metadata";
  const entries = Object.entries(values ?? {});
  return (
    <Card
      name={kind}
      title={
        <>
          {isPrivate ? <Icon name="lock" /> : undefined}
          {own[kind].title}
        </>
      }
    >
      <p class="hint">{own[kind].text}</p>
      {values === undefined ? (
        <p class="lacking">{texts.failure.scope("metadata:read")}</p>
      ) : entries.length === 0 ? (
        <p class="faint">{own[kind].none}</p>
      ) : (
        <dl class="values">
          {entries.map(([name, value]) => (
            <div key={name}>
              <dt>
                <button type="button" class="link" onClick={() => edit(kind, name)} aria-label={own.editValue(name)}>
                  <bdi>{oneLine(name, 120)}</bdi>
                </button>
              </dt>
              <dd>
                <bdi>{oneLine(JSON.stringify(value), 400)}</bdi>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {draft.value?.kind === kind ? <Editor /> : values === undefined ? undefined : <ActionButton command={addCommands[kind]} />}
    </Card>
  );
}

function Editor() {
  const { value: written } = draft;
  if (written === undefined) return null;
  return (
    <div class="editor">
      <label>
        <span>{own.name}</span>
        <input
          id="value-name"
          type="text"
          autocomplete="off"
          spellcheck={false}
          readOnly={!written.isNew}
          value={written.name}
          onInput={(event) => (draft.value = { ...written, name: event.currentTarget.value })}
        />
      </label>
      <label>
        <span>{own.value}</span>
        <textarea
          id="value-text"
          rows={3}
          spellcheck={false}
          value={written.text}
          onInput={(event) => (draft.value = { ...written, text: event.currentTarget.value })}
        />
      </label>
      {draftFault.value === undefined ? undefined : (
        <p class="fault" role="alert">
          {draftFault.value}
        </p>
      )}
      {isStale.value ? (
        <div class="conflict" role="alert">
          <p>{own.stale(written.version)}</p>
          <button type="button" class="button" onClick={() => void rebase()}>
            {own.rebase}
          </button>
        </div>
      ) : undefined}
      <div class="answer-tools">
        <button type="button" class="button" onClick={() => (draft.value = undefined)}>
          {own.cancel}
        </button>
        {written.isNew ? undefined : <ActionButton command={removeCommand} kind="danger" />}
        <ActionButton command={saveCommand} kind="primary" />
      </div>
    </div>
  );
}

function Sessions({ id }: { readonly id: string }) {
  const { value, error } = useLoaded(`sessions of ${id}`, (signal) =>
    client().sessions.list({ customer_id: id, order: "desc", limit: sessionsShown }, { signal }),
  );
  return (
    <Card name="sessions-of" title={texts.sessions.title}>
      {error === undefined ? undefined : <Failure error={error} />}
      {value?.items.length === 0 ? <p class="faint">{own.noSessions}</p> : undefined}
      <ul>
        {value?.items.map(({ id: session_id, title, mode, handover, updated_at }) => (
          <li key={session_id}>
            <a href={addressOf(`sessions/${session_id}`)}>
              <bdi>{title === null ? session_id : oneLine(title, 80)}</bdi>
            </a>
            <Responder mode={mode} handover={handover} />
            <Ago at={updated_at} />
          </li>
        ))}
      </ul>
      {value === undefined || value.next_cursor === null ? undefined : (
        <a class="button" href={addressOf("", { q: `customer:"${id}"` })}>
          {own.allSessions}
        </a>
      )}
    </Card>
  );
}

const memoryCounts = ["facts", "turns", "arcs", "rules", "held", "never_recalled"] as const;

function Memory({ id }: { readonly id: string }) {
  const { value, error } = useLoaded(`memory of ${id}`, (signal) => client().customers.memory(id).status({ signal }));
  return (
    <Card name="memory-of" title={own.memory.title}>
      {error === undefined ? undefined : <Failure error={error} />}
      {value === undefined ? undefined : (
        <>
          <Counts rows={memoryCounts.map((name) => [own.memory[name], value[name]])} />
          <p class="hint">{value.recall_enabled ? own.memory.on : own.memory.off}</p>
          <a class="button" href={addressOf(`customers/${encodeURIComponent(id)}/memory`)}>
            {own.memory.open}
          </a>
        </>
      )}
    </Card>
  );
}

const Counts = ({ rows }: { readonly rows: readonly (readonly [string, number])[] }) => (
  <dl class="counts">
    {rows.map(([name, count]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{count}</dd>
      </div>
    ))}
  </dl>
);

function Erasure({ customer: { id } }: { readonly customer: ClientCustomer }) {
  const isOpen = erasing.value;
  const { value: preview, error } = useLoaded(isOpen ? `erasure of ${id}` : undefined, (signal) => client().customers.erasurePreview(id, { signal }));
  const { value: job } = erasure;
  return (
    <Card name="erasure" title={own.erasure.title}>
      <p class="hint">{own.erasure.text}</p>
      {isOpen ? undefined : <ActionButton command={previewCommand} kind="danger" />}
      {error === undefined ? undefined : <Failure error={error} />}
      {isOpen && preview !== undefined ? (
        <>
          <p>{own.erasure.preview}</p>
          <Counts
            rows={[
              [own.erasure.sessions, preview.sessions],
              [own.erasure.events, preview.events],
              [own.erasure.forks, preview.forks],
              [own.erasure.variables, preview.variables],
              [own.memory.facts, preview.memory?.facts ?? 0],
              [own.memory.turns, preview.memory?.turns ?? 0],
              [own.memory.arcs, preview.memory?.arcs ?? 0],
              [own.memory.rules, preview.memory?.rules ?? 0],
            ]}
          />
        </>
      ) : undefined}
      {isOpen && preview !== undefined && job === undefined ? (
        <div class="editor">
          <label>
            <span>{own.erasure.confirm}</span>
            <input
              id="erase-id"
              type="text"
              autocomplete="off"
              spellcheck={false}
              value={typedId.value}
              onInput={(event) => (typedId.value = event.currentTarget.value)}
            />
          </label>
          <div class="answer-tools">
            <button type="button" class="button" onClick={() => (erasing.value = false)}>
              {own.cancel}
            </button>
            <ActionButton command={eraseCommand} kind="danger" />
          </div>
        </div>
      ) : undefined}
      {job === undefined ? undefined : (
        <div class="receipt" role="status">
          <p>{job.status === "done" ? own.erased : own.erasure.running}</p>
          {job.receipt === undefined ? undefined : (
            <dl class="counts">
              <div>
                <dt>{own.erasure.receipt}</dt>
                <dd>
                  <code>{job.receipt.id}</code>
                </dd>
              </div>
              <div>
                <dt>{own.erasure.sessions}</dt>
                <dd>{job.receipt.sessions}</dd>
              </div>
              <div>
                <dt>{own.erasure.events}</dt>
                <dd>{job.receipt.events}</dd>
              </div>
              {job.receipt.finished_at === undefined ? undefined : (
                <div>
                  <dt>{own.erasure.finished}</dt>
                  <dd>
                    <Said at={job.receipt.finished_at} />
                  </dd>
                </div>
              )}
            </dl>
          )}
        </div>
      )}
    </Card>
  );
}
