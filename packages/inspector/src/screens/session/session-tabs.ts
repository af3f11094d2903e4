/** The tabs of a session. A new tab is one line here, and its id in `session-keys.ts`. */
import type { ComponentType } from "preact";
import { DiffTab } from "./diff-tab.tsx";
import { LogTab } from "./log-tab.tsx";
import type { TabId } from "./session-keys.ts";
import type { TabProps } from "./live-session.ts";
import { PromptTab } from "./prompt-tab.tsx";
import { RecallTab } from "./recall-tab.tsx";
import { SafetyTab } from "./safety-tab.tsx";
import { StateTab } from "./state-tab.tsx";
import { ToolsTab } from "./tools-tab.tsx";
import { WaterfallTab } from "./waterfall-tab.tsx";

export const tabViews: Readonly<Record<TabId, ComponentType<TabProps>>> = {
  state: StateTab,
  diff: DiffTab,
  prompt: PromptTab,
  recall: RecallTab,
  safety: SafetyTab,
  tools: ToolsTab,
  waterfall: WaterfallTab,
  log: LogTab,
};
