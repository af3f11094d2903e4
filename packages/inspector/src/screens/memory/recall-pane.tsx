/** The recall tester: what a message would bring into the prompt, found by the retriever that turns use. */
import { useState } from "preact/hooks";
import { client, useLoaded } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { Failure } from "../../parts/notice.tsx";
import { RecallHits } from "../../parts/recall-hits.tsx";
import { choose } from "./memory-keys.ts";

const own = texts.memory;

export function RecallPane({ customer }: { readonly customer: string }) {
  const [text, setText] = useState("");
  const [opening, setOpening] = useState(false);
  const [asked, setAsked] = useState<{ readonly text: string; readonly opening: boolean; readonly time: number } | undefined>(undefined);
  const { value, error } = useLoaded(asked === undefined ? undefined : `${customer} ${JSON.stringify(asked)}`, (signal) =>
    client()
      .customers.memory(customer)
      .recall(asked?.text ?? "", { opening: asked?.opening ?? false, signal }),
  );
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={own.tester}>
      <form
        class="answer"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== "") setAsked({ text, opening, time: (asked?.time ?? 0) + 1 });
        }}
      >
        <label>
          <span>{own.message}</span>
          <input id="recall-text" type="text" autocomplete="off" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <div class="answer-tools">
          <label class="check">
            <input type="checkbox" checked={opening} onChange={(event) => setOpening(event.currentTarget.checked)} />
            {own.opening}
          </label>
          <button type="submit" class="button primary">
            {own.try}
          </button>
        </div>
        <p class="hint">{own.audited}</p>
      </form>
      {error === undefined ? undefined : <Failure error={error} />}
      {value === undefined || asked === undefined ? undefined : (
        <RecallHits
          {...value}
          idOf={(entry_id) => (
            <button type="button" class="link" onClick={() => choose(entry_id)}>
              {entry_id}
            </button>
          )}
        />
      )}
    </div>
  );
}
