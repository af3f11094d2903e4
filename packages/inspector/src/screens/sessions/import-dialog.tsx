/** Imports a bundle: shows what the file holds, then sends it. */
import { useState } from "preact/hooks";
import { act } from "../../base/page-actions.ts";
import { announce, closeDialog } from "../../base/overlays.ts";
import { client } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { go } from "../../base/router.ts";
import { ActionDialog } from "../../parts/action-dialog.tsx";
import { oneLine } from "../../parts/long-text.tsx";
import { Facts } from "../../parts/record-panes.tsx";
import { Moment } from "../../parts/time.tsx";
import { type BundlePreview, previewOf } from "./bundle-preview.ts";

const own = texts.sessions.import;
/** The largest file that the page reads, in bytes. */
const mostBytes = 64 * 1024 * 1024;
/** Sessions that are listed. */
const mostListed = 10;

/** A file that can be sent. */
interface Chosen {
  readonly text: string;
  readonly preview: BundlePreview;
}

export function ImportDialog() {
  const [chosen, setChosen] = useState<Chosen | string | undefined>(undefined);
  const choose = async (file: File | undefined): Promise<void> => {
    setChosen(undefined);
    if (file === undefined) return;
    if (file.size > mostBytes) return setChosen(own.faults.large);
    try {
      const text = await file.text();
      const preview = previewOf(text);
      setChosen(typeof preview === "string" ? preview : { text, preview });
    } catch {
      setChosen(own.faults.unreadable);
    }
  };
  const send = async (): Promise<void> => {
    if (chosen === undefined || typeof chosen === "string") return;
    let ids: readonly string[] = [];
    const succeeded = await act("sessions.import", async () => {
      ids = Object.values((await client().sessions.import(chosen.text)).sessions);
    });
    if (!succeeded) return;
    closeDialog();
    announce("action", own.done(ids.length));
    const [first] = ids;
    if (first !== undefined && ids.length === 1) go(`sessions/${first}`);
  };
  return (
    <ActionDialog
      title={own.title}
      text={own.text}
      action={own.action}
      command={{ needs: ["admin"] }}
      disabled={chosen === undefined || typeof chosen === "string"}
      onSubmit={() => void send()}
    >
      <label class="field">
        <span>{own.file}</span>
        <input type="file" accept=".jsonl,.ndjson" autofocus onChange={(event) => void choose(event.currentTarget.files?.[0])} />
      </label>
      {chosen === undefined ? undefined : typeof chosen === "string" ? (
        <p class="fault" role="alert">
          {chosen}
        </p>
      ) : (
        <Preview preview={chosen.preview} />
      )}
    </ActionDialog>
  );
}

const Preview = ({ preview: { customer, exportedAt, sessions, events, entries } }: { readonly preview: BundlePreview }) => (
  <section class="effects" aria-label={own.holds}>
    <Facts
      facts={[
        [own.customer, customer === undefined ? texts.anonymous : oneLine(customer, 80)],
        exportedAt === undefined ? undefined : [own.exported, <Moment at={exportedAt} />],
        [own.sessions, sessions.length],
        [own.events, events],
        [own.entries, entries],
      ]}
    />
    <ul>
      {sessions.slice(0, mostListed).map(({ id, title, agent, events: count }) => (
        <li key={id}>
          <bdi>{title === undefined ? id : oneLine(title, 80)}</bdi>
          <span class="faint">
            <bdi>{oneLine(agent, 80)}</bdi> {texts.compare.events(count)}
          </span>
        </li>
      ))}
    </ul>
    {sessions.length > mostListed ? <p class="hint">{own.more(sessions.length - mostListed)}</p> : undefined}
    {customer === undefined ? undefined : <p class="hint">{sessions.length === 1 ? own.joins : own.alone}</p>}
  </section>
);
