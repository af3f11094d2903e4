/** Commands of a customer's memory. */
import { signal } from "@preact/signals";
import type { ResultOf } from "@throughline/client";
import { announce } from "../../base/overlays.ts";
import { act, actionFailure } from "../../base/page-actions.ts";
import { client } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { changeQuery, go, place } from "../../base/router.ts";
import type { Command } from "../../base/screen-shape.ts";
import { entryKinds, isHidden, isPinned, type MemoryEntry } from "./memory-entries.ts";

/** The customer, the entries of the list and the chosen one. */
export const owner = signal("");
export const listed = signal<readonly MemoryEntry[]>([]);
export const chosen = signal<MemoryEntry | undefined>(undefined);
/** Raised to read the memory again. */
export const reads = signal(0);

/** The correction that is being written; undefined while its form is closed. */
export const correction = signal<{ readonly object: string; readonly reason: string } | undefined>(undefined);
/** Whether forgetting the chosen entry is to be confirmed, and whether the texts of its messages go too. */
export const forgetting = signal(false);
export const withMessages = signal(false);
/** What the last forgetting removed. */
export const forgotten = signal<ResultOf<"forgetCustomerMemory"> | undefined>(undefined);

const own = texts.memory;

/** Closes the forms of an entry. */
export function closeForms(): void {
  correction.value = undefined;
  forgetting.value = false;
  withMessages.value = false;
  actionFailure.value = undefined;
}

export function choose(entry_id: string | undefined): void {
  closeForms();
  forgotten.value = undefined;
  changeQuery({ entry: entry_id, view: undefined }, { replace: true });
}

function move(by: number): void {
  const entries = listed.peek();
  const at = entries.findIndex(({ entry_id }) => entry_id === place.peek().query["entry"]);
  const next = entries[Math.max(0, Math.min(entries.length - 1, at < 0 ? 0 : at + by))];
  if (next !== undefined) choose(next.entry_id);
}

/** Runs an action on the chosen entry, based on the version on the screen, and reads the memory again. */
async function actOn(
  id: string,
  done: string,
  work: (entry: MemoryEntry, memory: ReturnType<typeof memoryOf>) => Promise<unknown>,
): Promise<boolean> {
  const entry = chosen.peek();
  if (entry === undefined) return false;
  const succeeded = await act(id, () => work(entry, memoryOf()));
  if (succeeded) announce("memory", done);
  reads.value += 1;
  return succeeded;
}

const memoryOf = () => client().customers.memory(owner.peek());

async function correct(): Promise<void> {
  const written = correction.peek();
  if (written === undefined || written.object.trim() === "") return document.getElementById("correction")?.focus();
  const change = { object: written.object.trim(), ...(written.reason.trim() === "" ? {} : { reason: written.reason.trim() }) };
  let next: string | undefined;
  const succeeded = await actOn("memory.correct", own.corrected, async ({ entry_id, version }, memory) => {
    next = (await memory.correct(entry_id, change, { ifVersion: version })).entry_id;
  });
  if (succeeded) choose(next);
}

async function forget(): Promise<void> {
  const messages = withMessages.peek();
  const succeeded = await actOn("memory.forget", own.forgotten, async ({ entry_id }, memory) => {
    const report = await memory.forget([entry_id], { messages });
    choose(undefined);
    forgotten.value = report;
  });
  if (succeeded) forgetting.value = false;
}

const scope = "memory";
const { commands } = own;
const needs = ["memory:write"];
const inForce = (): boolean => chosen.value?.in_force === true;
/** Focuses an element, at once or when it has been drawn. */
function focusSoon(id: string): void {
  const element = document.getElementById(id);
  if (element === null) requestAnimationFrame(() => document.getElementById(id)?.focus());
  else element.focus();
}

export const pinCommand: Command = {
  ...{ id: "memory.pin", keys: ["p"], scope, operation: "markCustomerMemoryEntry", needs },
  get title() {
    return chosen.value !== undefined && isPinned(chosen.value) ? commands.unpin : commands.pin;
  },
  when: inForce,
  run: () => void actOn("memory.pin", own.marked, (entry, memory) => memory.pin(entry.entry_id, !isPinned(entry), { ifVersion: entry.version })),
};
export const hideCommand: Command = {
  ...{ id: "memory.hide", keys: ["n"], scope, operation: "markCustomerMemoryEntry", needs },
  get title() {
    return chosen.value !== undefined && isHidden(chosen.value) ? commands.show : commands.hide;
  },
  when: () => inForce() && chosen.value?.kind !== "rule",
  run: () =>
    void actOn("memory.hide", own.marked, (entry, memory) => memory.neverRecall(entry.entry_id, !isHidden(entry), { ifVersion: entry.version })),
};
export const correctCommand: Command = {
  ...{ id: "memory.edit", title: commands.correct, keys: ["e"], scope, operation: "correctCustomerMemoryEntry", needs },
  when: () => inForce() && chosen.value?.kind === "fact" && correction.value === undefined,
  run: () => {
    closeForms();
    const { entry } = chosen.peek() ?? {};
    correction.value = { object: entry !== undefined && "object" in entry ? entry.object.id : "", reason: "" };
    focusSoon("correction");
  },
};
export const saveCommand: Command = {
  ...{ id: "memory.correct", title: commands.save, keys: ["mod+enter"], scope, operation: "correctCustomerMemoryEntry", needs },
  when: () => correction.value !== undefined,
  run: () => void correct(),
};
export const forgetCommand: Command = {
  ...{ id: "memory.askForget", title: commands.forget, keys: ["x"], scope, operation: "forgetCustomerMemory", needs },
  when: () => chosen.value !== undefined && !forgetting.value,
  run: () => {
    closeForms();
    forgetting.value = true;
    focusSoon("forget");
  },
};
export const confirmCommand: Command = {
  ...{ id: "memory.forget", title: commands.confirm, scope, operation: "forgetCustomerMemory" },
  get needs() {
    return withMessages.value ? [...needs, "erase"] : needs;
  },
  when: () => forgetting.value,
  run: () => void forget(),
};
export const testerCommand: Command = {
  ...{ id: "memory.tester", title: commands.tester, keys: ["t"], scope, operation: "recallCustomerMemory", needs: ["memory:read"] },
  run: () => {
    changeQuery({ view: "recall" });
    focusSoon("recall-text");
  },
};

export const memoryCommands: readonly Command[] = [
  { id: "memory.next", title: commands.next, keys: ["j", "ArrowDown"], scope, run: () => move(1) },
  { id: "memory.previous", title: commands.previous, keys: ["k", "ArrowUp"], scope, run: () => move(-1) },
  { id: "memory.search", title: commands.search, keys: ["/"], scope, operation: "findCustomerMemory", run: () => focusSoon("memory-words") },
  { id: "memory.all", title: own.kinds.all, keys: ["0"], scope, run: () => changeQuery({ kind: undefined }) },
  ...entryKinds.map((kind, index) => ({
    ...{ id: `memory.${kind}`, title: commands.kind(own.kinds[kind]), keys: [String(index + 1)], scope },
    run: () => changeQuery({ kind }),
  })),
  {
    ...{ id: "memory.history", title: commands.history, keys: ["h"], scope },
    run: () => changeQuery({ all: place.peek().query["all"] === undefined ? 1 : undefined }),
  },
  pinCommand,
  hideCommand,
  correctCommand,
  saveCommand,
  forgetCommand,
  confirmCommand,
  testerCommand,
  {
    ...{ id: "memory.back", title: commands.back, keys: ["Escape"], scope },
    run: () => {
      if (correction.peek() !== undefined || forgetting.peek()) closeForms();
      else go(`customers/${encodeURIComponent(owner.peek())}`);
    },
  },
];
