/** What of a conversation stays together: a message that asks for calls, and one result of each. */

/** A message, as far as its place is concerned. */
export interface GroupedMessage {
  readonly role: string;
  readonly text: string;
  /** The calls that it asks for. */
  readonly calls?: readonly { readonly call_id: string }[];
  /** The call that it is the result of, if its role is `tool`. */
  readonly call_id?: string;
  /** It only says that there is no result. */
  readonly missing?: true;
}

/** A message, and right after it one result of each call that it asks for, in the order of the calls. */
export type MessageGroup<Message> = readonly [head: Message, ...results: readonly Message[]];

/**
 * The messages in groups that no reader may take apart, in the order of their heads. A result belongs to the last message before it that asks for
 * its call, wherever it stands; the first one counts, and one without a call is left out. `missing` makes the result of a call without one.
 */
export function groupMessages<Message extends GroupedMessage>(
  messages: readonly Message[],
  missing: (head: Message, index: number) => Message,
): readonly MessageGroup<Message>[] {
  return groupsInPlace(messages) ?? groupsAnywhere(messages, missing);
}

/** Groups that were made before, by their heads: the steps of an execution look at the same messages over and over. */
const known = new WeakMap<GroupedMessage, MessageGroup<GroupedMessage>>();

/** The groups of messages that stand in their places already, as they mostly do; undefined as soon as one does not. */
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

/** The group that was made before, if it stands here as it did then. */
function knownGroup<Message extends GroupedMessage>(messages: readonly Message[], index: number): MessageGroup<Message> | undefined {
  const group = known.get(messages[index] as Message);
  if (group === undefined) return undefined;
  for (let at = 1; at < group.length; at += 1) if (messages[index + at] !== group[at]) return undefined;
  // It holds the very messages that are here.
  return group as MessageGroup<Message>;
}

/** The group that begins here, if all its results follow; one that only says that there is none may have to give way to one that comes later. */
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
