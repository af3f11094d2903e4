/** What a person does with turns: stop, retry, let the agent speak, and take back. */
import type { ClientSession } from "@throughline/client";
import { closeDialog, openDialog } from "../../../base/overlays.ts";
import { texts } from "../../../base/page-texts.ts";
import { useLoaded } from "../../../base/page-service.ts";
import type { Command } from "../../../base/screen-shape.ts";
import { ActionDialog } from "../../../parts/action-dialog.tsx";
import { Failure } from "../../../parts/notice.tsx";
import { changeQuery } from "../../../base/router.ts";
import { current, offsetNow } from "../session-keys.ts";
import { EffectList } from "./effect-list.tsx";
import { actHere, failedTurn, openTurn, readTakenBack, sessionHere, type ListedTurn, turns } from "./session-work.ts";

const scope = "session";
const own = texts.actions;
const needs = ["sessions:write"];

export const stopCommand: Command = {
  ...{ id: "session.stop", title: own.commands.stop, keys: ["s"], scope, operation: "stopTurn", needs },
  when: () => openTurn() !== undefined,
  run: () => {
    const turn = openTurn();
    if (turn !== undefined) void actHere("session.stop", own.done.stop, (session) => session.stopTurn(turn.turn_id));
  },
};

export const retryCommand: Command = {
  ...{ id: "session.retry", title: own.commands.retry, keys: ["R"], scope, operation: "retryTurn", needs },
  when: () => failedTurn() !== undefined,
  run: () => {
    const turn = failedTurn();
    if (turn !== undefined) void actHere("session.retry", own.done.retry, (session) => session.retryTurn(turn.turn_id));
  },
};

export const speakCommand: Command = {
  ...{ id: "session.speak", title: own.commands.speak, scope, operation: "startTurn", needs },
  when: () => current.value?.info.value?.mode === "auto" && openTurn() === undefined,
  run: () => void actHere("session.speak", own.done.speak, (session) => session.resume()),
};

export const withdrawCommand: Command = {
  ...{ id: "session.withdraw", title: own.commands.withdraw, keys: ["W"], scope, operation: "withdrawEvents", needs },
  when: () => turns.value.length > 0,
  run: () => {
    const at = offsetNow();
    openDialog(() => <WithdrawDialog at={at} />);
  },
};

/** The first offset of a turn: that of the first message that it answers for the first time, or its own. Undefined before it has begun. */
function firstOffset({ started_offset, answers = [], retries = [] }: ListedTurn): number | undefined {
  return started_offset === undefined ? undefined : Math.min(started_offset, ...answers.filter((offset) => !retries.includes(offset)));
}

/** The turn at an offset: the newest that had begun and was not taken back, with its first message. */
async function turnToWithdraw(session: ClientSession, at: number, signal: AbortSignal): Promise<{ turn: ListedTurn; from: number } | undefined> {
  const isTakenBack = await readTakenBack(session, signal);
  let cursor: string | null | undefined;
  let oldest: { turn: ListedTurn; from: number } | undefined;
  do {
    const page = await session.turns({ order: "desc", limit: 100, ...(cursor === undefined || cursor === null ? {} : { cursor }) }, { signal });
    for (const turn of page.items) {
      const from = firstOffset(turn);
      if (from === undefined || isTakenBack(from)) continue;
      oldest = { turn, from };
      if (from <= at) return oldest;
    }
    cursor = page.next_cursor;
  } while (cursor !== null);
  return oldest;
}

function WithdrawDialog({ at }: { readonly at: number }) {
  const session = sessionHere();
  const { value: found, error } = useLoaded(session === undefined ? undefined : `${session.id} ${at}`, async (signal) => {
    const chosen = session === undefined ? undefined : await turnToWithdraw(session, at, signal);
    return { chosen };
  });
  const chosen = found?.chosen;
  const withdraw = async (): Promise<void> => {
    if (chosen === undefined) return;
    if (!(await actHere("session.withdraw", own.done.withdraw, (one) => one.withdraw(chosen.from)))) return;
    closeDialog();
    changeQuery({ at: undefined });
  };
  return (
    <ActionDialog
      title={own.withdraw.title}
      text={own.withdraw.text}
      action={own.withdraw.action}
      kind="danger"
      command={withdrawCommand}
      disabled={chosen === undefined}
      onSubmit={() => void withdraw()}
    >
      {error !== undefined ? <Failure error={error} /> : undefined}
      {chosen === undefined ? (
        <p class="hint">{found === undefined ? texts.loading : own.withdraw.none}</p>
      ) : (
        <>
          <p>{own.withdraw.from(chosen.turn.number, chosen.from)}</p>
          <EffectList after={chosen.from - 1} title={own.withdraw.effects} none={own.withdraw.noEffects} />
        </>
      )}
    </ActionDialog>
  );
}
