/** One entry of a memory: its text, the words that it rests on with their places in the log, its history, and what can be done with it. */
import type { ComponentChildren } from "preact";
import { actionFailure } from "../../base/page-actions.ts";
import { client, useLoaded } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { addressOf } from "../../base/router.ts";
import { useShown } from "../../base/use-shown.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { LongText, oneLine } from "../../parts/long-text.tsx";
import { EmptyState, Failure } from "../../parts/notice.tsx";
import { Ago, Said } from "../../parts/time.tsx";
import { categoryOf, evidenceOf, isHidden, isPinned, type MemoryEntry, readHistory, recordedAt, retiredAt, sourcesOf } from "./memory-entries.ts";
import {
  choose,
  chosen,
  confirmCommand,
  correctCommand,
  correction,
  forgetCommand,
  forgetting,
  forgotten,
  hideCommand,
  pinCommand,
  reads,
  saveCommand,
  withMessages,
} from "./memory-keys.ts";

const own = texts.memory;

interface EntryPaneProps {
  readonly customer: string;
  readonly id: string | undefined;
}

export function EntryPane({ customer, id }: EntryPaneProps) {
  const { value, error } = useLoaded(id === undefined ? undefined : `${customer} ${id} ${reads.value}`, (signal) =>
    client()
      .customers.memory(customer)
      .get(id ?? "", { signal }),
  );
  const entry = id === undefined || value?.entry_id !== id ? undefined : value;
  useShown(chosen, entry);
  const { value: failure } = actionFailure;
  return (
    <div class="scroll entry-pane" tabIndex={0} role="region" aria-label={own.entry}>
      <Forgotten />
      {failure === undefined ? undefined : <Failure error={failure} />}
      {id === undefined ? <EmptyState title={own.none.choose} text={own.none.chooseText} /> : undefined}
      {id === undefined || error === undefined ? undefined : <Failure error={error} />}
      {entry === undefined ? undefined : (
        <>
          <EntryFacts entry={entry} />
          <div class="pane-tools">
            <ActionButton command={pinCommand} />
            <ActionButton command={hideCommand} />
            {entry.kind === "fact" ? <ActionButton command={correctCommand} /> : undefined}
            <ActionButton command={forgetCommand} kind="danger" />
          </div>
          <Correction />
          <Confirmation />
          <History customer={customer} entry={entry} />
        </>
      )}
    </div>
  );
}

/** What the last forgetting removed. */
function Forgotten() {
  const { value: report } = forgotten;
  if (report === undefined) return null;
  const { facts, turns, arcs, rules, masked, redacted } = report;
  const messages = (places: typeof masked): number => places.reduce((sum, { offsets }) => sum + offsets.length, 0);
  return (
    <p class="receipt" role="status">
      {own.report({ facts, turns, arcs, rules, masked: messages(masked), redacted: messages(redacted) })}
    </p>
  );
}

function EntryFacts({ entry }: { readonly entry: MemoryEntry }) {
  const { kind, text, in_force } = entry;
  const retired = retiredAt(entry);
  const fact = "predicate" in entry.entry ? entry.entry : undefined;
  const evidence = evidenceOf(entry);
  return (
    <>
      <div class="entry-text">
        <LongText text={text} />
        <p class="badges">
          <span class="badge">{categoryOf(entry) ?? own.kind[kind]}</span>
          {isPinned(entry) ? <span class="badge ok">{own.pinned}</span> : undefined}
          {isHidden(entry) ? <span class="badge blocked">{own.hidden}</span> : undefined}
          {in_force ? undefined : <span class="badge skipped">{own.retired}</span>}
        </p>
      </div>
      <dl class="event-facts">
        <Fact name={own.facts.written}>
          <Ago at={recordedAt(entry)} />
        </Fact>
        {retired === undefined ? undefined : (
          <Fact name={own.facts.retired}>
            <Ago at={retired} />
          </Fact>
        )}
        {fact === undefined ? undefined : (
          <>
            <Fact name={own.facts.subject}>{oneLine(`${fact.subject.type} ${fact.subject.id}`)}</Fact>
            <Fact name={own.facts.predicate}>{oneLine(fact.predicate)}</Fact>
            <Fact name={own.facts.object}>{oneLine(fact.object.id)}</Fact>
            <Fact name={own.facts.authority}>{fact.authority}</Fact>
            <Fact name={own.facts.reason}>{oneLine(fact.reason)}</Fact>
          </>
        )}
        {"confidence" in entry.entry ? <Fact name={own.facts.confidence}>{entry.entry.confidence}</Fact> : undefined}
        {"sensitivity" in entry.entry ? <Fact name={own.facts.sensitivity}>{entry.entry.sensitivity}</Fact> : undefined}
      </dl>
      <section class="evidence" aria-label={own.evidence}>
        <h2>{own.evidence}</h2>
        {evidence.map((quote) => (
          <blockquote key={quote}>
            <LongText text={quote} />
          </blockquote>
        ))}
        <ul>
          {sourcesOf(entry).map(({ session_id, offset, at }) => (
            <li key={`${session_id} ${offset}`}>
              {session_id.startsWith("ses_") ? (
                <a href={addressOf(`sessions/${session_id}`, { at: offset })}>{own.source(session_id, offset)}</a>
              ) : (
                own.direct
              )}
              <Said at={at} />
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <bdi>{children}</bdi>
    </dd>
  </div>
);

function Correction() {
  const { value: written } = correction;
  if (written === undefined) return null;
  return (
    <div class="answer">
      <label>
        <span>{own.correction}</span>
        <input
          id="correction"
          type="text"
          autocomplete="off"
          value={written.object}
          onInput={(event) => (correction.value = { ...written, object: event.currentTarget.value })}
        />
      </label>
      <label>
        <span>{own.reason}</span>
        <input
          type="text"
          autocomplete="off"
          value={written.reason}
          onInput={(event) => (correction.value = { ...written, reason: event.currentTarget.value })}
        />
      </label>
      <div class="answer-tools">
        <button type="button" class="button" onClick={() => (correction.value = undefined)}>
          {own.cancel}
        </button>
        <ActionButton command={saveCommand} kind="primary" />
      </div>
    </div>
  );
}

const Confirmation = () =>
  forgetting.value ? (
    <div class="answer" id="forget" tabIndex={-1}>
      <p>{own.confirm}</p>
      <div class="answer-tools">
        <label class="check">
          <input type="checkbox" checked={withMessages.value} onChange={(event) => (withMessages.value = event.currentTarget.checked)} />
          {own.messages}
        </label>
        <button type="button" class="button" onClick={() => (forgetting.value = false)}>
          {own.cancel}
        </button>
        <ActionButton command={confirmCommand} kind="danger" />
      </div>
    </div>
  ) : null;

/** The versions of an entry. Entries that were never replaced have none. */
function History({ customer, entry }: { readonly customer: string; readonly entry: MemoryEntry }) {
  const { value: chain, error } = useLoaded(`history ${customer} ${entry.entry_id} ${entry.version}`, (signal) =>
    readHistory(customer, entry, signal),
  );
  if (error !== undefined) return <Failure error={error} />;
  if (chain === undefined || chain.length < 2) return null;
  return (
    <section class="evidence" aria-label={own.versions}>
      <h2>{own.versions}</h2>
      <ol class="versions">
        {chain.map((one) => (
          <li key={one.entry_id} aria-current={one.entry_id === entry.entry_id ? "true" : undefined}>
            <button type="button" class="link" onClick={() => choose(one.entry_id)}>
              {one.in_force ? <ins>{oneLine(one.text)}</ins> : <del>{oneLine(one.text)}</del>}
            </button>
            <Ago at={recordedAt(one)} />
          </li>
        ))}
      </ol>
    </section>
  );
}
