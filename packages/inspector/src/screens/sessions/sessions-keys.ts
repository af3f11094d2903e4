/** Commands of the list of sessions. */
import { signal } from "@preact/signals";
import type { Command } from "../../base/screen-shape.ts";
import { changeQuery, go } from "../../base/router.ts";
import { texts } from "../../base/page-texts.ts";
import { importCommand } from "./import-command.ts";
import { readUsage, usageOf, usageScopes } from "./session-figures.ts";
import type { ListedSession } from "./session-pages.ts";

/** The sessions on the screen, and the selected one. */
export const listed = signal<readonly ListedSession[]>([]);
export const chosen = signal(0);

const choose = (index: number): void => void (chosen.value = Math.max(0, Math.min(listed.peek().length - 1, index)));

/** Opens a session at the place where its words were found, if they were searched for. */
export function openSession(session: ListedSession | undefined): void {
  if (session !== undefined) go(`sessions/${session.id}`, { at: session.match?.offset });
}

const scope = "sessions";
const { commands } = texts.sessions;

export const sessionsCommands: readonly Command[] = [
  { id: "sessions.next", title: commands.next, keys: ["j", "ArrowDown"], scope, run: () => choose(chosen.peek() + 1) },
  { id: "sessions.previous", title: commands.previous, keys: ["k", "ArrowUp"], scope, run: () => choose(chosen.peek() - 1) },
  { id: "sessions.first", title: commands.first, keys: ["g", "Home"], scope, run: () => choose(0) },
  { id: "sessions.last", title: commands.last, keys: ["G", "End"], scope, run: () => choose(listed.peek().length - 1) },
  {
    id: "sessions.open",
    title: commands.open,
    keys: ["Enter"],
    scope,
    operation: "getSession",
    run: () => openSession(listed.peek()[chosen.peek()]),
  },
  {
    ...{ id: "sessions.usage", title: commands.usage, keys: ["u"], scope, operation: "getSessionUsage", needs: usageScopes },
    when: () => {
      const session = listed.value[chosen.value];
      return session !== undefined && usageOf(session) === undefined;
    },
    run: () => void readUsage(listed.peek()[chosen.peek()]),
  },
  { id: "sessions.filter", title: commands.filter, keys: ["/"], scope, run: () => document.getElementById("session-filter")?.focus() },
  {
    id: "sessions.clear",
    title: commands.clear,
    keys: ["Escape"],
    scope,
    when: () => new URLSearchParams(location.search).has("q"),
    run: () => changeQuery({ q: undefined }),
  },
  importCommand,
];
