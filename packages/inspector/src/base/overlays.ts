/** What stands above the screen, and what a screen reader is told. */
import { signal } from "@preact/signals";

/** The dialog that is open. */
export const overlay = signal<"palette" | "shortcuts" | undefined>(undefined);

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
