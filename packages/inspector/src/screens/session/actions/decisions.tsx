/** Calls that wait for a decision of a person: approve, approve with other arguments, answer, reject. */
import { useState } from "preact/hooks";
import type { WireJson, WireJsonObject } from "@throughline/client";
import { closeDialog, openDialog } from "../../../base/overlays.ts";
import { operator } from "../../../base/operator-name.ts";
import { acting } from "../../../base/page-actions.ts";
import { texts } from "../../../base/page-texts.ts";
import type { Command } from "../../../base/screen-shape.ts";
import { ActionButton } from "../../../parts/action-button.tsx";
import { ActionDialog } from "../../../parts/action-dialog.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { LongText } from "../../../parts/long-text.tsx";
import { Until } from "../../../parts/time.tsx";
import { actHere, pending, type WaitingCall } from "./session-work.ts";

const own = texts.actions.decisions;
const scope = "session";
const needs = ["sessions:write"];

type Decision = { readonly decision: "approve" } | { readonly decision: "reject"; readonly feedback?: string } | Edited | Answered;
interface Edited {
  readonly decision: "edit";
  readonly arguments: WireJsonObject;
}
interface Answered {
  readonly decision: "answer";
  readonly answer: WireJson;
}

/** Decides a call as it was shown: the service refuses a decision about other arguments. */
function decide({ turn_id, call_id, index, arguments_hash }: WaitingCall, decision: Decision): Promise<boolean> {
  const by = operator.peek().trim();
  return actHere("session.decide", own.done, (session) =>
    session.decide(turn_id, { call_id, index, arguments_hash, ...decision, ...(by === "" ? {} : { by }) }),
  );
}

const openWith = (call: WaitingCall, kind: "approve" | "edit" | "answer" | "reject"): void =>
  openDialog(() =>
    kind === "approve" ? <ApproveDialog call={call} /> : kind === "reject" ? <RejectDialog call={call} /> : <JsonDialog call={call} kind={kind} />,
  );

/** The commands for one call. Those of the palette are for the first one that waits. */
const commandsFor = (call: () => WaitingCall | undefined) => {
  const kind = () => call()?.kind;
  const doWith = (work: (call: WaitingCall) => void) => (): void => {
    const chosen = call();
    if (chosen !== undefined) work(chosen);
  };
  return {
    approve: {
      ...{ id: "session.approve", title: own.approve, keys: ["a"], scope, operation: "decideCall", needs },
      when: () => kind() === "approval",
      run: doWith((chosen) => openWith(chosen, "approve")),
    },
    edit: {
      ...{ id: "session.approveEdited", title: own.edit, scope, operation: "decideCall", needs },
      when: () => kind() === "approval",
      run: doWith((chosen) => openWith(chosen, "edit")),
    },
    answer: {
      ...{ id: "session.answer", title: own.answer, keys: ["A"], scope, operation: "decideCall", needs },
      when: () => kind() === "question",
      run: doWith((chosen) => openWith(chosen, "answer")),
    },
    reject: {
      ...{ id: "session.reject", title: own.reject, keys: ["x"], scope, operation: "decideCall", needs },
      when: () => kind() !== undefined,
      run: doWith((chosen) => openWith(chosen, "reject")),
    },
  } as const satisfies Readonly<Record<string, Command>>;
};

const ofFirst = commandsFor(() => pending.value[0]);
export const decisionCommands: readonly Command[] = Object.values(ofFirst);

/** The calls that wait, with what can be decided about each. */
export function PendingCalls() {
  const { value: calls } = pending;
  if (calls.length === 0) return null;
  return (
    <div class="pending-calls" role="group" aria-label={own.title}>
      <h2>
        <Icon name="warning" />
        {own.title}
      </h2>
      <ul>
        {calls.map((call, index) => (
          <CallToDecide key={`${call.call_id} ${call.index}`} call={call} isFirst={index === 0} />
        ))}
      </ul>
    </div>
  );
}

function CallToDecide({ call, isFirst }: { readonly call: WaitingCall; readonly isFirst: boolean }) {
  const { name, by, kind, arguments: given, question, expires_at } = call;
  const commands = isFirst ? ofFirst : commandsFor(() => call);
  const shown = kind === "question" ? ([commands.answer, commands.reject] as const) : ([commands.approve, commands.edit, commands.reject] as const);
  return (
    <li aria-busy={acting.value === "session.decide"}>
      <p>
        <bdi class="effect-name">{name}</bdi> <span class="faint">{kind === "question" ? own.asks : own.waits}</span>
        {by === name ? undefined : <span class="faint"> {own.askedBy(by)}</span>}
      </p>
      {expires_at === undefined ? undefined : (
        <p class="hint">
          {own.until} <Until at={expires_at} />
        </p>
      )}
      <LongText text={JSON.stringify(question ?? given, null, 2)} code />
      <div class="dialog-tools">
        {shown.map((command, index) => (
          <ActionButton
            key={command.id}
            command={command}
            bare={!isFirst}
            {...(index === 0 ? { kind: "primary" as const } : command === commands.reject ? { kind: "danger" as const } : {})}
          />
        ))}
      </div>
    </li>
  );
}

function ApproveDialog({ call }: { readonly call: WaitingCall }) {
  const approve = async (): Promise<void> => {
    if (await decide(call, { decision: "approve" })) closeDialog();
  };
  return (
    <ActionDialog
      title={own.approveTitle(call.name)}
      text={own.approveText}
      action={own.approve}
      command={ofFirst.approve}
      safe
      onSubmit={() => void approve()}
    >
      <LongText text={JSON.stringify(call.arguments, null, 2)} code />
    </ActionDialog>
  );
}

function RejectDialog({ call }: { readonly call: WaitingCall }) {
  const [feedback, setFeedback] = useState("");
  const reject = async (): Promise<void> => {
    const said = feedback.trim() === "" ? {} : { feedback: feedback.trim() };
    if (await decide(call, { decision: "reject", ...said })) closeDialog();
  };
  return (
    <ActionDialog
      title={own.rejectTitle(call.name)}
      text={own.rejectText}
      action={own.reject}
      kind="danger"
      command={ofFirst.reject}
      onSubmit={() => void reject()}
    >
      <label class="field">
        <span>{own.feedback}</span>
        <textarea rows={3} autofocus value={feedback} onInput={(event) => setFeedback(event.currentTarget.value)} />
      </label>
    </ActionDialog>
  );
}

const isObject = (value: WireJson): value is WireJsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

function JsonDialog({ call, kind }: { readonly call: WaitingCall; readonly kind: "edit" | "answer" }) {
  const [text, setText] = useState(kind === "edit" ? JSON.stringify(call.arguments, null, 2) : "");
  const [asJson, setAsJson] = useState(kind === "edit");
  const [fault, setFault] = useState<string | undefined>(undefined);
  const send = async (): Promise<void> => {
    if (text.trim() === "") return setFault(own.empty);
    let value: WireJson = text;
    if (asJson) {
      try {
        value = JSON.parse(text) as WireJson;
      } catch {
        return setFault(own.notJson);
      }
    }
    if (kind === "edit" && !isObject(value)) return setFault(own.notObject);
    setFault(undefined);
    const decision: Decision = kind === "edit" && isObject(value) ? { decision: "edit", arguments: value } : { decision: "answer", answer: value };
    if (await decide(call, decision)) closeDialog();
  };
  return (
    <ActionDialog
      title={kind === "edit" ? own.editTitle(call.name) : own.answerTitle(call.name)}
      text={kind === "edit" ? own.editText : own.answerText}
      action={kind === "edit" ? own.approve : own.answer}
      command={ofFirst.approve}
      onSubmit={() => void send()}
    >
      {kind === "answer" && call.question !== undefined ? <LongText text={JSON.stringify(call.question, null, 2)} code /> : undefined}
      <label class="field">
        <span>{kind === "edit" ? texts.tools.arguments : own.answerLabel}</span>
        <textarea class="code" rows={8} autofocus spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      {kind === "edit" ? undefined : (
        <label class="check">
          <input type="checkbox" checked={asJson} onChange={(event) => setAsJson(event.currentTarget.checked)} />
          {own.asJson}
        </label>
      )}
      {fault === undefined ? undefined : (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
    </ActionDialog>
  );
}
