/** Opens the form of the state, whose code is loaded then. */
import { openDialog } from "../../../base/overlays.ts";
import { texts } from "../../../base/page-texts.ts";
import type { Command } from "../../../base/screen-shape.ts";
import { lateView } from "../../../parts/late-view.tsx";
import { current } from "../session-keys.ts";
import { editScopes } from "./session-work.ts";

const LateDialog = lateView(async () => (await import("./edit-dialog.tsx")).EditDialog);

export const editCommand: Command = {
  ...{ id: "session.edit", title: texts.actions.edit.title, keys: ["e"], scope: "session" },
  ...{ operation: "editState", needs: editScopes },
  when: () => current.value !== undefined,
  run: () => openDialog(LateDialog),
};
