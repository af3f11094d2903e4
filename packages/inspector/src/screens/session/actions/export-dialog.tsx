/** Saves a session as a bundle: JSON lines, whole or with its texts masked. */
import { useState } from "preact/hooks";
import { saveFile } from "../../../base/browser.ts";
import { closeDialog, openDialog } from "../../../base/overlays.ts";
import { texts } from "../../../base/page-texts.ts";
import type { Command } from "../../../base/screen-shape.ts";
import { ActionDialog } from "../../../parts/action-dialog.tsx";
import { current } from "../session-keys.ts";
import { actHere } from "./session-work.ts";

const own = texts.actions.export;

export const exportCommand: Command = {
  ...{ id: "session.export", title: own.title, keys: ["E"], scope: "session", operation: "exportSession", needs: ["export"] },
  when: () => current.value !== undefined,
  run: () => openDialog(ExportDialog),
};

function ExportDialog() {
  const [redacted, setRedacted] = useState(true);
  const save = async (): Promise<void> => {
    const succeeded = await actHere("session.export", texts.actions.done.export, async (session) => {
      const lines = await Array.fromAsync(session.export({ redacted }), (line) => `${line}\n`);
      saveFile(`${session.id}${redacted ? "-redacted" : ""}.jsonl`, lines, "application/x-ndjson");
    });
    if (succeeded) closeDialog();
  };
  const choice = (value: boolean, label: string, hint: string) => (
    <label class="choice">
      <input type="radio" name="redacted" checked={redacted === value} autofocus={value} onChange={() => setRedacted(value)} />
      <span>
        {label}
        <span class="hint">{hint}</span>
      </span>
    </label>
  );
  return (
    <ActionDialog title={own.title} text={own.text} action={own.action} command={exportCommand} onSubmit={() => void save()}>
      <fieldset>
        <legend>{own.choose}</legend>
        {choice(true, own.redacted, own.redactedHint)}
        {choice(false, own.whole, own.wholeHint)}
      </fieldset>
    </ActionDialog>
  );
}
