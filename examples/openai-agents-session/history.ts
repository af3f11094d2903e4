/** The history of a session of the OpenAI Agents SDK, as typed state: its items, and the operations that were applied to it. */
import { applySessionHistoryMutations, UserError, type AgentInputItem, type SessionHistoryMutation } from "@openai/agents";
import { createHash } from "node:crypto";
import { defineAgent, defineReducer, defineState, loop, noChange, reduced, scripted } from "throughline";
import type { NoChange } from "throughline/state";
import { z } from "zod";
import { decodeItem, encodeItem } from "./item.ts";

export interface History {
  readonly items: readonly unknown[];
  /** A digest of the transaction by its operation's id. */
  readonly operations: Readonly<Record<string, string>>;
}

/** A change of the history in the shape of the SDK's transactions; its items are JSON. */
export type Transaction =
  | { readonly type: "append_items"; readonly items: readonly unknown[] }
  | { readonly type: "replace_suffix"; readonly expectedSuffix: readonly unknown[]; readonly replacement: readonly unknown[] };

/** What may happen to a history. */
export type Change =
  | { readonly type: "transaction"; readonly operation?: string; readonly transaction: Transaction }
  | { readonly type: "mutations"; readonly mutations: readonly unknown[] };

/** Thrown when the items to replace are not the last ones any more. */
export class SuffixMismatch extends UserError {}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );

const digestOf = (transaction: Transaction): string =>
  createHash("sha256")
    .update(canonical({ ...transaction }))
    .digest("base64url")
    .slice(0, 22);

/** One change after another is applied to the history as it stands, in the order of their commits; one that cannot be applied changes nothing. */
function change(current: History | undefined, update: Change): History | NoChange {
  const { items, operations } = current ?? { items: [], operations: {} };
  if (update.type === "mutations") {
    const decoded = items.map((item) => decodeItem(item) as AgentInputItem);
    const mutations = update.mutations.map((mutation) => decodeItem(mutation) as SessionHistoryMutation);
    return { items: applySessionHistoryMutations(decoded, mutations).map((item) => encodeItem(item)), operations };
  }
  const { operation, transaction } = update;
  if (operation === undefined) return { items: applied(items, transaction), operations };
  const digest = digestOf(transaction);
  const known = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
  if (known === digest) return noChange;
  if (known !== undefined) throw new UserError("Session history operation was already applied with a different transaction.");
  return { items: applied(items, transaction), operations: { ...operations, [operation]: digest } };
}

function applied(items: readonly unknown[], transaction: Transaction): readonly unknown[] {
  if (transaction.type === "append_items") return [...items, ...transaction.items];
  const { expectedSuffix, replacement } = transaction;
  const kept = items.length - expectedSuffix.length;
  if (kept < 0 || canonical(items.slice(kept)) !== canonical(expectedSuffix)) {
    throw new SuffixMismatch("Session history suffix no longer matches the transaction precondition.");
  }
  return [...items.slice(0, kept), ...replacement];
}

const HistoryState = defineState({
  history: reduced(
    z.custom<History>((value) => typeof value === "object" && value !== null),
    { initial: { items: [], operations: {} }, reduce: defineReducer<History, Change>({ name: "change", version: 1, reduce: change }) },
  ),
});

/** The agent that these sessions belong to. It never speaks: the SDK runs the agents, the session keeps their history. */
export const historyAgent = defineAgent({ name: "openai-agents", version: 1, state: HistoryState, reply: loop({ model: scripted(() => "") }) });
