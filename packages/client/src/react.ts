/** The subpath `@throughline/client/react`: a session of the client as a React hook. It needs React 18 or later. */
import { useEffect, useMemo, useSyncExternalStore } from "react";
import type { ClientAgent, ClientMessage, ClientState } from "./agent-types.ts";
import type { ClientSession } from "./client-session.ts";
import { type Conversation, type ConversationMessage, emptyConversation, withItem } from "./shown-conversation.ts";
import { newKey } from "./ambient.ts";
import type { WirePendingCall } from "./wire.ts";

export type { ConversationMessage, ConversationPart } from "./shown-conversation.ts";

/** Options of {@link useSession}. */
export interface UseSessionOptions {
  /** How many of the last events to read at first; 500 by default. */
  readonly last?: number;
}

/** A session as a page shows it. */
export interface SessionSnapshot<A extends ClientAgent = ClientAgent> {
  /** Messages of the customer, of the agent and of operators, and notices, oldest first. The last one may still be written. */
  readonly messages: readonly ConversationMessage[];
  /** Calls that wait for a decision, if the client may read them. */
  readonly approvals: readonly WirePendingCall[];
  /** The public fields of the state. */
  readonly state: ClientState<A>["state"] | undefined;
  /** `loading`: the log is read for the first time. `waiting`: the agent waits for decisions. */
  readonly status: "loading" | "ready" | "working" | "waiting";
  /** Whether the page follows the session now. It reconnects by itself. */
  readonly connection: "open" | "lost";
  /** Why the last command failed, or why the session cannot be read. The next command clears it. */
  readonly error: unknown;
}

/** Commands of a page. None of them rejects: `error` has what failed. */
export interface SessionCommands<A extends ClientAgent = ClientAgent> {
  /** Sends a message of the customer. It is shown at once. */
  readonly send: (message: ClientMessage<A>) => Promise<void>;
  /** Stops the running turn. */
  readonly stop: () => Promise<void>;
  /** Lets a waiting call run. */
  readonly approve: (call: WirePendingCall) => Promise<void>;
  /** Keeps a waiting call from running. The model reads the reason. */
  readonly reject: (call: WirePendingCall, reason?: string) => Promise<void>;
  /** Withdraws the last message of the customer with its answer, and sends it again. Fails if a call with effects was made since. */
  readonly regenerate: () => Promise<void>;
}

/**
 * Follows a session for as long as the component is mounted. Every tab that follows it shows the same. With a session of a typed agent, `state` and
 * `send` have its types.
 */
export function useSession<A extends ClientAgent = ClientAgent>(
  session: ClientSession<A>,
  options?: UseSessionOptions,
): SessionSnapshot<A> & SessionCommands<A>;
export function useSession(session: ClientSession, { last = 500 }: UseSessionOptions = {}): SessionSnapshot & SessionCommands {
  // Handles of one session are interchangeable.
  const store = useMemo(() => createStore(session, last), [session.id, last]);
  useEffect(() => store.follow(), [store]);
  const snapshot = useSyncExternalStore(store.subscribe, store.snapshot, store.snapshot);
  return useMemo(() => ({ ...snapshot, ...store.commands }), [snapshot, store]);
}

/** A message that the log does not have yet, as far as this page knows. */
interface Sending {
  readonly key: string;
  readonly text: string;
  readonly offset?: number;
}

interface Store {
  readonly commands: SessionCommands;
  readonly snapshot: () => SessionSnapshot;
  readonly subscribe: (listener: () => void) => () => void;
  /** Follows the session until the returned function is called. */
  readonly follow: () => () => void;
}

/** Kinds of events that a page shows. */
const kinds = ["message", "tool", "status", "state", "session"] as const;

/** Milliseconds between two snapshots, so that a long log or a fast model does not render for each piece. */
const frameMs = 16;

function createStore(session: ClientSession, last: number): Store {
  const listeners = new Set<() => void>();
  let conversation: Conversation | undefined;
  let sending: readonly Sending[] = [];
  let shown: SessionSnapshot = { messages: [], approvals: [], state: undefined, status: "loading", connection: "lost", error: undefined };
  let frame: ReturnType<typeof setTimeout> | undefined;
  /** What the state and the approvals were read for. */
  const read = { state: -1, approvals: "" };

  const show = (change: Partial<SessionSnapshot> = {}): void => {
    shown = { ...shown, ...change };
    frame ??= setTimeout(publish, frameMs);
  };
  const publish = (): void => {
    frame = undefined;
    if (conversation !== undefined) {
      const { messages, status, next } = conversation;
      sending = sending.filter(({ offset = next }) => offset >= next);
      const own = sending.map(({ key, text }): ConversationMessage => ({
        id: key,
        author: "customer",
        parts: [{ type: "text", text, offset: next }],
      }));
      shown = { ...shown, messages: [...messages, ...own], status, ...(status === "waiting" ? {} : { approvals: [] }) };
      lookUp(conversation);
    }
    for (const listener of listeners) listener();
  };
  /** Reads what events only say the change of. */
  const lookUp = ({ state_offset, status, turn_id = "", next }: Conversation): void => {
    if (state_offset > read.state || read.state < 0) {
      read.state = Math.max(state_offset, 0);
      session.state().then(
        ({ state }) => show({ state }),
        () => {},
      );
    }
    const pause = status === "waiting" ? `${turn_id} ${next}` : "";
    if (pause === read.approvals) return;
    read.approvals = pause;
    // Not every client may read them.
    if (pause !== "")
      session.pending().then(
        (approvals) => read.approvals === pause && show({ approvals }),
        () => {},
      );
  };
  const follow = async (signal: AbortSignal): Promise<void> => {
    const { head } = await session.info({ signal });
    let read = conversation ?? emptyConversation(Math.max(0, head + 1 - last));
    while (read.next <= head) {
      const query = { kinds, limit: 1000 };
      const page = await (read.next === 0 ? session.page(query, { signal }) : session.page({ ...query, min_offset: read.next }, { signal })).catch(
        (error: unknown) => {
          // Retention has deleted the events from there on.
          if ((error as { readonly code?: unknown }).code === "log.retained_from") return session.page(query, { signal });
          throw error;
        },
      );
      for (const event of page.items) read = withItem(read, event);
      read = { ...read, next: page.next_offset };
    }
    conversation = read;
    show();
    const items = session.live({ minOffset: read.next, kinds, signal, onConnection: (connection) => show({ connection }) });
    for await (const item of items) {
      conversation = withItem(conversation, item);
      show();
    }
  };
  const attempt = async (run: () => Promise<unknown>): Promise<void> => {
    show({ error: undefined });
    try {
      await run();
    } catch (error) {
      show({ error });
    }
  };
  const send = async (message: ClientMessage): Promise<void> => {
    const key = newKey();
    const text = typeof message === "string" ? message : message.text;
    sending = [...sending, { key, text }];
    show();
    try {
      const { offset } = await session.post(message, { idempotencyKey: key });
      sending = sending.map((one) => (one.key === key ? { ...one, offset } : one));
    } catch (error) {
      sending = sending.filter((one) => one.key !== key);
      throw error;
    }
    show();
  };
  const decide = (call: WirePendingCall, decision: "approve" | "reject", feedback?: string): Promise<void> =>
    attempt(async () => {
      const { call_id, arguments_hash, index, turn_id } = call;
      await session.decide(turn_id, { call_id, arguments_hash, index, decision, ...(feedback === undefined ? {} : { feedback }) });
      show({ approvals: shown.approvals.filter((one) => one !== call) });
    });
  return {
    snapshot: () => shown,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    follow: () => {
      const left = new AbortController();
      follow(left.signal).catch((error: unknown) => {
        if (!left.signal.aborted) show({ error, connection: "lost" });
      });
      return () => {
        left.abort();
        if (conversation !== undefined) conversation = { ...conversation, isCut: true };
      };
    },
    commands: {
      send: (message) => attempt(() => send(message)),
      stop: () => attempt(async () => conversation?.turn_id !== undefined && (await session.stopTurn(conversation.turn_id))),
      approve: (call) => decide(call, "approve"),
      reject: (call, reason) => decide(call, "reject", reason),
      regenerate: () =>
        attempt(async () => {
          const { messages = [] } = conversation ?? {};
          const index = messages.findLastIndex(({ author }) => author === "customer");
          const { offset, parts = [] } = messages[index] ?? {};
          if (offset === undefined) throw new Error("There is no message to answer again.");
          if (messages.slice(index).some((message) => message.parts.some((part) => part.type === "call" && part.effects === true)))
            throw new Error("A call with effects was made since the message. Withdrawing does not undo it.");
          const event = await session.event(offset);
          const { input, start } = event.kind === "message" ? event.data : {};
          await session.withdraw(offset);
          await send({ text: parts.map((part) => (part.type === "text" ? part.text : "")).join("\n"), input, start });
        }),
    },
  };
}
