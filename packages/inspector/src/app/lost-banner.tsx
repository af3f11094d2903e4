/** Says that the service cannot be reached, and when it is tried again. What was loaded stays on the screen. */
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import { texts } from "../base/page-texts.ts";
import { now } from "../base/browser.ts";
import { lost, retryNow } from "../base/page-service.ts";

export function LostBanner() {
  const [time, setTime] = useState(now());
  const { retryAt } = lost.value ?? {};
  useEffect(() => {
    if (retryAt === undefined) return;
    setTime(now());
    const timer = setInterval(() => setTime(now()), 500);
    return () => clearInterval(timer);
  }, [retryAt]);
  if (retryAt === undefined) return null;
  const seconds = Math.max(0, Math.ceil((retryAt - time) / 1000));
  return (
    <section class="banner" aria-label={texts.lost.label}>
      <Icon name="warning" />
      <p role="alert">{texts.lost.title}</p>
      <p>{texts.lost.countdown(seconds)}</p>
      <button type="button" class="button" onClick={() => void retryNow()}>
        {texts.lost.retry}
      </button>
    </section>
  );
}
