import type { SessionId, TurnId } from "../../kernel/id.ts";
import { messagesOf } from "../../session/messages.ts";
import type { Store } from "../../store/port.ts";
import { describeChanges, type FieldChange } from "../changes.ts";
import { eventLines } from "../commands/events.ts";
import type { Channel } from "../output.ts";
import { changesOver, documentAt, lastEvents, loadAt, readEvents, turnsOf } from "../reading.ts";
import { clip, indent, jsonText } from "../text.ts";
import type { Conversation } from "./conversation.ts";
import type { Word } from "../approvals.ts";
import { showContext } from "./context-view.ts";
import { decide, showPending, type GoesOn } from "./decide.ts";
import { exportConversation } from "./export.ts";
import { handBack, handOver } from "./handover.ts";
import { forkHere, showHistory } from "./history.ts";
import { showPrompt, showWhy } from "./prompt.ts";
import { endEpisode, forget, setRecall, showIncognito, showMemory } from "./memory.ts";
import { rewind } from "./rewind.ts";
import { showSafety } from "./safety-view.ts";
import { variables } from "./variables.ts";

/** What runs a command and shows what it has to say. */
type RunSlash = (conversation: Conversation, argument: string, channel: Channel) => void | Promise<unknown>;

interface SlashEntry {
  readonly usage: string;
  readonly meaning: string;
  readonly run: RunSlash;
}

/** A command that takes no words. */
const alone =
  (run: (conversation: Conversation, channel: Channel) => void | Promise<unknown>): RunSlash =>
  (conversation, _none, channel) =>
    run(conversation, channel);

/** Commands of a chat, as `/help` lists them. */
const commands = {
  state: { usage: "/state", meaning: "the state as it is now", run: alone(showState) },
  diff: {
    usage: "/diff",
    meaning: "the last change of the state, old → new",
    run: alone(showDiff),
  },
  events: { usage: "/events", meaning: "the last 12 events of the log", run: alone(showEvents) },
  prompt: {
    usage: "/prompt",
    meaning: "the exact last request to the model, with tokens by part",
    run: alone(showPrompt),
  },
  why: { usage: "/why", meaning: "what the last turn recalled, and why", run: alone(showWhy) },
  context: {
    usage: "/context",
    meaning: "the same, and its text in the prompt",
    run: alone(showContext),
  },
  safety: {
    usage: "/safety",
    meaning: "decisions of the gate, and the plan in a crisis",
    run: alone(showSafety),
  },
  memory: { usage: "/memory [words]", meaning: "your memory; with words: entries that contain them", run: showMemory },
  forget: { usage: "/forget <words>", meaning: "forget entries that say that; it asks first", run: forget },
  recall: { usage: "/recall [on|off]", meaning: "whether the agent may bring up memories by itself", run: setRecall },
  incognito: {
    usage: "/incognito",
    meaning: "whether this session is remembered",
    run: alone(showIncognito),
  },
  end: {
    usage: "/end",
    meaning: "end the episode, and show what is remembered of it",
    run: alone(endEpisode),
  },
  vars: { usage: "/vars [name value]", meaning: "variables of the agent; a value sets one, -name removes one", run: variables },
  export: { usage: "/export [file]", meaning: "write this conversation to a JSON and a Markdown file", run: exportConversation },
  rewind: { usage: "/rewind [n]", meaning: "withdraw the last turn, or the last n", run: showRewind },
  history: {
    usage: "/history",
    meaning: "the ends of the last turns, to return to",
    run: alone(showHistory),
  },
  fork: { usage: "/fork [offset]", meaning: "continue from there in a new session", run: forkHere },
  pending: { usage: "/pending", meaning: "what waits for your word", run: alone(showPending) },
  approve: { usage: "/approve [n]", meaning: "approve a call; --edit {…}: with these arguments", run: decided("approve") },
  reject: { usage: "/reject [n]", meaning: "reject a call; the rest of the line is feedback", run: decided("reject") },
  answer: { usage: "/answer [n]", meaning: "answer the question of a call with the rest of the line", run: decided("answer") },
  handover: { usage: "/handover [reason]", meaning: "hand the session to people; your messages wait for them", run: handOver },
  handback: {
    usage: "/handback",
    meaning: "hand it back to the agent, which answers waiting messages",
    run: alone(handBack),
  },
  crash: {
    usage: "/crash",
    meaning: "kill this process (SIGKILL) in the middle of the next reply",
    run: ({ crash }, _none, channel) => {
      crash.arm();
      channel.line("Armed: this process is killed in the middle of the next reply. Send a message, and then start again.");
    },
  },
  help: { usage: "/help", meaning: "this list", run: (_conversation, _none, channel) => channel.line(helpText()) },
  exit: { usage: "/exit", meaning: "leave; the conversation is stored (like Ctrl-D)", run: () => undefined },
} as const satisfies Readonly<Record<string, SlashEntry>>;

export type SlashName = keyof typeof commands;

export interface SlashCommand {
  readonly name: SlashName;
  readonly argument: string;
}

/**
 * A line as a command; `"unknown"` if it looks like one and is none, undefined if it is a message. `//` begins a message that begins with a slash.
 */
export function parseSlash(line: string): SlashCommand | "unknown" | undefined {
  const match = /^\/([a-z]+)(?:\s+(\S.*))?\s*$/iu.exec(line.trim());
  const word = match?.[1]?.toLowerCase();
  if (match === null || word === undefined) return undefined;
  const name = word === "quit" || word === "q" ? "exit" : (Object.keys(commands) as SlashName[]).find((known) => known === word);
  return name === undefined ? "unknown" : { name, argument: match[2]?.trim() ?? "" };
}

/** The line that a message is, without the slash that protects another one. */
export const messageOf = (line: string): string => (line.trim().startsWith("//") ? line.trim().slice(1) : line);

/** What to say about a command that is none. */
export const unknownCommand = (line: string): string =>
  `${clip(line, 40)} is not a command. /help lists them; begin a message that starts with a slash with two.`;

/** Runs a command and shows what it has to say. */
export async function runSlash(conversation: Conversation, { name, argument }: SlashCommand, channel: Channel): Promise<void> {
  const { run }: SlashEntry = commands[name];
  await run(conversation, argument, channel);
}

/** A command after which a turn goes on, that can be followed; undefined for any other one. */
export function goingOn({
  name,
  argument,
}: SlashCommand): ((conversation: Conversation, channel: Channel) => Promise<GoesOn | undefined>) | undefined {
  if (name === "approve" || name === "reject" || name === "answer") return (conversation, channel) => decide(conversation, name, argument, channel);
  return name === "handback" ? handBack : undefined;
}

function helpText(): string {
  return Object.values(commands)
    .map(({ usage, meaning }) => `${usage.padEnd(20)}${meaning}`)
    .join("\n");
}

async function showState({ session, store }: Conversation, channel: Channel): Promise<void> {
  channel.line(jsonText(await documentAt(store, (await session()).id), 2));
}

function decided(word: Word): RunSlash {
  return (conversation, argument, channel) => decide(conversation, word, argument, channel);
}

async function showEvents({ session, store }: Conversation, channel: Channel): Promise<void> {
  const { session: row } = await loadAt(store, (await session()).id);
  channel.line(eventLines(await lastEvents(store, row, 12), channel.columns(100)));
}

async function showDiff(conversation: Conversation, channel: Channel): Promise<void> {
  const { changes, from, to } = await lastChange(conversation);
  if (changes.length === 0) return channel.line("The state has not changed yet.");
  channel.line(channel.paint("dim", `between offsets ${from} and ${to}:`));
  channel.line(describeChanges(changes, channel.paint));
}

interface LastChange {
  readonly changes: readonly FieldChange[];
  readonly from: number;
  readonly to: number;
}

/** The last change of the state: all that one turn wrote, or one change that somebody made by hand. */
async function lastChange({ session, store }: Conversation): Promise<LastChange> {
  const { id: session_id } = await session();
  const to = (await loadAt(store, session_id)).session.state_offset;
  if (to === 0) return { changes: [], from: 0, to };
  const page = { session_id, max_offset: to, kinds: ["state"], withdrawn: true, limit: 1000 } as const;
  const [last] = (await readEvents(store, { ...page, min_offset: to })).events;
  const began = last?.turn_id === undefined ? to : await beginningOf(store, session_id, last.turn_id);
  const { events } = await readEvents(store, { ...page, min_offset: began ?? to });
  const from = (events.find((event) => event.turn_id === last?.turn_id)?.offset ?? to) - 1;
  return { changes: await changesOver(store, session_id, from, to), from, to };
}

async function beginningOf(store: Store, session_id: SessionId, turn_id: TurnId): Promise<number | undefined> {
  for await (const turn of turnsOf(store, session_id)) if (turn.turn_id === turn_id) return turn.started_offset;
  return undefined;
}

async function showRewind(conversation: Conversation, argument: string, channel: Channel): Promise<void> {
  if (!/^(?:[1-9]\d{0,3})?$/u.test(argument)) return channel.line(`/rewind takes a number of turns from 1, not "${clip(argument, 20)}".`);
  const taken = await rewind(conversation, argument === "" ? 1 : Number(argument));
  if (taken === undefined) return channel.line("There is no turn to withdraw.");
  const { turns, events, changes } = taken;
  channel.line(`Took back ${turns} ${turns === 1 ? "turn" : "turns"}:`);
  for (const { role, text } of messagesOf(events))
    channel.line(channel.paint("dim", `  − ${role}: ${clip(text, channel.columns(100) - role.length - 6)}`));
  channel.line(changes.length === 0 ? channel.paint("dim", "  The state is as it was.") : indent(describeChanges(changes, channel.paint)));
}
