/** What an action on a session depends on: its newest turns, and the calls that wait for a decision. Read again when the log grows. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ClientSession, ResultOf } from "@throughline/client";
import { announce } from "../../../base/overlays.ts";
import { act, failureOf } from "../../../base/page-actions.ts";
import { client } from "../../../base/page-service.ts";
import type { LiveSession } from "../live-session.ts";
import { current } from "../session-keys.ts";

/** A turn, as the service has it. */
export type ListedTurn = ResultOf<"getTurn">;
/** A call that waits for a decision. */
export type WaitingCall = ResultOf<"listPending">["items"][number];

/** The scopes of an edit with its dry run. */
export const editScopes = ["state:write", "state:read"] as const;

/** Milliseconds during which changes of the log are gathered before the turns are read. */
const gatherMs = 150;
/** Turns that are read at once. */
const mostTurns = 20;

/** The newest turns of the session on the screen, newest first. */
export const turns = signal<readonly ListedTurn[]>([]);
/** Its calls that wait for a decision. */
export const pending = signal<readonly WaitingCall[]>([]);

/** The turn that has not ended: it runs, or waits. */
export const openTurn = (): ListedTurn | undefined => turns.value.find(({ status }) => status !== "ended");
const hasFailed = (turn: ListedTurn | undefined): boolean => turn?.outcome?.status === "failed" || turn?.outcome?.status === "stopped";

/** The last turn, if it failed or was stopped, and was not taken back. */
export function failedTurn(): ListedTurn | undefined {
  const [last] = turns.value;
  return hasFailed(last) ? last : undefined;
}

/** Reads what was taken back. Returns whether an offset was. */
export async function readTakenBack(session: ClientSession, signal: AbortSignal): Promise<(offset: number) => boolean> {
  const ranges: { readonly from: number; readonly to: number }[] = [];
  for (let [next, last] = [0, 0]; next <= last;) {
    const page = await session.page({ kinds: ["session"], withdrawn: true, min_offset: next, limit: 1_000 }, { signal });
    for (const event of page.items)
      if (event.kind === "session" && event.data.type === "withdrawn") ranges.push({ from: event.data.from, to: event.offset });
    [next, last] = [page.next_offset, page.head];
  }
  return (offset) => ranges.some(({ from, to }) => from <= offset && offset < to);
}

/** Keeps the turns and the pending calls of a session as the service has them, while the session is on the screen. */
export function useWork(view: LiveSession): void {
  const { value: head } = view.head;
  useEffect(() => {
    const left = new AbortController();
    const timer = setTimeout(() => void read(view.id, left.signal), gatherMs);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [view, head]);
  useEffect(
    () => () => {
      turns.value = [];
      pending.value = [];
    },
    [view.id],
  );
}

async function read(id: string, signal: AbortSignal): Promise<void> {
  const session = client().sessions.get(id);
  try {
    const { items } = await session.turns({ order: "desc", limit: mostTurns }, { signal });
    const calls = items.some(({ status }) => status !== "ended") ? await session.pending({ signal }) : [];
    // Only then does it matter here: a turn that was taken back is not retried.
    const isTakenBack = hasFailed(items[0]) ? await readTakenBack(session, signal) : () => false;
    if (signal.aborted) return;
    turns.value = items.filter(({ started_offset }) => started_offset === undefined || !isTakenBack(started_offset));
    pending.value = calls;
  } catch (error) {
    // The page stays readable without its actions.
    if (!signal.aborted) failureOf(error);
  }
}

/** The session on the screen, as the client has it. */
export const sessionHere = (): ClientSession | undefined => {
  const view = current.peek();
  return view === undefined ? undefined : client().sessions.get(view.id);
};

/** Runs an action on the session on the screen, and reads what it changed. Returns whether it succeeded. */
export async function actHere(id: string, done: string, work: (session: ClientSession) => Promise<unknown>): Promise<boolean> {
  const view = current.peek();
  const session = sessionHere();
  if (view === undefined || session === undefined) return false;
  const succeeded = await act(id, () => work(session));
  if (succeeded) announce("action", done);
  if (current.peek() === view) void read(view.id, new AbortController().signal);
  return succeeded;
}
