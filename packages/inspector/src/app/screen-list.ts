/** Every screen, in the order of the navigation. A new screen is one line here. */
import { compareScreen } from "../screens/compare/compare-entry.ts";
import { customerScreen, customersScreen } from "../screens/customer/customer-entry.ts";
import { handoverScreen } from "../screens/handover/handover-entry.ts";
import { memoriesScreen, memoryScreen } from "../screens/memory/memory-entry.ts";
import { operationsScreen } from "../screens/operations/operations-entry.ts";
import { runsScreen } from "../screens/runs/runs-entry.ts";
import { sessionScreen } from "../screens/session/session-entry.ts";
import { sessionsScreen } from "../screens/sessions/sessions-screen.tsx";
import type { PathParts, Screen } from "../base/screen-shape.ts";
import { partsOf } from "../base/screen-shape.ts";

export const screens: readonly Screen[] = [
  sessionsScreen,
  sessionScreen,
  compareScreen,
  handoverScreen,
  customersScreen,
  customerScreen,
  memoriesScreen,
  memoryScreen,
  runsScreen,
  operationsScreen,
];

/** The screen at a path, with the variable parts of the path. */
export function screenAt(path: string): { readonly screen: Screen; readonly parts: PathParts } | undefined {
  for (const screen of screens) {
    const parts = partsOf(screen.path, path);
    if (parts !== undefined) return { screen, parts };
  }
  return undefined;
}
