/** The history of a session of the OpenAI Agents SDK: a log of changes. The state holds only the last change, so a change costs what it adds. */
import {
  defineAgent,
  defineReducer,
  defineState,
  loop,
  reduced,
  scripted,
  type ThroughlineError,
  type Json,
  type PatchOperation,
  type Session,
} from "throughline";

/** A change of the history: drops its last items, and adds others. */
export interface HistoryChange {
  readonly drop: number;
  readonly items: readonly Json[];
  /** A digest of the transaction, if the change has an operation's id. */
  readonly digest?: string;
}

/** The last change, under its number. */
type LastChange = Readonly<Record<string, HistoryChange>>;

const lastChange = {
  "~standard": {
    version: 1,
    vendor: "throughline",
    validate: (value: unknown): { readonly value: LastChange } => ({ value: value as LastChange }),
  },
} as const;

/** Each change replaces the one before it under the next number, so that its event holds the whole change. */
const reduce = defineReducer<LastChange, HistoryChange>({
  name: "change",
  version: 1,
  reduce: (current, change) => ({ [1 + Number(Object.keys(current ?? {})[0] ?? 0)]: change }),
});

/** The agent that these sessions belong to. It never replies: the SDK runs the agents, and the session stores their history. */
export const historyAgent = defineAgent({
  name: "openai-agents",
  version: 1,
  state: defineState({ change: reduced(lastChange, { initial: {}, reduce }) }),
  reply: loop({ model: scripted(() => "") }),
});

/** Items at the end of the history. */
export interface Tail {
  readonly items: readonly Json[];
  /** The head of the log that they were read at. */
  readonly head: number;
}

/** How many events are read at first beyond the number of wanted items, and then four times as many. */
const extra = 8;

/** Reads the last items of the history, or all of them, from the end of the log back to where enough were found. */
export async function readTail(session: Session, wanted: number): Promise<Tail> {
  const { head } = await session.info();
  const items: Json[] = [];
  let dropped = 0;
  let first = head + 1;
  for (let size = wanted + extra; first > 0 && items.length < wanted; size *= 4) {
    const maxOffset = first - 1;
    first = Math.max(0, first - size);
    const changes: HistoryChange[] = [];
    for await (const event of session.events({ minOffset: first, maxOffset, kinds: ["state"], follow: false }))
      if (event.kind === "state") changes.push(...changesOf(event.data.patch));
    for (const change of changes.toReversed()) {
      if (items.length >= wanted) break;
      const kept = change.items.slice(0, Math.max(0, change.items.length - dropped));
      dropped = dropped - (change.items.length - kept.length) + change.drop;
      items.push(...kept.toReversed());
    }
  }
  return { items: items.slice(0, wanted).toReversed(), head };
}

/** Returns the change that an event holds. Another operation of it only removes the change before. */
function changesOf(patch: readonly PatchOperation[]): readonly HistoryChange[] {
  return patch.flatMap((operation) => {
    if (operation.op !== "add" && operation.op !== "replace") return [];
    const value = operation.value as unknown;
    return operation.path === "/change" ? Object.values(value as LastChange) : operation.path.startsWith("/change/") ? [value as HistoryChange] : [];
  });
}

/** Returns the change that was made with an operation's id, at the offset that the refusal of another change with that id names. */
export async function changeAt(session: Session, refusal: ThroughlineError): Promise<HistoryChange | undefined> {
  const event = await session.event(Number(refusal.details["offset"]));
  return event.kind === "state" ? changesOf(event.data.patch)[0] : undefined;
}
