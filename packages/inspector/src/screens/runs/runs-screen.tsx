/** Runs of autonomous routines: where each stands and what became of it. And the routines that agents follow. */
import { useEffect, useLayoutEffect } from "preact/hooks";
import { usePaged } from "../../base/paged-items.ts";
import { client, useLoaded } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { addressOf, changeQuery, place } from "../../base/router.ts";
import { useTyped } from "../../base/typed-text.ts";
import { useShown } from "../../base/use-shown.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { LongText, oneLine } from "../../parts/long-text.tsx";
import { Failure } from "../../parts/notice.tsx";
import { Facts, RecordPanes } from "../../parts/record-panes.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Ago, Moment } from "../../parts/time.tsx";
import { RoutineList } from "./routine-graph.tsx";
import { type Frame, isOpen, readRun, type RoutineGraph, type Run, type RunDetails, runStatuses } from "./run-details.ts";
import {
  askResendCommand,
  callbackUrl,
  cancelCommand,
  cancelling,
  chooseTab,
  chosenRun,
  closeForms,
  confirmCommand,
  reads,
  rereadCommand,
  resendCommand,
  tabIds,
  tabNow,
} from "./runs-keys.ts";

const own = texts.runs;
/** Milliseconds between two reads of the runs. */
const refreshMs = 3_000;

export function RunsView() {
  const tab = tabNow();
  useEffect(() => closeForms, []);
  return (
    <div class="screen runs">
      <header class="screen-head">
        <h1>{own.title}</h1>
        <ActionButton command={rereadCommand} />
      </header>
      <Tabs label={own.title} tabs={tabIds.map((id) => ({ id, title: own.tabs[id] }))} chosen={tab} onChoose={chooseTab}>
        {tab === "runs" ? <RunsTab /> : <RoutinesTab />}
      </Tabs>
    </div>
  );
}

function RunsTab() {
  const { query } = place.value;
  const status = runStatuses.find((one) => one === query["status"]);
  const routine = query["routine"] ?? "";
  const filter = { ...(status === undefined ? {} : { status }), ...(routine === "" ? {} : { routine }) };
  const { list, more } = usePaged({ of: JSON.stringify(filter), reads: reads.value, everyMs: refreshMs }, (cursor, signal) =>
    client().runs.list({ limit: 100, ...filter, ...cursor }, { signal }),
  );
  return (
    <>
      <Filters routine={routine} status={status} />
      <RecordPanes
        id="runs"
        label={own.tabs.runs}
        list={list}
        more={more}
        idOf={({ id }) => id}
        columns={[
          ["routine", own.routine],
          ["status", own.status],
          ["at", own.begun],
        ]}
        cells={(run) => [<bdi>{oneLine(run.routine, 80)}</bdi>, <Status run={run} />, <Ago at={run.created_at} />]}
        none={routine === "" && status === undefined ? own.none : own.noneFits}
        details={(run) => <RunPane key={run.id} listed={run} />}
      />
    </>
  );
}

function Filters({ routine, status }: { readonly routine: string; readonly status: Run["status"] | undefined }) {
  const [typed, setTyped] = useTyped(routine, (text) => changeQuery({ routine: text, item: undefined }, { replace: true }));
  return (
    <div class="pane-tools">
      <label class="filter">
        <Icon name="search" />
        <span class="unseen">{own.filter}</span>
        <input
          id="run-routine"
          type="search"
          autocomplete="off"
          spellcheck={false}
          maxLength={100}
          placeholder={own.filter}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
      <ul class="views" aria-label={own.statusLabel}>
        {[undefined, ...runStatuses].map((one) => (
          <li key={one ?? "all"}>
            <button type="button" class="chip" aria-pressed={one === status} onClick={() => changeQuery({ status: one, item: undefined })}>
              {own.statuses[one ?? "all"]}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

const badges = { queued: "", running: "open", waiting: "open", completed: "ok", failed: "error", cancelled: "skipped" } as const;
const Status = ({ run: { status } }: { readonly run: Run }) => <span class={`badge ${badges[status]}`}>{own.statuses[status]}</span>;

function RunPane({ listed }: { readonly listed: Run }) {
  const { value, error } = useLoaded(`run ${listed.id} ${listed.status} ${listed.callback?.status ?? ""} ${reads.value}`, (signal) =>
    readRun(listed.id, signal),
  );
  const run = value?.run ?? listed;
  useShown(chosenRun, run);
  useLayoutEffect(
    () => () => {
      cancelling.value = false;
      callbackUrl.value = undefined;
    },
    [],
  );
  const { id, agent, session_id, ephemeral, version, created_at, deadline, finished_at, expires_at, callback, erasure } = run;
  return (
    <>
      {error === undefined ? undefined : <Failure error={error} />}
      <Facts
        facts={[
          [own.id, id],
          [own.routine, own.routineOf(run.routine, version)],
          [own.agent, agent],
          [own.status, <Status run={run} />],
          [
            own.session,
            erasure === undefined ? <a href={addressOf(`sessions/${session_id}`, { at: value?.start?.offset })}>{session_id}</a> : session_id,
          ],
          [own.ends, erasure !== undefined ? own.deleted(erasure.events) : ephemeral ? own.ephemeral : own.keeps],
          [own.begun, <Moment at={created_at} />],
          deadline === undefined || !isOpen(run) ? undefined : [own.deadline, <Moment at={deadline} />],
          finished_at === undefined ? undefined : [own.finished, <Moment at={finished_at} />],
          expires_at === undefined ? undefined : [own.expires, <Moment at={expires_at} />],
          callback === undefined ? undefined : [own.callback, own.callbacks[callback.status]],
          callback === undefined
            ? undefined
            : [own.attempts, callback.error === undefined ? callback.attempts : `${callback.attempts} · ${callback.error}`],
          erasure === undefined ? undefined : [own.receipt, erasure.id],
        ]}
      />
      <div class="pane-tools">
        {isOpen(run) ? <ActionButton command={cancelCommand} kind="danger" /> : <ActionButton command={askResendCommand} />}
      </div>
      {callbackUrl.value === undefined ? undefined : <ResendForm url={callbackUrl.value} />}
      {cancelling.value ? (
        <div class="answer" id="cancel-run" tabIndex={-1}>
          <p>{own.confirm}</p>
          <div class="answer-tools">
            <button type="button" class="button" onClick={() => (cancelling.value = false)}>
              {own.back}
            </button>
            <ActionButton command={confirmCommand} kind="danger" />
          </div>
        </div>
      ) : undefined}
      {run.error === undefined ? undefined : (
        <section class="evidence" aria-label={own.failure}>
          <h2>{own.failure}</h2>
          <p>
            <code>{run.error.code}</code>
          </p>
          <LongText text={run.error.message} />
        </section>
      )}
      {value === undefined ? undefined : <RunContent details={value} />}
    </>
  );
}

const ResendForm = ({ url }: { readonly url: string }) => (
  <form
    class="answer"
    aria-label={own.resendForm}
    onSubmit={(event) => {
      event.preventDefault();
      resendCommand.run();
    }}
  >
    <label>
      <span>{own.address}</span>
      <input
        id="callback-url"
        type="text"
        inputMode="url"
        autocomplete="off"
        spellcheck={false}
        maxLength={2_000}
        value={url}
        onInput={(event) => (callbackUrl.value = event.currentTarget.value)}
      />
    </label>
    <p class="hint">{own.resendHint}</p>
    <div class="answer-tools">
      <button type="button" class="button" onClick={closeForms}>
        {own.close}
      </button>
      <ActionButton command={resendCommand} kind="primary" />
    </div>
  </form>
);

function RunContent({ details: { run, start, frames, graph, without } }: { readonly details: RunDetails }) {
  return (
    <>
      <Position frames={frames} graph={graph} />
      {start === undefined ? undefined : <JsonPart title={own.input} value={start.input ?? null} />}
      {run.output === undefined ? undefined : <JsonPart title={own.output} value={run.output} />}
      {without === undefined ? undefined : run.erasure === undefined ? <Failure error={without} /> : <p class="hint">{own.gone}</p>}
      {graph === undefined ? undefined : (
        <section class="evidence" aria-label={own.graph}>
          <h2>
            <bdi>{oneLine(graph.title, 120)}</bdi>
          </h2>
          <RoutineList graph={graph} {...(frames[0] === undefined ? {} : { at: frames[0].node, visits: frames[0].visits })} />
        </section>
      )}
    </>
  );
}

/** Where a run stands, and what it waits for. */
function Position({ frames, graph }: { readonly frames: readonly Frame[]; readonly graph: RoutineGraph | undefined }) {
  const last = frames.at(-1);
  if (last === undefined) return null;
  const node = frames.length === 1 ? graph?.nodes.find(({ id }) => id === last.node) : undefined;
  return (
    <Facts
      facts={[
        [own.position, frames.map((frame) => own.nodeOf(frame.routine, frame.node)).join(" › ")],
        node === undefined
          ? undefined
          : [own.does, node.about === undefined ? texts.routines.kinds[node.kind] : `${texts.routines.kinds[node.kind]}: ${node.about}`],
        last.until === undefined ? undefined : [own.until, <Moment at={last.until} />],
      ]}
    />
  );
}

const JsonPart = ({ title, value }: { readonly title: string; readonly value: Run["output"] }) => (
  <section class="evidence" aria-label={title}>
    <h2>{title}</h2>
    <LongText text={JSON.stringify(value, null, 2)} code />
  </section>
);

/** A routine of an agent. */
interface OwnedRoutine {
  readonly agent: string;
  readonly graph: RoutineGraph;
}

function RoutinesTab() {
  const { list, more } = usePaged<OwnedRoutine>({ of: "routines", reads: reads.value }, async (_cursor, signal) => {
    const agents = await client().agents.list({ signal });
    return { items: agents.flatMap(({ name, routines = [] }) => routines.map((graph) => ({ agent: name, graph }))), next_cursor: null };
  });
  return (
    <RecordPanes
      id="routines"
      label={own.tabs.routines}
      list={list}
      more={more}
      idOf={({ agent, graph: { id } }) => `${agent} ${id}`}
      columns={[
        ["routine", own.routine],
        ["agent", own.agent],
        ["mode", own.mode],
      ]}
      cells={({ agent, graph }) => [
        <bdi>{oneLine(graph.title, 80)}</bdi>,
        <bdi>{oneLine(agent, 80)}</bdi>,
        graph.autonomous ? own.autonomous : own.conversational,
      ]}
      none={own.noRoutines}
      details={({ agent, graph }) => (
        <>
          <Facts
            facts={[
              [own.routine, own.routineOf(graph.id, graph.version)],
              [own.agent, agent],
              [own.mode, graph.autonomous ? own.autonomous : own.conversational],
            ]}
          />
          {graph.autonomous ? (
            <div class="pane-tools">
              <a class="button" href={addressOf("runs", { routine: graph.id })}>
                {own.showRuns}
              </a>
            </div>
          ) : undefined}
          <section class="evidence" aria-label={own.graph}>
            <h2>
              <bdi>{oneLine(graph.title, 120)}</bdi>
            </h2>
            {graph.description === "" ? undefined : <LongText text={graph.description} />}
            <RoutineList key={graph.id} graph={graph} />
          </section>
        </>
      )}
    />
  );
}
