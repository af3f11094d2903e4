/** The screens of memories, and where they are. */
import { texts } from "../../base/page-texts.ts";
import type { Screen } from "../../base/screen-shape.ts";
import { lateView } from "../../parts/late-view.tsx";

export const memoriesScreen: Screen = {
  id: "memories",
  path: "memory",
  entry: { title: texts.memories.title, icon: "memory" },
  title: () => texts.memories.title,
  view: lateView(async () => (await import("../customer/customers-screen.tsx")).MemoriesView),
};

export const memoryScreen: Screen = {
  id: "memory",
  path: "customers/:customer/memory",
  title: ({ customer }) => texts.memory.title(customer ?? ""),
  view: lateView(async () => (await import("./memory-screen.tsx")).MemoryView),
};
