/** Runs a chat at a terminal: edits input lines and shows replies while they stream. */
import { constants } from "node:os";
import { ThroughlineError, type TurnId } from "throughline/kernel";
import type { Message, TurnResult } from "throughline";
import { describePending, howToDecide } from "../approvals.ts";
import { type Channel, describeError } from "../command-output.ts";
import { changeLine } from "../describe-event.ts";
import { shown, withoutSecret } from "../database-location.ts";
import { changesOver } from "../read-session.ts";
import { clip, indent, printable, wrapped } from "../terminal-text.ts";
import { type Conversation, resuming, startAgain, unsavedResult } from "./open-conversation.ts";
import { askFeedback, endEpisode } from "./farewell.ts";
import { createLineEditor, type LineEditor } from "./line-editor.ts";
import { type PanelFacts, panelInWords, panelLines } from "./panel.ts";
import { contextLine, followTurn, hasPanel, notSaved, panelFacts, remark, replyView, saysItself, tellMessages, type TurnEnd } from "./reply-view.ts";
import { createScreen, type Screen } from "./chat-screen.ts";
import { goingOn, messageOf, parseSlash, runSlash, type SlashCommand, slashNames, unknownCommand } from "./slash.ts";
import { lastResult, traceOf } from "./thread-slash.ts";

/** The state of a chat at a terminal. */
interface Talk {
  readonly conversation: Conversation;
  readonly channel: Channel;
  readonly screen: Screen;
  readonly editor: LineEditor;
  /** Whether a turn is running. */
  busy: boolean;
  /** How many times Ctrl-C was pressed since the last line. */
  interrupts: number;
  /** Whether the user has left. Later output is discarded. */
  left: boolean;
  readonly leave: (code: number) => void;
  /** What the panel shows; undefined without a panel. */
  facts: PanelFacts | undefined;
}

/** How many of the last messages are shown, and how many the arrow keys offer. */
const shownMessages = 6;
const rememberedMessages = 200;

/** Runs a chat at a terminal. Returns the exit code when the user leaves. */
export async function chatAtTerminal(conversation: Conversation, input: NodeJS.ReadStream, beforeCrash: { run: () => void }): Promise<number> {
  const { output } = conversation.context;
  const { plain, out, err } = output;
  const screen = createScreen(out);
  const { channel } = screen;
  // Remarks of the runtime go above the panel, too.
  if (err.stream.isTTY) output.err = channel;
  const session = await conversation.session();
  const messages = await session.messages({ last: rememberedMessages });
  const leaving = Promise.withResolvers<number>();
  const leave = (code: number): void => {
    here.left = true;
    leaving.resolve(code);
  };
  const history = messages.flatMap(({ role, text, custom }) => (role === "user" && custom !== true ? [printable(text)] : [])).toReversed();
  const editor = createLineEditor({
    ...{ input, screen, edits: !plain, history, words: slashNames },
    prompt: plain ? "you: " : `${channel.paint("bold", "you")} › `,
    onInterrupt: () => interrupt(here),
  });
  const here: Talk = { conversation, channel, screen, editor, busy: false, interrupts: 0, left: false, leave, facts: undefined };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const onSignal = (signal: NodeJS.Signals): void => (signal === "SIGINT" ? interrupt(here) : leave(128 + constants.signals[signal]));
  for (const signal of signals) process.on(signal, onSignal);
  beforeCrash.run = () => {
    editor.close();
    screen.close();
    // Not wrapped, so that the command can be copied.
    channel.write(
      `\n\n${channel.paint("red", "Crashed on purpose (SIGKILL), in the middle of the reply.")} Start again: ${startAgain(conversation.context)}\n`,
    );
  };
  try {
    await greet(here, session.id, messages.slice(-shownMessages));
    await refresh(here);
    const end = await Promise.race([talk(here), leaving.promise]);
    editor.close();
    screen.close();
    // Completes the line of a prompt that was left without Enter.
    if (end !== "exit") channel.line();
    remark(channel, `The conversation is stored. Continue with: ${startAgain(conversation.context)}`);
    return typeof end === "number" ? end : 0;
  } finally {
    editor.close();
    screen.close();
    output.err = err;
    for (const signal of signals) process.off(signal, onSignal);
  }
}

/** Whether the panel is shown: at a terminal that is not plain, for agents that have what it shows, unless `--context off`. */
const wantsPanel = ({ conversation: { context, contextLine: wanted, agent } }: Talk): boolean =>
  wanted !== false && !context.output.plain && hasPanel(agent);

/** Reads anew what the panel shows. A panel that cannot be read is no reason to stop the talk. */
async function refresh(talk: Talk, result?: TurnResult): Promise<void> {
  if (!wantsPanel(talk)) return talk.screen.show(undefined);
  const { conversation } = talk;
  talk.facts = await panelFacts(conversation, result ?? (await lastResult(conversation))).catch(() => talk.facts);
  showPanel(talk);
}

function showPanel({ facts, channel, screen }: Talk, doing?: string): void {
  if (facts === undefined) return;
  const now = doing === undefined ? facts : { ...facts, doing };
  screen.show((size) => panelLines(now, size, channel.paint));
}

async function greet(screen: Talk, session: string, messages: readonly Message[]): Promise<void> {
  const { conversation, channel } = screen;
  for (const line of conversation.opening) remark(screen.channel, line);
  const { output, location } = conversation.context;
  const help = "/help lists what else there is, /exit leaves";
  remark(channel, `${conversation.resumed ? "session" : "new session"} ${session} in ${shown(location)}${output.plain ? "." : " ·"} ${help}`);
  channel.line();
  await tellMessages(conversation, channel, messages);
  if (messages.length > 0) space(screen);
}

/** Ctrl-C: deletes the typed text. Without text, the first press stops the running turn and the second one leaves. */
function interrupt(talk: Talk): void {
  const { conversation, channel, editor } = talk;
  if (!talk.busy && editor.discard()) return;
  talk.interrupts += 1;
  if (talk.interrupts > 1) return talk.leave(0);
  if (talk.busy) return void stop(conversation).catch(() => {});
  const { plain } = conversation.context.output;
  if (plain) channel.line();
  remark(channel, "Press Ctrl-C again to leave.");
  if (plain) editor.again();
}

async function stop(conversation: Conversation): Promise<void> {
  await (await conversation.session()).stop("stopped at the terminal");
}

async function talk(screen: Talk): Promise<"exit" | "end"> {
  await resumeLeft(screen);
  for (;;) {
    const line = await screen.editor.next();
    if (line === undefined) return "end";
    screen.interrupts = 0;
    if (line.trim() === "") continue;
    const command = parseSlash(line);
    if (command !== undefined && command !== "unknown" && command.name === "exit") return "exit";
    await guarded(screen, () => handle(screen, line));
    space(screen);
  }
}

/** Leaves room between one exchange and the next. */
function space({ conversation, channel, left }: Talk): void {
  if (!left && !conversation.context.output.plain) channel.line();
}

async function handle(screen: Talk, line: string): Promise<void> {
  const command = parseSlash(line);
  if (command === "unknown") return remark(screen.channel, unknownCommand(line));
  if (command === undefined) return say(screen, messageOf(line));
  if (command.name === "end") return end(screen);
  await obey(screen, command);
  await refresh(screen);
}

/** `/end`: at a terminal, it may ask how the conversation was. What is no answer is a line like any other. */
async function end(screen: Talk): Promise<void> {
  const { conversation, channel, editor } = screen;
  showPanel(screen, "remembering");
  const { asks } = await endEpisode(conversation, channel);
  showPanel(screen);
  const typed = asks ? await askFeedback(conversation, { channel, ask: (prompt) => editor.next(prompt) }) : undefined;
  screen.interrupts = 0;
  if (typed !== undefined) await handle(screen, typed);
  else await refresh(screen);
}

/** Prints an error. It ends the command, not the chat. */
async function guarded(screen: Talk, work: () => Promise<void>): Promise<void> {
  const { conversation, channel } = screen;
  try {
    await work();
  } catch (error) {
    if (screen.left) return;
    channel.line(withoutSecret(describeError(ThroughlineError.from(error), channel.paint), conversation.context.location));
  }
}

async function say(screen: Talk, text: string): Promise<void> {
  const { conversation, channel } = screen;
  const session = await conversation.session();
  try {
    const { offset, turn_id } = await session.post(text, conversation.messageOptions);
    if (turn_id !== undefined) return await watch(screen, { turn_id, from: offset + 1, message: offset });
    remark(channel, "People have this session, so the agent stays silent. Your message is stored for them; /handback returns the session.");
  } catch (error) {
    if (screen.left) throw error;
    const result = await unsavedResult(conversation, text, error);
    viewOf(screen).final(result.reply ?? "");
    remark(channel, notSaved(result), "red");
  }
}

/** Runs a command and shows the turn that it continues. */
async function obey(screen: Talk, command: SlashCommand): Promise<void> {
  const { conversation, channel } = screen;
  const going = goingOn(command);
  if (going === undefined) return runSlash(conversation, command, channel);
  const goesOn = await going(conversation, channel);
  if (goesOn !== undefined) await watch(screen, goesOn);
}

/** Resumes the turns that an earlier process left open and shows their replies. */
async function resumeLeft(screen: Talk): Promise<void> {
  const { turns, waiting } = screen.conversation.left;
  for (const turn of turns) {
    const messages = waiting.filter((message) => message.turn === turn.number).map((message) => message.offset);
    const what =
      messages.length === 0
        ? turn.cause
        : messages.length === 1
          ? `your message at offset ${messages[0]}`
          : `your messages at offsets ${messages.join(", ")}`;
    remark(screen.channel, resuming(turn, what), "cyan");
    const from = messages[0] ?? 0;
    await guarded(screen, () => watch(screen, { turn_id: turn.turn_id, from, message: messages.at(-1) }));
    space(screen);
  }
}

/** Shows a turn: the streaming reply, its end, and the state changes. */
async function watch(screen: Talk, turn: { readonly turn_id: TurnId; readonly from: number; readonly message: number | undefined }): Promise<void> {
  const session = await screen.conversation.session();
  screen.busy = true;
  showPanel(screen, "answering, Ctrl-C stops it");
  try {
    const end = await followTurn(session, turn, viewOf(screen));
    screen.busy = false;
    showEnd(screen, end);
    if (end.type === "ended") await showContextOf(screen, turn, end.offset);
    else await refresh(screen);
  } finally {
    screen.busy = false;
  }
}

const viewOf = (screen: Talk): ReturnType<typeof replyView> => {
  const { agent, context } = screen.conversation;
  return replyView(screen.channel, { name: agent.name, plain: context.output.plain, over: () => screen.left });
};

function showEnd(screen: Talk, end: TurnEnd): void {
  if (end.type === "paused") {
    screen.channel.line(describePending(end.pending, screen.channel, screen.conversation.context.clock.now()));
    return remark(screen.channel, howToDecide(end.pending), "cyan");
  }
  if (end.type === "behind") return remark(screen.channel, "Another turn waits for your decision, and this one behind it: /pending");
  if (end.type === "withdrawn") return remark(screen.channel, "The turn was withdrawn.");
  if (end.type === "manual") return remark(screen.channel, "A person has taken over, so the agent stays silent.");
  const { outcome } = end;
  if (outcome.status === "stopped") remark(screen.channel, `Stopped (${clip(outcome.reason, 40)}). Your message is stored without an answer.`);
  if (outcome.status === "failed") remark(screen.channel, `The turn failed: ${clip(outcome.error.message, 200)} (${outcome.error.code})`, "red");
}

/**
 * Explains the reply: in the panel, or in a line where there is none, or with `--context on`. Also shows the state changes, unless the agent's state
 * describes the turn itself, and the decisions with `/trace on`.
 */
async function showContextOf(screen: Talk, { turn_id, from }: { readonly turn_id: TurnId; readonly from: number }, to: number): Promise<void> {
  const { conversation, channel } = screen;
  const session = await conversation.session();
  const [result, info] = await Promise.all([session.outcome(turn_id), session.info()]);
  await refresh(screen, result);
  const { contextLine: wanted, context } = conversation;
  const isExplained = wanted !== false && saysItself(result);
  if (isExplained && context.output.plain) remark(channel, panelInWords(await panelFacts(conversation, result)));
  else if (wanted === true || (isExplained && screen.facts === undefined)) {
    const line = contextLine(result, info);
    if (line !== undefined) channel.line(channel.paint("dim", indent(wrapped(line, channel.columns(80) - 2))));
  }
  if (!isExplained) await showChanges(screen, Math.max(0, from - 1), to);
  for (const line of traceOf(conversation, result)) channel.line(channel.paint("dim", line));
}

async function showChanges({ conversation, channel }: Talk, from: number, to: number): Promise<void> {
  const { id } = await conversation.session();
  const changes = await changesOver(conversation.store, id, from, to);
  if (changes.length > 0) channel.line(channel.paint("dim", `  ${changeLine(changes, Math.min(100, channel.columns(80)))} · /diff`));
}
