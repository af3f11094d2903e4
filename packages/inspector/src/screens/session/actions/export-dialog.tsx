/** Saves a session as a bundle: JSON lines, whole or with its texts masked. */
import { useState } from "preact/hooks";
import { saveFile } from "../../../base/browser.ts";
import { closeDialog, openDialog } from "../../../base/overlays.ts";
import { texts } from "../../../base/page-texts.ts";
import type { Command } from "../../../base/screen-shape.ts";
import { ActionDialog, Choice } from "../../../parts/action-dialog.tsx";
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
  return (
    <ActionDialog title={own.title} text={own.text} action={own.action} command={exportCommand} onSubmit={() => void save()}>
      <Choice
        legend={own.choose}
        options={[
          { value: true, label: own.redacted, hint: own.redactedHint },
          { value: false, label: own.whole, hint: own.wholeHint },
        ]}
        chosen={redacted}
        onChoose={setRedacted}
      />
    </ActionDialog>
  );
}
