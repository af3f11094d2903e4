import type { JsonObject } from "../../kernel/json.ts";
import { turnNumberOf } from "../../kernel/id.ts";
import { foldState } from "../../session/fold.ts";
import { messagesOf } from "../../session/messages.ts";
import { changesBetween, describeChanges, type FieldChange } from "../changes.ts";
import { eventLines } from "../commands/events.ts";
import type { Channel } from "../output.ts";
import { lastEvents, loadAt, readEvents } from "../reading.ts";
import { clip, indent } from "../text.ts";
import type { Conversation } from "./conversation.ts";
import { rewind } from "./rewind.ts";

/** Commands of a chat, as `/help` lists them. */
const commands = {
  state: { usage: "/state", meaning: "the state as it is now" },
  diff: { usage: "/diff", meaning: "the last change of the state, old → new" },
  events: { usage: "/events", meaning: "the last 12 events of the log" },
  rewind: { usage: "/rewind [n]", meaning: "take back the last turn, or the last n" },
  crash: { usage: "/crash", meaning: "kill this process (SIGKILL) in the middle of the next reply" },
  help: { usage: "/help", meaning: "this list" },
  exit: { usage: "/exit", meaning: "leave; the conversation is kept (so does Ctrl-D)" },
} as const;

export type SlashName = keyof typeof commands;

export interface SlashCommand {
  readonly name: SlashName;
  readonly argument: string;
}

/** A line as a command; `"unknown"` if it looks like one and is none, undefined if it is a message. `//` begins a message that begins with a slash. */
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
export async function runSlash(conversation: Conversation, command: SlashCommand, channel: Channel): Promise<void> {
  switch (command.name) {
    case "state":
      return channel.line(JSON.stringify(await currentState(conversation), null, 2));
    case "diff":
      return showDiff(conversation, channel);
    case "events":
      return showEvents(conversation, channel);
    case "rewind":
      return showRewind(conversation, command.argument, channel);
    case "crash":
      conversation.crash.arm();
      return channel.line("Armed: this process is killed in the middle of the next reply. Send a message, and then start again.");
    case "help":
      return channel.line(
        Object.values(commands)
          .map(({ usage, meaning }) => `${usage.padEnd(13)}${meaning}`)
          .join("\n"),
      );
    case "exit":
      return undefined;
  }
}

const widthOf = (channel: Channel): number => channel.columns() ?? 100;

async function currentState({ session, store }: Conversation): Promise<JsonObject> {
  return foldState(await loadAt(store, (await session()).id)).document;
}

async function showEvents({ session, store }: Conversation, channel: Channel): Promise<void> {
  const { session: row } = await loadAt(store, (await session()).id);
  channel.line(eventLines(await lastEvents(store, row, 12), widthOf(channel)));
}

async function showDiff(conversation: Conversation, channel: Channel): Promise<void> {
  const { changes, from, to } = await lastChange(conversation);
  if (changes.length === 0) return channel.line("The state has not changed yet.");
  channel.line(channel.paint("dim", `between offsets ${from} and ${to}:`));
  channel.line(describeChanges(changes, channel.paint));
}

/** The last change of the state: all that one turn wrote, or one change that somebody made by hand. */
async function lastChange(
  conversation: Conversation,
): Promise<{ readonly changes: readonly FieldChange[]; readonly from: number; readonly to: number }> {
  const { session, store } = conversation;
  const { id: session_id } = await session();
  const { session: row } = await loadAt(store, session_id);
  const to = row.state_offset;
  if (to === 0) return { changes: [], from: 0, to };
  const { events } = await readEvents(store, { session_id, min_offset: to, max_offset: to, withdrawn: true });
  const turn = events[0]?.turn_id;
  const first = turn === undefined ? to : await firstStateOf(conversation, turnNumberOf(turn), to);
  const [before, after] = await Promise.all([loadAt(store, session_id, { at: first - 1 }), loadAt(store, session_id, { at: to })]);
  return { changes: changesBetween(foldState(before).document, foldState(after).document), from: first - 1, to };
}

async function firstStateOf({ session, store }: Conversation, number: number, last: number): Promise<number> {
  const { id: session_id } = await session();
  const page = await store.list({ of: "turns", session_id, order: "desc", limit: 20 });
  const started = page.items.find((turn) => turn.number === number)?.started_offset ?? last;
  const { events } = await readEvents(store, { session_id, min_offset: started, max_offset: last, kinds: ["state"], withdrawn: true, limit: 1000 });
  return events.find((event) => event.turn_id !== undefined && turnNumberOf(event.turn_id) === number)?.offset ?? last;
}

async function showRewind(conversation: Conversation, argument: string, channel: Channel): Promise<void> {
  if (!/^(?:[1-9]\d{0,3})?$/u.test(argument)) return channel.line(`/rewind takes a number of turns from 1, not "${clip(argument, 20)}".`);
  const taken = await rewind(conversation, argument === "" ? 1 : Number(argument));
  if (taken === undefined) return channel.line("There is no turn to take back.");
  const { turns, events, changes } = taken;
  channel.line(`Took back ${turns} ${turns === 1 ? "turn" : "turns"}:`);
  for (const { role, text } of messagesOf(events))
    channel.line(channel.paint("dim", `  − ${role}: ${clip(text, widthOf(channel) - role.length - 6)}`));
  channel.line(changes.length === 0 ? channel.paint("dim", "  The state is as it was.") : indent(describeChanges(changes, channel.paint)));
}
