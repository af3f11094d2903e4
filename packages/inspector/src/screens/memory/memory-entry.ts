/** The screen of a memory, and where it is. */
import { texts } from "../../base/page-texts.ts";
import type { Screen } from "../../base/screen-shape.ts";
import { lateView } from "../../parts/late-view.tsx";

export const memoryScreen: Screen = {
  id: "memory",
  path: "customers/:customer/memory",
  title: ({ customer }) => texts.memory.title(customer ?? ""),
  view: lateView(async () => (await import("./memory-screen.tsx")).MemoryView),
};
