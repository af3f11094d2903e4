/** The service that the page reads: its client, whether it can be reached, and loading for components. */
import { computed, signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { createClient, type RequestError, type ThroughlineClient } from "@throughline/client";
import { key, refused } from "./page-access.ts";
import { now } from "./browser.ts";
import { failureOf, lackOf, lacks } from "./page-actions.ts";

/** Milliseconds between two tries to reach a lost service: doubled each time, up to the last. */
const firstRetryMs = 1_000;
const longestRetryMs = 15_000;

/** While the service cannot be reached: when the next try is due. */
export const lost = signal<{ readonly retryAt: number; readonly tries: number } | undefined>(undefined);
/** Counts the times that the service came back. Views load again when it changes. */
export const reconnections = signal(0);

let timer: ReturnType<typeof setTimeout> | undefined;

function scheduleRetry(tries: number): void {
  const wait = Math.min(longestRetryMs, firstRetryMs * 2 ** tries);
  lost.value = { retryAt: now() + wait, tries };
  clearTimeout(timer);
  timer = setTimeout(() => void retryNow(), wait);
}

/** Tries at once to reach a lost service. */
export async function retryNow(): Promise<void> {
  clearTimeout(timer);
  const tries = lost.peek()?.tries ?? 0;
  try {
    await fetch("/livez", { cache: "no-store" });
    lost.value = undefined;
    reconnections.value += 1;
  } catch {
    scheduleRetry(tries + 1);
  }
}

async function fetchWatched(url: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, init);
    if (response.status === 401) refused();
    return response;
  } catch (error) {
    if (init.signal?.aborted !== true && lost.peek() === undefined) scheduleRetry(0);
    throw error;
  }
}

const clients = computed(() =>
  createClient({ baseUrl: location.origin, ...(key.value === undefined ? {} : { key: key.value }), fetch: fetchWatched, retries: 1 }),
);

/** The client of the service. */
export const client = (): ThroughlineClient => clients.value;

/** What a component has of something that it loads. */
export interface Loaded<Value> {
  /** The last value, also while the next one loads. */
  readonly value: Value | undefined;
  readonly error: RequestError | undefined;
  /** Whether `value` belongs to the present key. */
  readonly fresh: boolean;
}

/**
 * Loads a value when its key changes, and again after the service came back. An undefined key loads nothing. Once the service has refused the scope
 * `needs`, nothing more is sent.
 */
export function useLoaded<Value>(loadKey: string | undefined, load: (signal: AbortSignal) => Promise<Value>, needs?: string): Loaded<Value> {
  const [state, setState] = useState<{ readonly of: string | undefined; readonly value?: Value; readonly error?: RequestError }>({ of: undefined });
  const due = `${loadKey} ${reconnections.value} ${key.value ?? ""}`;
  useEffect(() => {
    if (loadKey === undefined) return;
    if (needs !== undefined && lacks(needs)) return setState((old) => ({ ...old, of: due, error: lackOf(needs) }));
    const left = new AbortController();
    load(left.signal).then(
      (value) => left.signal.aborted || setState({ of: due, value }),
      (error: unknown) => {
        if (left.signal.aborted) return;
        setState((old) => ({ ...old, of: due, error: failureOf(error) }));
      },
    );
    return () => left.abort();
  }, [due]);
  return { value: state.value, error: state.of === due ? state.error : undefined, fresh: state.of === due };
}
