/** Copies the prompt on the screen from the palette. */
import { signal } from "@preact/signals";
import { copyText } from "../../base/browser.ts";
import { announce } from "../../base/overlays.ts";
import { texts } from "../../base/page-texts.ts";
import type { Command } from "../../base/screen-shape.ts";

/** What the tab of the prompt can copy. */
interface PromptCopies {
  readonly curl: () => string;
  readonly fixture: () => string;
}

/** The prompt on the screen; undefined while none is shown. */
export const shownPrompt = signal<PromptCopies | undefined>(undefined);

const command = (name: keyof PromptCopies, title: string): Command => ({
  ...{ id: `session.copy.${name}`, title, scope: "session", operation: "getPrompt", needs: ["prompts:read"] },
  when: () => shownPrompt.value !== undefined,
  run: () => {
    const text = shownPrompt.peek()?.[name]();
    if (text !== undefined) void copyText(text).then((done) => announce("copy", done ? texts.copy.done : texts.copy.failed));
  },
});

export const promptCommands: readonly Command[] = [command("curl", texts.prompt.commands.curl), command("fixture", texts.prompt.commands.fixture)];
