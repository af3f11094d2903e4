/** The screen of runs and routines, and where it is. */
import { texts } from "../../base/page-texts.ts";
import type { Screen } from "../../base/screen-shape.ts";
import { lateView } from "../../parts/late-view.tsx";

export const runsScreen: Screen = {
  id: "runs",
  path: "runs",
  entry: { title: texts.runs.title, icon: "turn" },
  title: () => texts.runs.title,
  view: lateView(async () => (await import("./runs-screen.tsx")).RunsView),
};
