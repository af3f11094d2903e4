/** What the list shows beside the sessions themselves: safety levels of the rows in sight, and the usage of a session on demand. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ResultOf } from "@throughline/client";
import { act, failureOf, lackedBy } from "../../base/page-actions.ts";
import { client } from "../../base/page-service.ts";
import type { ListedSession } from "./session-pages.ts";

type Usage = ResultOf<"getSessionUsage">;

/** The scope of the operation that reads levels. */
export const safetyScopes = ["safety:read", "sessions:read"] as const;
export const usageScopes = ["usage:read"] as const;

/** Milliseconds during which changes of the rows in sight are gathered. */
const stillMs = 50;
/** The most sessions that one request names. */
const mostSessions = 100;

/** A figure, and the end of the log when it was read. */
interface Figure<Value> {
  readonly head: number;
  readonly value: Value;
}

/** Figures by session. */
const levels = signal<ReadonlyMap<string, Figure<number | null>>>(new Map());
const usages = signal<ReadonlyMap<string, Figure<Usage>>>(new Map());

/** The highest level of a session: null if nothing of it was assessed, undefined if it is not known. A level stays on the screen until it was read again. */
export const levelOf = ({ id }: ListedSession): number | null | undefined => levels.value.get(id)?.value;
/** The usage of a session; undefined if it was not read since its last event. */
export function usageOf({ id, head }: ListedSession): Usage | undefined {
  const read = usages.value.get(id);
  return read?.head === head ? read.value : undefined;
}

/** Reads the levels of the rows in sight, in one request, as soon as they stand still. */
export function useLevels(rows: readonly ListedSession[]): void {
  const lacks = lackedBy({ needs: safetyScopes }) !== undefined;
  const missing = rows.filter(({ id, head }) => levels.value.get(id)?.head !== head).slice(0, mostSessions);
  const due = lacks ? "" : missing.map(({ id, head }) => `${id} ${head}`).join(",");
  useEffect(() => {
    if (due === "") return;
    const left = new AbortController();
    const timer = setTimeout(() => void readLevels(missing, left.signal), stillMs);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [due]);
}

async function readLevels(sessions: readonly ListedSession[], signal: AbortSignal): Promise<void> {
  try {
    const { items } = await client().call("listSessionSafety", { query: { sessions: sessions.map(({ id }) => id) }, signal });
    const found = new Map(items.map(({ session_id, level }) => [session_id, level]));
    if (!signal.aborted)
      levels.value = new Map([...levels.peek(), ...sessions.map(({ id, head }) => [id, { head, value: found.get(id) ?? null }] as const)]);
  } catch (error) {
    // The list is whole without levels. A missing scope is remembered, so that they are not asked for again.
    if (!signal.aborted) failureOf(error);
  }
}

/** Reads the tokens and the cost of a session, which the service sums over its log. */
export async function readUsage(session: ListedSession | undefined): Promise<void> {
  if (session === undefined || usageOf(session) !== undefined) return;
  await act("sessions.usage", async () => {
    const usage = await client().sessions.get(session.id).usage();
    usages.value = new Map([...usages.peek(), [session.id, { head: session.head, value: usage }]]);
  });
}
