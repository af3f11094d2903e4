/** Commands of runs and routines. */
import { signal } from "@preact/signals";
import { announce } from "../../base/overlays.ts";
import { act, actionFailure } from "../../base/page-actions.ts";
import { client } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { changeQuery, go, place } from "../../base/router.ts";
import type { Command } from "../../base/screen-shape.ts";
import { moveChoice } from "../../parts/record-panes.tsx";
import { isOpen, type Run, runStatuses } from "./run-details.ts";

/** The tabs, in the order of their keys. */
export const tabIds = ["runs", "routines"] as const;

/** Raised to read the list and the chosen run again. */
export const reads = signal(0);
/** The run on the screen. */
export const chosenRun = signal<Run | undefined>(undefined);
/** Whether cancelling it is to be confirmed. */
export const cancelling = signal(false);
/** The address to which its end is to be sent; undefined while the form is closed. */
export const callbackUrl = signal<string | undefined>(undefined);

const own = texts.runs;

export function closeForms(): void {
  cancelling.value = false;
  callbackUrl.value = undefined;
  actionFailure.value = undefined;
}

/** The tab in the address. */
export const tabNow = (): (typeof tabIds)[number] => tabIds.find((id) => id === place.value.query["tab"]) ?? "runs";

export function chooseTab(tab: string): void {
  closeForms();
  changeQuery({ tab: tab === tabIds[0] ? undefined : tab, item: undefined });
}

async function cancel(): Promise<void> {
  const { id } = chosenRun.peek() ?? {};
  if (id === undefined) return;
  if (await act("runs.cancel", () => client().runs.cancel(id))) announce("runs", own.cancelled);
  cancelling.value = false;
  reads.value += 1;
}

async function resend(): Promise<void> {
  const { id } = chosenRun.peek() ?? {};
  const callback_url = callbackUrl.peek()?.trim() ?? "";
  if (id === undefined || callback_url === "") return;
  if (await act("runs.resend", () => client().runs.resend(id, { callback_url }))) {
    announce("runs", own.resent);
    callbackUrl.value = undefined;
  }
  reads.value += 1;
}

const scope = "runs";
const needs = ["sessions:write"];
const { commands } = own;
const canCancel = (): boolean => chosenRun.value !== undefined && isOpen(chosenRun.value);

export const cancelCommand: Command = {
  ...{ id: "runs.askCancel", title: commands.cancel, keys: ["x"], scope, operation: "cancelRun", needs },
  when: () => canCancel() && !cancelling.value,
  run: () => {
    closeForms();
    cancelling.value = true;
    requestAnimationFrame(() => document.getElementById("cancel-run")?.focus());
  },
};
export const confirmCommand: Command = {
  ...{ id: "runs.cancel", title: commands.confirm, scope, operation: "cancelRun", needs },
  when: () => canCancel() && cancelling.value,
  run: () => void cancel(),
};
export const askResendCommand: Command = {
  ...{ id: "runs.askResend", keys: ["s"], scope, operation: "resendRun", needs },
  get title() {
    return chosenRun.value !== undefined && chosenRun.value.callback === undefined ? commands.send : commands.resend;
  },
  // One that is being sent keeps its address.
  when: () => chosenRun.value?.finished_at !== undefined && chosenRun.value.callback?.status !== "pending" && callbackUrl.value === undefined,
  run: () => {
    closeForms();
    callbackUrl.value = "";
    requestAnimationFrame(() => document.getElementById("callback-url")?.focus());
  },
};
export const resendCommand: Command = {
  ...{ id: "runs.resend", title: commands.sendNow, scope, operation: "resendRun", needs },
  when: () => callbackUrl.value !== undefined && callbackUrl.value.trim() !== "",
  run: () => void resend(),
};
export const rereadCommand: Command = { id: "runs.reread", title: commands.reread, keys: ["r"], scope, run: () => void (reads.value += 1) };

export const runsCommands: readonly Command[] = [
  { id: "runs", title: texts.commands.runs, scope: "everywhere", operation: "listRuns", needs: ["sessions:read"], run: () => go("runs") },
  ...tabIds.map((tab, index) => ({
    ...{ id: `runs.${tab}`, title: commands.tab(own.tabs[tab]), keys: [String(index + 1)], scope },
    run: () => chooseTab(tab),
  })),
  { id: "runs.next", title: commands.next, keys: ["j", "ArrowDown"], scope, run: () => moveChoice(1) },
  { id: "runs.previous", title: commands.previous, keys: ["k", "ArrowUp"], scope, run: () => moveChoice(-1) },
  { id: "runs.filter", title: commands.filter, keys: ["/"], scope, run: () => document.getElementById("run-routine")?.focus() },
  ...[undefined, ...runStatuses].map((status) => ({
    ...{ id: `runs.status.${status ?? "all"}`, title: commands.status(own.statuses[status ?? "all"]), scope },
    run: () => changeQuery({ tab: undefined, status, item: undefined }),
  })),
  {
    ...{ id: "runs.session", title: commands.session, keys: ["Enter"], scope, operation: "getSession", when: () => chosenRun.value !== undefined },
    run: () => go(`sessions/${chosenRun.peek()?.session_id ?? ""}`),
  },
  cancelCommand,
  confirmCommand,
  askResendCommand,
  resendCommand,
  rereadCommand,
  { id: "runs.close", title: commands.close, keys: ["Escape"], scope, run: closeForms },
];
