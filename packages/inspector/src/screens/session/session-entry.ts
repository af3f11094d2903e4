/** The screen of a session, and where it is. */
import { texts } from "../../base/page-texts.ts";
import type { Screen } from "../../base/screen-shape.ts";
import { lateView } from "../../parts/late-view.tsx";

export const sessionScreen: Screen = {
  id: "session",
  path: "sessions/:session",
  title: ({ session }) => texts.session.title(session ?? ""),
  view: lateView(async () => (await import("./session-screen.tsx")).SessionView),
};
