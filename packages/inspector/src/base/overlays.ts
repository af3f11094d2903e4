/** What stands above the screen, and what a screen reader is told. */
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";

/** The dialog that is open: one of the page's own, or one that a screen shows. */
export const overlay = signal<"palette" | "shortcuts" | ComponentType | undefined>(undefined);

/** Opens a dialog of a screen. */
export const openDialog = (view: ComponentType): void => void (overlay.value = view);
/** Closes the dialog at once, so that what follows can move the focus. The event `close` of the browser comes later, when another one may be open. */
export function closeDialog(): void {
  document.querySelector("dialog")?.close();
  overlay.value = undefined;
}

/** The text of the live region. */
export const announcement = signal("");

/** Milliseconds during which announcements are gathered, so that a busy log does not talk all the time. */
const gatherMs = 1_500;
const waiting = new Map<string, string>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Tells a screen reader something. A later text about the same subject replaces one that has not been told yet. */
export function announce(subject: string, text: string): void {
  waiting.set(subject, text);
  timer ??= setTimeout(() => {
    announcement.value = [...waiting.values()].join(" ");
    waiting.clear();
    timer = undefined;
  }, gatherMs);
}
