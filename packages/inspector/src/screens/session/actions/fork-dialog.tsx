/** Continues a conversation from an offset in a new session, after it has shown what that does not undo. */
import { useState } from "preact/hooks";
import { act } from "../../../base/page-actions.ts";
import { announce, closeDialog, openDialog } from "../../../base/overlays.ts";
import { texts } from "../../../base/page-texts.ts";
import { go } from "../../../base/router.ts";
import type { Command } from "../../../base/screen-shape.ts";
import { ActionDialog, Choice } from "../../../parts/action-dialog.tsx";
import { current, offsetNow } from "../session-keys.ts";
import { EffectList } from "./effect-list.tsx";
import { sessionHere } from "./session-work.ts";

const own = texts.actions.fork;

export const forkCommand: Command = {
  ...{ id: "session.fork", title: texts.actions.commands.fork, keys: ["f"], scope: "session", operation: "forkSession", needs: ["sessions:write"] },
  when: () => current.value !== undefined,
  run: () => {
    const at = offsetNow();
    openDialog(() => <ForkDialog at={at} />);
  },
};

function ForkDialog({ at }: { readonly at: number }) {
  const [reuse, setReuse] = useState(true);
  const [title, setTitle] = useState("");
  const fork = async (): Promise<void> => {
    const session = sessionHere();
    if (session === undefined) return;
    let id = "";
    const named = title.trim() === "" ? {} : { title: title.trim() };
    const succeeded = await act("session.fork", async () => {
      ({ id } = await session.fork({ at, ...named, ...(reuse ? { reuse } : {}) }));
    });
    if (!succeeded) return;
    closeDialog();
    announce("action", texts.actions.done.fork);
    go(`sessions/${id}`);
  };
  return (
    <ActionDialog title={own.title(at)} text={own.text} action={own.action} command={forkCommand} onSubmit={() => void fork()}>
      <EffectList after={at} title={own.effects} none={own.noEffects} />
      <Choice
        legend={own.choose}
        options={[
          { value: true, label: own.reuse, hint: own.reuseHint },
          { value: false, label: own.again, hint: own.againHint },
        ]}
        chosen={reuse}
        onChoose={setReuse}
      />
      <label class="field">
        <span>{own.name}</span>
        <input type="text" maxLength={200} autocomplete="off" value={title} onInput={(event) => setTitle(event.currentTarget.value)} />
      </label>
    </ActionDialog>
  );
}
