/** Moves through the offsets of a log, and back to its end. */
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../../parts/icon.tsx";
import { texts } from "../../base/page-texts.ts";
import { followEnd, lookAt, seekState } from "./session-keys.ts";
import type { LiveSession } from "./live-session.ts";

interface ScrubberProps {
  readonly view: LiveSession;
  readonly at: number;
  readonly follows: boolean;
}

export function Scrubber({ view, at, follows }: ScrubberProps) {
  const { value: head } = view.head;
  const seen = useRef(head);
  useEffect(() => {
    if (follows) seen.current = head;
  }, [follows, head]);
  const fresh = follows ? 0 : Math.max(0, head - seen.current);
  return (
    <div class="scrubber">
      <button type="button" class="icon-button" onClick={() => seekState(-1)} aria-label={texts.session.commands.previousState} aria-keyshortcuts="[">
        <Icon name="back" />
      </button>
      <input
        type="range"
        min={0}
        max={head}
        value={at}
        aria-label={texts.session.scrubber}
        aria-valuetext={texts.session.offsetOf(at, head)}
        onInput={(event) => lookAt(Number(event.currentTarget.value), { replace: true })}
      />
      <button type="button" class="icon-button" onClick={() => seekState(1)} aria-label={texts.session.commands.nextState} aria-keyshortcuts="]">
        <Icon name="forward" />
      </button>
      <output class="offset">{texts.session.offsetOf(at, head)}</output>
      <button type="button" class="chip live" aria-pressed={follows} onClick={followEnd}>
        <Icon name="live" />
        {fresh === 0 ? texts.session.live : texts.session.fresh(fresh)}
      </button>
    </div>
  );
}
