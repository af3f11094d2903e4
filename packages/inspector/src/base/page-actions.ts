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
effect(() => {
  // Another key has other scopes.
  void key.value;
  lacking.value = new Set();
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

/** Reads with what a scope allows, and without it once the key turns out to lack the scope. */
export async function readWith<Result>(scope: string, read: (has: boolean) => Promise<Result>): Promise<Result> {
  if (lacks(scope)) return read(false);
  try {
    return await read(true);
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
