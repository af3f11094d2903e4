/** A secret that the service shows once. It leaves the page when it is closed, and with the tab. */
import { texts } from "../../base/page-texts.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { shownSecret } from "./operations-keys.ts";

const own = texts.operations.secret;

export function OneTimeSecret() {
  const { value: shown } = shownSecret;
  if (shown === undefined) return null;
  return (
    <section class="answer secret" aria-label={own.label}>
      <h2>
        <bdi>{shown.title}</bdi>
      </h2>
      <p role="status">{own.once}</p>
      <code>{shown.secret}</code>
      <div class="answer-tools">
        <CopyButton label={own.copy} text={() => shown.secret} />
        <button type="button" class="button" onClick={() => (shownSecret.value = undefined)}>
          {own.close}
        </button>
      </div>
    </section>
  );
}
