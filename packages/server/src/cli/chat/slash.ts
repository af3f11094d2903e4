/** The slash commands of a chat. */
import { writeFile } from "node:fs/promises";
import { type Event, type Message, messagesOf, type Session, type SessionInfo, type Store } from "throughline";
import { keptPrompt } from "throughline/internal";
import { whyOf } from "throughline/internal/memory";
import { type Json, type SessionId, ThroughlineError, type TurnId } from "throughline/kernel";
import { type ExportedMemory, memoryOf } from "throughline/memory";
import { chosenCall, describePending, howToDecide, type Word, wordOn } from "../approvals.ts";
import type { Channel } from "../command-output.ts";
import { eventLines } from "../commands/log-commands.ts";
import { nearest } from "../../config/violation.ts";
import { changesBetween, describeChanges, type FieldChange } from "../describe-event.ts";
import { entryLines, nothingRecalled, notKept, promptLines, statusLines, whyLines } from "../memory-view.ts";
import { followUp } from "../database-location.ts";
import { allEvents, changesOver, documentAt, firstOffsetOf, lastEvents, loadAt, readEvents, turnsOf } from "../read-session.ts";
import { ago, brief, clip, indent, jsonText, printable, table, wrapped } from "../terminal-text.ts";
import type { Conversation } from "./open-conversation.ts";
import { endEpisode } from "./farewell.ts";
import { changeMode, changeTheme, resume, showStatus, showThreads, startNew, trace } from "./thread-slash.ts";
import { assessmentsOf, remark, type SessionAssessment, showSafety } from "./reply-view.ts";

/** The operator name for the log. */
const by = "terminal";

/** `/handover`: hands the session over to operators. Messages wait for them. */
async function handOver({ session }: Conversation, channel: Channel, reason: string): Promise<void> {
  await (await session()).handOver({ by, ...(reason === "" ? {} : { reason }) });
  remark(channel, "People have this session now. Your messages wait for them; the agent is silent until /handback.");
}

/** `/handback`: hands the session back to the agent. Returns the turn that answers the waiting messages, if there are any. */
async function handBack({ session }: Conversation, channel: Channel): Promise<GoesOn | undefined> {
  const open = await session();
  const { waiting } = await open.pending();
  const { offset, turn_id } = await open.handBack({ by, resume: waiting.length > 0 });
  remark(
    channel,
    turn_id === undefined ? "The agent has this session again." : "The agent has this session again, and answers the waiting messages.",
  );
  return turn_id === undefined ? undefined : { turn_id, from: offset + 1, message: undefined };
}

/** Runs a command and prints its output. */
type RunSlash = (conversation: Conversation, channel: Channel, argument: string) => void | Promise<unknown>;

interface SlashEntry {
  readonly usage: string;
  readonly meaning: string;
  readonly run: RunSlash;
}

/** The commands of a chat in the order of `/help`. */
const commands = {
  status: { usage: "/status", meaning: "the thread, what answers, and what is kept", run: showStatus },
  threads: { usage: "/threads", meaning: "the threads that can be resumed", run: showThreads },
  resume: { usage: "/resume [n|id]", meaning: "continue in another thread; the one before by default", run: resume },
  new: { usage: "/new [incognito]", meaning: "start a new thread", run: startNew },
  mode: { usage: "/mode [auto|deterministic]", meaning: "what answers: the named model, or rules alone", run: changeMode },
  trace: { usage: "/trace [on|off|once]", meaning: "the decisions behind the last reply, or under replies", run: trace },
  theme: { usage: "/theme [name]", meaning: "the colors: dark, light, contrast or none", run: changeTheme },
  state: { usage: "/state", meaning: "the state as it is now", run: showState },
  diff: {
    usage: "/diff",
    meaning: "the last change of the state, old → new",
    run: showDiff,
  },
  events: { usage: "/events", meaning: "the last 12 events of the log", run: showEvents },
  prompt: {
    usage: "/prompt",
    meaning: "the exact last request to the model, with tokens by part",
    run: showPrompt,
  },
  why: { usage: "/why", meaning: "what the last turn recalled, and why", run: showWhy },
  context: {
    usage: "/context",
    meaning: "the same, and its text in the prompt",
    run: showContext,
  },
  safety: {
    usage: "/safety",
    meaning: "decisions of the gate, and the plan in a crisis",
    run: showSafety,
  },
  memory: { usage: "/memory [words]", meaning: "your memory; with words: entries that contain them", run: showMemory },
  forget: { usage: "/forget <words>", meaning: "forget entries that contain the words; asks first", run: forget },
  recall: { usage: "/recall [on|off]", meaning: "whether the agent may mention memories on its own", run: setRecall },
  incognito: {
    usage: "/incognito",
    meaning: "whether this session is remembered",
    run: showIncognito,
  },
  end: {
    usage: "/end",
    meaning: "end the episode, and show what is remembered of it",
    run: endEpisode,
  },
  vars: { usage: "/vars [name value]", meaning: "variables of the agent; a value sets one, -name removes one", run: variables },
  export: { usage: "/export [file]", meaning: "write this conversation to a JSON and a Markdown file", run: exportConversation },
  rewind: { usage: "/rewind [n]", meaning: "withdraw the last turn, or the last n", run: showRewind },
  history: {
    usage: "/history",
    meaning: "the ends of the last turns, to return to",
    run: showHistory,
  },
  fork: { usage: "/fork [offset]", meaning: "continue from there in a new session", run: forkHere },
  pending: { usage: "/pending", meaning: "calls that wait for your decision", run: showPending },
  approve: { usage: "/approve [n]", meaning: "approve a call; --edit {…}: with these arguments", run: decided("approve") },
  reject: { usage: "/reject [n]", meaning: "reject a call; the rest of the line is feedback", run: decided("reject") },
  answer: { usage: "/answer [n]", meaning: "answer the question of a call with the rest of the line", run: decided("answer") },
  handover: { usage: "/handover [reason]", meaning: "hand the session to people; your messages wait for them", run: handOver },
  handback: {
    usage: "/handback",
    meaning: "hand it back to the agent, which answers waiting messages",
    run: handBack,
  },
  crash: {
    usage: "/crash",
    meaning: "kill this process (SIGKILL) in the middle of the next reply",
    run: ({ crash }, channel) => {
      crash.arm();
      channel.line("Armed: this process is killed in the middle of the next reply. Send a message, and then start again.");
    },
  },
  keys: { usage: "/keys", meaning: "the keys of the terminal", run: (_conversation, channel) => channel.line(keysText) },
  help: { usage: "/help", meaning: "this list", run: (_conversation, channel) => channel.line(helpText(channel.columns(100))) },
  exit: { usage: "/exit", meaning: "leave; the conversation is stored (like Ctrl-D)", run: () => undefined },
} as const satisfies Readonly<Record<string, SlashEntry>>;

export type SlashName = keyof typeof commands;

export interface SlashCommand {
  readonly name: SlashName;
  readonly argument: string;
}

/** Parses a line as a command. Returns `"unknown"` for an unknown command and undefined for a message. `//` starts a message that begins with a slash. */
export function parseSlash(line: string): SlashCommand | "unknown" | undefined {
  const match = /^\/([a-z]+)(?:\s+(\S.*))?\s*$/iu.exec(line.trim());
  const word = match?.[1]?.toLowerCase();
  if (match === null || word === undefined) return undefined;
  const name = nameOf(aliases[word] ?? word);
  return name === undefined ? "unknown" : { name, argument: match[2]?.trim() ?? "" };
}

/** Short names of commands. */
const aliases: Readonly<Record<string, SlashName>> = {
  h: "help",
  s: "status",
  m: "memory",
  k: "keys",
  t: "threads",
  q: "exit",
  c: "context",
  quit: "exit",
};

/** The names of all commands, for completion. */
export const slashNames: readonly string[] = Object.keys(commands).map((name) => `/${name}`);

const nameOf = (word: string): SlashName | undefined => (Object.keys(commands) as SlashName[]).find((known) => known === word);

const keysText = table([
  ["Enter", "send the message"],
  ["Ctrl-C", "delete what is typed; during a reply: stop it; twice: leave"],
  ["Ctrl-D", "leave"],
  ["Up, Down", "earlier messages"],
  ["Tab", "complete a command"],
  ["paste", "several lines that are pasted at once are one message"],
]);

/** The message of a line, without the slash that escapes another one. */
export const messageOf = (line: string): string => (line.trim().startsWith("//") ? line.trim().slice(1) : line);

/** The remark for an unknown command, with the most similar one. */
export function unknownCommand(line: string): string {
  const word = /^\/([a-z]+)/iu.exec(line.trim())?.[1]?.toLowerCase() ?? "";
  const near = nearest(word, Object.keys(commands)) ?? Object.keys(commands).find((name) => word.length > 1 && name.startsWith(word));
  const suggestion = near === undefined ? "" : ` Did you mean /${near}?`;
  return `${clip(line, 40)} is not a command.${suggestion} /help lists them; begin a message that starts with a slash with two.`;
}

/** Runs a command and prints its output. */
export async function runSlash(conversation: Conversation, { name, argument }: SlashCommand, channel: Channel): Promise<void> {
  const { run }: SlashEntry = commands[name];
  await run(conversation, channel, argument);
}

/** The function of a command that continues a turn; undefined for other commands. */
export function goingOn({
  name,
  argument,
}: SlashCommand): ((conversation: Conversation, channel: Channel) => Promise<GoesOn | undefined>) | undefined {
  if (name === "approve" || name === "reject" || name === "answer") return (conversation, channel) => decide(conversation, name, argument, channel);
  return name === "handback" ? handBack : undefined;
}

/** The column in which the meanings of `/help` begin. */
const meaningAt = 22;

function helpText(columns: number): string {
  const short = (name: string): string =>
    Object.keys(aliases)
      .filter((alias) => aliases[alias] === name && alias.length === 1)
      .map((alias) => `, /${alias}`)
      .join("");
  return Object.entries(commands)
    .map(([name, { usage, meaning }]) => {
      const left = usage.replace(/^\/\w+/u, (word) => `${word}${short(name)}`);
      const lines = wrapped(meaning, columns - meaningAt).split("\n");
      const first = left.length < meaningAt ? left.padEnd(meaningAt) + (lines.shift() ?? "") : left;
      return [first, ...lines.map((line) => " ".repeat(meaningAt) + line)].join("\n");
    })
    .join("\n");
}

async function showState({ session, store }: Conversation, channel: Channel): Promise<void> {
  channel.line(jsonText(await documentAt(store, (await session()).id), 2));
}

function decided(word: Word): RunSlash {
  return (conversation, channel, argument) => decide(conversation, word, argument, channel);
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

/** The last change of the state: all writes of one turn, or one manual edit. */
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

async function showRewind(conversation: Conversation, channel: Channel, argument: string): Promise<void> {
  if (!/^(?:[1-9]\d{0,3})?$/u.test(argument)) return channel.line(`/rewind takes a number of turns from 1, not "${clip(argument, 20)}".`);
  const taken = await rewind(conversation, argument === "" ? 1 : Number(argument));
  if (taken === undefined) return channel.line("There is no turn to withdraw.");
  const { turns, events, changes } = taken;
  channel.line(`Withdrew ${turns} ${turns === 1 ? "turn" : "turns"}:`);
  for (const { role, text } of messagesOf(events))
    channel.line(channel.paint("dim", `  − ${role}: ${clip(text, channel.columns(100) - role.length - 6)}`));
  channel.line(changes.length === 0 ? channel.paint("dim", "  The state is unchanged.") : indent(describeChanges(changes, channel.paint)));
}

/** `/pending`: lists the calls that wait for a decision. */
async function showPending({ context, session }: Conversation, channel: Channel): Promise<void> {
  const { calls } = await (await session()).pending();
  if (calls.length === 0) return channel.line("Nothing waits for your decision.");
  channel.line(describePending(calls, channel, context.clock.now()));
  remark(channel, howToDecide(calls), "cyan");
}

/** A continuing turn, and the offset from which to follow it. */
interface GoesOn {
  readonly turn_id: Awaited<ReturnType<Session["decide"]>>["turn_id"];
  readonly from: number;
  readonly message: undefined;
}

/** `/approve`, `/reject` and `/answer`: returns the continuing turn, or undefined while other calls are pending. */
async function decide({ session }: Conversation, word: Word, line: string, channel: Channel): Promise<GoesOn | undefined> {
  const open = await session();
  const { calls } = await open.pending();
  const { call, rest } = chosenCall(calls, line);
  const { offset, turn_id } = await open.decide({ ...wordOn(word, call, rest), by: "terminal" });
  const done = { approve: "Approved", reject: "Rejected", answer: "Answered" }[word];
  const left = calls.length - 1;
  remark(channel, left === 0 ? `${done}.` : `${done}. ${left} more ${left === 1 ? "waits" : "wait"}: /pending`);
  return left === 0 ? { turn_id, from: offset + 1, message: undefined } : undefined;
}

/** `/history`: lists the ends of the last turns, from which the session can be forked. */
async function showHistory(conversation: Conversation, channel: Channel): Promise<void> {
  const session = await conversation.session();
  const points = await session.history({ limit: 10 });
  if (points.length === 0) return channel.line("No turn has ended yet.");
  const now = conversation.context.clock.now();
  const rows = await Promise.all(
    points.map(async ({ offset, cause, created_at }) => {
      const [message] = (await session.messages({ last: 1, at: offset })).toReversed();
      return [String(offset), cause, ago(created_at, now), clip(message?.text ?? "", Math.max(20, channel.columns(100) - 40))];
    }),
  );
  channel.line(table([["OFFSET", "CAUSE", "QUEUED", "LAST MESSAGE"], ...rows]));
  channel.line(channel.paint("dim", "/fork <offset> continues from there in a new session"));
}

/** `/fork`: continues in a new session that shares the log up to an offset; the head by default. */
async function forkHere(conversation: Conversation, channel: Channel, argument: string): Promise<void> {
  if (!/^\d{0,10}$/u.test(argument)) return channel.line(`/fork takes an offset, not "${clip(argument, 20)}"; /history has those of the last turns.`);
  const session = await conversation.session();
  const fork = await session.fork(argument === "" ? {} : { at: Number(argument) });
  const { origin } = await fork.info();
  conversation.goOnIn(fork);
  channel.line(`Now in ${fork.id}, which continues from offset ${origin?.at}. The original session is unchanged: ${session.id}`);
}

/** The result of a withdrawal. */
interface Rewound {
  readonly turns: number;
  readonly events: readonly Event[];
  readonly changes: readonly FieldChange[];
}

/** Withdraws the last visible turns; undefined if there are none. */
async function rewind({ session, store }: Conversation, count: number): Promise<Rewound | undefined> {
  const open = await session();
  const session_id = open.id;
  let from: number | undefined;
  let turns = 0;
  for await (const turn of turnsOf(store, session_id)) {
    const first = await firstOffsetOf(store, turn);
    if (first === undefined) continue;
    from = Math.min(from ?? first, first);
    if (++turns === count) break;
  }
  if (from === undefined) return undefined;
  const before = await documentAt(store, session_id);
  const { events } = await readEvents(store, { session_id, min_offset: from, limit: 1000 });
  await open.withdraw({ from });
  return { turns, events, changes: changesBetween(before, await documentAt(store, session_id)) };
}

/** `/prompt`: shows the last request with the tokens of each part. */
async function showPrompt({ session, store }: Conversation, channel: Channel): Promise<void> {
  const { session: row } = await loadAt(store, (await session()).id);
  const kept = await keptPrompt(store, row, {});
  if (kept === undefined) return channel.line(row.last_turn === 0 ? "No request has been sent yet." : notKept);
  for (const line of promptLines(kept, channel)) channel.line(line);
}

/** `/why`: shows the items that the last turn recalled, and why. */
async function showWhy({ session, store }: Conversation, channel: Channel): Promise<void> {
  const { session: row } = await loadAt(store, (await session()).id);
  const why = await whyOf(store, row);
  if (why === undefined) return channel.line(nothingRecalled);
  for (const line of whyLines(why, channel)) channel.line(line);
}

/** `/context`: shows the recalled items and their text in the prompt. */
async function showContext({ session, store }: Conversation, channel: Channel): Promise<void> {
  const { session: row } = await loadAt(store, (await session()).id);
  const why = await whyOf(store, row);
  for (const line of why === undefined ? [nothingRecalled] : whyLines(why, channel)) channel.line(line);
  const kept = await keptPrompt(store, row, {});
  if (kept === undefined) return channel.line(channel.paint("dim", "No model was called in the last turn, so no memory was in a prompt."));
  const remembered = new Set(kept.record.parts.flatMap(({ name, provenance }) => (provenance === "memory" ? [name] : [])));
  const sections = kept.request.sections.filter(({ name }) => remembered.has(name));
  if (sections.length === 0) channel.line(channel.paint("dim", "The last request to the model contained no memory."));
  for (const { name, text } of sections) channel.line(`${channel.paint("bold", `[${printable(name)}]`)}\n${indent(printable(text))}`);
}

/** Maximum number of entries in a list. */
const most = 30;

/** `/memory`: shows the user's memory. With words, shows the entries that contain them. */
async function showMemory({ session }: Conversation, channel: Channel, words: string): Promise<void> {
  const { memory } = await session();
  if (words !== "") {
    const found = await memory.find(words, { limit: most });
    return channel.line(found.length === 0 ? "No memory contains that." : entryLines(found, channel));
  }
  const [status, { items, total }] = [await memory.status(), await memory.list({ limit: most })];
  channel.line(statusLines(status));
  if (items.length > 0) channel.line(entryLines(items, channel));
  if (total > items.length) channel.line(channel.paint("dim", `${total - items.length} more: /memory with a word`));
}

/** `/forget`: asks for confirmation, as in the conversation. The answer is another `/forget` with yes, no or a number. */
async function forget({ session }: Conversation, channel: Channel, words: string): Promise<void> {
  const { memory } = await session();
  const waits = await memory.pending();
  if (words === "" && waits === null) return channel.line("/forget needs words of the entries to forget: /forget my sister");
  const answered = waits === null ? undefined : await memory.answer(words);
  const { reply, pending } =
    answered ?? (await memory.control(words === "" ? { type: "repeat_pending" } : { type: "forget_by_query", query: words }));
  channel.line(printable(reply));
  if (pending !== null) channel.line(channel.paint("dim", "Answer with /forget yes, /forget no, or /forget and a number."));
}

/** `/recall on` and `/recall off`: controls whether the agent may mention memories on its own. */
async function setRecall({ session }: Conversation, channel: Channel, word: string): Promise<void> {
  const { memory } = await session();
  if (word !== "" && word !== "on" && word !== "off") throw new ThroughlineError("cli.usage", `/recall takes on or off, not "${clip(word, 20)}".`);
  const { recall_enabled } = word === "" ? await memory.status() : await memory.setRecall(word === "on");
  channel.line(recall_enabled ? "The agent may mention memories on its own." : "The agent does not mention memories on its own.");
}

/** `/incognito`: shows whether this session is remembered, and how to start one that is not. */
async function showIncognito({ session, context }: Conversation, channel: Channel): Promise<void> {
  const { incognito } = await (await session()).info();
  channel.line(
    incognito === true
      ? "This session is incognito: it remembers and recalls nothing. This cannot be changed."
      : `This session is remembered. To start one that is not: /new incognito, or ${followUp(context, "chat --new --incognito")}`,
  );
}

const howTo = "Set one with /vars <name> <value>, remove it with /vars -<name>.";

/** Parses a typed value as JSON, or returns the text if it is not JSON. */
function valueOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** `/vars`: lists the variables. A name shows one variable, a value sets it, and `-name` removes it. Changes apply from the next turn on. */
async function variables({ session, context }: Conversation, channel: Channel, argument: string): Promise<void> {
  const open = await session();
  const [, minus, name = "", value] = /^(-?)(\S*)(?:\s+(\S.*))?$/su.exec(argument) ?? [];
  if (minus === "-" && name !== "") {
    await open.setVariables({ unset: [name] });
    return channel.line(`${printable(name)} is removed from the next turn on.`);
  }
  if (name !== "" && value !== undefined) {
    const { values } = await open.setVariables({ set: { [name]: valueOf(value) } });
    return channel.line(`${printable(name)} = ${brief(values[name])}, from the next turn on.`);
  }
  const known = (await open.variables()).filter((one) => name === "" || one.name === name);
  if (known.length === 0) return channel.line(`${name === "" ? "The agent has no variables." : `There is no variable ${printable(name)}.`} ${howTo}`);
  const rows = known.map((one) => [
    printable(one.name),
    one.scope,
    `${ago(one.checked_at, context.clock.now())}${one.stale ? ", stale" : ""}`,
    brief(one.value, 60),
  ]);
  channel.line(table([["NAME", "OF THE", "SET", "VALUE"], ...rows]));
}

/** The content of the JSON file. */
interface Exported {
  readonly format: "throughline.conversation/1";
  readonly exported_at: number;
  readonly session: SessionInfo;
  readonly messages: readonly Message[];
  readonly state: unknown;
  /** The user's memory across all sessions; null if the agent has no memory. */
  readonly memory: ExportedMemory | null;
  readonly assessments: readonly SessionAssessment[];
  /** The consent events of the session. */
  readonly consents: readonly Event[];
}

async function exported(conversation: Conversation): Promise<{ readonly document: Exported; readonly memory: string | undefined }> {
  const { session, store, agent, context } = conversation;
  const open = await session();
  const events = await allEvents(store, open.id);
  const remembers = memoryOf(agent) !== undefined;
  const document: Exported = {
    format: "throughline.conversation/1",
    exported_at: context.clock.now(),
    session: await open.info(),
    messages: messagesOf(events),
    state: await documentAt(store, open.id),
    memory: remembers ? await open.memory.export({ format: "json" }) : null,
    assessments: await assessmentsOf(store, open.id),
    consents: events.filter(isConsent),
  };
  return { document, memory: remembers ? await open.memory.export({ format: "markdown" }) : undefined };
}

const isConsent = ({ kind, data }: Event): boolean => kind === "session" && data.type === "consent";

const day = (at: number): string => new Date(at).toISOString().slice(0, 16).replace("T", " ");

/** The conversation as Markdown. */
function markdownOf({ session, messages, state, assessments, exported_at }: Exported, memory: string | undefined): string {
  const paragraphs = messages
    .filter(({ role, text }) => role !== "tool" && text !== "")
    .map(
      ({ role, name, text, custom, source }) =>
        `**${printable(custom === true ? source : role === "user" ? "you" : (name ?? role))}**\n\n${indent(printable(text), "> ")}`,
    );
  const levels = assessments.map(
    ({ at, level, record }) => `| ${day(at)} | ${level} | ${record?.path ?? "-"} | ${record?.reason_code ?? "-"} | ${record?.action ?? "-"} |`,
  );
  return [
    `# Conversation with ${printable(session.agent)}`,
    `Session ${session.id}, exported on ${day(exported_at)} UTC.`,
    ...paragraphs,
    "## State",
    `\`\`\`json\n${jsonText(state, 2)}\n\`\`\``,
    ...(memory === undefined ? [] : ["## Memory", memory.replaceAll(/^#/gmu, "##")]),
    ...(levels.length === 0
      ? []
      : ["## Assessments", ["| When | Level | Path | Reason | Action |", "| --- | --- | --- | --- | --- |", ...levels].join("\n")]),
    "",
  ].join("\n\n");
}

/**
 * Writes the conversation to `<name>.json` and `<name>.md`, readable only by the file's owner. Throws `file.exists` if a file exists, and
 * `output.failed` if a file cannot be written.
 */
async function exportConversation(conversation: Conversation, channel: Channel, file: string): Promise<void> {
  const { id } = await conversation.session();
  const name = file === "" ? `conversation-${id}` : file.replace(/\.(?:json|md)$/u, "");
  const { document, memory } = await exported(conversation);
  await writeNew(`${name}.json`, `${jsonText(document, 2)}\n`);
  await writeNew(`${name}.md`, markdownOf(document, memory));
  channel.line(`Written: ${printable(name)}.json and ${printable(name)}.md. They contain the whole conversation, so keep them private.`);
}

async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
  } catch (cause) {
    const isThere = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    const options = { hint: "Name another file: /export <file>", details: { path }, cause };
    throw isThere
      ? new ThroughlineError("file.exists", `${path} already exists and was not changed.`, options)
      : new ThroughlineError("output.failed", `${path} cannot be written.`, options);
  }
}
