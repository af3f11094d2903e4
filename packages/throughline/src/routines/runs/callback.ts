/**
 * Callbacks of runs: which addresses a routine allows, and what is due. Each step is one guarded commit, so several processes share the work, and a
 * callback that a dead process took is taken again.
 */
import { commitOnce } from "../../extension/commit.ts";
import { invalidAt } from "../../extension/failure.ts";
import { findRecord, itemsOf } from "../../extension/lists.ts";
import type { ExtensionContext, WriterContext } from "../../extension/port.ts";
import { coversHost } from "../../kernel/covers-host.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import { present } from "../../kernel/json.ts";
import type { RecordChange, RecordRow } from "../../store/port.ts";
import type { Routine } from "../routine.ts";
import { callAt, calls, findRun, guardedChangesOf, isOpen, outputKind, publicRun, type RunRow } from "./run-record.ts";

/** Kind of the records of addresses. They are erased with the session, because an address may name a person. */
const urlKind = "routine.run_callback";

/** Throws `outbound.refused` if nobody sends callbacks. */
export function checkSender({ callbacks }: Pick<ExtensionContext, "callbacks">): void {
  if (!callbacks)
    throw new ThroughlineError("outbound.refused", "No callbacks are sent from this database.", {
      hint: "Create the runtime with `callbacks: true` and send them with `createCallbacks`, or set `callbacks.secrets` of throughline.yaml.",
    });
}

/** Checks an address against the routine's hosts. Throws `input.invalid`, and `outbound.refused` for a host that the routine does not allow. */
export function checkCallback({ id, autonomous }: Pick<Routine, "id" | "autonomous">, given: unknown): string {
  const url = typeof given === "string" && URL.canParse(given) ? new URL(given) : undefined;
  if (typeof given !== "string" || url === undefined || !/^https?:$/u.test(url.protocol))
    throw invalidAt("input.invalid", "callback_url", `A callback has an http or https address, got ${seen(given)}.`);
  if (coversHost(autonomous?.callback_hosts ?? [], url)) return given;
  throw new ThroughlineError("outbound.refused", `Routine "${id}" allows no callback to the host ${seen(url.host)}.`, {
    hint: "Name the host in `autonomous.callback_hosts` of the routine.",
  });
}

/** Returns the change that removes the address of a run's callback. */
export const withoutCallback = (id: string): RecordChange => ({ kind: urlKind, key: id, data: null });

/** Returns the record of the address of a run's callback. */
export const callbackRecord = (id: string, url: string, of: { readonly session_id: SessionId } | { readonly owner_id: OwnerId }): RecordChange => ({
  kind: urlKind,
  key: id,
  data: { url },
  ...of,
});

/** A callback that this process has taken to send. */
export interface TakenCallback {
  readonly row: RunRow;
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /** Undefined after an erasure, when nothing is sent. */
  readonly message: { readonly url: string; readonly body: object } | undefined;
  /** The record that has it taken again if this process dies. */
  readonly lease: RecordChange;
}

/** Yields the callbacks that are due, and takes each for a time before it yields it. */
export async function* takeCallbacks(
  context: WriterContext,
  { leaseMs }: { readonly leaseMs: number },
): AsyncGenerator<TakenCallback, void, undefined> {
  for await (const due of itemsOf(context.store, calls)) {
    const { id, at } = due.data;
    if (typeof at !== "number" || typeof id !== "string" || at > context.clock.now()) return;
    const taken = await take(context, { due, id, leaseMs });
    if (taken !== undefined) yield taken;
  }
}

const without = ({ key }: Pick<RecordChange, "key">): RecordChange => ({ kind: calls.kind, key, data: null });

async function take(
  context: WriterContext,
  { due, id, leaseMs }: { readonly due: RecordRow; readonly id: string; readonly leaseMs: number },
): Promise<TakenCallback | undefined> {
  const { store, clock } = context;
  const before = await findRun(store, id);
  if (before === undefined || isOpen(before) || before.callback !== "pending") {
    await commitOnce(context, { records: [without(due)] });
    return undefined;
  }
  const attempt = (before.calls ?? 0) + 1;
  const lease = callAt(id, clock.now() + leaseMs);
  // Another process may have taken it since it was listed, and the run tells nothing of that.
  const records = [...guardedChangesOf(before, { calls: attempt }), { ...without(due), depends: { version: due.version } }, lease];
  if ((await commitOnce(context, { records })).outcome !== "committed") return undefined;
  const row = await findRun(store, id);
  // Another process has taken it since.
  if (row === undefined || row.calls !== attempt) return undefined;
  return { row, attempt, message: await messageOf(context, row), lease };
}

/** Returns what is sent: nothing that another attempt would tell differently. Undefined after an erasure. */
async function messageOf({ store }: WriterContext, row: RunRow): Promise<TakenCallback["message"]> {
  const url = (await findRecord(store, urlKind, row.id))?.data["url"];
  const output = row.has_output === true ? (await findRecord(store, outputKind, row.id))?.data["output"] : undefined;
  if (typeof url !== "string" || (row.has_output === true && output === undefined)) return undefined;
  const { callback: _callback, erasure: _erasure, ...run } = publicRun(row);
  return { url, body: { type: `run.${row.status}`, run: { ...run, ...present({ output }) } } };
}

/** Whether a callback may still be sent: an erasure has removed its address. */
export const isCallbackKept = async ({ store }: Pick<WriterContext, "store">, { row }: TakenCallback): Promise<boolean> =>
  (await findRecord(store, urlKind, row.id)) !== undefined;

/** What became of an attempt: delivered, or an error with the time of the next attempt, or without one after the last. */
export type CallbackEnd = { readonly delivered: true } | { readonly delivered: false; readonly error: string; readonly retryAt?: number };

/** Notes what became of an attempt. Does nothing if another process has taken the callback over since. */
export async function endCallback(context: WriterContext, { row, lease }: TakenCallback, end: CallbackEnd): Promise<void> {
  const again = end.delivered || end.retryAt === undefined ? undefined : callAt(row.id, end.retryAt);
  const error = end.delivered ? {} : { call_error: end.error };
  // The throw-away session is deleted now. It is gone already if the callback was sent again.
  const next = row.settled === true ? {} : { next_at: context.clock.now() };
  const over = { callback: end.delivered ? "delivered" : "dead", ...next } as const;
  const records = [
    ...guardedChangesOf(row, { ...error, ...(again === undefined ? over : {}) }),
    ...(again === undefined ? [withoutCallback(row.id)] : [again]),
    ...(again?.key === lease.key ? [] : [without(lease)]),
  ];
  await commitOnce(context, { records });
}
