/** Commands of the operations: what can be done with the chosen webhook, dead letter and API key. */
import { signal } from "@preact/signals";
import type { BodyFor, ResultOf } from "@throughline/client";
import { now } from "../../base/browser.ts";
import { announce } from "../../base/overlays.ts";
import { key, useKey } from "../../base/page-access.ts";
import { act, actionFailure } from "../../base/page-actions.ts";
import { client } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { changeQuery, go, place } from "../../base/router.ts";
import type { Command } from "../../base/screen-shape.ts";
import { chooseRecord, moveChoice } from "../../parts/record-panes.tsx";

export type Webhook = ResultOf<"listWebhooks">["items"][number];
export type DeadLetter = ResultOf<"listDeadLetters">["items"][number];
export type ApiKey = ResultOf<"listKeys">["items"][number];
export type KeyScope = BodyFor<"createKey">["scopes"][number];

/** The tabs, in the order of their keys. */
export const tabIds = ["status", "turns", "webhooks", "letters", "keys", "audit", "positions", "agents"] as const;
export type TabId = (typeof tabIds)[number];

/** The tab in the address. */
export const tabNow = (): TabId => tabIds.find((id) => id === place.value.query["tab"]) ?? "status";

/** Raised to read the tab again. */
export const reads = signal(0);
/** What the actions are about. */
export const chosenWebhook = signal<Webhook | undefined>(undefined);
export const chosenLetter = signal<DeadLetter | undefined>(undefined);
export const chosenKey = signal<ApiKey | undefined>(undefined);
/** A secret that the service shows once, and what it is. */
export const shownSecret = signal<{ readonly title: string; readonly secret: string } | undefined>(undefined);

/** The key that is being created; undefined while its form is closed. */
export const newKey = signal<{ readonly name: string; readonly scopes: readonly KeyScope[]; readonly days: string } | undefined>(undefined);
/** What is wrong with it. */
export const newKeyFault = signal<string | undefined>(undefined);
/** Whether revoking the chosen key is to be confirmed. */
export const revoking = signal(false);

/** All scopes. The type says if one is missing. */
const scopeSet: Readonly<Record<KeyScope, true>> = {
  ...{
    "sessions:read": true,
    "sessions:write": true,
    "customers:read": true,
    "customers:write": true,
    "metadata:read": true,
    "metadata:write": true,
  },
  ...{ "state:read": true, "state:write": true, "memory:read": true, "memory:write": true, "prompts:read": true, handover: true, "usage:read": true },
  ...{ "safety:read": true, webhooks: true, tokens: true, export: true, erase: true, "audit:read": true, admin: true },
};
const isScope = (name: string): name is KeyScope => Object.hasOwn(scopeSet, name);
export const keyScopes: readonly KeyScope[] = Object.keys(scopeSet).filter(isScope);

const own = texts.operations;
const dayMs = 86_400_000;

/** Closes forms, secrets and messages. */
export function closeForms(): void {
  shownSecret.value = undefined;
  newKey.value = undefined;
  newKeyFault.value = undefined;
  revoking.value = false;
  actionFailure.value = undefined;
}

/** Shows another tab, or another record of it. */
export function chooseTab(tab: string): void {
  closeForms();
  changeQuery({ tab: tab === tabIds[0] ? undefined : tab, item: undefined });
}

async function run(id: string, done: string, work: () => Promise<unknown>): Promise<boolean> {
  const succeeded = await act(id, work);
  if (succeeded) announce("operations", done);
  reads.value += 1;
  return succeeded;
}

async function createKey(): Promise<void> {
  const written = newKey.peek();
  if (written === undefined) return;
  const days = written.days.trim();
  const name = written.name.trim();
  newKeyFault.value =
    name === "" ? own.faults.name : written.scopes.length === 0 ? own.faults.scopes : /^\d{0,4}$/.test(days) ? undefined : own.faults.days;
  if (newKeyFault.peek() !== undefined) return;
  const expires = days === "" ? {} : { expires_at: now() + Number(days) * dayMs };
  await run("keys.create", own.done.created, async () => {
    const created = await client().keys.create({ name, scopes: [...written.scopes], ...expires });
    newKey.value = undefined;
    shownSecret.value = { title: own.newKey(created.name), secret: created.key };
    // The first key closes a service that was open: this tab goes on with it.
    if (key.peek() === undefined) useKey(created.key);
    chooseRecord(created.id);
  });
}

const scope = "operations";
const { commands } = own;
const isOn = (tab: TabId) => (): boolean => tabNow() === tab;

/** Focuses an element when it has been drawn. */
const focusSoon = (id: string): void => void requestAnimationFrame(() => document.getElementById(id)?.focus());

export const pauseCommand: Command = {
  ...{ id: "webhooks.pause", keys: ["p"], scope, needs: ["webhooks"] },
  get title() {
    return chosenWebhook.value?.paused === undefined ? commands.pause : commands.resume;
  },
  when: () => tabNow() === "webhooks" && chosenWebhook.value !== undefined,
  run: () => {
    const webhook = chosenWebhook.peek();
    if (webhook === undefined) return;
    const { endpoint, paused } = webhook;
    const { webhooks } = client();
    if (paused === undefined) void run("webhooks.pause", own.done.paused, () => webhooks.pause(endpoint));
    else void run("webhooks.pause", own.done.resumed, () => webhooks.resume(endpoint));
  },
};
export const rotateCommand: Command = {
  ...{ id: "webhooks.rotate", title: commands.rotate, scope, operation: "rotateWebhookSecret", needs: ["webhooks"] },
  when: () => tabNow() === "webhooks" && chosenWebhook.value !== undefined,
  run: () => {
    const { name } = chosenWebhook.peek() ?? {};
    if (name === undefined) return;
    void run("webhooks.rotate", own.done.rotated, async () => {
      shownSecret.value = { title: own.newSecret(name), secret: (await client().webhooks.rotate(name)).secret };
    });
  },
};
export const resendCommand: Command = {
  ...{ id: "webhooks.resend", title: commands.resend, keys: ["s"], scope, operation: "resendDeadLetter", needs: ["webhooks"] },
  when: () => tabNow() === "letters" && chosenLetter.value !== undefined,
  run: () => {
    const { id } = chosenLetter.peek() ?? {};
    if (id !== undefined) void run("webhooks.resend", own.done.resent, () => client().webhooks.resend(id));
  },
};
export const newKeyCommand: Command = {
  ...{ id: "keys.new", title: commands.newKey, keys: ["n"], scope, operation: "createKey", needs: ["admin"] },
  when: () => newKey.value === undefined,
  run: () => {
    if (tabNow() !== "keys") chooseTab("keys");
    closeForms();
    newKey.value = { name: "", scopes: [], days: "" };
    focusSoon("key-name");
  },
};
export const createKeyCommand: Command = {
  ...{ id: "keys.create", title: commands.createKey, keys: ["mod+enter"], scope, operation: "createKey", needs: ["admin"] },
  when: () => newKey.value !== undefined,
  run: () => void createKey(),
};
export const revokeCommand: Command = {
  ...{ id: "keys.askRevoke", title: commands.revoke, keys: ["x"], scope, operation: "revokeKey", needs: ["admin"] },
  when: () => tabNow() === "keys" && chosenKey.value !== undefined && chosenKey.value.revoked_at === undefined && !revoking.value,
  run: () => {
    closeForms();
    revoking.value = true;
    focusSoon("revoke");
  },
};
export const confirmRevokeCommand: Command = {
  ...{ id: "keys.revoke", title: commands.confirmRevoke, scope, operation: "revokeKey", needs: ["admin"] },
  when: () => revoking.value && chosenKey.value !== undefined,
  run: () => {
    const { id } = chosenKey.peek() ?? {};
    if (id !== undefined) void run("keys.revoke", own.done.revoked, () => client().keys.revoke(id)).then(() => (revoking.value = false));
  },
};
export const rereadCommand: Command = { id: "operations.reread", title: commands.reread, keys: ["r"], scope, run: () => void (reads.value += 1) };

export const operationsCommands: readonly Command[] = [
  { id: "operations", title: texts.commands.operations, scope: "everywhere", operation: "getStatus", needs: ["admin"], run: () => go("operations") },
  ...tabIds.map((tab, index) => ({
    ...{ id: `operations.${tab}`, title: commands.tab(own.tabs[tab]), keys: [String(index + 1)], scope },
    run: () => chooseTab(tab),
  })),
  { id: "operations.next", title: commands.next, keys: ["j", "ArrowDown"], scope, run: () => moveChoice(1) },
  { id: "operations.previous", title: commands.previous, keys: ["k", "ArrowUp"], scope, run: () => moveChoice(-1) },
  {
    ...{ id: "operations.held", title: commands.held, keys: ["h"], scope, operation: "listOpenTurns", needs: ["admin"], when: isOn("turns") },
    run: () => changeQuery({ held: place.peek().query["held"] === undefined ? 1 : undefined }),
  },
  {
    ...{ id: "operations.positions.session", title: commands.session, keys: ["/"], scope, when: isOn("positions") },
    run: () => document.getElementById("position-session")?.focus(),
  },
  pauseCommand,
  rotateCommand,
  resendCommand,
  newKeyCommand,
  createKeyCommand,
  revokeCommand,
  confirmRevokeCommand,
  rereadCommand,
  { id: "operations.close", title: commands.close, keys: ["Escape"], scope, run: closeForms },
];
