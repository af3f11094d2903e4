/** The event at an offset, as the service returns it. */
import { CopyButton } from "../../parts/copy-button.tsx";
import { LongText } from "../../parts/long-text.tsx";
import { EmptyState } from "../../parts/notice.tsx";
import { texts } from "../../base/page-texts.ts";
import type { TabProps } from "./live-session.ts";
import { useWhole } from "./turn-at.ts";

export function LogTab({ session, at }: TabProps) {
  void session.log.version.value;
  const line = session.log.at(session.log.indexOf(at));
  const [event] = useWhole(session, line === undefined ? [] : [line]).events;
  if (event === undefined)
    return line === undefined ? <EmptyState title={texts.log.none.title} text={texts.log.none.text} /> : <p class="waiting">{texts.loading}</p>;
  const { kind, source, trace_id, turn_id, id, offset } = event;
  const text = JSON.stringify(event, null, 2);
  const facts = [
    [texts.log.offset, String(offset)],
    [texts.log.kind, texts.kinds[kind]],
    [texts.log.source, texts.sources[source]],
    [texts.log.turn, turn_id ?? "–"],
    [texts.log.trace, trace_id],
    [texts.log.id, id],
  ] as const;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={texts.session.tabs.log}>
      <div class="pane-tools">
        <CopyButton label={texts.log.copy} text={() => text} />
        <CopyButton label={texts.log.copyTrace} text={() => trace_id} />
      </div>
      <dl class="event-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      <LongText key={id} text={text} code />
    </div>
  );
}
