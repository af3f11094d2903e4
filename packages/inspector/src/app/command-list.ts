/** Every command. A screen's commands are one line here; keys, the palette and the sheet of shortcuts follow. */
import { compareCommands } from "../screens/compare/compare-keys.ts";
import { customerCommands } from "../screens/customer/customer-keys.ts";
import { handoverCommands } from "../screens/handover/handover-keys.ts";
import { memoryCommands } from "../screens/memory/memory-keys.ts";
import { operationsCommands } from "../screens/operations/operations-keys.ts";
import { runsCommands } from "../screens/runs/runs-keys.ts";
import { sessionActions } from "../screens/session/actions/session-actions.ts";
import { sessionCommands } from "../screens/session/session-keys.ts";
import { sessionsCommands } from "../screens/sessions/sessions-keys.ts";
import { texts } from "../base/page-texts.ts";
import { overlay } from "../base/overlays.ts";
import { go, place } from "../base/router.ts";
import type { Command } from "../base/screen-shape.ts";
import { screenAt } from "./screen-list.ts";
import { nextTheme, nextContrast } from "../base/theme.ts";

const everywhere: readonly Command[] = [
  { id: "palette", title: texts.commands.palette, keys: ["mod+k"], scope: "everywhere", run: () => (overlay.value = "palette") },
  { id: "shortcuts", title: texts.commands.shortcuts, keys: ["?"], scope: "everywhere", run: () => (overlay.value = "shortcuts") },
  { id: "sessions", title: texts.commands.sessions, scope: "everywhere", operation: "listSessions", run: () => go("") },
  { id: "handover", title: texts.commands.handover, scope: "everywhere", operation: "listHandovers", needs: ["handover"], run: () => go("handover") },
  {
    id: "customers",
    title: texts.commands.customers,
    scope: "everywhere",
    operation: "listCustomers",
    needs: ["customers:read"],
    run: () => go("customers"),
  },
  {
    id: "memories",
    title: texts.commands.memories,
    scope: "everywhere",
    operation: "listCustomers",
    needs: ["customers:read"],
    run: () => go("memory"),
  },
  { id: "theme", title: texts.commands.theme, scope: "everywhere", run: nextTheme },
  { id: "contrast", title: texts.commands.contrast, scope: "everywhere", run: nextContrast },
];

export const commands: readonly Command[] = [
  ...everywhere,
  ...sessionsCommands,
  ...sessionCommands,
  ...compareCommands,
  ...sessionActions,
  ...handoverCommands,
  ...customerCommands,
  ...memoryCommands,
  ...runsCommands,
  ...operationsCommands,
];

/** The commands that apply on the present screen. */
export function commandsHere(): readonly Command[] {
  const id = screenAt(place.value.path)?.screen.id;
  return commands.filter(({ scope, when }) => (scope === "everywhere" || scope === id) && when?.() !== false);
}
