/** The command palette: every command of the present screen, and the sessions that the words name. */
import { useEffect, useState } from "preact/hooks";
import { KeyCap } from "../parts/key-cap.tsx";
import { texts } from "../base/page-texts.ts";
import { commandsHere } from "./command-list.ts";
import { closeDialog } from "../base/overlays.ts";
import { Dialog } from "../parts/dialog.tsx";
import { reasonOf } from "../base/page-actions.ts";
import { go } from "../base/router.ts";

interface Entry {
  readonly id: string;
  readonly title: string;
  readonly keys?: readonly string[];
  readonly needs?: readonly string[];
  readonly run: () => void;
}

const sessionPattern = /^ses_[0-9a-z]+$/;

/** The entries for what was typed. All words must occur in a title. */
function entriesFor(typed: string): readonly Entry[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found: readonly Entry[] = commandsHere().filter(
    ({ id, title }) => id !== "palette" && words.every((word) => title.toLowerCase().includes(word)),
  );
  const text = typed.trim();
  if (sessionPattern.test(text)) return [{ id: "open", title: texts.palette.openSession(text), run: () => go(`sessions/${text}`) }, ...found];
  return text === "" ? found : [...found, { id: "search", title: texts.palette.searchSessions(text), run: () => go("", { q: text }) }];
}

export function Palette() {
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const entries = entriesFor(typed);
  const at = Math.min(chosen, entries.length - 1);
  useEffect(() => document.getElementById(`palette-${at}`)?.scrollIntoView({ block: "nearest" }), [at]);
  const run = (entry: Entry | undefined): void => {
    if (entry === undefined || reasonOf(entry) !== undefined) return;
    closeDialog();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) setChosen((at + step + entries.length) % Math.max(1, entries.length));
    else if (event.key === "Enter") run(entries[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog label={texts.palette.title} name="palette">
      <input
        type="text"
        role="combobox"
        aria-label={texts.palette.title}
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={entries[at] === undefined ? undefined : `palette-${at}`}
        autofocus
        autocomplete="off"
        spellcheck={false}
        placeholder={texts.palette.placeholder}
        value={typed}
        onInput={(event) => (setTyped(event.currentTarget.value), setChosen(0))}
        onKeyDown={onKeyDown}
      />
      <ul id="palette-list" role="listbox" aria-label={texts.palette.title}>
        {entries.map((entry, index) => (
          <li
            key={entry.id}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            aria-disabled={reasonOf(entry) !== undefined}
            onPointerMove={() => setChosen(index)}
            onClick={() => run(entry)}
          >
            <bdi>{entry.title}</bdi>
            {reasonOf(entry) !== undefined ? (
              <span class="hint">{reasonOf(entry)}</span>
            ) : entry.needs === undefined ? undefined : (
              <span class="needs">{entry.needs.join(" ")}</span>
            )}
            {entry.keys?.[0] === undefined ? undefined : <KeyCap keys={entry.keys} />}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
