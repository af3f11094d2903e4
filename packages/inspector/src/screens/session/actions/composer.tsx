/** Writes into the session: as the customer, as an operator, or as the system. Actions on turns stand beside it. */
import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import type { ClientSession, WireJson } from "@throughline/client";
import { operator } from "../../../base/operator-name.ts";
import { actionFailure } from "../../../base/page-actions.ts";
import { overlay } from "../../../base/overlays.ts";
import { texts } from "../../../base/page-texts.ts";
import { changeQuery } from "../../../base/router.ts";
import type { Command } from "../../../base/screen-shape.ts";
import { ActionButton } from "../../../parts/action-button.tsx";
import { Failure } from "../../../parts/notice.tsx";
import { OperatorField } from "../../../parts/operator-field.tsx";
import { current } from "../session-keys.ts";
import { actHere, failedTurn, openTurn } from "./session-work.ts";
import { retryCommand, stopCommand } from "./turn-actions.tsx";

const own = texts.actions;
const scope = "session";

/** In whose name the next message is sent. */
const senders = ["customer", "operator", "system"] as const;
type Sender = (typeof senders)[number];

const sender = signal<Sender>("customer");
const written = signal("");
const asAgent = signal(false);
/** What was written in each session and not sent, until the page is left. */
const drafts = new Map<string, string>();

function focus(id: string): void {
  const field = document.getElementById(id);
  // On a narrow page the composer is folded.
  field?.closest("details")?.setAttribute("open", "");
  field?.focus();
}

/** What the system posts: JSON as it is, anything else as a text. */
function systemData(text: string): WireJson {
  try {
    return JSON.parse(text) as WireJson;
  } catch {
    return text;
  }
}

function post(session: ClientSession, text: string): Promise<unknown> {
  if (sender.peek() === "customer") return session.post(text);
  if (sender.peek() === "system") return session.postCustom(systemData(text), { source: "system" });
  const name = operator.peek().trim();
  return session.postOperator(text, asAgent.peek() ? { onBehalfOfAgent: true, ...(name === "" ? {} : { name }) } : { name });
}

async function send(): Promise<void> {
  const [id, text] = [current.peek()?.id, written.peek()];
  if (text.trim() === "") return focus("composer");
  if (sender.peek() === "operator" && !asAgent.peek() && operator.peek().trim() === "") return focus("composer-name");
  if (!(await actHere("session.send", own.done.send, (session) => post(session, text)))) return;
  // What was written while the message was sent stays.
  if (current.peek()?.id !== id) {
    if (id !== undefined && drafts.get(id) === text) drafts.delete(id);
    return;
  }
  if (written.peek() === text) written.value = "";
  changeQuery({ at: undefined });
}

const sendCommand: Command = {
  ...{ id: "session.send", title: own.commands.send, keys: ["mod+enter"], scope, operation: "postEvent", needs: ["sessions:write"] },
  run: () => void send(),
};

export const composerCommands: readonly Command[] = [
  { id: "session.write", title: own.commands.write, keys: ["r"], scope, run: () => focus("composer") },
  sendCommand,
  ...senders.map((name): Command => ({
    ...{ id: `session.sendAs.${name}`, title: own.commands.sendAs(own.senders[name]), scope, operation: "postEvent", needs: ["sessions:write"] },
    run: () => {
      sender.value = name;
      focus("composer");
    },
  })),
];

export function Composer() {
  const id = current.value?.id;
  useLayoutEffect(() => {
    if (id === undefined) return;
    written.value = drafts.get(id) ?? "";
    // Whoever speaks as another person or as the system chooses so in each session.
    sender.value = "customer";
    asAgent.value = false;
    return () => {
      drafts.set(id, written.peek());
      written.value = "";
      actionFailure.value = undefined;
    };
  }, [id]);
  const { value: who } = sender;
  const { value: failure } = actionFailure;
  return (
    <div class="answer composer">
      {failure === undefined || overlay.value !== undefined ? undefined : <Failure error={failure} />}
      <div class="answer-tools">
        <span class="switch" role="group" aria-label={own.sendAs}>
          {senders.map((name) => (
            <button key={name} type="button" aria-pressed={who === name} onClick={() => (sender.value = name)}>
              {own.senders[name]}
            </button>
          ))}
        </span>
        {who === "operator" ? (
          <>
            <OperatorField id="composer-name" />
            <label class="check">
              <input type="checkbox" checked={asAgent.value} onChange={(event) => (asAgent.value = event.currentTarget.checked)} />
              {texts.handover.asAgent}
            </label>
          </>
        ) : undefined}
      </div>
      <label>
        <span class="unseen">{own.message}</span>
        <textarea
          id="composer"
          rows={2}
          placeholder={own.placeholders[who]}
          value={written.value}
          onInput={(event) => (written.value = event.currentTarget.value)}
        />
      </label>
      <div class="answer-tools">
        <ActionButton command={sendCommand} kind="primary" />
        {openTurn() === undefined ? undefined : <ActionButton command={stopCommand} />}
        {failedTurn() === undefined ? undefined : <ActionButton command={retryCommand} />}
      </div>
    </div>
  );
}
