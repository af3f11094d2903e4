/** Two points of conversations: what they share, what each says after that, and what it took. */
import { RequestError, type ResultOf, type WireEvent, type WireSession } from "@throughline/client";
import { client } from "../../base/page-service.ts";
import { isEntry, lineOf } from "../../parts/event-line.ts";
import type { Point } from "./compared-point.ts";

/** One side of a comparison. */
export interface Side {
  readonly info: WireSession;
  readonly at: number;
  /** What it says after the common part, up to its offset, by message of the customer. */
  readonly rounds: readonly Round[];
  /** Whether there is more than was read. */
  readonly more: boolean;
}

/** A message of the customer, or several at once, and what followed. */
export type Round = readonly WireEvent[];

/** Where both logs are the same. */
export interface CommonPart {
  /** The session that the shared events are of. */
  readonly id: string;
  /** The last shared offset. */
  readonly at: number;
}

export interface Comparison {
  readonly left: Side;
  readonly right: Side;
  /** Undefined if the sessions share no events, or the session that they shared was deleted. */
  readonly common: CommonPart | undefined;
  /** The last entries of the common part. */
  readonly before: Round;
}

/** Events that are read of each side at most. */
export const mostEvents = 2_000;
/** Events of a page. */
const pageSize = 1_000;
/** Entries of the common part that are shown, and the offsets in which they are looked for. */
const contextEntries = 4;
const contextOffsets = 60;
/** Kinds of events that a conversation has. */
const kinds = ["message", "tool", "custom", "session", "turn"] as const;
/** Sessions in a chain of forks. */
const longestChain = 64;

/** A session, and up to which offset a point shares its events. */
interface Link {
  readonly id: string;
  readonly upTo: number;
}

/** The session of a point and those that it was forked from, nearest first. A session that cannot be read ends the chain. */
async function chainOf(info: WireSession, at: number, signal: AbortSignal): Promise<readonly Link[]> {
  const links: Link[] = [{ id: info.id, upTo: at }];
  let { origin } = info;
  let upTo = at;
  while (origin !== undefined && origin.session_id !== null && links.length < longestChain) {
    upTo = Math.min(upTo, origin.at);
    links.push({ id: origin.session_id, upTo });
    try {
      origin = (await client().sessions.get(origin.session_id).info({ signal })).origin;
    } catch (error) {
      if (!RequestError.is(error) || signal.aborted) throw error;
      break;
    }
  }
  return links;
}

/** The nearest session in both chains. */
function commonOf(left: readonly Link[], right: readonly Link[]): CommonPart | undefined {
  for (const { id, upTo } of left) {
    const other = right.find((link) => link.id === id);
    if (other !== undefined) return { id, at: Math.min(upTo, other.upTo) };
  }
  return undefined;
}

async function readEntries(id: string, first: number, last: number, signal: AbortSignal): Promise<{ entries: readonly WireEvent[]; more: boolean }> {
  const found: WireEvent[] = [];
  let from = first;
  while (from <= last && found.length < mostEvents) {
    const query = { min_offset: from, limit: pageSize, kinds: [...kinds], withdrawn: true };
    const { items, next_offset } = await client().sessions.get(id).page(query, { signal });
    found.push(...items.filter(({ offset }) => offset <= last));
    if (next_offset <= from) break;
    from = next_offset;
  }
  return { entries: found.filter((event) => isEntry(lineOf(event))), more: found.length >= mostEvents && from <= last };
}

const isFromCustomer = (event: WireEvent | undefined): boolean => event?.kind === "message" && event.data.role === "user";

/** Entries by message of the customer. */
function roundsOf(entries: readonly WireEvent[]): readonly Round[] {
  const rounds: WireEvent[][] = [];
  for (const event of entries) {
    const round = rounds.at(-1);
    const begins = isFromCustomer(event) && round?.some(({ kind }) => kind === "message") === true && !isFromCustomer(round.at(-1));
    if (round === undefined || begins) rounds.push([event]);
    else round.push(event);
  }
  return rounds;
}

/** Reads both sides of a comparison. */
export async function readComparison(left: Point, right: Point, signal: AbortSignal): Promise<Comparison> {
  const infoOf = ({ id }: Point): Promise<WireSession> => client().sessions.get(id).info({ signal });
  const [leftInfo, rightInfo] = await Promise.all([infoOf(left), left.id === right.id ? infoOf(left) : infoOf(right)]);
  const [leftAt, rightAt] = [Math.min(left.at ?? leftInfo.head, leftInfo.head), Math.min(right.at ?? rightInfo.head, rightInfo.head)];
  const [leftChain, rightChain] = await Promise.all([chainOf(leftInfo, leftAt, signal), chainOf(rightInfo, rightAt, signal)]);
  const common = commonOf(leftChain, rightChain);
  const from = common === undefined ? 0 : common.at + 1;
  const sideOf = async (info: WireSession, at: number): Promise<Side> => {
    const { entries, more } = await readEntries(info.id, from, at, signal);
    return { info, at, rounds: roundsOf(entries), more };
  };
  const [leftSide, rightSide, before] = await Promise.all([
    sideOf(leftInfo, leftAt),
    sideOf(rightInfo, rightAt),
    common === undefined ? { entries: [] } : readEntries(left.id, Math.max(0, common.at - contextOffsets), common.at, signal),
  ]);
  return { left: leftSide, right: rightSide, common, before: before.entries.slice(-contextEntries) };
}

/** What turns took. */
export interface Figures {
  readonly turns: number;
  readonly input: number;
  readonly output: number;
  readonly cost: number;
}

type Turn = ResultOf<"listTurns">["items"][number];

/** Turns that are read at most. */
const mostTurns = 1_000;

/** Reads the turns that began up to an offset. */
export async function readTurns(id: string, at: number, signal: AbortSignal): Promise<readonly Turn[]> {
  const turns: Turn[] = [];
  let cursor: string | undefined;
  do {
    const page = await client()
      .sessions.get(id)
      .turns({ order: "asc", ...(cursor === undefined ? {} : { cursor }) }, { signal });
    turns.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && turns.length < mostTurns && (turns.at(-1)?.started_offset ?? 0) <= at);
  return turns.filter(({ started_offset }) => started_offset !== undefined && started_offset <= at);
}

/** Sums what turns took that began after an offset. */
export function figuresOf(turns: readonly Turn[], after: number): Figures {
  const own = turns.filter(({ started_offset = 0 }) => started_offset > after);
  const sum = (of: (turn: Turn) => number): number => own.reduce((total, turn) => total + of(turn), 0);
  return {
    turns: own.length,
    input: sum(({ usage }) => usage.input ?? 0),
    output: sum(({ usage }) => usage.output ?? 0),
    cost: sum(({ cost }) => cost),
  };
}

type FoundSession = ResultOf<"listSessions">["items"][number];

/** Sessions that are likely to be compared with one: its origin, its forks, and others of the customer. */
export async function readRelated(info: WireSession, signal: AbortSignal): Promise<readonly FoundSession[]> {
  const { customer_id } = info;
  if (customer_id === undefined) return [];
  const { items } = await client().sessions.list({ customer_id, limit: 100 }, { signal });
  const nearness = ({ id, origin }: FoundSession): number => (origin?.session_id === info.id ? 0 : info.origin?.session_id === id ? 1 : 2);
  return items.filter(({ id }) => id !== info.id).toSorted((one, other) => nearness(one) - nearness(other));
}
