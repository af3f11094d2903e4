/** Runs commands by their keys. No key acts while a person types, except those with Ctrl or ⌘. */
import { commandsHere } from "./command-list.ts";
import { announce, overlay } from "../base/overlays.ts";
import { reasonOf } from "../base/page-actions.ts";

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("input:not([type=range]), textarea, select"));

/** The key of an event as commands name it. */
const nameOf = ({ key, ctrlKey, metaKey }: KeyboardEvent): string => (ctrlKey || metaKey ? `mod+${key.toLowerCase()}` : key);

/** Starts listening. */
export function startShortcuts(): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    const name = nameOf(event);
    if (overlay.peek() !== undefined) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape" && event.target instanceof HTMLElement) event.target.blur();
      if (!name.startsWith("mod+")) return;
    }
    // A focused button or tab acts on these keys itself.
    if ((name === "Enter" || name === " ") && event.target instanceof HTMLElement && event.target.matches("button, a, [role=tab]")) return;
    const command = commandsHere().find(({ keys }) => keys?.includes(name));
    if (command === undefined) return;
    event.preventDefault();
    const reason = reasonOf(command);
    if (reason === undefined) command.run();
    else announce("scope", reason);
  });
}
