/** What changed in the state between two offsets. */
import { useMemo } from "preact/hooks";
import type { WireJson } from "@throughline/client";
import { changeQuery, place } from "../../base/router.ts";
import { useLoaded } from "../../base/page-service.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { LongText } from "../../parts/long-text.tsx";
import { EmptyState, Failure } from "../../parts/notice.tsx";
import { texts } from "../../base/page-texts.ts";
import { type Change, changesBetween, patchOf } from "./json-rows.ts";
import { lookAt } from "./session-keys.ts";
import type { TabProps } from "./live-session.ts";
import { statesAt } from "./states.ts";
import { turnAt } from "./turn-at.ts";

/** The most changes that are shown. */
const mostShown = 200;

export function DiffTab({ session, at }: TabProps) {
  const { cmp } = place.value.query;
  const { value: events } = session.events;
  const from =
    cmp !== undefined && /^\d{1,12}$/.test(cmp) ? Math.min(Number(cmp), session.head.value) : Math.max(0, (turnAt(events, at)?.first ?? 0) - 1);
  const { value: pair, error, fresh } = useLoaded(`${session.id} ${from} ${at}`, (signal) => statesAt(session.id, from, at, signal));
  const changes = useMemo(() => (pair?.before === undefined ? [] : changesBetween(pair.before.state, pair.after.state)), [pair]);
  const number = (label: string, value: number, change: (offset: number) => void) => (
    <label class="offset-field">
      <span>{label}</span>
      <input
        type="number"
        min={0}
        max={session.head.value}
        value={value}
        onChange={(event) => {
          const { valueAsNumber } = event.currentTarget;
          if (Number.isSafeInteger(valueAsNumber)) change(valueAsNumber);
        }}
      />
    </label>
  );
  return (
    <>
      <div class="pane-tools">
        {number(texts.diff.from, from, (offset) => changeQuery({ cmp: offset }))}
        {number(texts.diff.to, at, (offset) => lookAt(offset))}
        {cmp === undefined ? (
          <span class="faint">{texts.diff.beforeTurn}</span>
        ) : (
          <button type="button" class="link" onClick={() => changeQuery({ cmp: undefined })}>
            {texts.diff.reset}
          </button>
        )}
        <CopyButton label={texts.diff.copy} text={() => JSON.stringify(patchOf(changes), null, 2)} />
      </div>
      {error !== undefined ? (
        <Failure error={error} />
      ) : pair === undefined ? (
        <p class="waiting">{texts.loading}</p>
      ) : changes.length === 0 && fresh ? (
        <EmptyState title={texts.diff.none.title} text={texts.diff.none.text(from, at)} />
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label={texts.session.tabs.diff}>
          <ul class="changes">
            {changes.slice(0, mostShown).map((change) => (
              <ChangeItem key={`${change.op} ${change.path}`} change={change} />
            ))}
          </ul>
          {changes.length > mostShown ? <p class="hint">{texts.diff.more(changes.length - mostShown)}</p> : undefined}
        </div>
      )}
    </>
  );
}

const textOf = (value: WireJson): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

const ChangeItem = ({ change: { op, path, before, after } }: { readonly change: Change }) => (
  <li class={`change ${op}`}>
    <div class="change-head">
      <span class="op">{texts.diff.ops[op]}</span>
      <bdi class="path">{path}</bdi>
    </div>
    {before === undefined ? undefined : (
      <div class="side before">
        <span aria-hidden="true">−</span>
        <span class="unseen">{texts.diff.before}</span>
        <LongText text={textOf(before)} />
      </div>
    )}
    {after === undefined ? undefined : (
      <div class="side after">
        <span aria-hidden="true">+</span>
        <span class="unseen">{texts.diff.after}</span>
        <LongText text={textOf(after)} />
      </div>
    )}
  </li>
);
