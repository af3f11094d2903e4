/** Opens the dialog that imports a bundle, whose code is loaded then. */
import { openDialog } from "../../base/overlays.ts";
import { texts } from "../../base/page-texts.ts";
import type { Command } from "../../base/screen-shape.ts";
import { lateView } from "../../parts/late-view.tsx";

const LateDialog = lateView(async () => (await import("./import-dialog.tsx")).ImportDialog);

export const importCommand: Command = {
  ...{ id: "sessions.import", title: texts.sessions.import.title, keys: ["i"], scope: "sessions" },
  ...{ operation: "importBundle", needs: ["admin"] },
  run: () => openDialog(LateDialog),
};
