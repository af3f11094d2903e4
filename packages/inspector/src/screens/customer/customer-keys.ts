/** Commands of one customer: values that agents see, private metadata, and erasure. */
import { signal } from "@preact/signals";
import { type ClientCustomer, RequestError, type ResultOf, type WireJson } from "@throughline/client";
import { announce } from "../../base/overlays.ts";
import { act, actionFailure } from "../../base/page-actions.ts";
import { client } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { go } from "../../base/router.ts";
import type { Command } from "../../base/screen-shape.ts";

/** The two kinds of values. Agents see variables and never metadata. */
export type ValueKind = "variables" | "metadata";

/** A value that is being edited. */
export interface Draft {
  readonly kind: ValueKind;
  readonly name: string;
  /** The value as JSON. */
  readonly text: string;
  /** Whether the name can be written too. */
  readonly isNew: boolean;
  /** The version that the edit is based on. */
  readonly version: number;
}

/** The customer on the screen. */
export const shownCustomer = signal<ClientCustomer | undefined>(undefined);
/** Raised to read the customer again. */
export const reads = signal(0);
export const draft = signal<Draft | undefined>(undefined);
/** What is wrong with the draft itself. */
export const draftFault = signal<string | undefined>(undefined);
/** Whether somebody changed the customer after the draft was begun. */
export const isStale = signal(false);
/** Whether the panel for erasing is open, and what was typed there. */
export const erasing = signal(false);
export const typedId = signal("");
/** The erasure that was started. */
export const erasure = signal<ResultOf<"getJob"> | undefined>(undefined);

const own = texts.customer;

/** Forgets what belongs to another customer. */
export function resetCustomer(): void {
  shownCustomer.value = undefined;
  draft.value = undefined;
  draftFault.value = undefined;
  isStale.value = false;
  erasing.value = false;
  typedId.value = "";
  erasure.value = undefined;
  actionFailure.value = undefined;
}

const focusSoon = (id: string): void => void requestAnimationFrame(() => document.getElementById(id)?.focus());

/** Opens the editor for a value, or for a new one. */
export function edit(kind: ValueKind, name = ""): void {
  const customer = shownCustomer.peek();
  if (customer === undefined) return;
  const value = customer[kind]?.[name];
  draftFault.value = undefined;
  isStale.value = false;
  actionFailure.value = undefined;
  draft.value = { kind, name, text: value === undefined ? "" : JSON.stringify(value, null, 2), isNew: name === "", version: customer.version };
  focusSoon(name === "" ? "value-name" : "value-text");
}

/** Bases the draft on the customer as it is now. */
export async function rebase(): Promise<void> {
  const customer = shownCustomer.peek();
  const written = draft.peek();
  if (customer === undefined || written === undefined) return;
  await act("customer.reload", async () => {
    const fresh = await client().customers.get(customer.id);
    shownCustomer.value = fresh;
    draft.value = { ...written, version: fresh.version };
    isStale.value = false;
  });
}

/** Writes one value; null removes it. */
async function write(id: string, value: WireJson): Promise<void> {
  const customer = shownCustomer.peek();
  const written = draft.peek();
  if (customer === undefined || written === undefined) return;
  const { kind, name, version } = written;
  const succeeded = await act(id, async () => {
    shownCustomer.value = await client().customers.update(customer.id, { [kind]: { [name]: value } }, { ifVersion: version });
  });
  if (succeeded) {
    draft.value = undefined;
    announce("customer", own.saved);
  } else if (RequestError.is(actionFailure.peek(), "request.precondition_failed")) {
    isStale.value = true;
    actionFailure.value = undefined;
  }
}

async function save(): Promise<void> {
  const written = draft.peek();
  if (written === undefined) return;
  draftFault.value = undefined;
  if (written.name.trim() === "") return void (draftFault.value = own.faults.name);
  let value: WireJson;
  try {
    value = JSON.parse(written.text) as WireJson;
  } catch {
    return void (draftFault.value = own.faults.json);
  }
  if (value === null) return void (draftFault.value = own.faults.null);
  await write("customer.save", value);
}

async function erase(): Promise<void> {
  const customer = shownCustomer.peek();
  if (customer === undefined) return;
  await act("customer.erase", async () => {
    const { id } = await client().customers.erase(customer.id);
    erasure.value = await client().jobs.get(id);
    erasure.value = await client().jobs.done(id);
    announce("customer", own.erased);
  });
}

const scope = "customer";
const { commands } = own;
const hasCustomer = (): boolean => shownCustomer.value !== undefined && erasure.value === undefined;
const writes = ["customers:write"];
const writesMetadata = [...writes, "metadata:write"];
const neededFor = (kind: ValueKind | undefined): readonly string[] => (kind === "metadata" ? writesMetadata : writes);

/** The command that edits a new value of a kind. */
export const addCommands: Readonly<Record<ValueKind, Command>> = {
  variables: {
    ...{ id: "customer.addVariable", title: commands.addVariable, keys: ["v"], scope, operation: "updateCustomer", needs: writes },
    when: hasCustomer,
    run: () => edit("variables"),
  },
  metadata: {
    ...{ id: "customer.addMetadata", title: commands.addMetadata, keys: ["M"], scope, operation: "updateCustomer", needs: writesMetadata },
    when: () => hasCustomer() && shownCustomer.value?.metadata !== undefined,
    run: () => edit("metadata"),
  },
};
export const saveCommand: Command = {
  ...{ id: "customer.save", title: commands.save, keys: ["mod+enter"], scope, operation: "updateCustomer" },
  get needs() {
    return neededFor(draft.value?.kind);
  },
  when: () => draft.value !== undefined && !isStale.value,
  run: () => void save(),
};
export const removeCommand: Command = {
  ...{ id: "customer.remove", title: commands.remove, scope, operation: "updateCustomer" },
  get needs() {
    return neededFor(draft.value?.kind);
  },
  when: () => draft.value?.isNew === false && !isStale.value,
  run: () => void write("customer.remove", null),
};
export const previewCommand: Command = {
  ...{ id: "customer.preview", title: commands.preview, keys: ["E"], scope, operation: "previewCustomerErasure", needs: ["erase"] },
  when: () => hasCustomer() && !erasing.value,
  run: () => {
    typedId.value = "";
    erasing.value = true;
    focusSoon("erase-id");
  },
};
export const eraseCommand: Command = {
  ...{ id: "customer.erase", title: commands.erase, scope, operation: "eraseCustomer", needs: ["erase"] },
  when: () => erasing.value && erasure.value === undefined && typedId.value === shownCustomer.value?.id,
  run: () => void erase(),
};

export const customerCommands: readonly Command[] = [
  addCommands.variables,
  addCommands.metadata,
  saveCommand,
  removeCommand,
  previewCommand,
  eraseCommand,
  {
    ...{ id: "customer.sessions", title: commands.sessions, keys: ["s"], scope, operation: "listSessions" as const },
    when: hasCustomer,
    run: () => go("", { q: `customer:"${shownCustomer.peek()?.id ?? ""}"` }),
  },
  {
    ...{ id: "customer.memory", title: texts.customer.memory.open, keys: ["m"], scope, operation: "listCustomerMemory" as const },
    when: hasCustomer,
    run: () => go(`customers/${encodeURIComponent(shownCustomer.peek()?.id ?? "")}/memory`),
  },
  {
    ...{ id: "customer.back", title: commands.back, keys: ["Escape"], scope },
    run: () => {
      if (draft.peek() !== undefined) draft.value = undefined;
      else if (erasing.peek() && erasure.peek() === undefined) erasing.value = false;
      else go("customers");
    },
  },
];
