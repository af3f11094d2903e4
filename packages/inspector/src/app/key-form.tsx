/** Asks for an API key, or says what happened to a one-time link. */
import { useState } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import { texts } from "../base/page-texts.ts";
import { gate, useKey } from "../base/page-access.ts";

export function KeyForm() {
  const [typed, setTyped] = useState("");
  const why = gate.value;
  if (why === "checking" || why === "open") return <p class="waiting">{texts.access.checking}</p>;
  const submit = (event: Event): void => {
    event.preventDefault();
    if (typed.trim() !== "") useKey(typed.trim());
  };
  return (
    <form class="card key-form" onSubmit={submit}>
      <Icon name="key" />
      <h1>{texts.access.title}</h1>
      <p>{texts.access[why]}</p>
      <label>
        <span>{texts.access.label}</span>
        <input
          type="password"
          name="key"
          autocomplete="off"
          spellcheck={false}
          required
          value={typed}
          placeholder="tl_live_…"
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button primary">
        {texts.access.submit}
      </button>
      <p class="hint">{texts.access.hint}</p>
    </form>
  );
}
