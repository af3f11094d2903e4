/** Who answers in a session: the agent, nobody yet, or a person. */
import type { WireSession } from "@throughline/client";
import { texts } from "../base/page-texts.ts";
import { Icon } from "./icon.tsx";

export function Responder({ mode, handover }: Pick<WireSession, "mode"> & { readonly handover: WireSession["handover"] | undefined }) {
  if (mode === "auto")
    return (
      <span class="responder agent">
        <Icon name="agent" />
        {texts.responder.agent}
      </span>
    );
  const waits = handover?.operator === undefined;
  return (
    <span class={`responder ${waits ? "waiting" : "person"}`}>
      <Icon name={waits ? "warning" : "person"} />
      {waits ? texts.responder.waiting : <bdi>{handover.operator}</bdi>}
      {handover?.alert === undefined ? undefined : (
        <span class="alert" title={texts.responder.alertHint}>
          {texts.responder.alert(handover.alert)}
        </span>
      )}
    </span>
  );
}
