/** What this version says otherwise of an old database than the version that made it, by decision. */
import type { Expected, Version } from "./fixture.ts";
import type { ToldSession } from "./told.ts";

type Message = ToldSession["messages"][number] & {
  readonly call_id?: string;
  readonly calls?: readonly { readonly call_id: string; readonly name: string }[];
};

/** A difference. `decision` is its number in `docs/decisions`. */
interface Difference {
  readonly decision: number;
  readonly says: string;
  /** A message of the old version as this one has it. */
  readonly message?: (message: Message, session: ToldSession, before: readonly Message[]) => Message;
}

/** The decisions since each version that change what is read. */
export const differences: Readonly<Record<Version, readonly Difference[]>> = {
  "97d9779": [
    {
      decision: 244,
      says: "a result has the name of its tool",
      message: (message, _session, before) => {
        const name = before.flatMap(({ calls = [] }) => calls).findLast(({ call_id }) => call_id === message.call_id)?.name;
        return message.role === "tool" && name !== undefined ? { ...message, name } : message;
      },
    },
    {
      decision: 247,
      says: "a message that comes from a custom event is marked",
      message: (message, { events }) => (events[message.offset]?.kind === "custom" ? { ...message, custom: true } : message),
    },
    {
      decision: 256,
      says: "a call without effects whose result is not there is said to have changed nothing, because it may have been made",
      message: (message) => {
        const [once, now] = ["The turn ended before this call was made.", "The turn ended before this call returned. It has changed nothing."];
        return message.text === skipped(once) ? { ...message, text: skipped(now) } : message;
      },
    },
    // `plain` leaves the number out, because the old versions say nothing that it follows from in a fork.
    { decision: 364, says: "a session says the number of its last turn" },
  ],
};

const skipped = (reason: string): string => JSON.stringify({ skipped: { reason } });

/** What the version that made a database said, as this version is to say it. */
export function accepted(version: Version, expected: Expected): Expected {
  const messagesOf = (session: ToldSession, messages: readonly Message[]): readonly Message[] =>
    messages.map((message, index) =>
      differences[version].reduce((read, { message: change }) => change?.(read, session, messages.slice(0, index)) ?? read, message),
    );
  const sessions = Object.entries(expected.sessions).map(([id, session]) => {
    const { messages, messagesOnce } = session as unknown as Readonly<Record<"messages" | "messagesOnce", readonly Message[]>>;
    return [id, { ...session, messages: messagesOf(session, messages), messagesOnce: messagesOf(session, messagesOnce) }] as const;
  });
  return { ...expected, sessions: Object.fromEntries(sessions) };
}
