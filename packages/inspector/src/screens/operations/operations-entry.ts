/** The screen of operations, and where it is. */
import { texts } from "../../base/page-texts.ts";
import type { Screen } from "../../base/screen-shape.ts";
import { lateView } from "../../parts/late-view.tsx";

export const operationsScreen: Screen = {
  id: "operations",
  path: "operations",
  entry: { title: texts.operations.title, icon: "status" },
  title: () => texts.operations.title,
  view: lateView(async () => (await import("./operations-screen.tsx")).OperationsView),
};
