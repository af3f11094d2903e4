/** The actions on a session as a whole. Those that do not apply now are left out. */
import { texts } from "../../../base/page-texts.ts";
import { ActionButton } from "../../../parts/action-button.tsx";
import type { IconName } from "../../../parts/icon.tsx";
import type { Command } from "../../../base/screen-shape.ts";
import { editCommand } from "./edit-command.ts";
import { exportCommand } from "./export-dialog.tsx";
import { forkCommand } from "./fork-dialog.tsx";
import { handBackCommand, handOverCommand, putBackCommand, takeCommand } from "./handover-actions.tsx";
import { withdrawCommand } from "./turn-actions.tsx";

const shown: readonly (readonly [Command, IconName | undefined])[] = [
  [forkCommand, "fork"],
  [editCommand, "state"],
  [withdrawCommand, undefined],
  [handOverCommand, "handover"],
  [takeCommand, "person"],
  [putBackCommand, undefined],
  [handBackCommand, "agent"],
  [exportCommand, undefined],
];

export const ActionBar = () => (
  <div class="action-bar" role="group" aria-label={texts.actions.bar}>
    {shown.map(([command, icon]) =>
      command.when?.() === false ? undefined : <ActionButton key={command.id} command={command} {...(icon === undefined ? {} : { icon })} />,
    )}
  </div>
);
