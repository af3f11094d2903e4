/** The service itself: its schema and limits, who works, webhooks, keys, and what was audited. */
import { useEffect } from "preact/hooks";
import { texts } from "../../base/page-texts.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { AgentsTab } from "./agents-tab.tsx";
import { AuditTab } from "./audit-tab.tsx";
import { KeysTab } from "./keys-tab.tsx";
import { chooseTab, closeForms, rereadCommand, tabIds, tabNow } from "./operations-keys.ts";
import { PositionsTab } from "./positions-tab.tsx";
import { StatusTab } from "./status-tab.tsx";
import { TurnsTab } from "./turns-tab.tsx";
import { LettersTab, WebhooksTab } from "./webhooks-tab.tsx";

const own = texts.operations;

const views = {
  status: StatusTab,
  turns: TurnsTab,
  webhooks: WebhooksTab,
  letters: LettersTab,
  keys: KeysTab,
  audit: AuditTab,
  positions: PositionsTab,
  agents: AgentsTab,
} as const;

export function OperationsView() {
  const tab = tabNow();
  useEffect(() => closeForms, []);
  const View = views[tab];
  return (
    <div class="screen operations">
      <header class="screen-head">
        <h1>{own.title}</h1>
        <ActionButton command={rereadCommand} />
      </header>
      <Tabs label={own.title} tabs={tabIds.map((id) => ({ id, title: own.tabs[id] }))} chosen={tab} onChoose={chooseTab}>
        <View />
      </Tabs>
    </div>
  );
}
