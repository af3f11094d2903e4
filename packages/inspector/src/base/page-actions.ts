/** Actions of the page: one at a time, with the failure of the last, and the scopes that the key turned out to lack. */
import { effect, signal } from "@preact/signals";
import { RequestError } from "@throughline/client";
import { key } from "./page-access.ts";
import type { Command } from "./screen-shape.ts";
import { texts } from "./page-texts.ts";

/** The action that runs. */
export const acting = signal<string | undefined>(undefined);
/** Why the last action failed. */
export const actionFailure = signal<RequestError | undefined>(undefined);

/** Scopes that the service said the key lacks. */
const lacking = signal<ReadonlySet<string>>(new Set());
/** Scopes that the key has, as far as `readWith` found out, and the first reads that find it out. */
const granted = new Set<string>();
const tries = new Map<string, Promise<unknown>>();
effect(() => {
  // Another key has other scopes.
  void key.value;
  lacking.value = new Set();
  granted.clear();
  tries.clear();
});

/** An error as a screen shows it. A missing scope is remembered, so that its actions are disabled. */
export function failureOf(error: unknown): RequestError {
  if (!RequestError.is(error)) return new RequestError({ code: "page.failed", message: String(error) });
  const { scope } = error.details;
  if (error.status === 403 && typeof scope === "string" && !lacking.peek().has(scope)) lacking.value = new Set([...lacking.peek(), scope]);
  return error;
}

/** Runs an action unless another one runs. Returns whether it succeeded. */
export async function act(id: string, work: () => Promise<unknown>): Promise<boolean> {
  if (acting.peek() !== undefined) return false;
  acting.value = id;
  actionFailure.value = undefined;
  try {
    await work();
    return true;
  } catch (error) {
    actionFailure.value = failureOf(error);
    return false;
  } finally {
    acting.value = undefined;
  }
}

/** Whether the key is known to lack a scope. */
export const lacks = (scope: string): boolean => lacking.peek().has(scope);

/** What the service would answer without a scope. */
export const lackOf = (scope: string): RequestError =>
  new RequestError({ code: "auth.forbidden", status: 403, message: texts.failure.scope(scope), details: { scope } });

/** Reads with what a scope allows, and without it once the key turns out to lack the scope. Others wait for the first read, so one is refused. */
export async function readWith<Result>(scope: string, read: (has: boolean) => Promise<Result>): Promise<Result> {
  for (let other = tries.get(scope); other !== undefined; other = tries.get(scope)) await other.catch(() => {});
  if (lacks(scope)) return read(false);
  const first = read(true);
  if (!granted.has(scope)) {
    tries.set(scope, first);
    const settle = (): void => void (tries.get(scope) === first && tries.delete(scope));
    first.then(settle, settle);
  }
  try {
    const result = await first;
    granted.add(scope);
    return result;
  } catch (error) {
    failureOf(error);
    if (!lacks(scope)) throw error;
    return read(false);
  }
}

/** The scope of a command that the key is known to lack. */
export const lackedBy = ({ needs = [] }: Pick<Command, "needs">): string | undefined => needs.find((scope) => lacking.value.has(scope));

/** Why a command cannot run with this key; undefined if it may. */
export function reasonOf(command: Pick<Command, "needs">): string | undefined {
  const scope = lackedBy(command);
  return scope === undefined ? undefined : texts.failure.scope(scope);
}
