/** Copies what a tab shows, from the palette. */
import { type Signal, signal } from "@preact/signals";
import { copyText } from "../../base/browser.ts";
import { announce } from "../../base/overlays.ts";
import { texts } from "../../base/page-texts.ts";
import type { Command } from "../../base/screen-shape.ts";

/** A text that a tab offers to copy; undefined while it does not show it. */
type Copy = Signal<(() => string) | undefined>;

export const promptAsCurl: Copy = signal(undefined);
export const promptAsFixture: Copy = signal(undefined);
export const differenceAsPatch: Copy = signal(undefined);

const command = (name: string, title: string, copy: Copy): Command => ({
  ...{ id: `session.copy.${name}`, title, scope: "session" },
  when: () => copy.value !== undefined,
  run: () => {
    const text = copy.peek()?.();
    if (text !== undefined) void copyText(text).then((done) => announce("copy", done ? texts.copy.done : texts.copy.failed));
  },
});

export const copyCommands: readonly Command[] = [
  { ...command("curl", texts.prompt.commands.curl, promptAsCurl), operation: "getPrompt", needs: ["prompts:read"] },
  { ...command("fixture", texts.prompt.commands.fixture, promptAsFixture), operation: "getPrompt", needs: ["prompts:read"] },
  { ...command("patch", texts.diff.command, differenceAsPatch), operation: "getState" },
];
