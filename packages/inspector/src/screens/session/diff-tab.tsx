/** What changed in the state between two offsets. */
import { useMemo } from "preact/hooks";
import { changeQuery, place } from "../../base/router.ts";
import { useLoaded } from "../../base/page-service.ts";
import { useShown } from "../../base/use-shown.ts";
import { ChangeList } from "../../parts/change-list.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { EmptyState, Failure, Left } from "../../parts/notice.tsx";
import { texts } from "../../base/page-texts.ts";
import { changesBetween, patchOf } from "../../parts/json-rows.ts";
import { lookAt } from "./session-keys.ts";
import type { TabProps } from "./live-session.ts";
import { stateScope, statesAt } from "../../base/states.ts";
import { differenceAsPatch } from "./tab-copies.ts";
import { useTurn } from "./turn-at.ts";

export function DiffTab({ session, at }: TabProps) {
  const { cmp } = place.value.query;
  const turn = useTurn(session, at);
  const from = cmp !== undefined && /^\d{1,12}$/.test(cmp) ? Math.min(Number(cmp), session.head.value) : Math.max(0, (turn?.first ?? 0) - 1);
  const { value: pair, error, fresh } = useLoaded(`${session.id} ${from} ${at}`, (signal) => statesAt(session.id, from, at, signal));
  const changes = useMemo(() => (pair?.before === undefined ? [] : changesBetween(pair.before.state, pair.after.state)), [pair]);
  const patch = useMemo(
    () => (pair === undefined || error !== undefined ? undefined : (): string => JSON.stringify(patchOf(changes), null, 2)),
    [pair, error],
  );
  useShown(differenceAsPatch, patch);
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
        <Left needs={stateScope} />
        {patch === undefined ? undefined : <CopyButton label={texts.diff.copy} text={patch} />}
      </div>
      {error !== undefined ? (
        <Failure error={error} />
      ) : pair === undefined ? (
        <p class="waiting">{texts.loading}</p>
      ) : changes.length === 0 && fresh ? (
        <EmptyState title={texts.diff.none.title} text={texts.diff.none.text(from, at)} />
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label={texts.session.tabs.diff}>
          <ChangeList changes={changes} />
        </div>
      )}
    </>
  );
}
