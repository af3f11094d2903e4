/** Commands of one session: moving through its log and its tabs. */
import { effect, signal } from "@preact/signals";
import { changeQuery, go, place, type QueryChange } from "../../base/router.ts";
import type { Command } from "../../base/screen-shape.ts";
import { texts } from "../../base/page-texts.ts";
import type { LiveSession } from "./live-session.ts";
import type { Line } from "../../parts/event-line.ts";
import { type Rows, rowsOf } from "./log-rows.ts";

/** The session on the screen. */
export const current = signal<LiveSession | undefined>(undefined);
/** The rows that are moved through: those of the timeline after its filter, or the entries of the conversation. */
export const shown = signal<Rows>(rowsOf([]));

/** The tabs of a session, in the order of their keys. */
export const tabIds = ["state", "diff", "prompt", "recall", "safety", "tools", "waterfall", "log"] as const;
export type TabId = (typeof tabIds)[number];

/** The filter of the list of sessions, as the list was left. */
export const listed = signal<QueryChange>({});
effect(() => {
  if (place.value.path === "") listed.value = place.value.query;
});

/** The offset in the address; undefined while the view follows the end of the log. */
export function addressedOffset(): number | undefined {
  const { at } = place.value.query;
  return at !== undefined && /^\d{1,12}$/.test(at) ? Number(at) : undefined;
}

/** The offset that is looked at. */
export const offsetNow = (): number => Math.min(addressedOffset() ?? Number.MAX_SAFE_INTEGER, current.value?.head.value ?? 0);

/** Looks at an offset. Steps replace each other in the history; a choice can be left with back. */
export const lookAt = (offset: number, options?: { readonly replace?: boolean }): void => changeQuery({ at: Math.max(0, offset) }, options);

export const followEnd = (): void => changeQuery({ at: undefined });

const step = { replace: true } as const;

/** Moves by rows of the timeline. */
function move(by: number): void {
  const rows = shown.peek();
  const index = Math.max(0, Math.min(rows.count - 1, rows.indexOf(offsetNow()) + by));
  const offset = rows.at(index)?.offset ?? (rows.count === 0 ? undefined : current.peek()?.log.offsetOf(index));
  if (offset !== undefined) lookAt(offset, step);
}

let seeks = 0;

/** Moves to the next event in a direction that fits. Pages on the way are read, unless the person moves on. */
function seek(by: 1 | -1, fits: (line: Line) => boolean): void {
  const session = current.peek();
  const from = offsetNow();
  const own = ++seeks;
  const find = async (): Promise<void> => {
    const line = await session?.log.find(from, by, fits);
    if (line !== undefined && own === seeks && session === current.peek() && offsetNow() === from) lookAt(line.offset, step);
  };
  find().catch((error: unknown) => session?.fail(error));
}

export const seekState = (by: 1 | -1): void => seek(by, ({ kind }) => kind === "state");
const isTurnStart = ({ kind, type }: Line): boolean => kind === "turn" && type === "started";

export const chooseTab = (tab: string): void => changeQuery({ tab: tab === tabIds[0] ? undefined : tab });

const scope = "session";
const { commands } = texts.session;

export const sessionCommands: readonly Command[] = [
  { id: "session.next", title: commands.next, keys: ["j", "ArrowDown"], scope, run: () => move(1) },
  { id: "session.previous", title: commands.previous, keys: ["k", "ArrowUp"], scope, run: () => move(-1) },
  { id: "session.nextTurn", title: commands.nextTurn, keys: ["J"], scope, run: () => seek(1, isTurnStart) },
  { id: "session.previousTurn", title: commands.previousTurn, keys: ["K"], scope, run: () => seek(-1, isTurnStart) },
  {
    id: "session.first",
    title: commands.first,
    keys: ["g", "Home"],
    scope,
    run: () => lookAt(shown.peek() === current.peek()?.log ? (current.peek()?.log.first ?? 0) : (shown.peek().at(0)?.offset ?? 0)),
  },
  { id: "session.last", title: commands.last, keys: ["G", "End"], scope, run: () => lookAt(current.peek()?.head.peek() ?? 0) },
  { id: "session.previousState", title: commands.previousState, keys: ["["], scope, run: () => seekState(-1) },
  { id: "session.nextState", title: commands.nextState, keys: ["]"], scope, run: () => seekState(1) },
  { id: "session.live", title: commands.live, keys: ["l"], scope, run: followEnd },
  {
    id: "session.log",
    title: commands.toggle,
    keys: ["t"],
    scope,
    run: () => changeQuery({ log: place.peek().query["log"] === "timeline" ? undefined : "timeline" }),
  },
  {
    id: "session.filter",
    title: commands.filter,
    keys: ["/"],
    scope,
    run: () => {
      const focus = (): boolean => {
        const field = document.getElementById("event-filter");
        field?.focus();
        return field !== null;
      };
      if (focus()) return;
      changeQuery({ log: "timeline" });
      requestAnimationFrame(focus);
    },
  },
  { id: "session.diff", title: commands.diff, keys: ["d"], scope, operation: "getState", run: () => chooseTab("diff") },
  ...tabIds.map((tab, index) => ({
    id: `session.tab.${tab}`,
    title: commands.tab(texts.session.tabs[tab]),
    keys: [String(index + 1)],
    scope,
    run: () => chooseTab(tab),
  })),
  {
    ...{ id: "session.webhooks", title: commands.webhooks, scope, operation: "listSessionWebhooks", needs: ["webhooks"] },
    run: () => go("operations", { tab: "positions", session: current.peek()?.id }),
  },
  { id: "session.back", title: commands.back, keys: ["Escape"], scope, run: () => go("", listed.peek()) },
];
