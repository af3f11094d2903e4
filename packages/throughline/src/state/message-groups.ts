/** Groups of messages that stay together, such as a request for tool calls and its results, and where a summary may end between them. */
import { seen, ThroughlineError } from "../kernel/error.ts";

/** The parts of a message that decide its position. */
export interface GroupedMessage {
  readonly role: string;
  readonly text: string;
  /** The calls that the message requests. */
  readonly calls?: readonly { readonly call_id: string }[];
  /** For a message with the role `tool`: the call that it is the result of. */
  readonly call_id?: string;
  /** The message is a placeholder for a missing result. */
  readonly missing?: true;
}

/** A message, directly followed by one result per call, in the order of the calls. */
export type MessageGroup<Message> = readonly [head: Message, ...results: readonly Message[]];

/**
 * Groups messages, in the order of their heads; no reader may split a group. A result belongs to the last earlier message that requests its call,
 * at any distance. If a call has several results, the first one counts. A result without a call is left out. `missing` creates the result of a
 * call that has none.
 */
export function groupMessages<Message extends GroupedMessage>(
  messages: readonly Message[],
  missing: (head: Message, index: number) => Message,
): readonly MessageGroup<Message>[] {
  return groupsInPlace(messages) ?? groupsAnywhere(messages, missing);
}

/** Cache of groups by head. The steps of an execution group the same messages repeatedly. */
const known = new WeakMap<GroupedMessage, MessageGroup<GroupedMessage>>();

/** Groups messages that are already in order, which is the usual case. Returns undefined at the first message that is not. */
function groupsInPlace<Message extends GroupedMessage>(messages: readonly Message[]): readonly MessageGroup<Message>[] | undefined {
  const groups: MessageGroup<Message>[] = [];
  for (let index = 0; index < messages.length;) {
    const head = messages[index] as Message;
    const group = knownGroup(messages, index) ?? groupAt(messages, index);
    if (group === undefined) return undefined;
    known.set(head, group);
    groups.push(group);
    index += group.length;
  }
  return groups;
}

/** Returns the cached group if the same messages are at this index. */
function knownGroup<Message extends GroupedMessage>(messages: readonly Message[], index: number): MessageGroup<Message> | undefined {
  const group = known.get(messages[index] as Message);
  if (group === undefined) return undefined;
  for (let at = 1; at < group.length; at += 1) if (messages[index + at] !== group[at]) return undefined;
  // The cached group holds exactly these message objects.
  return group as MessageGroup<Message>;
}

/** Returns the group at `index` if all its results directly follow. A placeholder is not accepted, because the actual result may come later. */
function groupAt<Message extends GroupedMessage>(messages: readonly Message[], index: number): MessageGroup<Message> | undefined {
  const head = messages[index] as Message;
  if (head.role === "tool") return undefined;
  const { calls = [] } = head;
  const results = messages.slice(index + 1, index + 1 + calls.length);
  const inPlace = calls.every(({ call_id }, at) => {
    const result = results[at];
    return result?.role === "tool" && result.call_id === call_id && result.missing !== true;
  });
  return inPlace ? [head, ...results] : undefined;
}

function groupsAnywhere<Message extends GroupedMessage>(
  messages: readonly Message[],
  missing: (head: Message, index: number) => Message,
): readonly MessageGroup<Message>[] {
  const groups: { readonly head: Message; readonly results: (Message | undefined)[] }[] = [];
  const askedBy = new Map<string, number>();
  for (const message of messages) {
    if (message.role !== "tool") {
      const calls = message.calls ?? [];
      for (const { call_id } of calls) askedBy.set(call_id, groups.length);
      groups.push({ head: message, results: calls.map(() => undefined) });
      continue;
    }
    const group = groups[askedBy.get(message.call_id ?? "") ?? -1];
    const isFree = (index: number): boolean =>
      group?.results[index] === undefined || (group.results[index].missing === true && message.missing !== true);
    const free = group?.head.calls?.findIndex(({ call_id }, index) => call_id === message.call_id && isFree(index)) ?? -1;
    if (group !== undefined && free !== -1) group.results[free] = message;
  }
  return groups.map(({ head, results }) => [head, ...results.map((result, index) => result ?? missing(head, index))]);
}

/** How much of a conversation stays verbatim. */
export interface SummaryLimits {
  /** Minimum number of newest messages that stay. A message and the results of its calls count as one. */
  readonly keep: number;
  /** Number of messages up to which nothing is summarized. `keep` by default. */
  readonly over?: number;
  /** Maximum number of tokens that stay, in any number of messages. The newest message always stays. No limit by default. */
  readonly maxTokens?: number;
  /** Counts the tokens of a text. By default, a quarter of its characters. */
  readonly tokensOf?: (text: string) => number;
}

const quarter = (text: string): number => Math.ceil(text.length / 4);

/** Counts the tokens of a message, including its calls. */
const weightOf = ({ text, calls }: GroupedMessage, tokensOf: (text: string) => number): number =>
  tokensOf(calls === undefined || calls.length === 0 ? text : `${text}${JSON.stringify(calls)}`);

/**
 * Returns the index up to which messages can be summarized; 0 if there is nothing to summarize. The index never falls between a call and its result.
 * Throws `input.invalid` if a limit is not a number from 0.
 */
export function summaryBoundary(messages: readonly GroupedMessage[], limits: SummaryLimits): number {
  const { keep, over = keep, maxTokens = Number.POSITIVE_INFINITY, tokensOf = quarter } = limits;
  for (const [name, value] of Object.entries({ keep, over, maxTokens }))
    if (typeof value !== "number" || !(value >= 0))
      throw new ThroughlineError("input.invalid", `${name} must be a number from 0, got ${seen(value)}.`);
  const total = messages.filter((message) => message.role !== "tool").length;
  const tooMany = total > Math.max(keep, over);
  let kept = 0;
  let tokens = 0;
  let boundary = messages.length;
  for (let start = messages.length - 1; start >= 0; start--) {
    const message = messages[start] as GroupedMessage;
    tokens += weightOf(message, tokensOf);
    if (message.role === "tool") continue;
    if (kept > 0 && tokens > maxTokens) return boundary;
    if (tooMany && kept >= keep) return boundary;
    kept += 1;
    boundary = start;
  }
  return 0;
}
