/** The screen that compares, and where it is. */
import { texts } from "../../base/page-texts.ts";
import type { Screen } from "../../base/screen-shape.ts";
import { lateView } from "../../parts/late-view.tsx";

export const compareScreen: Screen = {
  id: "compare",
  path: "sessions/:session/compare",
  title: ({ session }) => texts.compare.title(session ?? ""),
  view: lateView(async () => (await import("./compare-screen.tsx")).CompareView),
};
