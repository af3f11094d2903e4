/** The sheet of shortcuts: what each key does on this screen. */
import { KeyCap } from "../parts/key-cap.tsx";
import { texts } from "../base/page-texts.ts";
import { commandsHere } from "./command-list.ts";
import { closeDialog } from "../base/overlays.ts";
import { Dialog } from "../parts/dialog.tsx";

export function ShortcutSheet() {
  const shown = commandsHere().filter(({ keys }) => keys !== undefined);
  const groups = [
    { title: texts.shortcuts.here, commands: shown.filter(({ scope }) => scope !== "everywhere") },
    { title: texts.shortcuts.everywhere, commands: shown.filter(({ scope }) => scope === "everywhere") },
  ];
  return (
    <Dialog label={texts.commands.shortcuts} name="sheet">
      <h2>{texts.commands.shortcuts}</h2>
      {groups.map(({ title, commands }) =>
        commands.length === 0 ? undefined : (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {commands.map(({ id, title: name, keys = [] }) => (
                <div key={id}>
                  <dt>
                    <KeyCap keys={keys} />
                  </dt>
                  <dd>{name}</dd>
                </div>
              ))}
            </dl>
          </section>
        ),
      )}
      <button type="button" class="button" onClick={closeDialog}>
        {texts.close}
      </button>
    </Dialog>
  );
}
