/** The screen for operators who answer, and where it is. */
import { texts } from "../../base/page-texts.ts";
import type { Screen } from "../../base/screen-shape.ts";
import { lateView } from "../../parts/late-view.tsx";

export const handoverScreen: Screen = {
  id: "handover",
  path: "handover",
  entry: { title: texts.handover.title, icon: "handover" },
  title: () => texts.handover.title,
  view: lateView(async () => (await import("./handover-screen.tsx")).HandoverView),
};
