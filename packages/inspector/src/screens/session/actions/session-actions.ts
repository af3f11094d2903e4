/** Every action on a session, for the palette and the keyboard. */
import type { Command } from "../../../base/screen-shape.ts";
import { copyCommands } from "../tab-copies.ts";
import { composerCommands } from "./composer.tsx";
import { decisionCommands } from "./decisions.tsx";
import { editCommand } from "./edit-command.ts";
import { exportCommand } from "./export-dialog.tsx";
import { forkCommand } from "./fork-dialog.tsx";
import { handoverActions } from "./handover-actions.tsx";
import { retryCommand, speakCommand, stopCommand, withdrawCommand } from "./turn-actions.tsx";

export const sessionActions: readonly Command[] = [
  ...composerCommands,
  ...decisionCommands,
  stopCommand,
  retryCommand,
  speakCommand,
  withdrawCommand,
  ...handoverActions,
  forkCommand,
  editCommand,
  exportCommand,
  ...copyCommands,
];
