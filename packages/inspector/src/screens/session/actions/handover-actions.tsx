/** Who answers: hand over to people, take up, put back, hand back to the agent, and the bare mode. */
import { useState } from "preact/hooks";
import type { WireSession } from "@throughline/client";
import { closeDialog, openDialog } from "../../../base/overlays.ts";
import { operator, setOperator } from "../../../base/operator-name.ts";
import { texts } from "../../../base/page-texts.ts";
import type { Command } from "../../../base/screen-shape.ts";
import { ActionDialog } from "../../../parts/action-dialog.tsx";
import { LongText } from "../../../parts/long-text.tsx";
import { current } from "../session-keys.ts";
import { actHere, pending } from "./session-work.ts";

const own = texts.actions.handover;
const { done } = texts.actions;
const scope = "session";
const needs = ["handover"];

const mode = () => current.value?.info.value?.mode;
const standing = (): WireSession["handover"] => (mode() === "manual" ? current.value?.info.value?.handover : undefined);

export const handOverCommand: Command = {
  ...{ id: "session.handOver", title: own.handOver, keys: ["h"], scope, operation: "handOver", needs },
  when: () => mode() === "auto",
  run: () => openDialog(HandOverDialog),
};

export const takeCommand: Command = {
  ...{ id: "session.take", title: own.take, keys: ["c"], scope, operation: "assignSession", needs },
  when: () => mode() === "manual" && (standing()?.operator === undefined || standing()?.operator !== operator.value.trim()),
  run: () => {
    const holder = standing()?.operator;
    if (holder === undefined && operator.peek().trim() !== "") void take(undefined);
    else openDialog(() => <TakeDialog holder={holder} />);
  },
};

export const putBackCommand: Command = {
  ...{ id: "session.putBack", title: own.putBack, keys: ["u"], scope, operation: "unassignSession", needs },
  when: () => standing()?.status === "assigned",
  run: () => openDialog(PutBackDialog),
};

export const handBackCommand: Command = {
  ...{ id: "session.handBack", title: own.handBack, keys: ["B"], scope, operation: "handBack", needs },
  when: () => mode() === "manual",
  run: () => openDialog(HandBackDialog),
};

const modeCommand = (to: "manual" | "auto"): Command => ({
  ...{ id: `session.mode.${to}`, title: own.mode[to], scope, operation: "updateSession", needs: ["sessions:write", "handover"] },
  when: () => mode() !== undefined && mode() !== to,
  run: () => {
    // It cancels the same calls as a hand-over.
    if (to === "manual" && pending.peek().length > 0) openDialog(HandOverDialog);
    else void actHere(`session.mode.${to}`, done.mode[to], (session) => session.setMode(to));
  },
});

export const handoverActions: readonly Command[] = [
  handOverCommand,
  takeCommand,
  putBackCommand,
  handBackCommand,
  modeCommand("manual"),
  modeCommand("auto"),
];

/** Takes the session up. If an operator has it, only from that one: if it was given on meanwhile, the service refuses. */
function take(from: string | undefined): Promise<boolean> {
  const name = operator.peek().trim();
  return actHere("session.take", done.take, (session) => session.assign({ operator: name, ...(from === undefined ? {} : { from }) }));
}

const OperatorField = () => (
  <label class="field">
    <span>{texts.handover.operator}</span>
    <input
      type="text"
      autocomplete="off"
      autofocus
      maxLength={200}
      value={operator.value}
      aria-description={texts.handover.operatorHint}
      onInput={(event) => setOperator(event.currentTarget.value)}
    />
  </label>
);

/** The calls that wait for a decision, which end when people take over. */
function CancelledCalls() {
  const { value: calls } = pending;
  if (calls.length === 0) return null;
  return (
    <section class="effects" aria-label={own.cancels}>
      <h3>{own.cancels}</h3>
      <ul>
        {calls.map(({ call_id, index, name, arguments: given }) => (
          <li key={`${call_id} ${index}`}>
            <bdi class="effect-name">{name}</bdi>
            <LongText text={JSON.stringify(given)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function HandOverDialog() {
  const [reason, setReason] = useState("");
  const [mine, setMine] = useState(false);
  const name = operator.value.trim();
  const handOver = async (): Promise<void> => {
    const request = { ...(reason.trim() === "" ? {} : { reason: reason.trim() }), ...(mine ? { operator: name } : {}) };
    if (await actHere("session.handOver", done.handOver, (session) => session.handOver(request))) closeDialog();
  };
  return (
    <ActionDialog
      title={own.handOver}
      text={own.handOverText}
      action={own.handOver}
      command={handOverCommand}
      disabled={mine && name === ""}
      onSubmit={() => void handOver()}
    >
      <CancelledCalls />
      <label class="field">
        <span>{own.reason}</span>
        <input type="text" autofocus maxLength={1000} autocomplete="off" value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </label>
      <label class="check">
        <input type="checkbox" checked={mine} onChange={(event) => setMine(event.currentTarget.checked)} />
        {own.mine}
      </label>
      {mine ? <OperatorField /> : undefined}
    </ActionDialog>
  );
}

function TakeDialog({ holder }: { readonly holder: string | undefined }) {
  const submit = async (): Promise<void> => {
    if (await take(holder)) closeDialog();
  };
  return (
    <ActionDialog
      title={own.take}
      text={holder === undefined ? own.takeText : own.takeFrom(holder)}
      action={own.take}
      command={takeCommand}
      disabled={operator.value.trim() === ""}
      onSubmit={() => void submit()}
    >
      <OperatorField />
    </ActionDialog>
  );
}

function PutBackDialog() {
  const putBack = async (): Promise<void> => {
    if (await actHere("session.putBack", done.putBack, (session) => session.unassign())) closeDialog();
  };
  return (
    <ActionDialog
      title={own.putBack}
      text={own.putBackText(standing()?.operator ?? "")}
      action={own.putBack}
      command={putBackCommand}
      safe
      onSubmit={() => void putBack()}
    />
  );
}

function HandBackDialog() {
  const [summary, setSummary] = useState("");
  const [resume, setResume] = useState(false);
  const handBack = async (): Promise<void> => {
    const request = { ...(summary.trim() === "" ? {} : { summary: summary.trim() }), ...(resume ? { resume } : {}) };
    if (await actHere("session.handBack", done.handBack, (session) => session.handBack(request))) closeDialog();
  };
  return (
    <ActionDialog title={own.handBack} text={own.handBackText} action={own.handBack} command={handBackCommand} onSubmit={() => void handBack()}>
      <label class="field">
        <span>{texts.handover.summary}</span>
        <textarea
          rows={3}
          autofocus
          placeholder={texts.handover.summaryPlaceholder}
          value={summary}
          onInput={(event) => setSummary(event.currentTarget.value)}
        />
      </label>
      <label class="check">
        <input type="checkbox" checked={resume} onChange={(event) => setResume(event.currentTarget.checked)} />
        {texts.handover.resume}
      </label>
    </ActionDialog>
  );
}
